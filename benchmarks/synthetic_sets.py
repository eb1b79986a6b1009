"""Invented sets of WordNet's nouns, in which few nouns are frequent: benchmarks/sets.py."""

from __future__ import annotations

import numpy as np

from allonym.ontology.wordnet import wordnet

EXPONENT = 0.9  # of the frequencies of nouns, by rank, as in texts (Zipf)


def nouns(number: int, generator: np.random.Generator) -> list[str]:
    """Draw nouns of one sense, which link to different concepts; named individuals are left out."""
    taxonomy = wordnet().taxonomy
    one_sense = [
        label
        for concept, label in enumerate(taxonomy.labels)
        if not taxonomy.instances[concept] and label.islower() and len(taxonomy.senses(label)) == 1
    ]
    return [one_sense[i] for i in generator.permutation(len(one_sense))[:number]]


def sets(rows: int, concepts: int, sizes: tuple[int, int], seed: int = 0) -> list[list[str]]:
    """Draw sets with sizes in a range, small ones more often; nouns by their ranks' frequencies, each at least once."""
    generator = np.random.default_rng(seed)
    words = nouns(concepts, generator)
    frequency = 1.0 / np.arange(1, concepts + 1) ** EXPONENT
    low, high = sizes
    size = np.clip(np.rint(low + generator.exponential((high - low) / 3, rows)), low, high).astype(int)
    drawn = [set(generator.choice(concepts, n, p=frequency / frequency.sum()).tolist()) for n in size.tolist()]
    for word in sorted(set(range(concepts)) - set().union(*drawn)):
        drawn[int(generator.integers(rows))].add(word)
    return [[words[i] for i in sorted(own)] for own in drawn]
