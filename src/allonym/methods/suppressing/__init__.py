"""Suppression: records, or single cells, whose absence loses less than what their groups would write for them."""
