"""Procedures 1 and 2 of Ayala-Rivera et al., as printed: plain recursion on dictionaries, one transition at a time.

An ontology is `parents`, the hypernyms of each concept, and `senses`, the concepts of each word. A hierarchy is a list
of rows from the leaf to the top. `person` has the senses that people give to words (`getDisambiguatedSense`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

Parents = Mapping[int, Sequence[int]]
VIRTUAL_ROOT = 2  # the depth of the root in the figures of the paper


def hypernyms(parents: Parents, concept: int) -> dict[int, int]:
    """Return the inherited hypernyms of a concept, itself among them, with the fewest links to each."""
    found = {concept: 0}
    for parent in parents[concept]:
        for above, links in hypernyms(parents, parent).items():
            found[above] = min(links + 1, found.get(above, links + 1))
    return found


def depth(parents: Parents, concept: int) -> int:
    """Return the number of links of the longest path to the root, counted from the virtual root."""
    return max((depth(parents, x) + 1 for x in parents[concept]), default=VIRTUAL_ROOT)


def trans_gsl(parents: Parents, leaf: int, ancestor: int) -> float:
    """Return 1 - 2·N3 / (N1 + N2 + 2·N3) by the least common subsumer that makes it smallest (eq. 1, appendix C)."""
    if leaf == ancestor:
        return 0.0
    one, other = hypernyms(parents, leaf), hypernyms(parents, ancestor)
    common = set(one) & set(other)
    least = [c for c in common if not any(c in hypernyms(parents, x) for x in common if x != c)]
    return min(1 - 2 * depth(parents, c) / (one[c] + other[c] + 2 * depth(parents, c)) for c in least)


def concept_of_ancestor(
    word: str, inherited: Mapping[int, int], senses: Mapping[str, Sequence[int]], person: Mapping[str, int]
) -> int:
    """Procedure 2, lines 5 to 9: the sense among the hypernyms of the leaf, the nearest of several; else a person's."""
    among = [c for c in senses[word] if c in inherited]
    return min(among, key=lambda c: inherited[c]) if among else person[word]


def vgh_gsl(
    rows: Sequence[Sequence[str]],
    parents: Parents,
    senses: Mapping[str, Sequence[int]],
    person: Mapping[str, int],
    weight: Callable[[int, int], float],
) -> tuple[float, list[float], list[list[float]]]:
    """Procedure 1: return VghGSL, LevelGSL of every level, and TransGSL of every leaf at every level."""
    score, height = 0.0, len(rows[0]) - 1
    levels: list[float] = []
    transitions: list[list[float]] = [[] for _ in rows]
    for i in range(1, height + 1):
        level = 0.0
        for number, row in enumerate(rows):
            leaf = person[row[0]]
            inherited = hypernyms(parents, leaf)
            ancestor = leaf if row[i] == row[0] else concept_of_ancestor(row[i], inherited, senses, person)
            loss = trans_gsl(parents, leaf, ancestor)
            transitions[number].append(loss)
            level = max(level, loss)
        score += level * weight(i, height)
        levels.append(level)
    return score, levels, transitions


def constant_weight(level: int, height: int) -> float:
    """Return 1/h."""
    return 1 / height


def level_weight(level: int, height: int) -> float:
    """Return (h + 1 - i) / Σj."""
    return (height + 1 - level) / sum(range(1, height + 1))
