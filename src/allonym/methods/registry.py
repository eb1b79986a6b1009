"""The methods by name. Adding one is a line here."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module

from allonym.methods.base import Method
from allonym.parameters import Parameter, parameters_of

CLASSES = {
    "sa-mdav": "sa_mdav:SAMDAV",
    "sa-mdav-static": "sa_mdav:SAMDAVStatic",
    "s-mdav": "s_mdav:SMDAV",
    "abril": "abril:Abril",
    "mdav": "mdav:MDAV",
    "fusion": "fusion:Fusion",
    "recoding": "recoding:Recoding",
    "recoding-ordered": "recoding:RecodingOrdered",
    "generalise": "generalise:Generalise",
    "noise": "noise:Noise",
    "randomise-uniform": "randomise:RandomiseUniform",
    "randomise-frequency": "randomise:RandomiseFrequency",
    "exponential": "exponential:Exponential",
}
ALIASES = {"mode": "mdav"}  # older names
DEFAULT_METHOD = "sa-mdav"


class _Methods(Mapping[str, type[Method]]):
    """The classes of methods by name, each imported at first use."""

    def __getitem__(self, name: str) -> type[Method]:
        module, _, class_name = CLASSES[name].partition(":")
        method: type[Method] = getattr(import_module(f"allonym.methods.{module}"), class_name)
        return method

    def __iter__(self) -> Iterator[str]:
        return iter(CLASSES)

    def __len__(self) -> int:
        return len(CLASSES)


METHODS = _Methods()


def find(name: str) -> type[Method] | None:
    """Return a method by its name or an older name; None, if there is none."""
    return METHODS.get(ALIASES.get(name, name))


def method_parameters(name: str) -> dict[str, Parameter]:
    """Return the parameters of a method, k included; none, if there is no such method.

    >>> list(method_parameters("sa-mdav")), list(method_parameters("sa-mdv"))
    (['k', 'represent', 'refine', 'growth'], [])
    """
    method = find(name)
    return {} if method is None else parameters_of(method)
