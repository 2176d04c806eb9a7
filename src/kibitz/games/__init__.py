"""The games: each a folder with cards, rules, engine, view and notation."""
