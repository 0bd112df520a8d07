"""Constants of other kinds: FakeParam, HostConst, ImmutableConst."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from headwater.base import errors
from headwater.base.checks import fail
from headwater.base.dtypes import DType
from headwater.base.typing import Array, ArrayModule, Shape
from headwater.graph import RunsOn, Sample, register_op, shapes
from headwater.io.files import read_bytes


def kernel_fake_param(xp: ArrayModule, *, dtype: DType, shape: tuple[int | None, ...]) -> Array:
    if not shapes.is_static(shape):
        fail("Shape must be fully defined to make a value for FakeParam")
    return np.zeros(shape, dtype.numpy_dtype)


def kernel_host_const(xp: ArrayModule, *, value: np.ndarray) -> Array:
    return value


def shape_host_const(c: shapes.ShapeContext) -> Shape:
    return c.attr("value").shape


def kernel_immutable_const(
    xp: ArrayModule, *, dtype: DType, shape: Sequence[int], memory_region_name: str
) -> Array:
    """Reads a constant from a file of raw elements."""
    kind = np.dtype(dtype.numpy_dtype)
    if kind.hasobject:
        raise errors.UnimplementedError(
            None, None, "Sorry, DT_STRING is not currently supported for ImmutableConstOp."
        )
    data = read_bytes(memory_region_name)
    count = math.prod(shape)
    if len(data) < count * kind.itemsize:
        fail(
            f"Tensor size ({count * kind.itemsize}) is larger than the memory region "
            f"{memory_region_name} ({len(data)})"
        )
    return np.frombuffer(data, kind, count).reshape(shape)


def samples_fake_param() -> Iterator[Sample]:
    yield Sample(dtype="float32", shape=(2, 3))


def samples_host_const() -> Iterator[Sample]:
    yield Sample(value=np.arange(6, dtype=np.int32).reshape(2, 3), dtype="int32")


register_op(
    "FakeParam",
    outputs="output: dtype",
    attrs="dtype: type, shape: shape",
    shape=shapes.attr_shape,
    kernel=kernel_fake_param,
    samples=samples_fake_param,
)
register_op(
    "HostConst",
    outputs="output: dtype",
    attrs="value: tensor, dtype: type",
    shape=shape_host_const,
    kernel=kernel_host_const,
    samples=samples_host_const,
)
register_op(
    "ImmutableConst",
    outputs="tensor: dtype",
    attrs="dtype: type, shape: shape, memory_region_name: string",
    shape=shapes.attr_shape,
    kernel=kernel_immutable_const,
    runs_on=RunsOn.HOST,
)
