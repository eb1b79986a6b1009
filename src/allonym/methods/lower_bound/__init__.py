"""A lower bound on the loss of any grouping of a table into groups of at least k records.

Over all partitions of the distinct tuples into groups with at least k rows, each with any representative, the loss
Σ ω·d² is at least

    Σ u_t + Σ_r min(0, min_G Σ_{t in G} (ω_t·d(t, r)² - u_t))

for any prices u of the tuples, where r are the possible representatives and G the groups with at least k rows: this is
the Lagrangian dual of set partitioning, and two groups with one representative are one group. Subgradient steps (Held,
Wolfe and Crowder 1974; Polyak 1969) look for the prices with the largest bound.
"""

from allonym.methods.lower_bound.bound import LowerBound, lower_bound

__all__ = ["LowerBound", "lower_bound"]
