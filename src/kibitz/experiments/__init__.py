"""Experiments: evaluations, matches, comparisons, tournaments, tuning, studies and trainings, from settings to figures."""
