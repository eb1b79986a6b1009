"""Disclosure risk of a table, before and after masking: unique combinations, the population, risk per record."""
