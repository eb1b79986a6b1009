"""Compiled kernels and their NumPy versions, for tests that compare them or run with both."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from unittest.mock import patch

import pytest

from allonym.compiled import load
from allonym.methods.kernels import adaptive, fusion, microaggregation

COMPILED, NUMPY = "compiled", "numpy"
EXTENSION = load()[0]
needs_compiled = pytest.mark.skipif(EXTENSION is None, reason="needs the compiled extension")
BOTH = [pytest.param(COMPILED, marks=needs_compiled), NUMPY]


@contextmanager
def use(kernels: str) -> Iterator[None]:
    """Run the grouping methods with compiled kernels or with their NumPy versions."""
    with ExitStack() as stack:
        for module in (adaptive, fusion, microaggregation):
            stack.enter_context(patch.object(module, "kernels", None if kernels == NUMPY else EXTENSION))
        yield
