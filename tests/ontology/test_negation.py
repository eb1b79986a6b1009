"""Which words are negated, and whether leaving out words loses a negation."""

from __future__ import annotations

import pytest

from allonym.ontology.linking.languages import language
from allonym.ontology.linking.phrases import noun_phrases
from allonym.ontology.linking.readings.negation import drops_negation, is_residual, negated, opposes, words_of


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("never married", "married"),
        ("without pay", "pay"),
        ("concussion with no loss of consciousness", "loss of consciousness"),
        ("non-small cell lung cancer", "small"),
        ("sugar-free tea", "sugar"),
        ("don't smoke", "smoke"),
        ("other vegetables", ""),
        ("former smoker", "smoker"),
        ("nurse", ""),
    ],
)
def test_negated(text: str, words: str) -> None:
    every = words_of(text)
    assert " ".join(every[i] for i in sorted(negated(every, language("en")))) == words


@pytest.mark.parametrize(
    ("text", "kept", "drops"),
    [
        ("without pay", "pay", True),
        ("without pay", "without pay", False),
        ("never married", "married", True),
        ("never-married", "never", True),
        ("not in family", "family", True),
        ("no milk", "milk", True),
        ("tea without milk", "tea", False),
        ("tea without milk", "milk", True),
        ("tea without milk", "tea without", True),
        ("concussion with no loss of consciousness", "concussion", False),
        ("concussion with no loss of consciousness", "loss of consciousness", True),
        ("concussion with no loss of consciousness", "no loss", True),
        ("non-small cell lung cancer", "lung cancer", False),
        ("non-small cell lung cancer", "cell lung cancer", False),
        ("non-small cell lung cancer", "small cell lung cancer", True),
        ("anti-theft device", "device", False),
        ("anti-theft device", "theft device", True),
        ("sugar-free tea", "tea", False),
        ("sugar-free tea", "sugar", True),
        ("free lunch", "lunch", False),
        ("fever not present", "fever", True),
        ("insurance: none", "insurance", True),
        ("HIV negative", "hiv", True),
        ("HIV negative patient", "patient", False),
        ("former smoker", "smoker", True),
        ("ex-wife", "wife", True),
        ("less than high school", "high school", True),
        ("furniture except chairs", "furniture", False),
        ("furniture except chairs", "chairs", True),
        ("temporarily not working", "temporarily", True),
        ("other vegetables", "vegetables", False),
        ("grey parrot", "parrot", False),
    ],
)
def test_drops_negation(text: str, kept: str, drops: bool) -> None:
    every, rest = words_of(text), words_of(kept)
    start = next(i for i in range(len(every)) if every[i : i + len(rest)] == rest)
    assert drops_negation(every, range(start, start + len(rest)), language("en")) == drops


@pytest.mark.parametrize(
    ("code", "text", "kept"),
    [
        ("de", "kein hund", "hund"), ("de", "ohne arbeit", "arbeit"), ("de", "nie verheiratet", "verheiratet"),
        ("nl", "geen hond", "hond"), ("nl", "zonder werk", "werk"),
        ("fr", "sans emploi", "emploi"), ("fr", "jamais marié", "marié"), ("fr", "non fumeur", "fumeur"),
        ("es", "sin trabajo", "trabajo"), ("es", "no fumador", "fumador"), ("es", "nunca casado", "casado"),
        ("it", "senza lavoro", "lavoro"), ("it", "mai sposato", "sposato"), ("it", "non fumatore", "fumatore"),
        ("pt", "sem trabalho", "trabalho"), ("pt", "não fumante", "fumante"), ("pt", "nunca casado", "casado"),
    ],
)  # fmt: skip
def test_other_languages(code: str, text: str, kept: str) -> None:
    words = text.split()
    assert drops_negation(words, [words.index(kept)], language(code))
    assert not drops_negation(words, range(len(words)), language(code))


@pytest.mark.parametrize(
    ("word", "other", "expected"),
    [
        ("married", "unmarried", True),
        ("unemployed", "employed", True),
        ("smoker", "non-smoker", True),
        ("literate", "illiterate", True),
        ("married", "married", False),
        ("able", "table", False),
        ("", "un", False),
    ],
)
def test_opposes(word: str, other: str, expected: bool) -> None:
    assert opposes(word, other, language("en")) == expected


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("en", "Other"), ("en", "misc."), ("en", "Unknown"), ("en", "not applicable"), ("en", "N/A"), ("en", "NOS"),
        ("en", "None of the above"), ("en", "unassigned"), ("en", "other/unknown"), ("en", "other and unspecified"),
        ("en", "?"), ("en", "-"), ("en", "Don't know"), ("en", "none"), ("en", "Not-applicable"),
        ("de", "Sonstiges"), ("de", "keine Angabe"), ("fr", "autres"), ("fr", "non précisé"), ("es", "no aplica"),
        ("it", "altro"), ("pt", "outros"), ("nl", "overig"),
    ],
)  # fmt: skip
def test_residual(code: str, text: str) -> None:
    assert is_residual(text, language(code))


@pytest.mark.parametrize("text", ["other vegetables", "nurse", "without pay", "never married", "no milk", "and"])
def test_not_residual(text: str) -> None:
    assert not is_residual(text, language("en"))


@pytest.mark.parametrize(
    ("text", "phrases"),
    [
        ("no milk", ["no milk"]),
        ("no milk and sugar", ["no milk", "no sugar"]),
        ("coffee without sugar", ["coffee", "without sugar"]),
        ("coffee without sugar, tea", ["coffee", "without sugar", "tea"]),
        ("milk (no sugar)", ["milk", "no sugar"]),
        ("shoes but not boots", ["shoes", "not boots"]),
        ("don't want shoes", ["not shoes"]),
        ("sugar free", ["sugar free"]),
        ("fever not present", ["fever not present"]),
        ("insurance: none", ["insurance: none"]),
        ("red wine with cheese", ["red wine", "cheese"]),
    ],
)
def test_noun_phrases_keep_negations(text: str, phrases: list[str]) -> None:
    pytest.importorskip("textblob")
    assert list(noun_phrases(text)) == phrases
