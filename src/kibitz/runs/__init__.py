"""Runs: units of work on threads and processes, the watchdog, and the SQLite store that keeps finished work."""
