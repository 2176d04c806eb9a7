"""How good expectiminimax is: its strength, and the errors of its values."""
