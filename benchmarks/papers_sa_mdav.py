"""P1, semantic adaptive microaggregation: its figures and measurements on Adult and the bundled survey."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import charts
import numpy as np
from claims import Figure
from numpy.typing import NDArray

import allonym as al
from allonym.kinds.category import EqualityMetric
from allonym.kinds.text import ConceptMetric
from allonym.measures import loss, risk
from allonym.methods.base import Method
from allonym.ontology import similarity
from allonym.records import Attribute, Pairs, Records

SURVEY, ADULT = "survey", "Adult"
KS = {
    SURVEY: tuple(range(2, 16)),
    ADULT: (2, 3, 5, 10, 15, 25, 50, 75, 100, 128, 200, 300, 400, 500, 600, 800, 900, 1000, 1200, 1500, 1800),
}
SHOWN = {SURVEY: (2, 3, 5, 8, 10, 15), ADULT: (2, 5, 15, 50, 128, 500, 900, 1800)}  # in the table
MIDDLE = {SURVEY: 8, ADULT: 900}  # "an intermediate level": P1 does not say which, so the middle of its ranges
BALANCES = tuple(np.round(np.linspace(0, 1, 11), 1).tolist())
ORDERS = range(5)  # of records, where ties depend on it
SA, PLAIN = "sa-mdav", "sa-mdav, plain growth"
STATIC, STATIC_PLAIN = "sa-mdav-static", "sa-mdav-static, plain growth"
SMDAV, DFT, ABRIL = "s-mdav", "mdav (DF&T)", "abril"
ARMS: dict[str, Callable[..., Method]] = {
    SA: partial(al.SAMDAV, growth="weighted"),
    STATIC: partial(al.SAMDAVStatic, growth="weighted"),
    PLAIN: partial(al.SAMDAV, growth="plain"),
    STATIC_PLAIN: partial(al.SAMDAVStatic, growth="plain"),
    SMDAV: al.SMDAV,
    DFT: al.MDAV,
    ABRIL: al.Abril,
}
DRAWN = (SA, STATIC, PLAIN, SMDAV, DFT, ABRIL)  # in the charts
TIED = (SMDAV, DFT, ABRIL)  # these cut tuples, so that the order of records matters
LOSS, TEXT, MEANING = "L", "RL by text", "linkage by meaning"
MEASURES: dict[str, Callable[[Pairs], float]] = {
    LOSS: loss.information_loss,
    TEXT: risk.record_linkage,
    MEANING: lambda pairs: risk.semantic_linkage(pairs).value,
}
Runs = NDArray[np.float64]  # a row for each k, a column for each order of the records
OWN = ["sport", "contact_sport", "water_sport", "boxing", "football", "soccer", "rugby", "swimming", "surfing"]
OVER = [0, 0, 1, 1, 4, 4, 2, 2]  # P1's own hierarchy, as far as Definitions 3 and 5 and Fig. 3 tell it
SPORTS = {"boxing": 1, "soccer": 2, "rugby": 2, "contact_sport": 1, "swimming": 1, "surfing": 3}  # Example 3


@dataclass(frozen=True)
class Microaggregated:
    """What the methods made of both tables."""

    ks: Mapping[str, tuple[int, ...]]
    middle: Mapping[str, int]
    figures: dict[str, dict[str, dict[str, Runs]]] = field(default_factory=dict)  # measure -> table -> arm
    seconds: dict[str, dict[str, Runs]] = field(default_factory=dict)  # table -> arm
    sums: dict[str, dict[str, float]] = field(default_factory=dict)  # column -> centroid, mode, subsumer

    def of(self, measure: str, table: str, arm: str) -> Runs:
        """Return the figures of an arm."""
        return self.figures[measure][table][arm]

    def score(self, table: str, arm: str, balance: float = 0.5) -> Runs:
        """Return balance · L + (1 - balance) · RL."""
        return balance * self.of(LOSS, table, arm) + (1 - balance) * self.of(TEXT, table, arm)


def measured(every: Mapping[str, Records]) -> Microaggregated:
    """Mask both tables by every method at every k."""
    found = Microaggregated(KS, MIDDLE)
    for table, records in every.items():
        for arm, make in ARMS.items():
            runs: dict[str, list[list[float]]] = {name: [] for name in MEASURES}
            seconds = []
            for k in KS[table]:
                spent, pairs = [], []
                for seed in ORDERS:
                    began = time.process_time()
                    masking = make(k=k).mask(records, seed)
                    spent.append(time.process_time() - began)
                    pairs.append(Pairs.of(records, masking))
                seconds.append(spent)
                for name, measure in MEASURES.items():
                    runs[name].append([measure(x) for x in (pairs if arm in TIED else pairs[:1])])
            found.seconds.setdefault(table, {})[arm] = np.array(seconds)
            for name, rows in runs.items():
                found.figures.setdefault(name, {}).setdefault(table, {})[arm] = np.array(rows)
        found.sums.update({f"{table}, {a.name}": sums(records, place) for place, a in enumerate(records.attributes)})
    return found


def sums(records: Records, place: int) -> dict[str, float]:
    """Return how far all records are from the semantic centroid, the mode and the least common subsumer of a column."""
    metric = records.attributes[place].metric
    codes, mass = records.codes[:, place], records.mass
    mode = int(np.argmax(np.bincount(codes, weights=mass)))
    chosen = {
        "centroid": metric.centroid(codes, mass),
        "mode": metric.values[mode],
        "subsumer": metric.subsumer(codes, mass),
    }
    return {name: float((mass * metric.distances_from(value)[codes]).sum()) for name, value in chosen.items()}


def sports(taxonomy: al.Taxonomy, suffix: str = ".n.01") -> dict[str, float]:
    """Return the summed distances of every candidate of Example 3 in a taxonomy."""
    values = np.array([taxonomy.code(word + suffix) for word in SPORTS])
    metric = ConceptMetric(values.tolist(), al.Scope.of(taxonomy))
    weights = np.array(list(SPORTS.values()))
    return {
        taxonomy.ids[c].partition(".")[0]: float(
            (weights * similarity.distance("wu-palmer", taxonomy, int(c), values)).sum()
        )
        for c in metric.candidates(values)
    }


def clusters_of_example_2() -> tuple[float, float]:
    """Return how many clusters MDAV and SA-MDAV make of P1's seven, one and five records, k = 3."""
    one = Attribute("one", "category", EqualityMetric(["v11", "v12", "v13"]))
    two = Attribute("two", "category", EqualityMetric(["v21", "v23"]))
    records = Records.of([one, two], [[0] * 7 + [1] + [2] * 5, [0] * 7 + [1] * 6])
    made = (al.MDAV(k=3).mask(records), al.SAMDAV(k=3, growth="weighted").mask(records))
    return float(len(set(made[0].groups.tolist()))), float(len(set(made[1].groups.tolist())))


def published(every: Mapping[str, Records], found: Microaggregated) -> list[Figure]:
    """Return P1's figures, ours beside them."""
    return [*_of_the_data(every), *_of_examples(), *_of_time(found)]


def _of_the_data(every: Mapping[str, Records]) -> list[Figure]:
    adult, survey = every[ADULT].counts, every[SURVEY].counts
    n = int(adult.sum())
    large = adult[adult > 1000]
    differ = "the public file gives these; 388 different tuples, and a largest of 3,739, cannot be had from it"
    made = "§4.1, Fig. 4; invented answers, made to this shape"
    return [
        Figure("Adult: records", "§4.1", (30162,), (n,), 0),
        Figure("Adult: different tuples, unique ones, largest", "§4.1", (388, 83, 3739),
               (len(adult), int((adult == 1).sum()), int(adult.max())), 0, differ),
        Figure("Adult: different tuples, % of records", "§4.1", (1.28,), (100 * len(adult) / n,), 2, "as above"),
        Figure("Adult: tuples of more than 1,000 records; % of records in them", "§4.1", ("9", 83.2),
               (str(len(large)), 100 * large.sum() / n), 1, "a tenth of a per cent are 30 records: as above"),
        Figure("Adult: % of records in tuples of 5 or fewer", "§4.1", (1.9,),
               (100 * adult[adult <= 5].sum() / n,), 1, "as above"),
        Figure("Adult: % of records in tuples smaller than 1,800", "§4.1", (31,),
               (100 * adult[adult < 1800].sum() / n,), 0),
        Figure("survey: records, different tuples, unique ones, largest", made, (975, 211, 118, 115),
               (int(survey.sum()), len(survey), int((survey == 1).sum()), int(survey.max())), 0),
        Figure("survey: % of records in tuples of 5 or fewer", made, (31,),
               (100 * survey[survey <= 5].sum() / survey.sum(),), 0, "so says P0's Table 5, of which it has the shape"),
    ]  # fmt: skip


def _of_examples() -> list[Figure]:
    own = sports(al.Taxonomy.build("p1", OWN, child=range(1, len(OWN)), parent=OVER), "")
    cut, whole = sports(al.wordnet(root="sport.n.01").cut()), sports(al.wordnet().taxonomy)
    best = {where: min(of, key=lambda c: of[c]) for where, of in (("own", own), ("cut", cut), ("whole", whole))}
    return [
        Figure("Example 2, k = 3: clusters of fixed size, of adaptive size", "§3.1, Fig. 2", (4, 2),
               clusters_of_example_2(), 0),
        Figure("Example 3, nine concepts: contact sport, sport", "§3.3", (3.93, 5.23),
               (own["contact_sport"], own["sport"]), 2),
        Figure("Example 3, nine concepts: the centroid", "§3.3, Definition 6", ("contact_sport",), (best["own"],), 2,
               f"football, a candidate by Definition 5, sums to {own['football']:.2f}, which is less than 3.93"),
        Figure("Example 3, WordNet 3.0 under sport: contact sport, sport", "§3.3", (3.93, 5.23),
               (cut["contact_sport"], cut["sport"]), 2),
        Figure("Example 3, WordNet 3.0 under sport: the centroid", "§3.3", ("contact_sport",), (best["cut"],), 2,
               f"football sums to {cut['football']:.2f}; it is a field game too, and so deeper"),
        Figure("Example 3, all of WordNet 3.0: the centroid", "§3.3", ("contact_sport",), (best["whole"],), 2),
    ]  # fmt: skip


def _of_time(found: Microaggregated) -> list[Figure]:
    def least(table: str, arm: str, *ks: int) -> tuple[float, ...]:
        spent = found.seconds[table][arm].min(axis=1)
        chosen = [spent[found.ks[table].index(k)] for k in ks] if ks else [spent.min(), spent.max()]
        return tuple(float(x) for x in chosen)

    quick = "another machine, NumPy, and every method on tuples with counts"
    return [
        Figure("Adult, seconds: SA-MDAV, least and most over k", "§4.4, Fig. 12", ("131", "205"), least(ADULT, SA), 2,
               quick),
        Figure("Adult, seconds: Abril, k = 2 and 128", "§4.4", ("7,873", "1,839"), least(ADULT, ABRIL, 2, 128), 2,
               quick),
        Figure("Adult, seconds: DF&T, k = 2 and 128", "§4.4", ("318", "242"), least(ADULT, DFT, 2, 128), 2, quick),
        Figure("survey, seconds: SA-MDAV, least and most over k", "§4.4", ("70", "80"), least(SURVEY, SA), 2, quick),
    ]  # fmt: skip


def over_k(found: Microaggregated) -> str:
    """Lay out loss, linkage and score at some k: the mean, and for methods with ties the range of five orders."""
    lines: list[str] = []
    for table, ks in SHOWN.items():
        places = [found.ks[table].index(k) for k in ks]
        for measure in (LOSS, TEXT, MEANING, "score"):
            lines += [f"| {table}: {measure} (%) | " + " | ".join(f"k={k}" for k in ks) + " |"]
            lines += ["|---|" + "---:|" * len(ks)]
            for arm in ARMS:
                runs = found.score(table, arm) if measure == "score" else found.of(measure, table, arm)
                lines.append(f"| {arm} | " + " | ".join(_cell(runs[place]) for place in places) + " |")
            lines.append("")
    return "\n".join(lines)


def _cell(runs: NDArray[np.float64]) -> str:
    """Show the mean, and the range where it is more than rounding."""
    digits = 2 if runs.mean() >= 1 else 3
    low, high = f"{runs.min():.{digits}f}", f"{runs.max():.{digits}f}"
    return f"{runs.mean():.{digits}f}" + ("" if low == high else f" ({low}–{high})")


def draw(found: Microaggregated, folder: Path) -> None:
    """Draw loss, linkage and score over k for each table, and score over the balance."""
    folder.mkdir(exist_ok=True)
    for table, ks in found.ks.items():
        far = table == ADULT
        panels = {
            "information loss L (%)": {"": {a: found.of(LOSS, table, a).mean(axis=1).tolist() for a in DRAWN}},
            "linkage by text RL (%)": {"": {a: found.of(TEXT, table, a).mean(axis=1).tolist() for a in DRAWN}},
            "score, balance 0.5": {"": {a: found.score(table, a).mean(axis=1).tolist() for a in DRAWN}},
        }
        path = folder / f"p1-{table.lower()}.svg"
        marks = (2, 5, 15, 50, 200, 600, 1800) if far else ks
        charts.lines(path, panels, ks, log=far, log_y=far, marks=marks, width=280, height=230)
    over = {
        f"{table}, k = {k}": {
            arm: [float(found.score(table, arm, b)[found.ks[table].index(k)].mean()) for b in BALANCES] for arm in DRAWN
        }
        for table, k in found.middle.items()
    }
    charts.lines(folder / "p1-balance.svg", {"score": over}, BALANCES, x="balance: 0 all linkage, 1 all loss")
