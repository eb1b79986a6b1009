"""Text to concepts: what each value of a column means."""
