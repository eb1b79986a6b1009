"""Methods: each groups tuples or replaces values, seeing integers and distances only. A new one is a line here."""

from allonym.masking.base import Method
from allonym.masking.baselines import Mode

METHODS: dict[str, type[Method]] = {"mode": Mode}
