"""The words of several ontologies as one lexicon."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from allonym.ontology.lexicon import Lexicon

RANKS_APART = 1_000  # between the senses of a word in one ontology and those in the next
MAX_RANK = 2**16 - 1


def joined_lexicon(lexicons: Sequence[Lexicon]) -> Lexicon:
    """Return the words of several lexicons; the senses of a word in the first come before those in the next.

    >>> from allonym.ontology.lexicon import Entry
    >>> one, other = Lexicon.build([Entry("bank", 7)]), Lexicon.build([Entry("bank", 3), Entry("shore", 3)])
    >>> words = joined_lexicon([one, other])
    >>> words.senses("bank").tolist(), words.terms(3)
    ([7, 3], ['bank', 'shore'])
    """
    forms = [form for x in lexicons for form in x.forms]
    keys = [key for x in lexicons for key in x.keys]
    order = sorted(range(len(forms)), key=lambda i: (keys[i], forms[i]))
    places = np.empty(len(forms), np.int64)  # of every form among the distinct ones
    distinct: list[str] = []
    for i in order:
        if not distinct or distinct[-1] != forms[i]:
            distinct.append(forms[i])
        places[i] = len(distinct) - 1
    first_form = np.cumsum([0, *(len(x.forms) for x in lexicons)])
    form_of = np.concatenate([places[x.form_of + start] for x, start in zip(lexicons, first_form, strict=False)])
    names = ("", *sorted({name for x in lexicons for name in x.language_names} - {""}))
    languages = [np.array([names.index(name) for name in x.language_names], np.uint16)[x.languages] for x in lexicons]
    ranks = [np.minimum(x.ranks.astype(np.int64) + RANKS_APART * i, MAX_RANK) for i, x in enumerate(lexicons)]
    by_form = np.argsort(form_of, kind="stable")
    return Lexicon(
        forms=tuple(distinct),
        starts=np.searchsorted(form_of[by_form], np.arange(len(distinct) + 1)).astype(np.int64),
        concepts=np.concatenate([x.concepts for x in lexicons])[by_form].astype(np.int32),
        ranks=np.concatenate(ranks)[by_form].astype(np.uint16),
        counts=np.concatenate([x.counts for x in lexicons])[by_form].astype(np.int32),
        languages=np.concatenate(languages)[by_form],
        preferred=np.concatenate([x.preferred for x in lexicons])[by_form],
        notation=np.concatenate([x.notation for x in lexicons])[by_form],
        language_names=names,
        exceptions={form: singulars for x in reversed(lexicons) for form, singulars in x.exceptions.items()},
    )
