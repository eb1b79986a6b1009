"""The public functions on hierarchies: what `allonym hierarchy` does, for scripts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from allonym.errors import OptionError
from allonym.measures.hierarchies import Weights
from allonym.ontology.hierarchy import Hierarchy
from allonym.ontology.linking.link import Link
from allonym.ontology.scope import Scope
from allonym.pipeline import hierarchies
from allonym.pipeline.hierarchies.model import HierarchyComparison, HierarchyScore
from allonym.pipeline.hierarchies.scoring import DEPTH, MEASURE, Links, compare, link_hierarchies, score


def score_hierarchy(
    source: str | Path | Hierarchy,
    ontology: str | Scope = "wordnet",
    links: Links = None,
    *,
    aggregate: str = "max",
    weights: Weights = "constant",
    measure: str = MEASURE,
    depth: str = DEPTH,
    language: str = "en",
    accept_review: bool = False,
) -> HierarchyScore:
    """Score a hierarchy by its generalisation semantic loss in an ontology (Ayala-Rivera et al., procedure 1).

    Args:
        source: a hierarchy, or the path of one: rows leaf;level 1;…;top, or a JSON tree.
        ontology: the ontology, or its name as on the command line.
        links: the concepts of values, as a mapping from value to concept or a links file.
        aggregate: the loss of a level: `max`, `mean`, `median` or `quantile:Q` of its transitions.
        weights: the weights of levels: `constant`, `level` (lower levels count more), or a number for each level.
        measure: the similarity measure.
        depth: the depth convention of Wu-Palmer.
        language: the language of the values.
        accept_review: whether to use likely concepts of values that a person should settle.

    Returns:
        The score: `value` (VghGSL), `levels`, `transitions`, `findings` and the `senses` of all values.

    Raises:
        LinksError: some values have no sure concept; `values` of the error lists them.
        OptionError: an option is unknown, or there are too few or too many weights.
        UnknownFormatError: the file is not a hierarchy.

    >>> rows = [("parrot", "bird", "vertebrate"), ("bat", "bird", "vertebrate"), ("cat", "mammal", "vertebrate")]
    >>> scored = score_hierarchy(Hierarchy("pets", rows))
    >>> round(scored.value, 4), [round(x["gsl"], 4) for x in scored.levels]
    (0.1833, [0.1667, 0.2])
    >>> [x.text for x in scored.findings if x.code == "no-kind"]
    ['bat is no kind of bird (level 1).']
    """
    return score(
        source, ontology, links, aggregate=aggregate, weights=weights, measure=measure, depth=depth, language=language,
        accept_review=accept_review,
    )  # fmt: skip


def compare_hierarchies(
    sources: Sequence[str | Path | Hierarchy], ontology: str | Scope = "wordnet", links: Links = None, **options: Any
) -> HierarchyComparison:
    """Score hierarchies of the same leaves side by side; a leaf has the same sense in all of them.

    Args:
        sources: two or more hierarchies, or their paths.
        ontology: the ontology, or its name as on the command line.
        links: the concepts of values, as a mapping or a links file.
        options: the other options of `score_hierarchy`.

    Returns:
        The scores in the given order. `comparable_value` of each is VghGSL without the levels that group the leaves as
        the level below does; `best` of the comparison is the smallest.

    Raises:
        LinksError: some values have no sure concept.
        OptionError: there is one hierarchy only, the leaves differ, or an option is unknown.

    >>> fine = Hierarchy("fine", [("cat", "mammal", "animal"), ("dog", "mammal", "animal"), ("owl", "bird", "animal")])
    >>> flat = Hierarchy("flat", [("cat", "animal"), ("dog", "animal"), ("owl", "animal")])
    >>> [round(x.comparable_value, 4) for x in compare_hierarchies([fine, flat]).scores]
    [0.2291, 0.3043]
    """
    if len(sources) < 2:
        raise OptionError("At least two hierarchies are required.", hint="use score_hierarchy for a single one.")
    return compare(sources, ontology, links, **options)


def link_hierarchy(
    source: str | Path | Hierarchy, ontology: str | Scope = "wordnet", links: Links = None, *, language: str = "en"
) -> list[Link]:
    """Link the values of a hierarchy to concepts, without scoring it: leaves first, then level by level.

    Args:
        source: a hierarchy, or the path of one.
        ontology: the ontology, or its name as on the command line.
        links: the concepts that a person settled, as a mapping or a links file.
        language: the language of the values.

    Returns:
        One link for each value. A value with another sense for other leaves has no concept, and its senses as
        alternatives. `write_links` writes them to a file that people can edit and that `score_hierarchy` takes.

    Raises:
        LinksError: the links file cannot be used.
        UnknownFormatError: the file is not a hierarchy.

    >>> from allonym.ontology.wordnet import wordnet
    >>> ids = wordnet().taxonomy.ids
    >>> links = link_hierarchy(Hierarchy("x", [("mouse", "device", "*"), ("lamp", "device", "*")]))
    >>> [(x.value, ids[x.concept], x.reason) for x in links][0]
    ('mouse', 'mouse.n.04', 'under ancestor')
    """
    return list(link_hierarchies([source], ontology, links, language=language).meanings.links.values())


def build_hierarchy(
    values: Mapping[str, int] | Sequence[str],
    ontology: str | Scope = "wordnet",
    links: Links = None,
    *,
    levels: int = 3,
    limits: Sequence[int] | None = None,
    accept_review: bool = False,
    name: str = "hierarchy",
    **options: Any,
) -> HierarchyScore:
    """Build a hierarchy of low semantic loss over some values.

    Args:
        values: the values, optionally with their counts.
        ontology: the ontology, or its name as on the command line.
        links: the concepts of values, as a mapping or a links file.
        levels: the number of levels above the values, with the top.
        limits: the largest number of values at each level, down to 1, instead of `levels`.
        accept_review: whether to accept links that need review.
        name: the name of the hierarchy.
        options: further options of building: `measure`, `depth`, `language` and others.

    Returns:
        The hierarchy with its score; `hierarchy.to_csv()` writes it in ARX's format.

    Raises:
        LinksError: some values have no sure concept.
        OptionError: there are too few values for so many levels, or an option cannot be met.

    >>> built = build_hierarchy(["cat", "dog", "parrot", "salmon", "trout"], levels=2)
    >>> built.hierarchy.height, sorted(built.hierarchy.leaves) == ["cat", "dog", "parrot", "salmon", "trout"]
    (2, True)
    """
    counts = dict(values) if isinstance(values, Mapping) else dict(Counter(values))
    return hierarchies.build(
        counts, ontology, links, levels=levels, limits=limits, accept_review=accept_review, name=name, **options
    )
