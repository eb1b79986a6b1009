"""Spark stores comments and other notes on columns in the files it writes; a release carries none."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import canaries

pytest.importorskip("pyspark", reason="no pyspark: `make spark` runs these tests", exc_type=ImportError)

import allonym as al


def noted(session: Any) -> Any:
    """Return a data frame with notes on columns and on fields inside of them."""
    from pyspark.sql.types import ArrayType, IntegerType, StringType, StructField, StructType

    inner = StructType([StructField("a", IntegerType(), metadata={"comment": "CNRYfld1"})])
    fields = [
        StructField(x, StringType(), metadata={"comment": f"CNRYcom{i}"}) for i, x in enumerate(canaries.columns())
    ]
    fields += [StructField("struct", inner), StructField("list", ArrayType(inner))]
    rows = [(*row, (1,), [(1,)]) for row in zip(*canaries.columns().values(), strict=True)]
    return session.createDataFrame(rows, StructType(fields))


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # sockets that PySpark leaves open
@pytest.mark.parametrize("method", ["sa-mdav", "noise"])
def test_a_release_of_spark_carries_no_metadata(method: str, spark: Any, tmp_path: Path) -> None:
    noted(spark).write.parquet(str(tmp_path / "in"))
    assert {"CNRYcom0", "CNRYfld1"} <= canaries.canaries(tmp_path / "in")
    made = canaries.plan(method, key=method == "noise")
    plan = al.Plan({**made.columns, "struct": al.keep(), "list": al.keep()}, method=made.method, seed=1)
    plan.run(tmp_path / "in", tmp_path / "out", engine="spark")
    assert canaries.canaries(tmp_path / "out") == set()
    frame = plan.run(noted(spark)).frame
    frame.write.parquet(str(tmp_path / "again"))
    assert canaries.canaries(tmp_path / "again") == set()
    assert "CNRY" not in frame.schema.json()
