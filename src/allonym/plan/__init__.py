"""A plan: what each column is, which method, how much privacy. What the command line and pages do, a plan does."""

from allonym.plan.column import Column, identifier, keep, quasi, sensitive, unit, weight
from allonym.plan.model import Plan

__all__ = ["Column", "Plan", "household", "identifier", "keep", "quasi", "sensitive", "unit", "weight"]
