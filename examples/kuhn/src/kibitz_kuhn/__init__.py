"""Kuhn poker, a game with three cards, as a plug-in of Kibitz."""
