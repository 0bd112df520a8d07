"""Regular expressions of RE2 as those of Python.

Both give the leftmost match that is preferred from the left. What differs: RE2 takes linear time;
`\\C` matches a character, not a byte; `\\p{...}` knows general categories and a few scripts.
"""

from __future__ import annotations

import functools
import re
import sys
import unicodedata
from typing import NoReturn

_CLASSES = {
    "d": "0-9",
    "w": "0-9A-Za-z_",
    "s": r"\t\n\f\r ",
}
_POSIX = {
    "alnum": "0-9A-Za-z",
    "alpha": "A-Za-z",
    "ascii": r"\x00-\x7f",
    "blank": r"\t ",
    "cntrl": r"\x00-\x1f\x7f",
    "digit": "0-9",
    "graph": "!-~",
    "lower": "a-z",
    "print": " -~",
    "punct": r"!-/:-@\[-`{-~",
    "space": r"\t\n\v\f\r ",
    "upper": "A-Z",
    "word": "0-9A-Za-z_",
    "xdigit": "0-9A-Fa-f",
}
_SCRIPTS = {
    "Latin": ("LATIN ",),
    "Greek": ("GREEK ",),
    "Cyrillic": ("CYRILLIC ",),
    "Han": ("CJK UNIFIED IDEOGRAPH", "CJK COMPATIBILITY IDEOGRAPH", "CJK RADICAL"),
    "Hiragana": ("HIRAGANA ",),
    "Katakana": ("KATAKANA ",),
}
_MAX_REPEAT = 1000
_ESCAPES = {"a": r"\a", "f": r"\f", "t": r"\t", "n": r"\n", "r": r"\r", "v": r"\v"}


class SyntaxFault(ValueError):
    """A pattern that RE2 refuses; the text is RE2's."""


def _fail(what: str, where: str) -> NoReturn:
    raise SyntaxFault(f"{what}: {where}" if where else what)


@functools.lru_cache(maxsize=1024)
def compiled(pattern: bytes) -> re.Pattern[str]:
    """The Python expression of a pattern.

    Raises:
        SyntaxFault: if RE2 refuses the pattern.
    """
    text = pattern.decode("utf-8", "surrogateescape")
    source = _Translation(text).result()
    try:
        return re.compile(source, re.ASCII)
    except (re.error, RecursionError, OverflowError) as error:
        raise SyntaxFault(f"{error}: {text}") from None


@functools.cache
def _unicode_ranges(name: str) -> str | None:
    """The characters of a general category or script as ranges of a class."""
    prefixes = _SCRIPTS.get(name)
    known = {unicodedata.category(chr(c)) for c in range(0x3000)} | {"Co", "Cs", "Cn"}
    if prefixes is None and name != "Any" and not any(c.startswith(name) for c in known):
        return None

    def belongs(code: int) -> bool:
        character = chr(code)
        if prefixes is not None:
            return unicodedata.name(character, "").startswith(prefixes)
        return name == "Any" or unicodedata.category(character).startswith(name)

    ranges = []
    start = None
    for code in range(sys.maxunicode + 2):
        inside = code <= sys.maxunicode and belongs(code)
        if inside and start is None:
            start = code
        elif not inside and start is not None:
            ranges.append(f"\\U{start:08x}-\\U{code - 1:08x}")
            start = None
    return "".join(ranges)


class _Translation:
    """One pattern on its way from RE2 to Python."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        # Flags that hold now: i, m, s, U.
        self.flags: frozenset[str] = frozenset()

    def result(self) -> str:
        source = self._alternatives()
        if self.at < len(self.text):
            _fail("missing )", self.text)
        return source

    def _peek(self, size: int = 1) -> str:
        return self.text[self.at : self.at + size]

    def _alternatives(self) -> str:
        """What stands before the end or a closing bracket."""
        before = self.flags
        parts = [self._sequence()]
        while self._peek() == "|":
            self.at += 1
            parts.append(self._sequence())
        self.flags = before
        return "|".join(parts)

    def _sequence(self) -> str:
        source: list[str] = []
        open_flags = 0
        flags = self.flags
        if flags:
            # Flags that an earlier alternative has set hold in this one too.
            source.append(self._flag_group())
            open_flags += 1
        while self.at < len(self.text) and self._peek() not in ("|", ")"):
            if self._peek(2) == "(?" and (match := self._bare_flags()) is not None:
                self.flags = match
                source.append(self._flag_group())
                open_flags += 1
                continue
            start = self.at
            atom = self._atom()
            source.append(self._repeated(atom, start))
        return "".join(source) + ")" * open_flags

    def _flag_group(self) -> str:
        on = "".join(f for f in "i" if f in self.flags)
        off = "".join(f for f in "i" if f not in self.flags)
        return f"(?{on}{'-' + off if off else ''}:"

    def _bare_flags(self) -> frozenset[str] | None:
        match = re.compile(r"\(\?([imsU]*)(-[imsU]+)?\)").match(self.text, self.at)
        if match is None or match[0] == "(?)":
            return None
        self.at = match.end()
        return self.flags.union(match[1]) - set(match[2] or "")

    def _repeated(self, atom: str, start: int) -> str:
        sign = self.at
        repeat = self._repetition()
        if repeat is None:
            return atom
        lazy = self._peek() == "?"
        if lazy:
            self.at += 1
        if "U" in self.flags:
            lazy = not lazy
        following = self.at
        if self._repetition() is not None:
            end = self.at
            self.at = following
            _fail("bad repetition operator", self.text[sign:end])
        return f"(?:{atom}){repeat}{'?' if lazy else ''}" if atom else ""

    def _repetition(self) -> str | None:
        sign = self._peek()
        if sign and sign in "*+?":
            self.at += 1
            return sign
        match = re.compile(r"\{(\d+)(,(\d*))?\}").match(self.text, self.at)
        if match is None:
            return None
        low = int(match[1])
        high = low if match[2] is None else int(match[3]) if match[3] else None
        if low > _MAX_REPEAT or (high is not None and (high > _MAX_REPEAT or high < low)):
            _fail("invalid repetition size", match[0])
        self.at = match.end()
        return f"{{{low},{'' if high is None else high}}}"

    def _atom(self) -> str:
        character = self._peek()
        if character == "(":
            return self._group()
        if character == "[":
            return self._class()
        if character == "\\":
            return self._escape()
        if character in "*+?":
            _fail("no argument for repetition operator", character)
        self.at += 1
        if character == ".":
            # A byte that is no UTF-8 is no character.
            return "[^\udc80-\udcff]" if "s" in self.flags else "[^\n\udc80-\udcff]"
        if character == "^":
            return "(?m:^)" if "m" in self.flags else r"\A"
        if character == "$":
            return "(?m:$)" if "m" in self.flags else r"\Z"
        return re.escape(character)

    def _group(self) -> str:
        rest = self.text[self.at :]
        outer = self.flags
        head = "("
        if rest.startswith("(?"):
            named = re.match(r"\(\?P<(\w+)>", rest)
            flags = re.match(r"\(\?([imsU]*)(-[imsU]+)?:", rest)
            if named:
                # Nothing refers to a group by its name.
                head = "("
                self.at += named.end()
            elif flags:
                self.flags = outer.union(flags[1]) - set(flags[2] or "")
                head = "(?:"
                self.at += flags.end()
            else:
                self._bad_group(rest)
        else:
            self.at += 1
        body = self._alternatives()
        self.flags = outer
        if self._peek() != ")":
            _fail("missing )", self.text)
        self.at += 1
        return f"{head}{body})"

    @staticmethod
    def _bad_group(rest: str) -> NoReturn:
        if rest.startswith("(?P"):
            end = rest.find(">")
            _fail("invalid named capture group", rest[: end + 1] if end >= 0 else rest)
        match = re.match(r"\(\?[imsU-]*.?", rest, re.DOTALL)
        _fail("invalid perl operator", match[0] if match else rest)

    def _escape(self) -> str:
        if self._peek(2) == "\\Q":
            end = self.text.find("\\E", self.at)
            quoted = self.text[self.at + 2 : end if end >= 0 else None]
            self.at = len(self.text) if end < 0 else end + 2
            return re.escape(quoted) if len(quoted) < 2 else f"(?:{re.escape(quoted)})"
        letter = self.text[self.at + 1 : self.at + 2]
        if letter in ("b", "B"):
            self.at += 2
            return f"\\{letter}"
        if letter in ("A", "z"):
            self.at += 2
            return r"\A" if letter == "A" else r"\Z"
        if letter == "C":
            self.at += 2
            return "(?s:.)"
        ranges, negative = self._escaped_ranges()
        return f"[{'^' if negative else ''}{ranges}]"

    def _escaped_ranges(self) -> tuple[str, bool]:
        """An escape of a character or of a class, as ranges; whether these are left out."""
        start = self.at
        letter = self.text[start + 1 : start + 2]
        if not letter:
            _fail("trailing \\", "")
        self.at += 2
        if letter.lower() in _CLASSES:
            return _CLASSES[letter.lower()], letter.isupper()
        if letter in ("p", "P"):
            return self._unicode_class(start, letter == "P")
        if letter in _ESCAPES:
            return _ESCAPES[letter], False
        match = re.compile(r"x\{([0-9A-Fa-f]+)\}|x([0-9A-Fa-f]{2})").match(self.text, start + 1)
        if match:
            self.at = match.end()
            code = int(match[1] or match[2], 16)
            if code > sys.maxunicode:
                _fail("invalid escape sequence", self.text[start : self.at])
            return f"\\U{code:08x}", False
        octal = re.compile(r"0[0-7]{0,2}|[1-7][0-7]{1,2}").match(self.text, start + 1)
        if octal:
            self.at = octal.end()
            return f"\\U{int(octal[0], 8):08x}", False
        if letter.isalnum() and letter.isascii():
            _fail("invalid escape sequence", self.text[start : self.at])
        return re.escape(letter) if letter.isascii() else letter, False

    def _unicode_class(self, start: int, negative: bool) -> tuple[str, bool]:
        match = re.compile(r"\\[pP](?:\{(\^?)(\w+)\}|(\w))").match(self.text, start)
        if match is None:
            _fail("invalid character class range", self.text[start:])
        self.at = match.end()
        ranges = _unicode_ranges(match[2] or match[3])
        if ranges is None:
            _fail("invalid character class range", match[0])
        return ranges, negative != bool(match[1])

    def _class(self) -> str:
        start = self.at
        self.at += 1
        negative = self._peek() == "^"
        if negative:
            self.at += 1
        parts: list[str] = []
        excluded: list[str] = []
        first = True
        while first or self._peek() != "]":
            if self.at >= len(self.text):
                _fail("missing ]", self.text[start:])
            first = False
            posix = re.compile(r"\[:(\^?)(\w+):\]").match(self.text, self.at)
            if posix:
                if posix[2] not in _POSIX:
                    _fail("invalid character class range", posix[0])
                self.at = posix.end()
                (excluded if posix[1] else parts).append(_POSIX[posix[2]])
                continue
            self._class_item(parts, excluded)
        self.at += 1
        # A byte that is no UTF-8 is no character.
        whole = "" if not negative else "\udc80-\udcff"
        positive = "".join(parts)
        if not excluded:
            return f"[{'^' if negative else ''}{positive}{whole}]"
        others = "|".join(f"[^{ranges}]" for ranges in excluded)
        any_of = f"(?:[{positive}]|{others})" if positive else f"(?:{others})"
        return f"(?:(?!{any_of})[^{whole}])" if negative else any_of

    def _class_item(self, parts: list[str], excluded: list[str]) -> None:
        start = self.at
        low, is_class = self._class_character(excluded)
        if is_class:
            parts.append(low)
            return
        if self._peek() == "-" and self.text[self.at + 1 : self.at + 2] not in ("]", ""):
            self.at += 1
            high, is_class = self._class_character(excluded)
            if is_class or _code(high) < _code(low):
                _fail("invalid character class range", self.text[start : self.at])
            parts.append(f"{low}-{high}")
            return
        parts.append(low)

    def _class_character(self, excluded: list[str]) -> tuple[str, bool]:
        """A character of a class, or a class within it."""
        character = self._peek()
        if character != "\\":
            self.at += 1
            return f"\\U{ord(character):08x}" if character.isascii() else character, False
        letter = self.text[self.at + 1 : self.at + 2]
        ranges, negative = self._escaped_ranges()
        if letter.lower() in _CLASSES or letter in ("p", "P"):
            if negative:
                excluded.append(ranges)
                return "", True
            return ranges, True
        return ranges, False


def _code(text: str) -> int:
    """The number of a character in the form of a class."""
    if text.startswith("\\U"):
        return int(text[2:], 16)
    if text.startswith("\\"):
        return ord(text[1:].translate(str.maketrans("aftnrv", "\a\f\t\n\r\v")))
    return ord(text)
