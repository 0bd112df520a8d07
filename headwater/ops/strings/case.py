"""Simple functions of each string: length, strip, lower and upper case."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from headwater.base.typing import ArrayModule, TensorLike
from headwater.graph import RunsOn, Sample, Tensor, build, export, register_op, shapes
from headwater.ops.strings.elements import each, invalid

_CONTINUATION = bytes(range(0x80, 0xC0))


def kernel_string_length(xp: ArrayModule, x: np.ndarray, *, unit: str) -> np.ndarray:
    values = x.ravel().tolist()
    if unit == "UTF8_CHAR":
        # Every byte that is not a continuation byte starts a character.
        values = [value.translate(None, _CONTINUATION) for value in values]
    return np.array([len(value) for value in values], np.int32).reshape(x.shape)


def reference_string_length(x: np.ndarray, *, unit: str) -> np.ndarray:
    def length(value: bytes) -> int:
        return len(value.decode()) if unit == "UTF8_CHAR" else len(value)

    return np.vectorize(length, otypes=[np.int32])(x)


def kernel_string_strip(xp: ArrayModule, x: np.ndarray) -> np.ndarray:
    return each(bytes.strip, x)


def _check_encoding(encoding: str) -> None:
    if encoding not in ("", "utf-8"):
        invalid(f"only utf-8 or '' (no encoding) is supported, received {encoding}")


def kernel_string_lower(xp: ArrayModule, x: np.ndarray, *, encoding: str) -> np.ndarray:
    _check_encoding(encoding)
    if encoding:
        return each(lambda value: value.decode("utf-8", "replace").lower().encode(), x)
    return each(bytes.lower, x)


def kernel_string_upper(xp: ArrayModule, x: np.ndarray, *, encoding: str) -> np.ndarray:
    _check_encoding(encoding)
    if encoding:
        return each(lambda value: value.decode("utf-8", "replace").upper().encode(), x)
    return each(bytes.upper, x)


_TEXTS = np.array([[b" aB \n", "h\u00e9 \u20acX".encode()], [b"", b"\t\x0b"]], object)


def samples_string_length() -> Iterator[Sample]:
    yield Sample(_TEXTS)
    yield Sample(_TEXTS, unit="UTF8_CHAR")


def samples_string_strip() -> Iterator[Sample]:
    yield Sample(_TEXTS)
    yield Sample(np.array(b"  ", object))


def samples_string_case() -> Iterator[Sample]:
    yield Sample(_TEXTS)
    yield Sample(_TEXTS, encoding="utf-8")


register_op(
    "StringLength",
    inputs="input: string",
    outputs="output: int32",
    attrs="unit: {'BYTE', 'UTF8_CHAR'} = 'BYTE'",
    shape=shapes.like_first,
    kernel=kernel_string_length,
    reference=reference_string_length,
    samples=samples_string_length,
    runs_on=RunsOn.HOST,
)
register_op(
    "StringStrip",
    inputs="input: string",
    outputs="output: string",
    shape=shapes.like_first,
    kernel=kernel_string_strip,
    samples=samples_string_strip,
    runs_on=RunsOn.HOST,
)


def _register_case(name: str, kernel: Callable[..., Any]) -> None:
    register_op(
        name,
        inputs="input: string",
        outputs="output: string",
        attrs="encoding: string = ''",
        shape=shapes.like_first,
        kernel=kernel,
        samples=samples_string_case,
        runs_on=RunsOn.HOST,
    )


_register_case("StringLower", kernel_string_lower)
_register_case("StringUpper", kernel_string_upper)


@export("strings.length")
def string_length(input: TensorLike, name: str | None = None, unit: str = "BYTE") -> Tensor:
    """Returns the lengths of strings.

    Args:
        input: a string tensor.
        name: the name of the node.
        unit: "BYTE", or "UTF8_CHAR" to count characters.

    Returns:
        An int32 tensor of the same shape.
    """
    return build.StringLength(input, unit=unit, name=name)


@export("string_strip", "strings.strip")
def string_strip(input: TensorLike, name: str | None = None) -> Tensor:
    """Returns strings without the white space at their ends.

    Args:
        input: a string tensor.
        name: the name of the node.

    Returns:
        A string tensor of the same shape.
    """
    return build.StringStrip(input, name=name)


@export("strings.lower")
def string_lower(input: TensorLike, encoding: str = "", name: str | None = None) -> Tensor:
    """Returns strings in lower case.

    Args:
        input: a string tensor.
        encoding: "utf-8", or "" to change ASCII letters only.
        name: the name of the node.

    Returns:
        A string tensor of the same shape.
    """
    return build.StringLower(input, encoding=encoding, name=name)


@export("strings.upper")
def string_upper(input: TensorLike, encoding: str = "", name: str | None = None) -> Tensor:
    """Returns strings in upper case.

    Args:
        input: a string tensor.
        encoding: "utf-8", or "" to change ASCII letters only.
        name: the name of the node.

    Returns:
        A string tensor of the same shape.
    """
    return build.StringUpper(input, encoding=encoding, name=name)
