"""Scorers: everything that gives each candidate of a query a number."""
