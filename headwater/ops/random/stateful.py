"""Random numbers whose state is a variable: StatefulUniform and its relatives, RngSkip."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from headwater.base.dtypes import DType
from headwater.base.typing import Array, ArrayModule, Shape
from headwater.graph import ShapeContext, register_op
from headwater.ops.random import arguments, distributions, philox, variable_stream


def _kernel(draw: Callable[..., Any]) -> Callable[..., Any]:
    """The kernel that draws by `draw(xp, stream, count, dtype)`."""

    def kernel(
        xp: ArrayModule, state: Array, algorithm: Array, shape: np.ndarray, *, dtype: DType
    ) -> tuple[Any, Any]:
        stream = variable_stream.stream_of_variable(xp, state, algorithm)
        sizes = arguments.sizes_of(shape)
        count = arguments.count_of(sizes)
        numbers = draw(xp, stream, count, np.dtype(dtype.numpy_dtype)).reshape(sizes)
        return variable_stream.after(xp, state, count), numbers

    return kernel


def shape_stateful(c: ShapeContext) -> Shape:
    c.with_rank("algorithm", 0)
    c.with_rank("shape", 1)
    return c.value_as_shape("shape")


def full_integers(xp: ArrayModule, stream: Array, count: int, dtype: np.dtype) -> Array:
    """Integers of all bits of the stream."""
    draw = distributions.words if dtype.itemsize == 4 else distributions.double_words
    return draw(xp, stream, count).astype(dtype)


def kernel_uniform_int(
    xp: ArrayModule, state: Array, algorithm: Array, shape: np.ndarray, minval: Array, maxval: Array
) -> tuple[Any, Any]:
    stream = variable_stream.stream_of_variable(xp, state, algorithm)
    sizes = arguments.sizes_of(shape)
    count = arguments.count_of(sizes)
    arguments.check_bounds(xp, minval, maxval, count)
    if not count:
        return state, xp.zeros(sizes, minval.dtype)
    numbers = distributions.uniform_int(xp, stream, count, minval, maxval)
    return variable_stream.after(xp, state, count), numbers.reshape(sizes)


def shape_stateful_int(c: ShapeContext) -> Shape:
    c.with_rank("minval", 0)
    c.with_rank("maxval", 0)
    return shape_stateful(c)


def kernel_rng_skip(xp: ArrayModule, state: Array, algorithm: Array, delta: Array) -> tuple[Any]:
    variable_stream.stream_of_variable(xp, state, algorithm)
    blocks = xp.asarray(delta).astype(xp.uint64) * np.uint64(philox.RESERVED_PER_OUTPUT)
    return (variable_stream.advanced(xp, state, blocks),)


def shape_rng_skip(c: ShapeContext) -> list[Shape]:
    c.with_rank("algorithm", 0)
    c.with_rank("delta", 0)
    return []


def _register_stateful(name: str, draw: Callable[..., Any], default: str) -> None:
    register_op(
        name,
        inputs="resource: resource, algorithm: int64, shape: shape_dtype",
        outputs="output: dtype",
        attrs=f"dtype: type = {default}, shape_dtype: type = int64",
        shape=shape_stateful,
        kernel=_kernel(draw),
        updates=("resource",),
        concrete=("algorithm", "shape"),
        stateful=True,
    )


_register_stateful("StatefulUniform", distributions.uniform, "float")
_register_stateful("StatefulStandardNormalV2", distributions.normal, "float")
_register_stateful("StatefulTruncatedNormal", distributions.truncated_normal, "float")
_register_stateful("StatefulUniformFullInt", full_integers, "uint64")
register_op(
    "StatefulUniformInt",
    inputs="resource: resource, algorithm: int64, shape: shape_dtype, minval: dtype, maxval: dtype",
    outputs="output: dtype",
    attrs="dtype: type = int64, shape_dtype: type = int64",
    shape=shape_stateful_int,
    kernel=kernel_uniform_int,
    updates=("resource",),
    concrete=("algorithm", "shape"),
    stateful=True,
)
register_op(
    "RngSkip",
    inputs="resource: resource, algorithm: int64, delta: int64",
    shape=shape_rng_skip,
    kernel=kernel_rng_skip,
    updates=("resource",),
    concrete=("algorithm",),
    stateful=True,
)
