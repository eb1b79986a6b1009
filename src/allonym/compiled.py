"""The compiled kernels, if the extension is installed; otherwise NumPy versions run, with the same results.

The environment variable `ALLONYM_KERNELS` chooses: `numpy` never loads the extension, `compiled` refuses to run without
it. By default the extension is used if it is installed and has the interface that this version of allonym expects.

`ALLONYM_THREADS` limits the threads of a kernel, by default the processors that the process may use. The number of
threads never changes a result.
"""

from __future__ import annotations

import os
from importlib import import_module
from types import ModuleType

from allonym.errors import OptionError

INTERFACE = 10  # the same number as in cpp/module.cpp
VARIABLE = "ALLONYM_KERNELS"
THREADS_VARIABLE = "ALLONYM_THREADS"
MAX_THREADS = 256
CHOICES = ("compiled", "numpy")
EXTENSION = "allonym._kernels"


def load(choice: str = "") -> tuple[ModuleType | None, str]:
    """Return the extension, or None, and which kernels are in use.

    Args:
        choice: `compiled`, `numpy` or, for the extension if there is one, an empty text.

    Raises:
        OptionError: for another choice, or if compiled kernels are required and there are none.

    >>> load("numpy")
    (None, 'NumPy kernels: ALLONYM_KERNELS=numpy')
    """
    if choice and choice not in CHOICES:
        raise OptionError.of(f"value of {VARIABLE}", choice, CHOICES)
    if choice == "numpy":
        return None, f"NumPy kernels: {VARIABLE}=numpy"
    extension, reason = _extension()
    if extension is None and choice == "compiled":
        raise OptionError(f"{VARIABLE}=compiled, but there are no compiled kernels: {reason}.")
    return extension, f"NumPy kernels: {reason}" if extension is None else "compiled kernels"


def _extension() -> tuple[ModuleType | None, str]:
    """Return the extension, or None and the reason."""
    try:
        extension = import_module(EXTENSION)
    except ModuleNotFoundError:
        return None, "no compiled extension"
    except ImportError as error:  # built for another system
        return None, f"the compiled extension cannot be loaded ({error})"
    interface = getattr(extension, "INTERFACE", None)
    if interface != INTERFACE:
        return None, f"the compiled extension has interface {interface}, not {INTERFACE}; reinstall allonym"
    return extension, ""


def thread_count(limit: str = "") -> int:
    """Return how many threads a kernel may use.

    Args:
        limit: a number of threads or, for all processors that the process may use, an empty text.

    Raises:
        OptionError: if the limit is no whole number from 1 on.

    >>> thread_count("2")
    2
    """
    if not limit:
        affinity = getattr(os, "sched_getaffinity", None)  # not on macOS and Windows
        return len(affinity(0)) if affinity else os.cpu_count() or 1
    if not (limit.isascii() and limit.isdigit() and 1 <= int(limit) <= MAX_THREADS):
        raise OptionError(
            f"{THREADS_VARIABLE} is {limit!r}, which is no number of threads.",
            hint=f"set it to a whole number from 1 to {MAX_THREADS}, or unset it to use all processors.",
        )
    return int(limit)


kernels, in_use = load(os.environ.get(VARIABLE, ""))
if kernels is not None:
    kernels.set_threads(thread_count(os.environ.get(THREADS_VARIABLE, "")))
