"""Statistics: mergeable summaries."""
