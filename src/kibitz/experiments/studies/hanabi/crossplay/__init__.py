"""Who plays well with strangers."""
