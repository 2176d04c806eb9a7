"""Tournaments: who takes part (`config`), who plays whom (`formats`), the games (`play`), and what they say (`standings`)."""
