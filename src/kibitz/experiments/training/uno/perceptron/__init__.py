"""Perceptrons that score cards, trained by a small genetic algorithm or by CMA-ES."""
