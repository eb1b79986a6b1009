"""Dates: how columns write them, their periods, and how far apart they are."""
