"""Hanabi in words: what happens, whole games, reasons."""
