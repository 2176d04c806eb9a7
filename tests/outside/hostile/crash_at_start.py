"""Dies before the first question."""

raise ValueError("no deck\x1b[31m today")
