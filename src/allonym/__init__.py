"""Allonym: anonymise data whose columns are words, without losing what they mean.

>>> import allonym as al
>>> round(al.similarity("trekker", "jogger"), 2), round(al.similarity("trekker", "accountant"), 2)
(0.84, 0.74)
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from allonym.knowledge.linking import Link, link
    from allonym.knowledge.readers import read_taxonomy
    from allonym.knowledge.scope import Scope
    from allonym.knowledge.taxonomy import Source, Taxonomy
    from allonym.knowledge.wordnet import wordnet
    from allonym.knowledge.words import similarity
    from allonym.masking.baselines import MDAV
    from allonym.masking.exponential import Exponential
    from allonym.masking.fusion import Fusion
    from allonym.masking.generalise import Generalise
    from allonym.masking.noise import Noise
    from allonym.masking.randomise import RandomiseFrequency, RandomiseUniform
    from allonym.masking.recoding import Recoding, RecodingOrdered
    from allonym.masking.semantic import SAMDAV, SMDAV, Abril, SAMDAVStatic
    from allonym.plan.columns import Column, identifier, keep, quasi, sensitive, unit, weight
    from allonym.plan.compare import compare
    from allonym.plan.fitted import Fitted
    from allonym.plan.plan import Plan
    from allonym.plan.privacy import Privacy
    from allonym.plan.run import Release

__version__ = "0.1.0.dev0"

_WHERE = {
    "Link": "allonym.knowledge.linking",
    "Scope": "allonym.knowledge.scope",
    "Source": "allonym.knowledge.taxonomy",
    "Taxonomy": "allonym.knowledge.taxonomy",
    "link": "allonym.knowledge.linking",
    "read_taxonomy": "allonym.knowledge.readers",
    "similarity": "allonym.knowledge.words",
    "wordnet": "allonym.knowledge.wordnet",
    "Column": "allonym.plan.columns",
    "Abril": "allonym.masking.semantic",
    "Exponential": "allonym.masking.exponential",
    "Fitted": "allonym.plan.fitted",
    "Fusion": "allonym.masking.fusion",
    "Generalise": "allonym.masking.generalise",
    "MDAV": "allonym.masking.baselines",
    "Noise": "allonym.masking.noise",
    "Plan": "allonym.plan.plan",
    "Privacy": "allonym.plan.privacy",
    "RandomiseFrequency": "allonym.masking.randomise",
    "RandomiseUniform": "allonym.masking.randomise",
    "Recoding": "allonym.masking.recoding",
    "RecodingOrdered": "allonym.masking.recoding",
    "Release": "allonym.plan.run",
    "SAMDAV": "allonym.masking.semantic",
    "SAMDAVStatic": "allonym.masking.semantic",
    "SMDAV": "allonym.masking.semantic",
    "compare": "allonym.plan.compare",
    "identifier": "allonym.plan.columns",
    "keep": "allonym.plan.columns",
    "quasi": "allonym.plan.columns",
    "sensitive": "allonym.plan.columns",
    "unit": "allonym.plan.columns",
    "weight": "allonym.plan.columns",
}
__all__ = [
    "MDAV",
    "SAMDAV",
    "SMDAV",
    "Abril",
    "Column",
    "Exponential",
    "Fitted",
    "Fusion",
    "Generalise",
    "Link",
    "Noise",
    "Plan",
    "Privacy",
    "RandomiseFrequency",
    "RandomiseUniform",
    "Recoding",
    "RecodingOrdered",
    "Release",
    "SAMDAVStatic",
    "Scope",
    "Source",
    "Taxonomy",
    "compare",
    "identifier",
    "keep",
    "link",
    "quasi",
    "read_taxonomy",
    "sensitive",
    "similarity",
    "unit",
    "weight",
    "wordnet",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    """Import a public name when it is first asked for: `import allonym` costs nothing."""
    if name in _WHERE:
        return getattr(import_module(_WHERE[name]), name)
    raise AttributeError(f"module 'allonym' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
