"""Expectiminimax over sampled worlds: the best of own answers, the worst of others', the mean over draws, to a depth in turns."""
