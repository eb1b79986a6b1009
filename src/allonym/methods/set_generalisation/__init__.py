"""Generalising the items of sets: for all records alike (k^m-anonymity), or group by group (k-anonymity)."""
