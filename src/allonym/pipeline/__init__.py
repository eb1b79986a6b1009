"""Running a plan on a table: inspect, check, mask, evaluate, compare, review."""
