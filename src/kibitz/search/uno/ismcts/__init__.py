"""Information-set Monte-Carlo tree search: one tree over what the searcher sees, grown through worlds it thinks possible."""
