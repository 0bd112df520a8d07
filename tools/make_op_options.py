"""Writes the table of what `register_op` takes, docs/op_options.md, or checks that it is current.

    python tools/make_op_options.py [--check]

The texts are those of its docstring, types and defaults those of its signature.
"""

from __future__ import annotations

import argparse
import inspect
import re
import sys
from pathlib import Path

from headwater.graph.registry import RunsOn, register_op

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "op_options.md"


def main() -> int:
    """Writes the page, or says that it is out of date; returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing, fail if out of date")
    text = page()
    if not parser.parse_args().check:
        PAGE.write_text(text, encoding="utf-8")
        return 0
    if PAGE.exists() and PAGE.read_text(encoding="utf-8") == text:
        return 0
    sys.stdout.write("docs/op_options.md is out of date: run python tools/make_op_options.py\n")
    return 1


def page() -> str:
    """The text of the page."""
    texts = described()
    parameters = inspect.signature(register_op).parameters
    missing = parameters.keys() ^ texts.keys()
    if missing:
        raise ValueError(f"The docstring of register_op and its parameters differ: {missing}")
    rows = [_row(p, texts[name]) for name, p in parameters.items()]
    places = [f"| `RunsOn.{name}` | {text} |" for name, text in places_to_run().items()]
    return _HEAD + "\n".join(rows) + _PLACES + "\n".join(places) + "\n"


def _row(parameter: inspect.Parameter, text: str) -> str:
    kind = str(parameter.annotation).replace("|", "\\|")
    default = parameter.default
    shown = "required" if default is parameter.empty else f"`{_shown(default)}`"
    return f"| `{parameter.name}` | `{kind}` | {shown} | {text} |"


def _shown(default: object) -> str:
    if isinstance(default, RunsOn):
        return str(default)
    return default.__name__ if isinstance(default, type) else repr(default)


def described() -> dict[str, str]:
    """The text of each parameter in the docstring of `register_op`."""
    section = inspect.getdoc(register_op).split("Args:\n")[1].split("\n\n")[0]
    entries = re.split(r"^    (?=\w+: )", section, flags=re.MULTILINE)
    pairs = (entry.split(": ", 1) for entry in entries if entry.strip())
    return {name: _plain(text) for name, text in pairs}


def places_to_run() -> dict[str, str]:
    """The comment above each member of `RunsOn`."""
    found = re.findall(r"((?: +#[^\n]*\n)+) +(\w+) = enum\.auto", inspect.getsource(RunsOn))
    return {name: _plain(re.sub(r"^ *# ?", "", text, flags=re.M)) for text, name in found}


def _plain(text: str) -> str:
    return " ".join(text.split()).replace("``", "`").replace("|", "\\|")


_HEAD = """\
# What an op can say of itself

This page is generated from `headwater/graph/registry.py`: `python tools/make_op_options.py`; a test
checks that it is current. [CONTRIBUTING](../CONTRIBUTING.md) has a complete op.

`register_op` takes:

| option | type | default | meaning |
|---|---|---|---|
"""
_PLACES = """

`runs_on` is one of:

| place | meaning |
|---|---|
"""


if __name__ == "__main__":
    sys.exit(main())
