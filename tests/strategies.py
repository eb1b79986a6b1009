"""Random small taxonomies for property tests."""

from __future__ import annotations

from hypothesis import strategies as st

from allonym.ontology.lexicon import Entry, Lexicon
from allonym.ontology.taxonomy import Taxonomy

Dag = dict[int, list[int]]


@st.composite
def dags(draw: st.DrawFn, max_size: int = 12, tree: bool = False, min_size: int = 1) -> Dag:
    """Draw a mapping concept -> parents: every concept except 0 has one to three parents with lower numbers."""
    n = draw(st.integers(min_size, max_size))
    parents: Dag = {0: []}
    for c in range(1, n):
        most = 1 if tree else min(3, c)
        parents[c] = sorted(draw(st.sets(st.integers(0, c - 1), min_size=1, max_size=most)))
    return parents


def taxonomy(parents: Dag, terms: dict[int, frozenset[str]] | None = None, *, defined: bool = False) -> Taxonomy:
    """Return the taxonomy of a drawn graph; the words of a concept are its definition too, if it is `defined`."""
    links = [(c, p) for c, ps in parents.items() for p in ps]
    entries = [Entry(t, c) for c, ts in (terms or {}).items() for t in sorted(ts)]
    return Taxonomy.build(
        "drawn",
        [f"c{c}" for c in parents],
        child=[c for c, _ in links],
        parent=[p for _, p in links],
        lexicon=Lexicon.build(entries),
        definitions=[" ".join(2 * t for t in sorted((terms or {}).get(c, ()))) for c in parents] if defined else None,
    )
