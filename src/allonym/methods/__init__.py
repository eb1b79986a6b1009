"""Methods: each groups tuples or replaces values, seeing integers and distances only. A new one is a line here."""

from collections.abc import Iterator, Mapping
from dataclasses import fields
from importlib import import_module
from typing import Any

from allonym.methods.base import Method

_WHERE = {
    "sa-mdav": ("sa_mdav", "SAMDAV"),
    "sa-mdav-static": ("sa_mdav", "SAMDAVStatic"),
    "s-mdav": ("s_mdav", "SMDAV"),
    "abril": ("abril", "Abril"),
    "mdav": ("mdav", "MDAV"),
    "fusion": ("fusion", "Fusion"),
    "recoding": ("recoding", "Recoding"),
    "recoding-ordered": ("recoding", "RecodingOrdered"),
    "generalise": ("generalise", "Generalise"),
    "noise": ("noise", "Noise"),
    "randomise-uniform": ("randomise", "RandomiseUniform"),
    "randomise-frequency": ("randomise", "RandomiseFrequency"),
    "exponential": ("exponential", "Exponential"),
}


class _Methods(Mapping[str, type[Method]]):
    """The methods by name, each imported when it is first asked for."""

    def __getitem__(self, name: str) -> type[Method]:
        module, kind = _WHERE[name]
        found: type[Method] = getattr(import_module(f"allonym.methods.{module}"), kind)
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(_WHERE)

    def __len__(self) -> int:
        return len(_WHERE)


METHODS = _Methods()
OTHER_NAMES = {"mode": "mdav"}


def named(name: str) -> type[Method] | None:
    """Return a method by its name, or an older one; None, if there is none."""
    return METHODS.get(OTHER_NAMES.get(name, name))


def parameters_of(name: str) -> list[str]:
    """Return the parameters of a method besides k; none, if there is no such method."""
    method = named(name)
    return [] if method is None else [f.name for f in fields(method) if f.name != "k"]


def __getattr__(name: str) -> Any:
    """Return the class of a method."""
    for module, kind in _WHERE.values():
        if kind == name:
            return getattr(import_module(f"allonym.methods.{module}"), kind)
    raise AttributeError(f"module 'allonym.methods' has no attribute {name!r}")
