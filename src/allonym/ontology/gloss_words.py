"""The words of glosses: how a text is split, and which words say nothing about a meaning."""

from __future__ import annotations

import re

from allonym.ontology.lexicon import key

_WORD = re.compile(r"[^\W\d_]{2,}")
_STOP_WORDS = """
a about above across after again against all along also although always am among an and another any anyone
anything are around as at away be became because been before being below between beyond both but by can cannot
could did do does doing done down during each eg either else esp especially etc even ever every everyone
everything few for from further get gets give given go goes going got had has have having he her here hers herself
him himself his how however ie if in including instead into is it its itself just like made make makes making many
may me might more most much must my myself near never no nobody nor not nothing now of off often on once one ones
only onto or other others our ours out over own per perhaps quite rather really said same say says see seem seems
several shall she should since so some someone something sometimes such than that the their theirs them themselves
then there therefore these they this those though through throughout thus to together too toward towards under
until up upon us use used uses using usually various very via was we were what whatever when where whether which
while who whom whose why will with within without would yes yet you your yours yourself
"""
STOP_WORDS = frozenset(_STOP_WORDS.split())


def words_of(text: str) -> list[str]:
    """Return the words of a text that carry meaning, in lower case.

    >>> words_of("a hired attendant who cares for the Sick")
    ['hired', 'attendant', 'cares', 'sick']
    """
    return [word for word in _WORD.findall(key(text)) if word not in STOP_WORDS]
