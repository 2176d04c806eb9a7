"""Searches that bots are built on."""
