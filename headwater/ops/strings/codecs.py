"""Bytes of an encoding as code points, and back."""

from __future__ import annotations

import codecs
from typing import NamedTuple, NoReturn

from headwater.base import errors

REPLACEMENT = 0xFFFD
_LAST = 0x10FFFF


class Character(NamedTuple):
    """A code point, None where the bytes are not valid, and the place of its first byte."""

    code: int | None
    start: int


def _invalid(text: str) -> NoReturn:
    raise errors.InvalidArgumentError(None, None, text)


def known_encoding(encoding: str) -> str:
    """Python's name of an encoding.

    Raises:
        InvalidArgumentError: if there is no such encoding.
    """
    try:
        info = codecs.lookup(encoding)
    except LookupError:
        _invalid(f"Could not create converter for input encoding: {encoding}")
    if not info._is_text_encoding:
        _invalid(f"Could not create converter for input encoding: {encoding}")
    return info.name


def decoded(data: bytes, encoding: str) -> list[Character]:
    """The characters of a text.

    Args:
        data: the text.
        encoding: a name that `known_encoding` has returned.
    """
    begin = 0
    if encoding in ("utf-16", "utf-32"):
        encoding, begin = _byte_order(data, encoding)
    result: list[Character] = []
    at = begin
    while at < len(data):
        try:
            text, end, next_at = data[at:].decode(encoding), len(data), len(data)
        except UnicodeDecodeError as error:
            end, next_at = at + error.start, at + max(error.end, error.start + 1)
            text = data[at:end].decode(encoding)
        for character in text:
            result.append(Character(ord(character), at))
            at += _size(character, encoding, end - at)
        if next_at > end:
            result.append(Character(None, end))
        at = next_at
    if begin and result:
        # The mark of the byte order counts as a part of the first character.
        result[0] = Character(result[0].code, 0)
    return result


def _byte_order(data: bytes, encoding: str) -> tuple[str, int]:
    marks = {
        "utf-16": ((codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be")),
        "utf-32": ((codecs.BOM_UTF32_LE, "utf-32-le"), (codecs.BOM_UTF32_BE, "utf-32-be")),
    }
    for mark, name in marks[encoding]:
        if data.startswith(mark):
            return name, len(mark)
    return f"{encoding}-be", 0


def _size(character: str, encoding: str, rest: int) -> int:
    """How many bytes a character takes."""
    code = ord(character)
    if encoding == "utf-8":
        return 1 if code < 0x80 else 2 if code < 0x800 else 3 if code < 0x10000 else 4
    if encoding.startswith("utf-16"):
        return 2 if code < 0x10000 else 4
    if encoding.startswith("utf-32"):
        return 4
    try:
        return len(character.encode(encoding))
    except UnicodeEncodeError:
        return min(1, rest)


class ErrorRules(NamedTuple):
    """The handling of invalid characters."""

    errors: str
    replacement_char: int
    replace_control_characters: bool

    def check(self) -> None:
        """Raises InvalidArgumentError if the replacement is not a character."""
        if not 0 <= self.replacement_char <= _LAST:
            _invalid("replacement_char out of unicode codepoint range")

    def applied(self, characters: list[Character]) -> list[Character]:
        """The characters with invalid ones replaced or left out.

        Raises:
            InvalidArgumentError: if there is something and the rule is "strict".
        """
        result = []
        for character in characters:
            code = character.code
            if code is not None and not (self.replace_control_characters and code <= 0x1F):
                result.append(character)
            elif self.errors == "strict":
                _invalid("Invalid formatting on input string")
            elif self.errors == "replace":
                result.append(Character(self.replacement_char, character.start))
        return result


_PYTHON_NAMES = {"UTF-8": "utf-8", "UTF-16-BE": "utf-16-be", "UTF-32-BE": "utf-32-be"}


def encoded(codes: list[int], encoding: str) -> bytes:
    """Code points as a text; invalid ones become U+FFFD."""
    valid = [
        code if 0 <= code <= _LAST and not 0xD800 <= code <= 0xDFFF else REPLACEMENT
        for code in codes
    ]
    return "".join(map(chr, valid)).encode(_PYTHON_NAMES[encoding])
