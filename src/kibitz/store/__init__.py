"""Nothing lost: runs, their finished units, faults and kept games in one SQLite file."""
