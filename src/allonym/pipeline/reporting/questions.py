"""Section: the three questions of the Article 29 Working Party (Opinion 05/2014), before and after masking."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from allonym import privacy
from allonym.errors import first_few, plural
from allonym.measures.attackers.registry import ATTACKERS, labelled
from allonym.pipeline.reporting.facts import ReleaseFacts
from allonym.report.model import Question, Row

VERBATIM = {
    "verbatim_sets": "released sets that are one person's whole set (%)",
    "rare_items": "released items that fewer than k persons hold (%)",
}
READ = {
    "read_by_1_item": "other items read by who knows 1 item of a person (%)",
    "read_by_2_items": "other items read by who knows 2 items (%)",
    "read_by_3_items": "other items read by who knows 3 items (%)",
    "whole_sets_read": "whole sets read by who knows 3 items (%)",
}


def percent(share: float | None) -> str:
    """Return a percentage with one decimal, if it has any."""
    return "–" if share is None else f"{share:.1f} %".replace(".0 %", " %")


def questions(facts: ReleaseFacts) -> dict[str, Any]:
    """Return the questions with their answers, and the risks that are drawn."""
    risk = facts.summary["risk"]
    linkage: list[Row] = [(label, before, after, risk["blind_guess"]) for label, before, after, _ in labelled(risk)]
    guesses = _guesses(facts)
    return {
        "questions": [_singling_out(facts), _linkability(facts, linkage), _inference(facts, guesses)],
        "risks": [("unique records", *facts.figures("uniqueness")), *linkage, *guesses],
    }


def _singling_out(facts: ReleaseFacts) -> Question:
    before, after = (privacy.k_anonymity(x) for x in (facts.pairs.unmasked, facts.pairs))
    if facts.public and facts.pairs.units is not None:  # who the rows are about does not follow from the release
        after = min(after, facts.method.required_k)
    who, suppressed = facts.who, facts.summary["suppressed"]
    unique = facts.figures("uniqueness")
    risk = tuple(None if x is None else 100 * x for x in facts.figures("prosecutor_risk"))
    if after > 1:
        answer = (
            f"Not by the masked columns: at least {after:,} {who} share each combination of their values. Before "
            f"masking, {percent(unique[0])} of the records were unique."
        )
        if suppressed:
            answer += (
                f" {plural(suppressed, 'record')} {'was' if suppressed == 1 else 'were'} suppressed: empty in these "
                "columns, they count as a group."
            )
            saved = facts.summary.get("suppression", {}).get("loss_saved")
            if saved and not facts.public:
                answer += f" This saves {percent(saved)} of the information loss."
    elif (m := facts.method.known_items) is not None:
        answer = (
            f"Not by up to {plural(m, 'item')} of a set: at least {facts.method.required_k:,} {who} hold each such "
            f"combination. By whole sets, yes: {percent(unique[1])} of the records are unique "
            f"(before: {percent(unique[0])})."
        )
    else:
        answer = (
            f"Yes: {percent(unique[1])} of the records are unique in the masked columns "
            f"(before: {percent(unique[0])}), though their values may be untrue."
        )
    rows: list[Row] = [
        (f"{who} in the smallest group", facts.of_original(before), after, None),
        ("unique records (%)", *unique),
        ("probability of re-identification, mean (%)", risk[0] or 0.0, risk[1] or 0.0, risk[2]),
        *_of_sets(facts, VERBATIM),
    ]
    return Question("Can someone be singled out?", answer, rows)


def _linkability(facts: ReleaseFacts, rows: Sequence[Row]) -> Question:
    risk = facts.summary["risk"]
    highest = risk["highest"]
    attacker = ATTACKERS[highest["attacker"]]
    about = "" if highest["interval"] is None else "about "
    answer = (
        f"The strongest attacker ({attacker.name}) finds the right one for {about}{percent(highest['value'])} of the "
        f"records (before: {percent(highest['before'])}; by a blind guess: {percent(risk['blind_guess'])}): one who "
        f"{attacker.story}.{_samples(risk)}"
    )
    return Question("Can records be linked to other data?", answer, [(f"{x} (%)", a, b, c) for x, a, b, c in rows])


def _samples(risk: Mapping[str, Any]) -> str:
    """Name the attackers who attacked a sample of the records; their intervals are left out of a public report."""
    figures = [
        name if interval is None else f"{name} (95 % confidence: {percent(interval[0])} to {percent(interval[1])})"
        for name, interval in risk["intervals"].items()
    ]
    return f" Measured on a sample of the records: {', '.join(figures)}." if figures else ""


def _of_sets(facts: ReleaseFacts, names: Mapping[str, str]) -> list[Row]:
    """Return what sets give away; nothing, if there are none, or others may know the figures."""
    return [(label, *facts.figures(name)) for name, label in names.items() if name in facts.measures]


def _guesses(facts: ReleaseFacts) -> list[Row]:
    """Return for each sensitive column how often it is guessed right."""
    figures = facts.summary["risk"]["inference"]
    return [(f"{name} guessed right", x["before"], x["value"], x["baseline"]) for name, x in figures.items()]


def _inference(facts: ReleaseFacts, guesses: Sequence[Row]) -> Question:
    question, see = "Can something be inferred about someone?", "See “What is not protected”."
    prepared, sensitive = facts.prepared, facts.pairs.sensitive
    uncounted = [x for x in prepared.with_role("sensitive") if x not in prepared.counted_together("sensitive")]
    if not sensitive and uncounted:
        answer = (
            f"Nothing is required of the sensitive columns ({first_few(uncounted, 20)}), so they stayed in the engine "
            f"and nothing was measured. {see}"
        )
        return Question(question, answer)
    read = _of_sets(facts, READ)
    if not sensitive and read:
        return Question(question, f"Of sets: the table shows what an attacker reads who knows some items. {see}", read)
    if not sensitive:
        return Question(question, f"No column is marked as sensitive, so nothing was measured. {see}")
    rows: list[Row] = list(read)
    certain = []
    for a, guess in enumerate(guesses):
        name = sensitive[a].name
        pairs = facts.pairs.unmasked, facts.pairs
        before, after = (facts.share(privacy.told_by_group(x, a)) for x in pairs)
        whose = "the records" if facts.prepared.units is None else f"the values of {facts.who}"
        certain.append(f"{name} for {percent(after)} of {whose} (before: {percent(before)})")
        fewest = [privacy.l_diversity(x, a) for x in pairs]
        farthest = [privacy.t_closeness(x, a) for x in pairs]
        by_person = facts.public and facts.pairs.units is not None
        rows += [
            (f"{name}: known for certain (%)", before, after, None),
            (f"{guess[0]} (%)", guess[1], guess[2], guess[3]),
            (
                f"{name}: fewest different values in a group",
                facts.of_original(fewest[0]),
                None if by_person else fewest[1],
                None,
            ),
            (
                f"{name}: largest distance between a group and the table (t)",
                facts.of_original(farthest[0]),
                None if by_person else farthest[1],
                None,
            ),
        ]
    answer = (
        "An attacker who finds a person's group knows a sensitive value for certain if all records of the group share "
        f"it: {first_few(certain, 10)}. Otherwise the attacker guesses the most frequent value of the group; the table "
        "shows how often that is right."
    )
    return Question(question, answer, rows)
