"""The reference of the public names, from their signatures and docstrings: written by tools/update_docs.py."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator

import allonym as al

GROUPS = {
    "Plans and releases": (
        "Plan", "Column", "quasi", "sensitive", "identifier", "keep", "unit", "household", "weight", "Privacy",
        "Release", "Fitted", "inspect", "Inspection",
    ),
    "Measuring": ("evaluate", "Evaluation", "compare", "Comparison", "unique_combinations"),
    "Hierarchies": (
        "Hierarchy", "score_hierarchy", "HierarchyScore", "compare_hierarchies", "HierarchyComparison",
        "build_hierarchy", "link_hierarchy",
    ),
    "Links": ("link", "Link", "read_links", "write_links"),
    "Ontologies": (
        "ontology", "ontologies", "OntologyInfo", "add_ontology", "remove_ontology", "wordnet", "read_taxonomy",
        "Taxonomy", "Scope", "Source", "similarity",
    ),
    "Methods": (
        "SAMDAV", "SAMDAVStatic", "SMDAV", "Abril", "MDAV", "Fusion", "Recoding", "RecodingOrdered", "Generalise",
        "Noise", "RandomiseUniform", "RandomiseFrequency", "Pram", "Exponential", "Swap",
    ),
}  # fmt: skip
IN_FULL = ("Measuring", "Hierarchies", "Links")  # groups with signatures, arguments and examples
SECTION = re.compile(r"^(Args|Returns|Raises):$")
OWN_NAME = re.compile(rf"(?<![\w.])({'|'.join(name for names in GROUPS.values() for name in names)})(?=\()")
ITEM = re.compile(r"^    (\w+): (.*)$")


def reference() -> str:
    """Return the tables of all public names, and the full description of some."""
    parts = []
    for title, names in GROUPS.items():
        rows = [f"| `al.{name}` | {_first_sentence(getattr(al, name))} |" for name in names]
        parts.append("\n".join([f"## {title}", "", "| name | what it is |", "|---|---|", *rows]))
        if title in IN_FULL:
            functions = [name for name in names if inspect.isfunction(getattr(al, name))]
            parts += ["\n".join(_in_full(name)) for name in functions]
    return "\n\n".join(parts) + "\n"


def _first_sentence(item: object) -> str:
    text = inspect.getdoc(item) or ""
    return " ".join(text.partition("\n\n")[0].split())


def _in_full(name: str) -> Iterator[str]:
    """Yield the lines that describe a function: its call, its arguments, what it returns and raises, an example."""
    function = getattr(al, name)
    doc = (inspect.getdoc(function) or "").split("\n")
    yield f"### `al.{name}`"
    yield ""
    yield f"```text\nal.{name}({', '.join(_parameters(inspect.signature(function)))})\n```"
    section = ""
    for line in doc[1:]:
        heading = SECTION.match(line)
        item = ITEM.match(line)
        if line.startswith(">>>") or section == "Example":
            if section != "Example":
                section = "Example"
                yield "```pycon"
            if line:
                yield OWN_NAME.sub(r"al.\1", line)
        elif heading:
            section = heading[1]
            yield f"**{'Arguments' if section == 'Args' else section}**"
            yield ""
        elif item and section in ("Args", "Raises"):
            yield f"- `{item[1]}`: {item[2]}"
        elif section in ("Args", "Raises") and line.strip():
            yield f"  {line.strip()}"
        else:
            yield line.strip()
    if section == "Example":
        yield "```"


def _parameters(signature: inspect.Signature) -> Iterator[str]:
    """Yield the parameters of a call, with their defaults."""
    by_name = False
    for x in signature.parameters.values():
        if x.kind == x.KEYWORD_ONLY and not by_name:
            by_name = True
            yield "*"
        if x.kind == x.VAR_KEYWORD:
            yield f"**{x.name}"
        else:
            yield x.name + ("" if x.default is x.empty else "=…" if callable(x.default) else f"={x.default!r}")
