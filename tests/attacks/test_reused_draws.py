"""Two releases never share a draw: who knows the errors of one learns nothing of another's."""

from __future__ import annotations

import copy
import os
import pickle
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import allonym as al
from allonym.errors import OptionError, TableError
from allonym.pipeline.row_numbers import RowNumbers
from attacks.judging import judge

ROWS = 400
SHARED = 0.2  # the largest correlation of errors that passes: 4 standard deviations of chance for 400 rows


def ages(offset: int = 0) -> pd.DataFrame:
    rng = np.random.default_rng(offset)
    people = [f"p{i:03}" for i in range(ROWS)]
    return pd.DataFrame({"age": rng.integers(20, 80, ROWS).astype(float), "person": people})


def plan(seed: int | None = 1, alpha: float = 0.3, key: str = "", **columns: Any) -> al.Plan:
    parameters = {"alpha": alpha} | ({"key": key} if key else {})
    columns = columns or {"age": al.quasi("numeric")}
    return al.Plan(columns | {"person": al.keep()}, method="noise", seed=seed, parameters=parameters)


def correlation(one: tuple[Any, Any], other: tuple[Any, Any]) -> float:
    """Return the correlation of the errors of two releases, each given by original and released values."""
    errors = [np.asarray(released, float) - np.asarray(original, float) for original, released in (one, other)]
    return abs(float(np.corrcoef(*errors)[0, 1]))


def check(one: tuple[Any, Any], other: tuple[Any, Any]) -> None:
    """Fail if the errors of two releases are correlated."""
    case = os.environ["PYTEST_CURRENT_TEST"].partition("::test_")[2].partition(" ")[0].replace("_", " ")
    judge("correlation of the errors of two releases", case, correlation(one, other), SHARED)


def released(plan: al.Plan, frame: pd.DataFrame) -> tuple[pd.Series, pd.Series]:
    return frame["age"], plan.run(frame).frame["age"]


def test_the_attack_works_on_shared_draws() -> None:
    frame = ages()
    assert correlation(released(plan(), frame), released(plan(), frame)) == pytest.approx(1)


def test_a_seed_on_two_tables() -> None:
    check(released(plan(), ages()), released(plan(), ages(1)))


def test_a_seed_on_a_table_in_another_order() -> None:
    frame = ages()
    turned = frame.iloc[::-1].reset_index(drop=True)
    check(released(plan(), frame), released(plan(), turned))


@pytest.mark.parametrize("key", ["", "person"])
def test_a_seed_on_a_table_with_one_other_value(key: str) -> None:
    frame, changed = ages(), ages()
    changed.loc[0, "age"] = 99.0
    one, other = released(plan(key=key), frame), released(plan(key=key), changed)
    check((one[0][1:], one[1][1:]), (other[0][1:], other[1][1:]))


def test_a_seed_with_two_alphas() -> None:
    check(released(plan(), ages()), released(plan(alpha=0.4), ages()))


def test_two_columns_of_one_release() -> None:
    frame = ages().assign(other=ages()["age"])
    masked = plan(age=al.quasi("numeric"), other=al.quasi("numeric")).run(frame).frame
    check((frame["age"], masked["age"]), (frame["other"], masked["other"]))


def test_no_seed() -> None:
    check(released(plan(None), ages()), released(plan(None), ages()))


@pytest.mark.parametrize("seed", [None, 1])
def test_key_column_on_other_people(seed: int | None) -> None:
    keyed = plan(seed, key="person")
    check(released(keyed, ages()), released(keyed, ages(1)))


def test_several_rows_of_a_person_with_a_key_column() -> None:
    frame = pd.concat([ages(), ages(1)], ignore_index=True)
    original, masked = released(plan(key="person"), frame)
    halves = [(original[:ROWS], masked[:ROWS]), (original[ROWS:], masked[ROWS:])]
    check(*halves)


def test_a_key_and_a_value_repeat_their_draw_within_one_fit() -> None:
    fitted = plan(key="person").fit(ages())
    one, again = (fitted.mask_one({"age": 30.0, "person": "p001"}) for _ in range(2))
    assert one == again
    batch = fitted.mask(pd.DataFrame({"age": [30.0, 30.0], "person": ["p001", "p002"]}))
    assert batch["age"][0] == one["age"]
    assert batch["age"][1] != one["age"]


@pytest.mark.parametrize("seed", [None, 1])
def test_a_fitted_plan_that_is_loaded_twice(seed: int | None, tmp_path: Path) -> None:
    frame = ages()
    plan(seed).fit(frame).save(tmp_path / "fitted.json")
    pairs = [(frame["age"], al.Fitted.load(tmp_path / "fitted.json").mask(frame)["age"]) for _ in range(2)]
    check(*pairs)
    check(pairs[0], released(plan(seed), frame))


def test_a_stream_is_resumed_once_where_it_stopped(tmp_path: Path) -> None:
    frame, path = ages(), tmp_path / "fitted.json"
    whole = plan().fit(frame).mask(frame)["age"]
    fitted = plan().fit(frame)
    first = fitted.mask(frame[:100])["age"]
    fitted.save(path, stream=True)
    with pytest.raises(OptionError):
        fitted.mask(frame[100:].reset_index(drop=True))
    with pytest.raises(OptionError):
        fitted.save(path, stream=True)
    rest = al.Fitted.load(path, resume=True).mask(frame[100:].reset_index(drop=True))["age"]
    assert [*first, *rest] == list(whole)
    with pytest.raises(TableError, match="no stream"):
        al.Fitted.load(path, resume=True)


def test_a_copy_of_a_stream_cannot_be_resumed(tmp_path: Path) -> None:
    path, other = tmp_path / "fitted.json", tmp_path / "copy.json"
    plan().fit(ages()).save(path, stream=True)
    other.write_bytes(path.read_bytes())
    with pytest.raises(TableError, match="a copy"):
        al.Fitted.load(other, resume=True)
    (tmp_path / "fitted.json.lock").touch()
    with pytest.raises(TableError, match="Another process"):
        al.Fitted.load(path, resume=True)


def test_workers_that_load_a_fit_with_a_key_column(tmp_path: Path) -> None:
    """The mean of what each worker writes for a person must tell no more than one of them."""
    frame, path = ages(), tmp_path / "fitted.json"
    fitted = plan(None, key="person").fit(frame)
    fitted.save(path)
    with pytest.raises(OptionError, match=r"has a key column \(person\)"):
        al.Fitted.load(path)
    with pytest.raises(TableError, match="no stream to resume"):
        al.Fitted.load(path, resume=True)
    alone = [al.Fitted.load(path, new_draws=True).mask(frame)["age"] for _ in range(30)]
    fitted.save(path, stream=True)
    other = tmp_path / "other.json"
    other.write_bytes(path.read_bytes())
    workers = [al.Fitted.load(x, resume=True).mask(frame)["age"] for x in (path, other, path)]
    errors = [np.std(np.mean(x, axis=0) - frame["age"]) for x in (alone, workers)]
    assert errors[0] < errors[1] / 4  # the attack works where workers draw anew
    for each in (*workers, fitted.mask(frame)["age"]):
        assert list(each) == list(workers[0])


def test_copies_of_a_fitted_plan_in_other_processes(tmp_path: Path) -> None:
    """Copies would number their rows alike, and use the draws of one row for another."""
    frame, record = ages(), {"age": 30.0, "person": "p"}
    fitted = plan(None).fit(frame)
    copies = [pickle.loads(pickle.dumps(fitted)), copy.deepcopy(fitted)]
    for each in copies:
        for work in (each.mask_one, lambda x, each=each: next(each.stream([x]))):
            with pytest.raises(OptionError, match="is a copy"):
                work(record)
        with pytest.raises(OptionError, match="is a copy"):
            each.mask(frame)
        with pytest.raises(OptionError, match="is a copy"):
            each.save(tmp_path / "fitted.json", stream=True)
        assert each.mask_one(record, key=7) == fitted.mask_one(record, key=7)
        assert list(each.mask(frame, start=0)["age"]) == list(fitted.mask(frame, start=0)["age"])
        each.mask_one(record)  # goes on from the number that was given
    keyed = plan(None, key="person").fit(frame)
    assert pickle.loads(pickle.dumps(keyed)).mask_one(record) == keyed.mask_one(record)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_process() -> None:
    fitted = plan(None).fit(ages())
    child = os.fork()
    if child == 0:
        try:
            fitted.mask_one({"age": 30.0, "person": "p"})
        except OptionError:
            os._exit(7)
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7


def test_threads_share_no_number_of_a_row() -> None:
    rows = RowNumbers()
    taken: list[list[int]] = [[] for _ in range(4)]

    def take(numbers: list[int]) -> None:
        numbers += [rows.take() for _ in range(2_000)]

    threads = [threading.Thread(target=take, args=(x,)) for x in taken]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(number for numbers in taken for number in numbers) == list(range(8_000))


def test_the_secret_is_written_nowhere(tmp_path: Path) -> None:
    frame = ages()
    frame.to_csv(tmp_path / "ages.csv", index=False)
    release = plan(None).run(tmp_path / "ages.csv", tmp_path / "out.csv")
    assert release.summary["seed"] is None
    assert release.summary["reproducible"] is False
    fitted = plan(None).fit(frame)
    fitted.save(tmp_path / "fitted.json")
    assert "secret" not in (tmp_path / "fitted.json").read_text()


def test_the_same_input_plan_and_seed_give_the_same_bytes(tmp_path: Path) -> None:
    ages().to_csv(tmp_path / "ages.csv", index=False)
    for out in ("one.csv", "two.csv"):
        summary = plan().run(tmp_path / "ages.csv", tmp_path / out).summary
        assert summary["reproducible"] is True
    assert (tmp_path / "one.csv").read_bytes() == (tmp_path / "two.csv").read_bytes()


def test_ties_of_groups_change_without_a_seed() -> None:
    frame = pd.DataFrame({"word": [f"w{i}" for i in range(60)]})
    plans = [al.Plan({"word": al.quasi("category")}, method="mdav", k=3, seed=seed) for seed in (1, 1, None, None)]
    groups = [sorted(x.run(frame).masking.source[::3].tolist()) for x in plans]
    assert groups[0] == groups[1]
    assert groups[2] != groups[3]
