"""Reports: tables, transcripts and files for people to read."""
