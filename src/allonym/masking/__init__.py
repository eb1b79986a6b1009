"""Methods: each groups tuples or replaces values, seeing integers and distances only. A new one is a line here."""

from allonym.masking.base import Method
from allonym.masking.baselines import MDAV
from allonym.masking.semantic import SAMDAV, SMDAV, Abril, SAMDAVStatic

METHODS: dict[str, type[Method]] = {x.name: x for x in (SAMDAV, SAMDAVStatic, SMDAV, Abril, MDAV)}
OTHER_NAMES = {"mode": "mdav"}
