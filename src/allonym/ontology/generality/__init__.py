"""Concepts that are too general to say anything, and those that only name the rest of a class."""
