"""The methods by name. Adding one is a line here."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Any

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
    "pram": "pram:Pram",
    "exponential": "exponential:Exponential",
    "swap": "swap:Swap",
}
ALIASES = {"mode": "mdav"}  # older names
RENAMED = {"generalise": {"suppression": "suppress"}}  # older names of parameters, by method
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

    >>> list(method_parameters("sa-mdav"))[:3], list(method_parameters("sa-mdv"))
    (['k', 'represent', 'refine'], [])
    """
    method = find(name)
    return {} if method is None else parameters_of(method)


def with_new_names(method: str, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters of a method under the names that they have now; one that is given by both keeps both.

    >>> with_new_names("generalise", {"suppression": 0.1})
    {'suppress': 0.1}
    """
    names = RENAMED.get(ALIASES.get(method, method), {})
    return {name if names.get(name, name) in parameters else names[name]: value for name, value in parameters.items()}
