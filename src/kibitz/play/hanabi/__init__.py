"""Hanabi: what advice is made with."""
