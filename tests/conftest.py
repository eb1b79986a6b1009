"""Settings for every test."""

import os
from collections.abc import Iterator
from pathlib import Path
from tempfile import mkdtemp

import pytest
from hypothesis import HealthCheck, Phase, settings

settings.register_profile("default", deadline=None, max_examples=40, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("unshrunk", settings.get_profile("default"), phases=[Phase.explicit, Phase.generate])
settings.register_profile("ci", settings.get_profile("default"), derandomize=True)  # the same examples in every run
settings.load_profile("ci" if os.environ.get("CI") else "default")

# named ontologies are compiled once for all tests; those that the user added are not there
os.environ["ALLONYM_CACHE"] = str(Path(__file__).parents[1] / "build" / "test-cache")
os.environ["ALLONYM_DATA"] = mkdtemp(prefix="allonym-data-")


@pytest.fixture(scope="module", autouse=True)
def null_columns(request: pytest.FixtureRequest) -> Iterator[None]:
    """Let tiny tables be released although no value of a column is left; not in modules with REFUSES_NULL_COLUMNS."""
    from allonym.pipeline.changes.nulls import Nulls

    with pytest.MonkeyPatch.context() as patch:
        if not getattr(request.module, "REFUSES_NULL_COLUMNS", False):
            patch.setattr(Nulls, "refuse_empty_columns", lambda self, k: None)
        yield
