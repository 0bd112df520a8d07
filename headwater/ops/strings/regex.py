"""Strings matched and changed by regular expressions: RegexFullMatch, RegexReplace."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from typing import Any

import numpy as np

from headwater.base.lazy import LazyModule
from headwater.base.typing import ArrayModule, Shape, TensorLike
from headwater.graph import (
    NOT_DIFFERENTIABLE,
    RunsOn,
    Sample,
    Tensor,
    build,
    export,
    register_op,
    shapes,
)
from headwater.ops.strings.elements import as_bytes, each, invalid, shape_text, show

_re2: Any = LazyModule("re2")

# Patterns that only match themselves, whatever stands around them.
_PLAIN = re.compile(rb"[A-Za-z0-9 ,;:!@#%&_=<>'\"/~-]+")
_REWRITE = re.compile(rb"\\(.?)|[^\\]+", re.DOTALL)


@functools.lru_cache(maxsize=128)
def _pattern(pattern: bytes) -> Any:
    options = _re2.Options()
    options.log_errors = False
    try:
        return _re2.compile(pattern, options)
    except _re2.error as error:
        reason = error.args[0].decode(errors="backslashreplace")
        # The RE2 of TensorFlow 1.15 gives the same error for an unmatched closing bracket.
        reason = reason.replace("unexpected )", "missing )", 1)
        invalid(f"Invalid pattern: {show(pattern)}, error: {reason}")


def _replaced(pattern: Any, parts: list[bytes | int], replace_global: bool, value: bytes) -> bytes:
    """As RE2 does: an empty match that touches the one before it does not count."""
    result: list[bytes] = []
    end = 0
    last = -1
    for match in pattern.finditer(value):
        first, behind = match.span()
        if first == behind and (first == last or _inside_character(value, first)):
            continue
        result.append(value[end:first])
        for part in parts:
            result.append(part if isinstance(part, bytes) else match[part] or b"")
        end = last = behind
        if not replace_global:
            break
    if last < 0:
        return value
    result.append(value[end:])
    return b"".join(result)


def _inside_character(text: bytes, place: int) -> bool:
    """Whether the bytes before and after a place belong to one character of UTF-8."""
    if place >= len(text) or text[place] & 0xC0 != 0x80:
        return False
    for start in range(place - 1, max(place - 4, -1), -1):
        lead = text[start]
        if lead & 0xC0 != 0x80:
            size = 2 if lead >> 5 == 0b110 else 3 if lead >> 4 == 0b1110 else 4
            return (
                lead >= 0xC2
                and place < start + size <= len(text)
                and _is_character(text[start : start + size])
            )
    return False


def _is_character(data: bytes) -> bool:
    try:
        return len(data.decode()) == 1
    except UnicodeDecodeError:
        return False


def _rewrite_parts(rewrite: bytes, groups: int) -> tuple[list[bytes | int], bool]:
    """Texts and numbers of groups up to where the rewriting is not valid; whether all of it is."""
    parts: list[bytes | int] = []
    for item in _REWRITE.finditer(rewrite):
        if not item[0].startswith(b"\\"):
            parts.append(item[0])
        elif item[1] == b"\\":
            parts.append(b"\\")
        elif item[1].isdigit():
            # A group that the pattern does not have is empty.
            parts.append(int(item[1]) if int(item[1]) <= groups else b"")
        else:
            return parts, False
    return parts, True


def kernel_static_regex_replace(
    xp: ArrayModule,
    x: np.ndarray,
    *,
    pattern: str | bytes,
    rewrite: str | bytes,
    replace_global: bool,
) -> np.ndarray:
    text = as_bytes(pattern)
    expression = _pattern(text)
    parts, valid = _rewrite_parts(as_bytes(rewrite), expression.groups)
    if not valid and not replace_global:
        return x
    texts = [part for part in parts if isinstance(part, bytes)]
    if _PLAIN.fullmatch(text) and len(texts) == len(parts):
        other, most = b"".join(texts), -1 if replace_global else 1
        return each(lambda value: value.replace(text, other, most), x)
    return each(lambda value: _replaced(expression, parts, replace_global, value), x)


def kernel_regex_replace(
    xp: ArrayModule,
    x: np.ndarray,
    pattern: np.ndarray,
    rewrite: np.ndarray,
    *,
    replace_global: bool,
) -> np.ndarray:
    if pattern.ndim:
        invalid(f"Pattern must be scalar, but received {shape_text(pattern)}")
    if rewrite.ndim:
        invalid(f"Rewrite must be scalar, but received {shape_text(rewrite)}")
    return kernel_static_regex_replace(
        xp, x, pattern=pattern.item(), rewrite=rewrite.item(), replace_global=replace_global
    )


def kernel_static_regex_full_match(
    xp: ArrayModule, x: np.ndarray, *, pattern: str | bytes
) -> np.ndarray:
    expression = _pattern(as_bytes(pattern))
    found = [expression.fullmatch(value) is not None for value in x.ravel().tolist()]
    return np.array(found, bool).reshape(x.shape)


def kernel_regex_full_match(xp: ArrayModule, x: np.ndarray, pattern: np.ndarray) -> np.ndarray:
    if pattern.ndim:
        invalid(f"Pattern must be scalar, but received {shape_text(pattern)}")
    return kernel_static_regex_full_match(xp, x, pattern=pattern.item())


def shape_regex(c: shapes.ShapeContext) -> Shape:
    for shape in c.shapes[1:]:
        if shape:
            c.fail(f"Shape must be rank 0 but is rank {len(shape)}")
    return c.shapes[0]


_TEXTS = np.array([b"a1b22", b"", "h\u00e9 llo".encode(), b"xyz"], object)


def samples_static_regex_replace() -> Iterator[Sample]:
    yield Sample(_TEXTS, pattern="[0-9]+", rewrite="#")
    yield Sample(_TEXTS, pattern="([a-z])(.)", rewrite="\\2\\1", replace_global=False)
    yield Sample(_TEXTS, pattern="", rewrite="-")
    repeated = np.array([b"aaaa", b"<br />x<br />", b"\xc3 aa", b"a"], object)
    for replace_global in (True, False):
        yield Sample(repeated, pattern="aa", rewrite="\\\\a", replace_global=replace_global)
        yield Sample(repeated, pattern="<br />", rewrite="\\0 ", replace_global=replace_global)
        yield Sample(repeated, pattern="<br />", rewrite=" ", replace_global=replace_global)


def samples_regex_replace() -> Iterator[Sample]:
    pattern, rewrite = np.array(b"[a-z]", object), np.array(b"<\\0>", object)
    yield Sample(_TEXTS, pattern, rewrite)
    yield Sample(_TEXTS, pattern, rewrite, replace_global=False)


def samples_static_regex_full_match() -> Iterator[Sample]:
    yield Sample(_TEXTS, pattern="[a-z]*")


def samples_regex_full_match() -> Iterator[Sample]:
    yield Sample(_TEXTS, np.array(b"(a|x).*", object))


register_op(
    "RegexReplace",
    inputs="input: string, pattern: string, rewrite: string",
    outputs="output: string",
    attrs="replace_global: bool = true",
    shape=shape_regex,
    kernel=kernel_regex_replace,
    samples=samples_regex_replace,
    runs_on=RunsOn.HOST,
    gradient=NOT_DIFFERENTIABLE,
)
register_op(
    "StaticRegexReplace",
    inputs="input: string",
    outputs="output: string",
    attrs="pattern: string, rewrite: string, replace_global: bool = true",
    shape=shapes.like_first,
    kernel=kernel_static_regex_replace,
    samples=samples_static_regex_replace,
    runs_on=RunsOn.HOST,
)
register_op(
    "RegexFullMatch",
    inputs="input: string, pattern: string",
    outputs="output: bool",
    shape=shape_regex,
    kernel=kernel_regex_full_match,
    samples=samples_regex_full_match,
    runs_on=RunsOn.HOST,
)
register_op(
    "StaticRegexFullMatch",
    inputs="input: string",
    outputs="output: bool",
    attrs="pattern: string",
    shape=shapes.like_first,
    kernel=kernel_static_regex_full_match,
    samples=samples_static_regex_full_match,
    runs_on=RunsOn.HOST,
)


@export("regex_replace", "strings.regex_replace")
def regex_replace(
    input: TensorLike,
    pattern: TensorLike,
    rewrite: TensorLike,
    replace_global: bool = True,
    name: str | None = None,
) -> Tensor:
    """Replaces what matches a regular expression.

    Args:
        input: a string tensor.
        pattern: a regular expression in the syntax of RE2, text or a string scalar.
        rewrite: what takes its place; "\\1" to "\\9" stand for groups, "\\0" for the match.
        replace_global: whether all matches are replaced, or the first one.
        name: the name of the node.

    Returns:
        A string tensor of the same shape.
    """
    if isinstance(pattern, (str, bytes)) and isinstance(rewrite, (str, bytes)):
        return build.StaticRegexReplace(
            input, pattern=pattern, rewrite=rewrite, replace_global=replace_global, name=name
        )
    return build.RegexReplace(input, pattern, rewrite, replace_global=replace_global, name=name)


@export("strings.regex_full_match")
def regex_full_match(input: TensorLike, pattern: TensorLike, name: str | None = None) -> Tensor:
    """Tells which strings match a regular expression as a whole.

    Args:
        input: a string tensor.
        pattern: a regular expression in the syntax of RE2, text or a string scalar.
        name: the name of the node.

    Returns:
        A bool tensor of the same shape.
    """
    if isinstance(pattern, (str, bytes)):
        return build.StaticRegexFullMatch(input, pattern=pattern, name=name)
    return build.RegexFullMatch(input, pattern, name=name)
