"""UNO at the terminal."""
