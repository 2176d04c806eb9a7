"""Search in Hanabi: worlds that agree with a player's view, and what each move leads to in them."""
