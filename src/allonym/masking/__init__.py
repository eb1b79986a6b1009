"""Methods: each groups tuples or replaces values, seeing integers and distances only. A new one is a line here."""

from dataclasses import fields

from allonym.masking.base import Method
from allonym.masking.baselines import MDAV
from allonym.masking.exponential import Exponential
from allonym.masking.fusion import Fusion
from allonym.masking.generalise import Generalise
from allonym.masking.noise import Noise
from allonym.masking.randomise import RandomiseFrequency, RandomiseUniform
from allonym.masking.recoding import Recoding, RecodingOrdered
from allonym.masking.semantic import SAMDAV, SMDAV, Abril, SAMDAVStatic

METHODS: dict[str, type[Method]] = {
    x.name: x
    for x in (
        *(SAMDAV, SAMDAVStatic, SMDAV, Abril, MDAV, Fusion, Recoding, RecodingOrdered, Generalise),
        *(Noise, RandomiseUniform, RandomiseFrequency, Exponential),
    )
}
OTHER_NAMES = {"mode": "mdav"}


def named(name: str) -> type[Method] | None:
    """Return a method by its name, or an older one; None, if there is none."""
    return METHODS.get(OTHER_NAMES.get(name, name))


def parameters_of(name: str) -> list[str]:
    """Return the parameters of a method besides k; none, if there is no such method."""
    method = named(name)
    return [] if method is None else [f.name for f in fields(method) if f.name != "k"]
