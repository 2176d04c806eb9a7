"""Environments that only UNO has."""
