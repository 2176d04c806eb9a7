"""Trainings: bots that learn from games."""
