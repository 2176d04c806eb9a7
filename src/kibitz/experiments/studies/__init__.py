"""Studies: larger questions, each answered by many line-ups, with tables and plots."""
