"""Settings for every test."""

import os
from pathlib import Path
from tempfile import mkdtemp

from hypothesis import HealthCheck, Phase, settings

settings.register_profile("default", deadline=None, max_examples=40, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("unshrunk", settings.get_profile("default"), phases=[Phase.explicit, Phase.generate])
settings.load_profile("default")

# named ontologies are compiled once for all tests; those that the user added are not there
os.environ["ALLONYM_CACHE"] = str(Path(__file__).parents[1] / "build" / "test-cache")
os.environ["ALLONYM_DATA"] = mkdtemp(prefix="allonym-data-")
