"""Ranges of numbers that people can read, and that give away the number of nobody."""
