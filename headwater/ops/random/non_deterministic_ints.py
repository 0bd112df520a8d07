"""Random integers of the operating system: NonDeterministicInts."""

from __future__ import annotations

import secrets

import numpy as np

from headwater.base.dtypes import DType
from headwater.base.typing import ArrayModule, Shape
from headwater.graph import RunsOn, ShapeContext, register_op
from headwater.ops.random import arguments


def kernel_non_deterministic_ints(
    xp: ArrayModule, shape: np.ndarray, *, dtype: DType
) -> np.ndarray:
    sizes = arguments.sizes_of(shape)
    kind = np.dtype(dtype.numpy_dtype)
    data = secrets.token_bytes(arguments.count_of(sizes) * kind.itemsize)
    return np.frombuffer(data, kind).reshape(sizes)


def shape_non_deterministic_ints(c: ShapeContext) -> Shape:
    return c.value_as_shape("shape")


register_op(
    "NonDeterministicInts",
    inputs="shape: shape_dtype",
    outputs="output: dtype",
    attrs="dtype: type = int64, shape_dtype: type = int64",
    shape=shape_non_deterministic_ints,
    kernel=kernel_non_deterministic_ints,
    concrete=("shape",),
    stateful=True,
    runs_on=RunsOn.HOST,
)
