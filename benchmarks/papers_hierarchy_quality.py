"""Ayala-Rivera et al., quality of value generalisation hierarchies: figures, claims and their tests."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from claims import Claim, Figure, Tally, below, count

import allonym as al
from allonym.measures.hierarchies import hierarchy_loss, level_weights
from allonym.ontology import similarity
from allonym.ontology.hierarchy import Hierarchy
from allonym.pipeline.hierarchies import score

VERTEBRATES = Hierarchy(
    "vertebrates",
    (
        ("parrot", "bird", "homeotherm", "vertebrate"),
        ("cat", "mammal", "homeotherm", "vertebrate"),
        ("dog", "mammal", "homeotherm", "vertebrate"),
        ("snake", "reptile", "ectotherm", "vertebrate"),
        ("crocodile", "reptile", "ectotherm", "vertebrate"),
        ("frog", "amphibian", "ectotherm", "vertebrate"),
        ("salmon", "fish", "ectotherm", "vertebrate"),
    ),
)
TABLE_1 = {  # TransGSL to levels 1, 2 and 3
    "parrot": (0.0435, 0.2381, 0.0909), "cat": (0.1538, 0.3333, 0.2), "dog": (0.1538, 0.1579, 0.2),
    "snake": (0.0833, 0.2727, 0.1304), "crocodile": (0.12, 0.3043, 0.1667), "frog": (0.0435, 0.2381, 0.0909),
    "salmon": (0.0769, 0.3043, 0.1667),
}  # fmt: skip
LARGEST_TRANSITIONS = {  # Table 2: the ancestors with the largest loss at each level; the text does not give the rest
    "VGH1": ("ungulate", "mammal", "homeotherm", "animal"),
    "VGH2": ("herbivore", "mammal", "vertebrate", "animal"),
}
TABLE_2 = {  # LevelGSL / h, LevelGSL · w, VghGSL with constant weights, VghGSL with weights by level
    "VGH1": ((0.0258, 0.0463, 0.09, 0.0833), (0.0414, 0.0556, 0.072, 0.0333), 0.2454, 0.2023),
    "VGH2": ((0.09, 0.0463, 0.0577, 0.0833), (0.1440, 0.0556, 0.0462, 0.0333), 0.2773, 0.2791),
}
NOUNS = {"warm-blooded": "homeotherm", "cold-blooded": "ectotherm"}  # §4: adjectives and their nouns
COARSE_BRANCH = ("rock", "thing", "entity", "entity")  # one branch of coarse generalisations among fine ones
ORDERED, REVERSED = np.array([[0.1, 0.2]]), np.array([[0.2, 0.1]])  # the example of §3


@dataclass(frozen=True)
class HierarchyScore:
    """The losses of the hierarchies of the paper."""

    transitions: dict[str, tuple[float, ...]]  # of vertebrates, by leaf
    vertebrates: tuple[float, ...]  # LevelGSL
    levels: dict[str, tuple[float, ...]]  # of both hierarchies of animals
    constant: dict[str, float]  # VghGSL with constant weights: vertebrates, VGH1, VGH2, and the example of §3
    by_level: dict[str, float]  # VghGSL with weights by level
    nouns: dict[str, str] = field(default_factory=dict)  # the concepts of adjectives, by adjective
    raised: dict[str, float] = field(default_factory=dict)  # what one coarse branch adds to VghGSL, by aggregate


def measure() -> HierarchyScore:
    """Score the hierarchies of the paper."""
    vertebrates = score(VERTEBRATES)
    transitions = {
        leaf: tuple(map(float, losses)) for leaf, losses in zip(VERTEBRATES.leaves, vertebrates.losses, strict=True)
    }
    levels: dict[str, tuple[float, ...]] = {}
    constant, by_level = {"vertebrates": vertebrates.value}, {}
    for name, ancestors in LARGEST_TRANSITIONS.items():
        animals = score(Hierarchy(name, (("horse", *ancestors), ("giraffe", *ancestors))))
        levels[name] = tuple(float(x["gsl"]) for x in animals.levels)
        constant[name], by_level[name] = animals.value, hierarchy_loss(animals.losses, weights="level")
    for name, losses in (("ordered", ORDERED), ("reversed", REVERSED)):
        constant[name], by_level[name] = hierarchy_loss(losses), hierarchy_loss(losses, weights="level")
    of_vertebrates = tuple(float(x["gsl"]) for x in vertebrates.levels)
    return HierarchyScore(
        transitions, of_vertebrates, levels, constant, by_level, nominalised(), raised_by_one_branch()
    )


def nominalised() -> dict[str, str]:
    """Return the concepts of adjectives that replace their nouns in the hierarchy of vertebrates."""
    adjectives = {noun: adjective for adjective, noun in NOUNS.items()}
    rows = tuple(tuple(adjectives.get(value, value) for value in row) for row in VERTEBRATES.rows)
    scored = score(replace(VERTEBRATES, rows=rows), accept_review=True)
    return {adjective: scored.concepts[adjective] for adjective in NOUNS}


def raised_by_one_branch() -> dict[str, float]:
    """Return how much larger VghGSL of vertebrates is with one branch of coarse generalisations."""
    coarse = replace(VERTEBRATES, rows=(*VERTEBRATES.rows, COARSE_BRANCH))
    links = {"rock": "rock.n.01", "thing": "object.n.01", "entity": "entity.n.01"}
    return {
        aggregate: score(coarse, links=links, aggregate=aggregate).value - score(VERTEBRATES, aggregate=aggregate).value
        for aggregate in ("max", "mean", "median")
    }


def car_similarity() -> float:
    """Return the similarity of car and compact car in Figure 5."""
    tiny = al.Taxonomy.build("cars", ["thing", "vehicle", "car", "compact car"], child=[1, 2, 3], parent=[0, 1, 2])
    return float(similarity.wu_palmer(tiny, tiny.code("car"), tiny.code("compact car"), depth="edges"))


def published_figures(results: HierarchyScore) -> list[Figure]:
    """Return the published figures with ours."""
    figures = [
        Figure("similarity of car and compact car", "Appendix C", (0.8,), (car_similarity(),), 1),
        *(
            Figure(f"TransGSL of {leaf} to levels 1, 2, 3", "§3, Table 1", losses, results.transitions[leaf], 4)
            for leaf, losses in TABLE_1.items()
        ),
        Figure("LevelGSL of vertebrates", "§3, Fig. 2", (0.1538, 0.3333, 0.2), results.vertebrates, 4),
        Figure("VghGSL of vertebrates", "§3", (0.2290,), (results.constant["vertebrates"],), 4,
               "the paper adds rounded terms"),
        Figure("ordered and reversed losses, constant weights", "§3", (0.15, 0.15),
               (results.constant["ordered"], results.constant["reversed"]), 2),
        Figure("ordered and reversed losses, weights by level", "§3", (0.1333, 0.1666),
               (results.by_level["ordered"], results.by_level["reversed"]), 4,
               "the paper truncates .16667 instead of rounding it"),
    ]  # fmt: skip
    reason = "the paper truncates some digits instead of rounding them"
    for name, (constant, by_level, one, other) in TABLE_2.items():
        gsl = np.array(results.levels[name])
        figures += [
            Figure(f"{name}: LevelGSL / 4", "§4, Table 2", constant, tuple((gsl / 4).tolist()), 4, reason),
            Figure(f"{name}: LevelGSL · w", "§4, Table 2", by_level,
                   tuple((gsl * level_weights(4, "level")).tolist()), 4, reason),
            Figure(f"{name}: VghGSL, constant and by level", "§4, Table 2", (one, other),
                   (results.constant[name], results.by_level[name]), 4, "sums of such terms"),
        ]  # fmt: skip
    return figures


def better_specified(results: HierarchyScore) -> list[Tally]:
    """Test whether VGH1 scores lower with both kinds of weights."""
    scores = [[score["VGH1"], score["VGH2"]] for score in (results.constant, results.by_level)]
    return [below("VGH1 < VGH2", [x[0] for x in scores], [x[1] for x in scores], unit="weightings")]


def fluctuates(results: HierarchyScore) -> list[Tally]:
    """Test whether VGH1 loses less up to level 1, and VGH2 up to level 3."""
    one, two = results.levels["VGH1"], results.levels["VGH2"]
    return [count("VGH1 better at level 1, VGH2 at level 3", [one[0] < two[0], two[2] < one[2]], unit="levels")]


def _peaks(levels: tuple[float, ...]) -> list[int]:
    return [i + 1 for i in range(len(levels) - 1) if levels[i] > levels[i + 1] + 1e-9]


def peak_of_the_faulty(results: HierarchyScore) -> list[Tally]:
    """Test whether the worse hierarchy has a level that loses more than the one above, and the better one has none."""
    peaks = {name: _peaks(results.levels[name]) for name in LARGEST_TRANSITIONS}
    note = "; ".join(f"{name}: level {', '.join(map(str, p))}" if p else f"{name}: none" for name, p in peaks.items())
    return [
        count("VGH2 has one", [bool(peaks["VGH2"])], unit="", note=note),
        count("VGH1 has none", [not peaks["VGH1"]], unit=""),
    ]


def lower_levels_count_more(results: HierarchyScore) -> list[Tally]:
    """Test whether constant weights see no difference, and weights by level prefer small losses at low levels."""
    same = abs(results.constant["ordered"] - results.constant["reversed"]) < 1e-9
    return [
        count(
            "equal by constant weights, different by level",
            [same, results.by_level["ordered"] < results.by_level["reversed"]],
            unit="weightings",
        )
    ]


def nominalises(results: HierarchyScore) -> list[Tally]:
    """Test whether each adjective is scored as the noun that the paper chose."""
    same = [
        results.nouns[x] == al.wordnet().taxonomy.ids[al.wordnet().taxonomy.code(noun)] for x, noun in NOUNS.items()
    ]
    return [count("the noun of the paper", same, unit="adjectives", note=", ".join(results.nouns.values()))]


def mean_is_fairer(results: HierarchyScore) -> list[Tally]:
    """Test whether one coarse branch raises the score by the largest losses more than by other statistics."""
    raised = results.raised
    note = ", ".join(f"{name} +{x:.3f}" for name, x in raised.items())
    others = [raised["mean"] < raised["max"], raised["median"] < raised["max"]]
    return [count("smaller increase by mean and median", others, unit="statistics", note=note)]


CLAIMS: list[Claim[HierarchyScore]] = [
    Claim(
        "VGH1 is better specified than VGH2",
        "§4, Table 2",
        "VghGSL with both kinds of weights.",
        better_specified,
    ),
    Claim(
        "The better hierarchy depends on the level of generalisation: VGH1 at level 1, VGH2 at level 3",
        "§4, Fig. 3",
        "LevelGSL.",
        fluctuates,
    ),
    Claim(
        "A level that loses more than the level above it denotes a poorly defined generalisation, and exposes VGH2",
        "§4, Fig. 3",
        "LevelGSL(i) > LevelGSL(i + 1) in VGH2 but not in VGH1.",
        peak_of_the_faulty,
        "VGH1 also has such a level, homeotherm under animal, which the paper does not mention; so do the "
        "vertebrates of its Table 1. In WordNet, homeotherm is not a hypernym of any mammal. `allonym hierarchy "
        "score` lists every such level.",
    ),
    Claim(
        "Weights by level distinguish hierarchies that constant weights cannot: losses at low levels are worse",
        "§3; §4, Fig. 4",
        "Losses of .1 and .2 on two levels, in both orders.",
        lower_levels_count_more,
    ),
    Claim(
        "Adjectives are nominalised: warm-blooded becomes homeotherm, cold-blooded becomes ectotherm",
        "§4",
        "The vertebrates with adjectives at level 2; likely concepts are accepted.",
        nominalises,
        "WordNet leads from warm-blooded to homeotherm by a narrower adjective, homoiothermic. cold-blooded leads to "
        "three nouns; the one nearest to the leaves, poikilotherm (a synonym of ectotherm), is proposed for review.",
    ),
    Claim(
        "One coarse branch impacts the score by the largest losses heavily; the average is fairer",
        "§4",
        "Vertebrates with one more branch, rock → object → entity: increase of VghGSL.",
        mean_is_fairer,
    ),
]
