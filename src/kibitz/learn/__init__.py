"""Bots that get better: parameters tuned, policies trained."""
