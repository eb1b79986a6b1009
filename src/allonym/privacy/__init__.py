"""Privacy models, one module each: counted on groups of records, with what a group lacks to meet them."""

from allonym.privacy.disclosure import guessed_by_group, told_by_group
from allonym.privacy.entropy_l_diversity import entropy_l_diversity
from allonym.privacy.k_anonymity import k_anonymity
from allonym.privacy.km_anonymity import km_anonymity
from allonym.privacy.l_diversity import l_diversity
from allonym.privacy.recursive_l_diversity import recursive_l_diversity
from allonym.privacy.t_closeness import t_closeness

__all__ = [
    "entropy_l_diversity",
    "guessed_by_group",
    "k_anonymity",
    "km_anonymity",
    "l_diversity",
    "recursive_l_diversity",
    "t_closeness",
    "told_by_group",
]
