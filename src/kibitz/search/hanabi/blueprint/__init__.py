"""Search over a blueprint in Hanabi: every move tried in worlds that could be the real one, with a convention in all seats."""
