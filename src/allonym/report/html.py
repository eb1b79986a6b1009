"""Rendering templates; everything but charts is escaped."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping
from functools import cache
from typing import Any


@cache
def _environment() -> Any:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    made = Environment(
        loader=PackageLoader("allonym.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {"figure": figure, "whole": lambda x: f"{x:,}", "optimality": optimality_in_words}
    return made


def page(template: str, script: str = "", **values: Any) -> str:
    """Return a page that may run the given script only, and fetch nothing."""
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    allowed = f"'sha256-{digest}'" if script else "'none'"
    policy = f"default-src 'none'; style-src 'unsafe-inline'; img-src data:; script-src {allowed}"
    return str(_environment().get_template(template).render(policy=policy, script=script, **values))


def source(name: str) -> str:
    """Return the text of a file beside the templates."""
    environment = _environment()
    return str(environment.loader.get_source(environment, name)[0])


def parameter_text(value: object) -> str:
    """Return the value of a parameter as text."""
    return "auto" if value is None else ("no", "yes")[value] if isinstance(value, bool) else str(value)


def figure(value: Any) -> str:
    """Return a figure with its significant digits.

    >>> figure(0.123456), figure(12.3456), figure(1234567.0), figure(3), figure(None), figure("ε")
    ('0.1235', '12.35', '1,234,567', '3', '–', 'ε')
    """
    if value is None:
        return "–"
    if not isinstance(value, (int, float)):
        return str(value)
    if value == int(value):
        return f"{int(value):,}"
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.2f}" if abs(value) >= 1 else f"{value:.4f}"


def optimality_in_words(optimality: Mapping[str, Any]) -> str:
    """Describe how far a release is from the optimum.

    >>> optimality_in_words({"lower_bound": 7.566, "gap": 4.159})
    'at most 4.2 % above the optimum (lower bound 7.57 %)'
    """
    bound, gap = optimality["lower_bound"], optimality["gap"]
    if gap is None:
        return "unknown: the lower bound is 0"
    distance = "optimal" if gap < 0.05 else f"at most {gap:.1f} % above the optimum"
    return f"{distance} (lower bound {bound:.3g} %)" if bound else distance


def framed(text: str, height: int = 720) -> str:
    """Return a page in a frame, for a notebook."""
    from markupsafe import escape

    return (
        f'<iframe srcdoc="{escape(text)}" sandbox="allow-scripts" title="allonym" '
        f'style="width:100%;height:{height}px;border:1px solid #ddd"></iframe>'
    )
