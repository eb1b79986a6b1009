"""The privacy models of sensitive columns by name. Adding one is a line here."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module

from allonym.parameters import Parameter, parameters_of
from allonym.privacy.base import PrivacyModel

CLASSES = {
    "p-sensitive": "p_sensitive:PSensitive",
    "l-diversity": "l_diversity:LDiversity",
    "entropy-l-diversity": "entropy_l_diversity:EntropyLDiversity",
    "recursive-l-diversity": "recursive_l_diversity:RecursiveLDiversity",
    "t-closeness": "t_closeness:TCloseness",
}


class _Models(Mapping[str, type[PrivacyModel]]):
    """The classes of privacy models by name, each imported at first use."""

    def __getitem__(self, name: str) -> type[PrivacyModel]:
        module, _, class_name = CLASSES[name].partition(":")
        model: type[PrivacyModel] = getattr(import_module(f"allonym.privacy.{module}"), class_name)
        return model

    def __iter__(self) -> Iterator[str]:
        return iter(CLASSES)

    def __len__(self) -> int:
        return len(CLASSES)


MODELS = _Models()


def model_parameters() -> dict[str, Parameter]:
    """Return the parameters of all models by name.

    >>> list(model_parameters())
    ['p', 'l', 'c', 't']
    """
    return {name: declared for model in MODELS.values() for name, declared in parameters_of(model).items()}
