"""UNO: what the values of its searches tend to."""
