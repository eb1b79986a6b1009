"""Inner loops on arrays: growing groups, nearest and farthest tuples, splitting into blocks."""
