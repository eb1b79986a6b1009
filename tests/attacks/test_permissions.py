"""Another user of the machine looks at the files that commands leave: those that hold data are their owner's."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

import allonym as al
from allonym.pipeline.demo import survey
from cli.running import run

pytestmark = pytest.mark.skipif(os.name != "posix", reason="permissions are those of POSIX")
ROLES = ("--quasi", "age=numeric", "--identifier", "visitor", "--keep-rest")


@pytest.fixture(autouse=True)
def open_umask() -> Iterator[None]:
    """Let everybody read and write new files."""
    before = os.umask(0)
    yield
    os.umask(before)


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "survey.csv"
    path.write_text(survey())
    return path


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.parametrize("existing", [False, True])
def test_what_a_run_tells_its_owner_is_private(source: Path, existing: bool, tmp_path: Path) -> None:
    private = [tmp_path / x for x in ("summary.json", "report.html", "replacements.csv")]
    public = [tmp_path / x for x in ("masked.csv", "codebook.json")]
    for path in [*private, *public] if existing else []:
        path.touch(0o666)
    names = {"--summary": private[0], "--report": private[1], "--replacements": private[2]}
    names |= {"-o": public[0], "--codebook": public[1]}
    run("mask", str(source), *ROLES, *(str(x) for pair in names.items() for x in pair))
    assert [mode(x) for x in private] == [0o600, 0o600, 0o600]
    assert [mode(x) for x in public] == [0o666, 0o666]


@pytest.mark.parametrize("existing", [False, True])
def test_links_and_hierarchies_are_private(source: Path, existing: bool, tmp_path: Path) -> None:
    links, hierarchy = tmp_path / "links.csv", tmp_path / "hierarchy.csv"
    for path in (links, hierarchy) if existing else ():
        path.touch(0o666)
    words = ("--column", "reason", "--ontology", "wordnet")
    run("link", str(source), *words, "-o", str(links))
    run("hierarchy", "build", str(source), *words, "-o", str(hierarchy), "--accept-review", "--levels", "2")
    assert (mode(links), mode(hierarchy)) == (0o600, 0o600)


def test_plans_and_pinned_links_are_private(source: Path, tmp_path: Path) -> None:
    run("inspect", str(source), "-o", str(tmp_path / "plan.toml"))
    assert mode(tmp_path / "plan.toml") == 0o600
    (tmp_path / "plan.toml").chmod(0o666)
    before = set(tmp_path.iterdir())
    al.Plan.load(tmp_path / "plan.toml").check(source).pin(tmp_path / "plan.toml")
    written = {*tmp_path.iterdir()} - before
    assert written
    assert {mode(x) for x in (*written, tmp_path / "plan.toml")} == {0o600}


def test_a_fitted_plan_is_private(source: Path, tmp_path: Path) -> None:
    import pandas as pd

    frame = pd.read_csv(source)[["age"]]
    path = tmp_path / "fitted.json"
    path.touch(0o666)
    al.Plan({"age": al.quasi("numeric")}, method="noise", seed=1).fit(frame).save(path)
    assert mode(path) == 0o600


def test_a_release_follows_the_umask_and_gets_no_wider(source: Path, tmp_path: Path) -> None:
    target = tmp_path / "masked.csv"
    for umask, before, after in ((0o022, None, 0o644), (0o077, 0o666, 0o600), (0o022, 0o640, 0o640), (0, 0o600, 0o600)):
        os.umask(umask)
        if before is not None:
            target.chmod(before)
        run("mask", str(source), *ROLES, "-o", str(target))
        assert mode(target) == after
