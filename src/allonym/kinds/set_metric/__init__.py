"""Distances between sets, made of those between elements; a medoid represents a group.

The five distances are those of Batet, Erola, Sánchez and Castellà-Roca (2014).
"""

from allonym.kinds.set_metric.distances import SET_DISTANCES
from allonym.kinds.set_metric.metric import SetMetric

__all__ = ["SET_DISTANCES", "SetMetric"]
