"""Strings matched and changed by regular expressions: RegexFullMatch, RegexReplace."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from headwater.base.typing import ArrayModule, TensorLike
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
from headwater.ops.strings.re2 import SyntaxFault, compiled

_REWRITE = re.compile(rb"\\(.?)|[^\\]+", re.DOTALL)


def _pattern(pattern: bytes) -> re.Pattern[str]:
    try:
        return compiled(pattern)
    except SyntaxFault as fault:
        invalid(f"Invalid pattern: {show(pattern)}, error: {fault}")


def _text(value: bytes) -> str:
    return value.decode("utf-8", "surrogateescape")


def _replaced(
    pattern: re.Pattern[str], parts: list[str | int], replace_global: bool, value: bytes
) -> bytes:
    """As RE2 does: an empty match that touches the one before it does not count."""
    text = _text(value)
    result: list[str] = []
    end = 0
    last = -1
    for match in pattern.finditer(text):
        first, behind = match.span()
        if first == behind == last:
            continue
        result.append(text[end:first])
        for part in parts:
            result.append(part if isinstance(part, str) else match[part] or "")
        end = last = behind
        if not replace_global:
            break
    if last < 0:
        return value
    result.append(text[end:])
    return "".join(result).encode("utf-8", "surrogateescape")


def _rewrite_parts(rewrite: bytes, groups: int) -> list[str | int]:
    """Texts and numbers of groups; the list ends where the rewriting is not valid."""
    parts: list[str | int] = []
    for item in _REWRITE.finditer(rewrite):
        if not item[0].startswith(b"\\"):
            parts.append(_text(item[0]))
        elif item[1] == b"\\":
            parts.append("\\")
        elif item[1].isdigit() and int(item[1]) <= groups:
            parts.append(int(item[1]))
        else:
            break
    return parts


def kernel_static_regex_replace(
    xp: ArrayModule,
    x: np.ndarray,
    *,
    pattern: str | bytes,
    rewrite: str | bytes,
    replace_global: bool,
) -> np.ndarray:
    expression = _pattern(as_bytes(pattern))
    parts = _rewrite_parts(as_bytes(rewrite), expression.groups)
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
    found = [expression.fullmatch(_text(value)) is not None for value in x.ravel().tolist()]
    return np.array(found, bool).reshape(x.shape)


def kernel_regex_full_match(xp: ArrayModule, x: np.ndarray, pattern: np.ndarray) -> np.ndarray:
    if pattern.ndim:
        invalid(f"Pattern must be scalar, but received {shape_text(pattern)}")
    return kernel_static_regex_full_match(xp, x, pattern=pattern.item())


def shape_regex(c: shapes.ShapeContext) -> Any:
    for shape in c.shapes[1:]:
        if shape:
            c.fail(f"Shape must be rank 0 but is rank {len(shape)}")
    return c.shapes[0]


_TEXTS = np.array([b"a1b22", b"", "h\u00e9 llo".encode(), b"xyz"], object)


def samples_static_regex_replace() -> Any:
    yield Sample(_TEXTS, pattern="[0-9]+", rewrite="#")
    yield Sample(_TEXTS, pattern="([a-z])(.)", rewrite="\\2\\1", replace_global=False)
    yield Sample(_TEXTS, pattern="", rewrite="-")


def samples_regex_replace() -> Any:
    pattern, rewrite = np.array(b"[a-z]", object), np.array(b"<\\0>", object)
    yield Sample(_TEXTS, pattern, rewrite)
    yield Sample(_TEXTS, pattern, rewrite, replace_global=False)


def samples_static_regex_full_match() -> Any:
    yield Sample(_TEXTS, pattern="[a-z]*")


def samples_regex_full_match() -> Any:
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
