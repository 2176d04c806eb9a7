"""How much rules matter, and what contests change: many line-ups, played one after the other."""
