"""The lowest versions that are tested are the lowest ones that the metadata allow."""

from __future__ import annotations

import re
from pathlib import Path

from headwater.cli import program

ROOT = Path(__file__).resolve().parent.parent
METADATA = (ROOT / "pyproject.toml").read_text(encoding="utf-8")


def list_of(key: str) -> list[str]:
    """The strings of a list of pyproject.toml (tomllib is not in Python 3.10)."""
    (found,) = re.findall(rf"^{key} = \[\n(.*?)^\]", METADATA, re.DOTALL | re.MULTILINE)
    return re.findall(r'^ +"(.*?)",', found, re.MULTILINE)


def pinned() -> dict[str, str]:
    lines = (ROOT / ".ci" / "lowest.txt").read_text(encoding="utf-8").splitlines()
    return dict(line.split("==") for line in lines if not line.startswith("#"))


def version(text: str) -> tuple[int, ...]:
    """(2, 1) of "2.1.0": trailing zeros do not count."""
    parts = [int(part) for part in text.split(".")]
    while parts and not parts[-1]:
        parts.pop()
    return tuple(parts)


def test_the_lowest_allowed_versions_are_those_that_are_tested():
    requirements = list_of("dependencies") + list_of("test")
    # The tests need some extras, which are lists of one line.
    for extras in re.findall(r"headwater\[([\w,]+)\]", " ".join(requirements)):
        for extra in extras.split(","):
            requirements += re.findall(rf'^{extra} = \["(.*?)"\]', METADATA, re.MULTILINE)
    bounds = dict(r.split(">=") for r in requirements if not r.startswith("headwater["))
    lowest = pinned()
    assert lowest.pop("jaxlib") == lowest["jax"]
    assert bounds.keys() == lowest.keys()
    assert {n: version(v) for n, v in bounds.items()} == {n: version(v) for n, v in lowest.items()}


def test_the_hint_at_an_older_numpy_knows_the_bounds_of_the_extra():
    limits = [re.search(r"<(\d+(?:\.\d+)?);", r) for r in list_of("programs")]
    found = {version(limit[1]) for limit in limits if limit}
    assert len(found) == 2
    assert version(".".join(map(str, program._FIRST_NEWER_NUMPY))) in found
