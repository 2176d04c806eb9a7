"""Hanabi at the terminal."""
