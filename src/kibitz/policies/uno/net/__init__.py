"""The network of UNO in compiled code: what it sees, and what it makes of it."""
