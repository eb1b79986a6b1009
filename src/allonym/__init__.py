"""Allonym: anonymise data whose columns are words, without losing what they mean.

>>> import allonym as al
>>> round(al.similarity("trekker", "jogger"), 2), round(al.similarity("trekker", "accountant"), 2)
(0.84, 0.74)
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from allonym.methods.abril import Abril
    from allonym.methods.exponential import Exponential
    from allonym.methods.fusion import Fusion
    from allonym.methods.generalise import Generalise
    from allonym.methods.mdav import MDAV
    from allonym.methods.noise import Noise
    from allonym.methods.randomise import RandomiseFrequency, RandomiseUniform
    from allonym.methods.recoding import Recoding, RecodingOrdered
    from allonym.methods.s_mdav import SMDAV
    from allonym.methods.sa_mdav import SAMDAV, SAMDAVStatic
    from allonym.ontology.linking.link import Link, link
    from allonym.ontology.readers import read_taxonomy
    from allonym.ontology.scope import Scope
    from allonym.ontology.taxonomy import Source, Taxonomy
    from allonym.ontology.word_similarity import similarity
    from allonym.ontology.wordnet import wordnet
    from allonym.pipeline.compare import compare
    from allonym.pipeline.fit import Fitted
    from allonym.pipeline.run import Release
    from allonym.plan.column import Column, identifier, keep, quasi, sensitive, unit, weight
    from allonym.plan.model import Plan
    from allonym.plan.privacy import Privacy

__version__ = "0.1.0.dev0"

_WHERE = {
    "Link": "allonym.ontology.linking.link",
    "Scope": "allonym.ontology.scope",
    "Source": "allonym.ontology.taxonomy",
    "Taxonomy": "allonym.ontology.taxonomy",
    "link": "allonym.ontology.linking.link",
    "read_taxonomy": "allonym.ontology.readers",
    "similarity": "allonym.ontology.word_similarity",
    "wordnet": "allonym.ontology.wordnet",
    "Column": "allonym.plan.column",
    "Abril": "allonym.methods.abril",
    "Exponential": "allonym.methods.exponential",
    "Fitted": "allonym.pipeline.fit",
    "Fusion": "allonym.methods.fusion",
    "Generalise": "allonym.methods.generalise",
    "MDAV": "allonym.methods.mdav",
    "Noise": "allonym.methods.noise",
    "Plan": "allonym.plan.model",
    "Privacy": "allonym.plan.privacy",
    "RandomiseFrequency": "allonym.methods.randomise",
    "RandomiseUniform": "allonym.methods.randomise",
    "Recoding": "allonym.methods.recoding",
    "RecodingOrdered": "allonym.methods.recoding",
    "Release": "allonym.pipeline.run",
    "SAMDAV": "allonym.methods.sa_mdav",
    "SAMDAVStatic": "allonym.methods.sa_mdav",
    "SMDAV": "allonym.methods.s_mdav",
    "compare": "allonym.pipeline.compare",
    "identifier": "allonym.plan.column",
    "keep": "allonym.plan.column",
    "quasi": "allonym.plan.column",
    "sensitive": "allonym.plan.column",
    "unit": "allonym.plan.column",
    "weight": "allonym.plan.column",
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
