"""Studies of Hanabi: cross-play."""
