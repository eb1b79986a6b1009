"""Slow, obviously correct similarity measures, written from the formulas: the oracle of the property tests.

Nothing is shared with the package, and nothing is optimised: every call walks the taxonomy again. Formulas: Martínez
(2010) §3.2 (eq. 5-16) and Batet et al. (2014) eq. 1. The path length is the shortest over all common subsumers. Other
measures that name a least common subsumer (LCS) take, of several, the one that makes the two concepts most similar.
"""

import math
from collections.abc import Iterator, Mapping, Sequence

# Concept -> its direct parents. Exactly one concept (the root) has none; acyclic; multiple inheritance allowed.
Parents = Mapping[int, Sequence[int]]

# Depth of the root, by depth convention.
OFFSETS = {"edges": 0, "nodes": 1, "virtual-root": 2}

# The taxonomy of the doctests. 4 and 5 have two least common subsumers, 2 and 3, of different depth,
# and their longest way to the root (over 3 and 1) is not their shortest (over 2).
TINY: Parents = {0: (), 1: (0,), 2: (0,), 3: (1,), 4: (3, 2), 5: (3, 2), 6: (1,)}
# 5 has a second parent high up.
SHORTCUT: Parents = {0: (), 1: (0,), 2: (1,), 3: (2,), 4: (3,), 5: (4, 0), 6: (1,)}
CONTENT = {0: 0.0, 1: 0.2, 2: 0.5, 3: 0.4, 4: 1.0, 5: 0.75, 6: 1.0}  # information content, made up


def _levels(parents: Parents, c: int) -> Iterator[set[int]]:
    """Yield the concepts that some way of exactly 0, 1, 2, ... links up from c arrives at.

    >>> list(_levels(TINY, 4))
    [{4}, {2, 3}, {0, 1}, {0}]
    """
    level = {c}
    while level:
        yield level
        level = {parent for concept in level for parent in parents[concept]}


def ancestors(parents: Parents, c: int) -> set[int]:
    """Return T(c): c and all its ancestors.

    >>> sorted(ancestors(TINY, 4))
    [0, 1, 2, 3, 4]
    """
    return set().union(*_levels(parents, c))


def depth(parents: Parents, c: int) -> int:
    """Return the links on the longest way from c to the root.

    >>> depth(TINY, 0), depth(TINY, 2), depth(TINY, 4)
    (0, 1, 3)
    """
    return len(list(_levels(parents, c))) - 1  # every way ends at the root, so the last level is {root}


def links_up(parents: Parents, c: int, ancestor: int) -> int:
    """Return the fewest links from c up to one of its ancestors (0 to itself).

    >>> links_up(TINY, 4, 0), links_up(TINY, 4, 1), links_up(TINY, 4, 4)
    (2, 2, 0)
    """
    for links, level in enumerate(_levels(parents, c)):
        if ancestor in level:
            return links
    raise ValueError(f"concept {ancestor} is not an ancestor of concept {c}")


def least_common_subsumers(parents: Parents, a: int, b: int) -> set[int]:
    """Return the common subsumers of a and b that have no other common subsumer below them.

    >>> sorted(least_common_subsumers(TINY, 4, 5)), least_common_subsumers(TINY, 4, 2)
    ([2, 3], {2})
    """
    common = ancestors(parents, a) & ancestors(parents, b)
    return {c for c in common if not any(c in ancestors(parents, other) for other in common - {c})}


def _descendants(parents: Parents, c: int) -> set[int]:
    """Return the distinct concepts strictly below c.

    >>> sorted(_descendants(TINY, 1))
    [3, 4, 5, 6]
    """
    return {d for d in parents if c in ancestors(parents, d)} - {c}


def _leaves(parents: Parents, c: int) -> set[int]:
    """Return the distinct leaves strictly below c, so none for a leaf.

    >>> sorted(_leaves(TINY, 1)), _leaves(TINY, 6)
    ([4, 5, 6], set())
    """
    return {d for d in _descendants(parents, c) if not _descendants(parents, d)}


def _root(parents: Parents) -> int:
    """Return the one concept without parents."""
    (root,) = (c for c in parents if not parents[c])
    return root


def _deepest(parents: Parents) -> int:
    """Return the largest depth in the taxonomy, in links."""
    return max(depth(parents, c) for c in parents)


def path(parents: Parents, a: int, b: int) -> int:
    """Return the fewest is-a links that connect a and b, up from each to a common subsumer (Martínez 2010, eq. 5).

    The subsumer need not be a least one. In SHORTCUT, 1 is the only least common subsumer of 5 and 6, by which they are
    4 + 1 links apart; by the root, 1 + 2.

    >>> path(TINY, 4, 5), path(TINY, 4, 6), path(TINY, 4, 0), path(TINY, 4, 4)
    (2, 3, 2, 0)
    >>> least_common_subsumers(SHORTCUT, 5, 6), path(SHORTCUT, 5, 6), path(SHORTCUT, 5, 1)
    ({1}, 3, 2)
    """
    common = ancestors(parents, a) & ancestors(parents, b)
    return min(links_up(parents, a, subsumer) + links_up(parents, b, subsumer) for subsumer in common)


def leacock_chodorow(parents: Parents, a: int, b: int) -> float:
    """Return -log(Np / (2·D)) with Np = N1 + N2 + 1 and D the deepest depth in nodes (Martínez 2010, eq. 6).

    >>> math.isclose(leacock_chodorow(TINY, 4, 5), -math.log((1 + 1 + 1) / (2 * 4)))
    True
    """
    n_p = path(parents, a, b) + 1
    d = _deepest(parents) + 1
    return -math.log(n_p / (2 * d))


def wu_palmer(parents: Parents, a: int, b: int, depth_convention: str = "nodes") -> float:
    """Return the similarity 2·N3 / (N1 + N2 + 2·N3), the largest of several LCSs, 1 for a == b (Martínez 2010, eq. 7).

    >>> wu_palmer(TINY, 4, 5) == (2 * 3) / (1 + 1 + 2 * 3)
    True
    >>> wu_palmer(TINY, 1, 2, "edges"), wu_palmer(TINY, 0, 0, "edges")
    (0.0, 1.0)
    """
    if a == b:  # at the root, with `edges`, the formula would be 0/0
        return 1.0
    similarities = []
    for lcs in least_common_subsumers(parents, a, b):
        n1 = links_up(parents, a, lcs)
        n2 = links_up(parents, b, lcs)
        n3 = depth(parents, lcs) + OFFSETS[depth_convention]
        similarities.append(2 * n3 / (n1 + n2 + 2 * n3))
    return max(similarities)


def ancestor_overlap(parents: Parents, a: int, b: int) -> float:
    """Return the distance δ = (|T(a) ∪ T(b)| - |T(a) ∩ T(b)|) / |T(a) ∪ T(b)| (Batet et al. 2014, eq. 1).

    >>> ancestor_overlap(TINY, 4, 6) == (6 - 2) / 6
    True
    """
    union = ancestors(parents, a) | ancestors(parents, b)
    intersection = ancestors(parents, a) & ancestors(parents, b)
    return (len(union) - len(intersection)) / len(union)


def seco(parents: Parents, c: int) -> float:
    """Return the intrinsic information content 1 - log(hyponyms + 1) / log(N), 0 in a one-concept taxonomy.

    >>> seco(TINY, 1) == 1 - math.log(4 + 1) / math.log(7)
    True
    >>> seco(TINY, 0), seco(TINY, 6), seco({0: ()}, 0)
    (0.0, 1.0, 0.0)
    """
    n = len(parents)
    if n == 1:
        return 0.0
    return 1 - math.log(len(_descendants(parents, c)) + 1) / math.log(n)


def sanchez_batet(parents: Parents, c: int) -> float:
    """Return the intrinsic information content -log((leaves(c) / |T(c)| + 1) / (max_leaves + 1)).

    >>> math.isclose(sanchez_batet(TINY, 1), -math.log((3 / 2 + 1) / (3 + 1)))
    True
    >>> math.isclose(sanchez_batet(TINY, 6), -math.log(1 / (3 + 1)))  # a leaf has 0 leaves
    True
    """
    max_leaves = len(_leaves(parents, _root(parents)))
    return -math.log((len(_leaves(parents, c)) / len(ancestors(parents, c)) + 1) / (max_leaves + 1))


def corpus(parents: Parents, counts: Mapping[int, float], c: int) -> float:
    """Return -log(freq(c) / freq(root)), freq being Σ count + 1 over c and its descendants (Martínez 2010, eq. 13).

    >>> math.isclose(corpus(TINY, {4: 2, 6: 5}, 2), -math.log((1 + 3 + 1) / (7 + 2 + 5)))
    True
    """

    def frequency(concept: int) -> float:
        # fsum does not depend on the order of a set, so a child never gets a larger frequency than its parent
        return math.fsum(counts.get(d, 0) + 1 for d in _descendants(parents, concept) | {concept})

    return -math.log(frequency(c) / frequency(_root(parents)))


def resnik(parents: Parents, content: Mapping[int, float], a: int, b: int) -> float:
    """Return the information content of the LCS, the largest over several, raw also for a == b (Martínez 2010, eq. 14).

    >>> resnik(TINY, CONTENT, 4, 5), resnik(TINY, CONTENT, 5, 5)
    (0.5, 0.75)
    """
    return max(content[lcs] for lcs in least_common_subsumers(parents, a, b))


def lin(parents: Parents, content: Mapping[int, float], a: int, b: int) -> float:
    """Return 2·IC(LCS) / (IC(a) + IC(b)), 1 for a == b and 0 for 0/0 of distinct concepts (Martínez 2010, eq. 15).

    >>> lin(TINY, CONTENT, 4, 5) == 2 * 0.5 / (1.0 + 0.75)
    True
    """
    if a == b:
        return 1.0
    if content[a] + content[b] == 0:
        return 0.0
    return 2 * resnik(parents, content, a, b) / (content[a] + content[b])


def jiang_conrath(parents: Parents, content: Mapping[int, float], a: int, b: int) -> float:
    """Return the distance IC(a) + IC(b) - 2·IC(LCS), the least of several LCSs, 0 for a == b (Martínez 2010, eq. 16).

    >>> jiang_conrath(TINY, CONTENT, 4, 5) == 1.0 + 0.75 - 2 * 0.5
    True
    """
    if a == b:
        return 0.0
    return min(content[a] + content[b] - 2 * content[lcs] for lcs in least_common_subsumers(parents, a, b))


def distance(
    measure: str,
    parents: Parents,
    a: int,
    b: int,
    *,
    depth_convention: str = "nodes",
    content: Mapping[int, float] | None = None,
) -> float:
    """Return the measure as a distance in [0, 1], 0 for identical concepts, also at the root.

    >>> distance("path", TINY, 4, 6) == (2 + 1) / (2 * 3)
    True
    >>> distance("wu-palmer", TINY, 4, 5) == 1 - 6 / 8
    True
    >>> distance("resnik", TINY, 4, 5, content=dict.fromkeys(TINY, 0.0))
    1.0
    """
    if a == b:
        return 0.0
    # Two concepts or more from here on, so D is at least 1 link (2 nodes): only information content can divide by 0.
    match measure:
        case "path":
            return path(parents, a, b) / (2 * _deepest(parents))
        case "leacock-chodorow":
            d = _deepest(parents) + 1
            return 1 - leacock_chodorow(parents, a, b) / math.log(2 * d)
        case "wu-palmer":
            return 1 - wu_palmer(parents, a, b, depth_convention)
        case "ancestor-overlap":
            return ancestor_overlap(parents, a, b)
        case "resnik" | "lin" | "jiang-conrath":
            if content is None:
                raise ValueError(f"measure {measure!r} needs the information content of every concept. Hint: content=")
            return _content_distance(measure, parents, content, a, b)
    raise ValueError(f"unknown measure {measure!r}")


def _content_distance(measure: str, parents: Parents, content: Mapping[int, float], a: int, b: int) -> float:
    """Return the distance of two distinct concepts by a measure on information content.

    >>> _content_distance("resnik", TINY, CONTENT, 4, 5) == 1 - 0.5 / 1.0
    True
    >>> _content_distance("jiang-conrath", TINY, CONTENT, 4, 5) == 0.75 / (2 * 1.0)
    True
    """
    largest = max(content[c] for c in parents)
    if largest == 0:
        return 1.0
    if measure == "resnik":
        return 1 - resnik(parents, content, a, b) / largest
    if measure == "jiang-conrath":
        return jiang_conrath(parents, content, a, b) / (2 * largest)
    return 1 - lin(parents, content, a, b)


def neighbourhood(parents: Parents, terms: Mapping[int, frozenset[str]], c: int, reach: str) -> frozenset[str]:
    """Return the terms of c and of its direct parents and children (`direct`) or of all its ancestors (`ancestors`).

    >>> terms = {c: frozenset("abcdefg"[c]) for c in TINY}
    >>> "".join(sorted(neighbourhood(TINY, terms, 3, "direct")))
    'bdef'
    >>> "".join(sorted(neighbourhood(TINY, terms, 3, "ancestors")))
    'abd'
    """
    if reach == "direct":
        concepts = {c} | set(parents[c]) | {child for child in parents if c in parents[child]}
    elif reach == "ancestors":
        concepts = ancestors(parents, c)
    else:
        raise ValueError(f"unknown reach {reach!r}. Hint: 'direct' or 'ancestors'")
    return frozenset(term for concept in concepts for term in terms[concept])


def _gamma(parents: Parents, c1: int, c2: int) -> float:
    """Return the weight γ(c1, c2) on depths in nodes (Martínez 2010, eq. 9); it is symmetric and at most 1/2.

    >>> _gamma(TINY, 2, 4) == 2 / (2 + 4), _gamma(TINY, 4, 2) == 1 - 4 / (4 + 2)
    (True, True)
    """
    depth1 = depth(parents, c1) + OFFSETS["nodes"]
    depth2 = depth(parents, c2) + OFFSETS["nodes"]
    if depth1 <= depth2:
        return depth1 / (depth1 + depth2)
    return 1 - depth1 / (depth1 + depth2)


def tversky_as_printed(parents: Parents, features: Mapping[int, frozenset[str]], c1: int, c2: int) -> float:
    """Return |A ∩ B| / (|A ∩ B| + γ·|A - B| + (1 - γ)·|B - A|), 0 where the divisor is 0 (Martínez 2010, eq. 8).

    >>> features = {2: frozenset("xy"), 4: frozenset("yzw")}
    >>> math.isclose(tversky_as_printed(TINY, features, 2, 4), 1 / (1 + 2 / 6 * 1 + 4 / 6 * 2))
    True
    """
    set_a, set_b = features[c1], features[c2]
    gamma = _gamma(parents, c1, c2)
    common = len(set_a & set_b)
    divisor = common + gamma * len(set_a - set_b) + (1 - gamma) * len(set_b - set_a)
    return common / divisor if divisor else 0.0


def tversky(parents: Parents, features: Mapping[int, frozenset[str]], a: int, b: int) -> float:
    """Return Tversky's similarity as the mean of both directions, 1 for a == b (Martínez 2010, eq. 8-9).

    >>> features = {2: frozenset("xy"), 4: frozenset("yzw")}
    >>> one, other = 1 / (1 + 2 / 6 * 1 + 4 / 6 * 2), 1 / (1 + 2 / 6 * 2 + 4 / 6 * 1)
    >>> math.isclose(tversky(TINY, features, 2, 4), (one + other) / 2)
    True
    """
    if a == b:
        return 1.0
    return (tversky_as_printed(parents, features, a, b) + tversky_as_printed(parents, features, b, a)) / 2
