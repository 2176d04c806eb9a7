"""Bots in tiny games that are solved: how each plays there, and how exploitable that makes it."""
