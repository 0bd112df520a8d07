"""Numbers as strings: AsString."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from headwater.base import dtypes
from headwater.base.dtypes import DType
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
from headwater.ops.strings.elements import invalid, strings

_FILLS = ("", " ", "+", "-", "0", "#")


def kernel_as_string(
    xp: ArrayModule,
    x: np.ndarray,
    *,
    T: DType,
    precision: int,
    scientific: bool,
    shortest: bool,
    width: int,
    fill: str,
) -> np.ndarray:
    floating = T.is_floating or T.is_complex
    if not floating:
        if scientific or shortest:
            invalid(f"scientific and shortest format not supported for datatype {_type(T)}")
        if precision >= 0:
            invalid(f"precision not supported for datatype {_type(T)}")
    if scientific and shortest:
        invalid("Cannot select both scientific and shortest notation")
    if len(fill) > 1:
        invalid("Fill string must be one or fewer characters")
    if fill not in _FILLS:
        invalid(f'Fill argument not supported: "{fill}"')
    values = x.ravel().tolist()
    if T is dtypes.bool_:
        return strings([b"true" if value else b"false" for value in values], x.shape)
    flags = fill + (str(width) if width > -1 else "")
    if not floating:
        return strings(
            [b"%d" % v if not flags else f"%{flags}d".encode() % v for v in values], x.shape
        )
    places = f".{precision}" if precision > -1 else ""
    form = f"%{flags}{places}" + ("e" if scientific else "g" if shortest else "f")
    # NaN and infinity are not padded with zeros.
    other = f"%{flags.replace('0', '', 1) if fill == '0' else flags}s"
    if T.is_complex:
        texts = [
            f"({_text(v.real, form, other, fill)},{_text(v.imag, form, other, fill)})"
            for v in values
        ]
    else:
        texts = [_text(v, form, other, fill) for v in values]
    return strings([text.encode() for text in texts], x.shape)


def _text(value: float, form: str, other: str, fill: str) -> str:
    if math.isfinite(value):
        return form % value
    text = "nan" if math.isnan(value) else "inf"
    if math.copysign(1.0, value) < 0:
        text = f"-{text}"
    elif fill in ("+", " "):
        text = fill + text
    return other % text


def _type(dtype: DType) -> str:
    return {"float32": "float", "float64": "double"}.get(dtype.name, dtype.name)


def samples_as_string() -> Iterator[Sample]:
    for kind in (np.int8, np.int32, np.int64):
        yield Sample(np.array([[1, -27], [100, 0]], kind), width=5, fill="0")
    for other in (np.float32, np.float64, np.complex64, np.complex128):
        yield Sample(np.array([1.5, -0.25, 1e6], other))
        yield Sample(np.array([1.5, -0.25, 1e6], other), precision=2, scientific=True, width=12)
        yield Sample(np.array([1.5, -0.25, 1e6], other), shortest=True, fill="-", width=9)
    yield Sample(np.array([True, False]))


register_op(
    "AsString",
    inputs="input: T",
    outputs="output: string",
    attrs="T: {int8, int16, int32, int64, complex64, complex128, float, double, bool}, "
    "precision: int = -1, scientific: bool = false, shortest: bool = false, width: int = -1, "
    "fill: string = ''",
    shape=shapes.like_first,
    kernel=kernel_as_string,
    samples=samples_as_string,
    runs_on=RunsOn.HOST,
    gradient=NOT_DIFFERENTIABLE,
)


@export("as_string", "dtypes.as_string", "strings.as_string")
def as_string(
    input: TensorLike,
    precision: int = -1,
    scientific: bool = False,
    shortest: bool = False,
    width: int = -1,
    fill: str = "",
    name: str | None = None,
) -> Tensor:
    """Writes numbers as strings.

    Args:
        input: a tensor of numbers or booleans.
        precision: the digits after the decimal point; 6 if negative.
        scientific: whether floats are written with an exponent.
        shortest: whether floats are written in the shorter of both forms.
        width: the least number of characters.
        fill: how to fill up to that: "0" with zeros, "-" with spaces after the text; "+" and " "
            stand before positive numbers.
        name: the name of the node.

    Returns:
        A string tensor of the same shape.
    """
    return build.AsString(
        input,
        precision=precision,
        scientific=scientific,
        shortest=shortest,
        width=width,
        fill=fill,
        name=name,
    )
