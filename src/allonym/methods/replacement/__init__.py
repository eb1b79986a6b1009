"""Restrictions on what replaces the values of groups: only existing records, or one replacement for each value."""
