"""Runners: work units on threads or processes, results in any order."""
