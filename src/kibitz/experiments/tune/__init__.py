"""Tuning: which parameters make a bot strongest?"""
