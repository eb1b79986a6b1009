"""Allonym: anonymise data whose columns are words, without losing what they mean.

>>> import allonym as al
>>> round(al.similarity("trekker", "jogger"), 2), round(al.similarity("trekker", "accountant"), 2)
(0.84, 0.74)
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Any

__version__ = "0.1.0.dev0"


@cache
def _public_names() -> dict[str, str]:
    """Return the module of each public name, as `__init__.pyi` declares them for type checkers and editors."""
    import ast
    from pathlib import Path

    tree = ast.parse(Path(__file__).with_suffix(".pyi").read_text("utf-8"))
    imports = [node for node in tree.body if isinstance(node, ast.ImportFrom) and node.module]
    return {alias.name: str(node.module) for node in imports for alias in node.names}


def __getattr__(name: str) -> Any:
    """Import a public name at first use, so that `import allonym` is instant."""
    if name == "__all__":
        return sorted(_public_names())
    if name.startswith("__") or name not in _public_names():
        raise AttributeError(f"module 'allonym' has no attribute {name!r}")
    if name == "ontology":  # the function is the package itself, which can be called
        return import_module("allonym.ontology")
    value = globals()[name] = getattr(import_module(_public_names()[name]), name)
    return value


def __dir__() -> list[str]:
    return sorted([*_public_names(), "__version__"])
