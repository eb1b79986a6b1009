"""The demonstration: the bundled survey and a plan for it."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path

from allonym.errors import OutputError
from allonym.pipeline.run import Release
from allonym.plan.column import Column, identifier, keep, quasi, sensitive
from allonym.plan.model import Plan
from allonym.progress import Progress, no_progress
from allonym.release.write import save_text

WORDS = ("reason", "activity")
SEED = 1  # so that the documentation shows what everybody gets
FILES = ("survey.csv", "plan.toml", "masked.csv", "summary.json", *(f"{name}.links.csv" for name in WORDS))


def survey() -> str:
    """Return the bundled survey as CSV: invented answers of 975 visitors to a park."""
    return (files("allonym") / "data" / "survey.csv").read_text("utf-8")


def hierarchies() -> dict[str, bytes]:
    """Return hand-made hierarchies of the survey's words, in the format of ARX."""
    names = [f"{name}.vgh.csv" for name in WORDS]
    return {name: (files("allonym") / "data" / name).read_bytes() for name in names}


def demonstration(folder: Path, k: int = 5) -> Plan:
    """Return the plan of the demonstration; its links files are in a folder."""
    columns: dict[str, Column] = {"visitor": identifier()}
    columns |= {name: quasi("wordnet", links=f"{name}.links.csv") for name in WORDS}
    columns |= {"hobby": keep(), "origin": keep(), "age": keep(), "spent": sensitive()}
    about = {
        "title": "Visitors of a park: why they came and what they did",
        "purpose": "shows what allonym does, on invented answers",
        "note": "hobby, origin and age are kept so that the example stays small; a real release would mask them too",
    }
    return Plan(columns, k=k, seed=SEED, about=about, folder=folder)


def demonstrate(folder: Path, k: int = 5, tick: Progress = no_progress) -> Release:
    """Mask the survey, and write everything that went into the release beside it; reports are written separately."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"{folder} cannot be made: {error.strerror}.", hint="choose another with -o.") from error
    data = folder / "survey.csv"
    existing = [x for x in FILES if (folder / x).exists()]
    if existing and (len(existing) < len(FILES) or data.read_text("utf-8") != survey()):
        raise OutputError(f"{folder} has another {existing[0]} already.", hint="choose another folder with -o.")
    save_text(data, survey())
    for name in WORDS:
        save_text(folder / f"{name}.links.csv", (files("allonym") / "data" / f"{name}.links.csv").read_text("utf-8"))
    demonstration(folder, k).save(folder / "plan.toml")
    done = Plan.load(folder / "plan.toml").run(folder / "survey.csv", folder / "masked.csv", tick)
    save_text(folder / "summary.json", json.dumps(done.summary, indent=2) + "\n")
    return done
