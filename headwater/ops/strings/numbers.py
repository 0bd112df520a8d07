"""Numbers read from strings: StringToNumber."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from headwater.base import dtypes
from headwater.base.dtypes import DType
from headwater.base.typing import ArrayModule, DTypeLike, NestedTensors, TensorLike
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
from headwater.ops.strings.elements import invalid, show
from headwater.ops.strings.parsing import (
    parse_float,
    parse_floats,
    parse_integer,
    parse_integers,
)


def kernel_string_to_number(xp: ArrayModule, x: np.ndarray, *, out_type: DType) -> np.ndarray:
    texts = x.ravel().tolist()
    plain = (parse_integers if out_type.is_integer else parse_floats)(texts, out_type)
    if plain is not None:
        return plain.reshape(x.shape)
    parse: Callable[..., Any] = parse_integer if out_type.is_integer else parse_float
    numbers = []
    for text in texts:
        number = parse(text, out_type)
        if number is None:
            # As in C, a text ends at the first zero byte.
            shown = show(text.split(b"\0")[0])
            invalid(f"StringToNumberOp could not correctly convert string: {shown}")
        numbers.append(number)
    return np.array(numbers, out_type.numpy_dtype).reshape(x.shape)


def samples_string_to_number() -> Iterator[Sample]:
    x = np.array([[b"1", b" -27"], [b"300", b"4\n"]], object)
    for kind in (np.float32, np.float64, np.int32, np.int64):
        yield Sample(x, out_type=kind)
    yield Sample(np.array([b"1.5", b"-2e-3", b".5", b"1e30"], object), out_type=np.float32)


def reference_string_to_number(x: np.ndarray, *, out_type: DType) -> np.ndarray:
    return x.astype(str).astype(out_type.numpy_dtype)


register_op(
    "StringToNumber",
    inputs="string_tensor: string",
    outputs="output: out_type",
    attrs="out_type: {float, double, int32, int64} = float",
    shape=shapes.like_first,
    kernel=kernel_string_to_number,
    reference=reference_string_to_number,
    samples=samples_string_to_number,
    runs_on=RunsOn.HOST,
    gradient=NOT_DIFFERENTIABLE,
)


@export("string_to_number", "strings.to_number")
def string_to_number(
    string_tensor: NestedTensors | None = None,
    out_type: DTypeLike = dtypes.float32,
    name: str | None = None,
    input: TensorLike | None = None,
) -> Tensor:
    """Reads numbers.

    Args:
        string_tensor: a string tensor of decimal numbers.
        out_type: float32, float64, int32 or int64.
        name: the name of the node.
        input: the new name of `string_tensor`.

    Returns:
        A tensor of the same shape.

    Raises:
        ValueError: if the input is given under both of its names.
    """
    if input is not None:
        if string_tensor is not None:
            raise ValueError("Cannot specify both 'input' and 'string_tensor'")
        string_tensor = input
    return build.StringToNumber(string_tensor, out_type=out_type, name=name)
