"""A person at the table: the same games, played with or against bots in a terminal."""
