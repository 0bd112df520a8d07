"""The text that names transforms and their parameters: `name name(key=value, key="any value")`."""

from __future__ import annotations

import re
from typing import NamedTuple

from headwater.base.errors import InvalidArgumentError

_NAME = re.compile(r"[A-Za-z0-9_]+")
_VALUE = re.compile(r"[A-Za-z0-9_./-]+")
_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"', re.DOTALL)
_NOTHING = re.compile(r"(?!)")


class TransformCall(NamedTuple):
    """The name of a transform and its parameters; a parameter may occur several times."""

    name: str
    parameters: dict[str, list[str]]


class _Scanner:
    def __init__(self, text: str) -> None:
        self.rest = text

    def skip_spaces(self) -> None:
        self.rest = self.rest.lstrip(" \t\n\r\f\v")

    def take(self, literal: str) -> bool:
        """Consumes a literal if it comes next."""
        found = self.rest.startswith(literal)
        if found:
            self.rest = self.rest[len(literal) :]
        return found

    def match(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        """Consumes what a pattern matches."""
        found = pattern.match(self.rest)
        if found is not None:
            self.rest = self.rest[found.end() :]
        return found

    def need(self, pattern: re.Pattern[str], what: str) -> str:
        found = self.match(pattern)
        if found is None:
            raise InvalidArgumentError(None, None, f"Looking for {what}, but found {self.rest}")
        return found[0]


def parse_transforms(text: str) -> list[TransformCall]:
    """Parses a list of transforms.

    Args:
        text: transforms separated by spaces or newlines. What follows an unclosed parenthesis is
            left out together with its transform.

    Returns:
        The calls in their order.

    Raises:
        InvalidArgumentError: if the text has another form.
    """
    calls = []
    scanner = _Scanner(text)
    scanner.skip_spaces()
    while scanner.rest:
        name = scanner.need(_NAME, "transform name")
        parameters: dict[str, list[str]] = {}
        if scanner.take("(") and not _parse_parameters(scanner, parameters):
            break
        calls.append(TransformCall(name, parameters))
        scanner.skip_spaces()
    return calls


def _parse_parameters(scanner: _Scanner, parameters: dict[str, list[str]]) -> bool:
    """Reads parameters up to the closing parenthesis; tells whether there is one."""
    if scanner.take(")"):
        return True
    scanner.skip_spaces()
    while scanner.rest:
        key = scanner.need(_NAME, "parameter name")
        if not scanner.take("="):
            raise InvalidArgumentError(None, None, f"Looking for =, but found {scanner.rest}")
        value = _parse_value(scanner)
        if value is None and scanner.rest:
            scanner.need(_NOTHING, "parameter name")
        parameters.setdefault(key, []).append(value or "")
        if scanner.take(")"):
            return True
        scanner.take(",")
        scanner.skip_spaces()
    return False


def _parse_value(scanner: _Scanner) -> str | None:
    """Reads a value; None if it is missing or its quotation mark is not closed."""
    quoted = scanner.match(_QUOTED)
    if quoted is not None:
        return quoted[1]
    if scanner.take('"'):
        return None
    plain = scanner.match(_VALUE)
    if plain is None:
        return None
    scanner.take('"')
    return plain[0]
