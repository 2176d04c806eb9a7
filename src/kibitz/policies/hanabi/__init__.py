"""What Hanabi bots work out from a view, for bots, search and training alike."""
