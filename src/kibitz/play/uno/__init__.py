"""UNO: what advice is made with."""
