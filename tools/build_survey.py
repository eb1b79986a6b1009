"""Generate the bundled survey of a nature park: python tools/build_survey.py

Writes the survey and its two hierarchies into the package, and a dirty copy for the tests. The answers are synthetic;
only their frequencies follow published tables. The same seed gives the same bytes.
"""

from __future__ import annotations

import csv
import math
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple, TypeVar

import numpy as np

ROOT = Path(__file__).parents[1]
SEED = 975
TOP = "*"
T = TypeVar("T")

# Frequency of an answer: number of answers with it. Pairs as in Table 5 of Martínez's master thesis (2010),
# single answers as in Table 1 of Martínez, Sánchez and Valls (IPMU 2010). Both sum to 975.
PAIR_REPETITIONS = {
    115: 1, 82: 1, 66: 1, 65: 1, 40: 1, 25: 1, 23: 1, 19: 1, 18: 1, 17: 2, 15: 1, 14: 1, 13: 2, 11: 3, 10: 2, 9: 3,
    8: 2, 7: 3, 5: 10, 4: 9, 3: 20, 2: 26, 1: 118,
}  # fmt: skip
HOBBY_REPETITIONS = {
    19: 1, 18: 2, 16: 2, 15: 5, 13: 1, 12: 5, 11: 7, 9: 2, 8: 1, 7: 12, 6: 37, 5: 23, 4: 24, 3: 6, 2: 9, 1: 84,
}  # fmt: skip

# Hierarchies: level 2, level 1, and the answers with their weights.
Tree = dict[str, dict[str, str]]
REASONS: Tree = {
    "natural surroundings": {
        "land": "nature 60, landscape 18, countryside 6, wilderness 3, forest 3, dune 2",
        "sea and shore": "beach 30, seaside 6, sea 5, coastline 2, island 2",
        "inland water": "river 6, lagoon 6, wetland 5, salt marsh 1",
    },
    "living things": {
        "birds": "bird 5, waterfowl 4, flamingo 4, heron 2",
        "wild species": "wildlife 20, biodiversity 1, ecosystem 1",
    },
    "people": {
        "company": "family 9, friend 7, relative 2, grandparent 2, cousin 1, hometown 2",
        "special days": "festival 2, birthday 2, wedding 1, anniversary 1, honeymoon 1",
    },
    "well-being": {"calm and time off": "tranquillity 5, vacation 5, weather 2, campsite 2"},
    "culture": {
        "food": "cuisine 3, seafood 3, restaurant 2",
        "places and learning": "village 2, museum 1, lighthouse 2, field trip 1, research 1",
    },
}
ACTIVITIES: Tree = {
    "quiet activity": {
        "rest": "relaxation 50, siesta 2, meditation 2, yoga 1",
        "looking around": "photography 9, watching 7, ornithology 6, sightseeing 8, stargazing 1",
    },
    "exercise": {
        "on foot": "walking 26, hiking 10, stroll 5",
        "on wheels or horseback": "cycling 14, pony-trekking 3",
        "bathing": "swimming 15, sun bathing 6, snorkeling 2, wading 1",
        "sport": "jogging 3, surfing 3, volleyball 2, water-skiing 1",
    },
    "going out": {
        "on a boat": "boating 4, rowing 3, cruise 2",
        "with a rod": "fishing 7, angling 2",
        "travelling": "excursion 5, tour 3, camping 3, backpacking 1",
    },
    "company and table": {
        "at table": "dining 7, wine tasting 2, cooking 2",
        "together": "conversation 4, celebration 2, dancing 1, shopping 2",
    },
    "learning": {"field studies": "fieldwork 2, nature study 2"},
}
OUTDOORS = "rest, looking around, on foot, on wheels or horseback, travelling"
PLAUSIBLE_ACTIVITIES = {  # kind of reason: kinds of activity
    "land": OUTDOORS,
    "sea and shore": f"{OUTDOORS}, bathing, sport, on a boat, with a rod",
    "inland water": f"{OUTDOORS}, on a boat, with a rod",
    "birds": "looking around, on foot, on a boat, field studies",
    "wild species": "rest, looking around, on foot, on wheels or horseback, field studies, travelling",
    "company": f"{OUTDOORS}, bathing, sport, with a rod, on a boat, at table, together",
    "special days": "rest, on foot, on a boat, at table, together",
    "calm and time off": f"{OUTDOORS}, bathing, sport, with a rod, on a boat",
    "food": "rest, on foot, at table, together, with a rod",
    "places and learning": "looking around, on foot, on wheels or horseback, travelling, field studies",
}
FREQUENT_PAIRS = (
    ("nature", "relaxation"), ("beach", "relaxation"), ("nature", "walking"), ("wildlife", "watching"),
    ("beach", "swimming"), ("beach", "cycling"), ("landscape", "walking"), ("landscape", "relaxation"),
    ("wildlife", "photography"), ("bird", "watching"), ("nature", "hiking"), ("flamingo", "photography"),
    ("family", "swimming"), ("waterfowl", "watching"), ("lagoon", "boating"), ("tranquillity", "relaxation"),
    ("river", "fishing"), ("friend", "dining"),
)  # fmt: skip

HOBBIES = """music, football, swimming, cooking, travel, cinema, cycling, gardening, hiking, dancing, photography,
novel, tennis, basketball, chess, television, walking, guitar, yoga, painting, running, theater, knitting, skiing,
sewing, fishing, singing, computer game, jogging, piano, volleyball, shopping, drawing, golf, camping, handball,
surfing, opera, mountaineering, horseback riding, table tennis, poetry, astronomy, gymnastics, baking, karate, judo,
skating, badminton, pottery, aerobics, rock climbing, archery, meditation, jazz, ballet, crossword puzzle, sudoku,
poker, bridge, dominoes, dog, horse, carpentry, philately, ornithology, scuba diving, rowing, sailing, boating, rugby,
baseball, boxing, fencing, wrestling, writing, comic strip, science fiction, detective story, violin, flute,
castanets, accordion, choir, folk music, rock music, flamenco, tango, salsa, waltz, ballroom dancing, folk dancing,
crocheting, macrame, origami, calligraphy, sculpture, watercolor, ceramics, jewelry, weaving, hunting, wine tasting,
gastronomy, winemaking, conversation, barbecue, sightseeing, tourism, museum, billiards, bowling, darts, ice hockey,
water polo, snorkeling, skateboarding, snowboarding, roller skating, motorcycling, backpacking, acrobatics, botany,
archaeology, psychology, beekeeping, angling, jigsaw puzzle, checkers, backgammon, genealogy, dressmaking,
fly-fishing, falconry, geology, mycology, entomology, numismatics, woodworking, skin diving, lace making, engraving,
lithography, cello, saxophone, trumpet, harp, ukulele, banjo, clarinet, harmonica, mandolin, oboe, bagpipe, trombone,
tambourine, tap dancing, square dance, belly dance, comedy, magic, ventriloquism, pantomime, ninepins, snooker,
croquet, cricket, softball, lacrosse, polo, squash, racquetball, water-skiing, hang gliding, paragliding, parachuting,
skydiving, ballooning, auto racing, horse racing, decathlon, pole vault, tai chi, kung fu, tae kwon do, astrology,
linguistics, mathematics, meteorology, electronics, rodeo, correspondence, bingo, bonsai, viticulture, brewing,
stargazing, aquarium, documentary, mahjong, needlework, tobogganing, bookbinding, printmaking, papier-mache,
marquetry, metalworking, leatherwork, basketry, trampoline, sledding, curling, figure skating, cross-country skiing,
ski jumping, bobsledding, dressage, canasta, whist, karaoke, bodybuilding"""
ORIGINS = """France 196, Germany 58, England 41, Belgium 36, Netherlands 33, Italy 28, Portugal 22, Switzerland 17,
Ireland 12, Denmark 10, Sweden 9, Austria 8, Romania 7, Morocco 7, Poland 6, Norway 5, Andorra 5, Argentina 4, Mexico 4,
Canada 3, Finland 3, Colombia 2, Luxembourg 1, Australia 1"""  # all other visitors are from Spain
COST = {  # typical spending in euros, by kind of activity; 14 for other kinds
    "at table": 46.0, "on a boat": 34.0, "travelling": 27.0, "together": 24.0, "on wheels or horseback": 21.0,
    "sport": 18.0, "bathing": 16.0, "on foot": 10.0,
}  # fmt: skip
SYNONYMS = {  # words of the same WordNet synset, for the dirty copy
    "walking": "walk", "hiking": "hike", "stroll": "saunter", "horseback riding": "equitation",
    "snorkeling": "snorkel diving", "excursion": "jaunt", "boating": "yachting",
    "backpacking": "packing", "tranquillity": "quiet", "vacation": "holiday", "seaside": "seaboard",
    "relative": "relation", "restaurant": "eatery", "lighthouse": "beacon", "forest": "woodland",
    "wedding": "nuptials", "campsite": "camping ground", "relaxation": "repose", "cinema": "film",
    "football": "football game", "table tennis": "ping-pong", "gardening": "horticulture",
    "mountaineering": "mountain climbing", "computer game": "video game", "philately": "stamp collecting",
    "tennis": "lawn tennis",
}  # fmt: skip


class Row(NamedTuple):
    """The answers of one visitor."""

    visitor: str
    reason: str
    activity: str
    hobby: str
    origin: str
    age: str
    spent: str


def weighted(text: str) -> dict[str, int]:
    """Return the words and weights of a list such as `nature 60, field trip 1`."""
    cells = (cell.strip().rpartition(" ") for cell in text.replace("\n", " ").split(","))
    return {word: int(number) for word, _, number in cells}


def repeated(repetitions: dict[int, int]) -> list[int]:
    """Return the frequency of each answer, in descending order."""
    return [count for count in sorted(repetitions, reverse=True) for _ in range(repetitions[count])]


def groups(tree: Tree) -> dict[str, str]:
    """Return the level-1 value of every answer."""
    return {word: group for above in tree.values() for group, words in above.items() for word in weighted(words)}


def popularity(tree: Tree) -> dict[str, int]:
    """Return the weight of every answer."""
    return {word: n for above in tree.values() for words in above.values() for word, n in weighted(words).items()}


def hierarchy(tree: Tree) -> str:
    """Return a hierarchy in ARX format: one row per answer, more general values to the right."""
    rows = ((word, group, top) for top, above in tree.items() for group in above for word in weighted(above[group]))
    return "".join(";".join([*row, TOP]) + "\n" for row in rows)


def shuffled(rng: np.random.Generator, items: Sequence[T]) -> list[T]:
    """Return items in random order, using only `Generator.random`, whose stream is the most stable across versions."""
    return [items[i] for i in np.argsort(rng.random(len(items)))]


def pick(rng: np.random.Generator, items: Sequence[T]) -> T:
    """Return a random item."""
    return items[int(rng.random() * len(items))]


def pairs(rng: np.random.Generator) -> list[tuple[str, str]]:
    """Return the reason and activity of every visitor: plausible pairs, weighted by popularity, using every word."""
    reasons, activities = popularity(REASONS), popularity(ACTIVITIES)
    kind, does = groups(REASONS), groups(ACTIVITIES)
    plausible = [(r, a) for r in reasons for a in activities if does[a] in PLAUSIBLE_ACTIVITIES[kind[r]].split(", ")]
    weights: list[int] = [reasons[r] * activities[a] for r, a in plausible]
    waits = -np.log(1 - rng.random(len(plausible))) / weights  # their order is a weighted draw without replacement
    ranked = list(dict.fromkeys([*FREQUENT_PAIRS, *(plausible[i] for i in np.argsort(waits))]))
    counts = repeated(PAIR_REPETITIONS)
    first = {word: pair for pair in reversed(ranked) for word in pair}
    chosen = dict.fromkeys([*FREQUENT_PAIRS, *first.values()])
    chosen |= dict.fromkeys([pair for pair in ranked if pair not in chosen][: len(counts) - len(chosen)])
    usual = dict(zip(plausible, weights, strict=True)) | dict.fromkeys(FREQUENT_PAIRS, math.inf)
    ordered = sorted((pair for pair in ranked if pair in chosen), key=lambda pair: -usual[pair])
    return [pair for pair, count in zip(ordered, counts, strict=True) for _ in range(count)]


def spent(rng: np.random.Generator, activity: str, origin: str) -> str:
    """Return the spending of a visitor in steps of ten cents: skewed, by activity, and higher for foreign visitors."""
    usual = COST.get(groups(ACTIVITIES)[activity], 14.0) * (1.0 if origin == "Spain" else 1.4)
    normal = float(rng.random(12).sum()) - 6
    return f"{max(1.5, round(usual * math.exp(0.55 * normal), 1)):.2f}"


def survey(rng: np.random.Generator) -> list[Row]:
    """Return the survey, with rows and visitor ids in random order."""
    answers = shuffled(rng, pairs(rng))
    n = len(answers)
    words = [word.strip() for word in HOBBIES.replace("\n", " ").split(",")]
    hobbies = [word for word, count in zip(words, repeated(HOBBY_REPETITIONS), strict=True) for _ in range(count)]
    abroad = [country for country, count in weighted(ORIGINS).items() for _ in range(count)]
    origins = shuffled(rng, abroad + ["Spain"] * (n - len(abroad)))
    ages = 18 + (72 * rng.random((n, 2)).mean(axis=1) ** 1.3).astype(int)
    visitors = shuffled(rng, [f"V{i:04}" for i in range(1, n + 1)])
    return [
        Row(visitor, reason, activity, hobby, origin, str(age), spent(rng, activity, origin))
        for visitor, (reason, activity), hobby, origin, age in zip(
            visitors, answers, shuffled(rng, hobbies), origins, ages, strict=True
        )
    ]


def misspelled(rng: np.random.Generator, word: str) -> str:
    """Return a word with one letter doubled, dropped or swapped with the next."""
    i = 1 + int(rng.random() * (len(word) - 2))
    typos = [word[:i] + word[i] + word[i:], word[:i] + word[i + 1 :], word[:i] + word[i + 1] + word[i] + word[i + 2 :]]
    return pick(rng, [typo for typo in typos if typo != word])


def plural(word: str) -> str:
    """Return the regular plural of a word, or an empty text."""
    if word.endswith(("ing", "s")):
        return ""
    if word.endswith(("ch", "sh", "x")):
        return word + "es"
    return word[:-1] + "ies" if word.endswith("y") and word[-2] not in "aeiou" else word + "s"


def make_dirty(rng: np.random.Generator, word: str) -> str:
    """Return a word with a typical input error, or a missing-value marker."""
    joined = [word.replace(" ", mark) for mark in "-_" if " " in word]
    variants = [
        misspelled(rng, word), misspelled(rng, word), plural(word), SYNONYMS.get(word, ""), word.upper(),
        word.capitalize(), f" {word}", f"{word}  ", *joined, *joined,
    ]  # fmt: skip
    return pick(rng, [*(variant for variant in variants if variant), pick(rng, ["", "?", "NA"])])


def dirty(rng: np.random.Generator, rows: list[Row]) -> list[Row]:
    """Return the survey with repeat visitors at its end and input errors in about 12 % of the answers."""
    visitors = shuffled(rng, rows)
    repeated_visitors = [visitors[i] for i in (0, 0, 0, 1, 2, 3, 4, 5, 6)]  # one visits four times, six visit twice
    later = [
        other._replace(visitor=who.visitor, origin=who.origin, age=who.age)
        for who, other in zip(repeated_visitors, visitors[7:], strict=False)
    ]
    copy = []
    for row in [*rows, *later]:
        words = (row.reason, row.activity, row.hobby)
        reason, activity, hobby = (make_dirty(rng, word) if rng.random() < 0.12 else word for word in words)
        comma = row.spent.replace(".", ",")
        copy.append(row._replace(reason=reason, activity=activity, hobby=hobby, spent=comma))
    odd = ("chess; poker", "gardening\nand cooking", 'the "cello"')  # a delimiter, a line break, quotes
    places = shuffled(rng, range(len(copy)))
    for place, hobby in zip(places, odd, strict=False):
        copy[place] = copy[place]._replace(hobby=hobby)
    return copy


def dirty_table(rng: np.random.Generator, rows: list[Row]) -> bytes:
    """Return the table like a spreadsheet export: byte order mark, semicolons, CRLF, some unnecessary quotes."""

    def cell(text: str) -> str:
        needed = any(mark in text for mark in ';"\n')
        return '"' + text.replace('"', '""') + '"' if needed or rng.random() < 0.05 else text

    lines = [";".join(Row._fields), *(";".join(map(cell, row)) for row in rows)]
    return ("\ufeff" + "".join(line + "\r\n" for line in lines)).encode()


def build(data: Path, tests: Path) -> list[Row]:
    """Write the survey and its hierarchies into one folder and the dirty copy into another; return the survey."""
    rng = np.random.default_rng(SEED)
    rows = survey(rng)
    data.mkdir(parents=True, exist_ok=True)
    with (data / "survey.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([Row._fields, *rows])
    for name, tree in (("reason", REASONS), ("activity", ACTIVITIES)):
        (data / f"{name}.vgh.csv").write_bytes(hierarchy(tree).encode())
    tests.mkdir(parents=True, exist_ok=True)
    (tests / "survey-dirty.csv").write_bytes(dirty_table(rng, dirty(rng, rows)))
    return rows


def main() -> None:
    """Build the survey and report its size."""
    data, tests = ROOT / "src" / "allonym" / "data", ROOT / "tests" / "data"
    rows = build(data, tests)
    distinct = len({(row.reason, row.activity) for row in rows})
    print(f"{data}: {len(rows)} visitors, {distinct} pairs of reason and activity")


if __name__ == "__main__":
    main()
