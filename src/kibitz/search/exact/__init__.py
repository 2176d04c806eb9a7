"""Tiny games solved exactly: the tree, its equilibrium, and best responses that show how far from it a bot plays."""
