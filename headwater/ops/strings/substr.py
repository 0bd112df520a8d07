"""Parts of strings by position: Substr."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import numpy as np

from headwater.base.typing import ArrayModule, TensorLike
from headwater.graph import RunsOn, Sample, Tensor, build, export, register_op, shapes
from headwater.ops.strings.elements import invalid, shape_text, show, strings

# A byte that starts a character with the bytes that continue it.
_CHARACTER = re.compile(rb"[^\x80-\xbf][\x80-\xbf]*|^[\x80-\xbf]+", re.DOTALL)


def shape_substr(c: shapes.ShapeContext) -> Any:
    text, pos, length = c.shapes
    if pos is None or text is None:
        return None
    if length is not None and len(length) != len(pos):
        c.fail(f"Shape must be rank {len(length)} but is rank {len(pos)}")
    return shapes.broadcast_shapes(text, pos) if _fits(text, pos) else _unequal(c, text, pos)


def _fits(a: tuple[int | None, ...], b: tuple[int | None, ...]) -> bool:
    return all(x is None or y is None or x == y or 1 in (x, y) for x, y in zip(a[::-1], b[::-1]))


def _unequal(c: shapes.ShapeContext, a: TensorLike, b: TensorLike) -> None:
    x, y = next(
        (x, y)
        for x, y in zip(a[::-1], b[::-1])
        if x != y and None not in (x, y) and 1 not in (x, y)
    )
    c.fail(f"Dimensions must be equal, but are {x} and {y}")


def kernel_substr(
    xp: ArrayModule, x: np.ndarray, pos: np.ndarray, length: np.ndarray, *, unit: str
) -> np.ndarray:
    try:
        shape = np.broadcast_shapes(x.shape, pos.shape, length.shape)
    except ValueError:
        invalid(f"Incompatible shapes: {shape_text(x)} vs. {shape_text(pos)}")
    texts, starts, lengths = (np.broadcast_to(a, shape).ravel().tolist() for a in (x, pos, length))
    parts = []
    for i, (text, start, count) in enumerate(zip(texts, starts, lengths)):
        units = _CHARACTER.findall(text) if unit == "UTF8_CHAR" else text
        if not -len(units) <= start <= len(units):
            what = f" {_quoted(text)}" if unit == "BYTE" else ""
            invalid(f"pos {start} out of range for string{what} at index {i}")
        first = start + len(units) if start < 0 else start
        # A negative length counts as a huge unsigned one.
        part = units[first : first + count] if count >= 0 else units[first:]
        parts.append(part if isinstance(part, bytes) else b"".join(part))
    return strings(parts, shape)


def _quoted(text: bytes) -> str:
    return f"b'{show(text)}'"


def samples_substr() -> Iterator[Sample]:
    x = np.array([[b"hello", b"world"], [b"tensor", b"graph"]], object)
    yield Sample(x, np.int32(1), np.int32(3))
    yield Sample(x, np.array([0, -3], np.int64), np.array([2, 9], np.int64))
    text = np.array(["h\u00e9\u20acllo".encode()], object)
    yield Sample(text, np.int32(1), np.int32(2), unit="UTF8_CHAR")


def reference_substr(
    x: np.ndarray, pos: np.ndarray, length: np.ndarray, *, unit: str
) -> np.ndarray:
    def part(text: bytes, start: int, count: int) -> bytes:
        units: str | bytes = text.decode() if unit == "UTF8_CHAR" else text
        units = units[start:][:count]
        return units if isinstance(units, bytes) else units.encode()

    return np.asarray(np.vectorize(part, otypes=[object])(x, pos, length), object)


register_op(
    "Substr",
    inputs="input: string, pos: T, len: T",
    outputs="output: string",
    attrs="T: {int32, int64}, unit: {'BYTE', 'UTF8_CHAR'} = 'BYTE'",
    shape=shape_substr,
    kernel=kernel_substr,
    reference=reference_substr,
    samples=samples_substr,
    runs_on=RunsOn.HOST,
)


@export("substr", "strings.substr")
def substr(
    input: TensorLike, pos: TensorLike, len: TensorLike, name: str | None = None, unit: str = "BYTE"
) -> Tensor:
    """Returns parts of strings.

    Args:
        input: a string tensor.
        pos: the first position, counted from the end if it is negative.
        len: how much to take at most, of the shape of `pos`.
        name: the name of the node.
        unit: "BYTE", or "UTF8_CHAR" to count characters.

    Returns:
        A string tensor of the shape of `input` broadcast with `pos`.
    """
    return build.Substr(input, pos, len, unit=unit, name=name)
