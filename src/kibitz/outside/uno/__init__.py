"""UNO: what the conformance suite of outside bots needs besides games."""
