"""How much of UNO is skill."""
