"""Random numbers whose state is a variable: StatefulUniform and its relatives, RngSkip."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from headwater.base.dtypes import DType
from headwater.graph import ShapeContext, register_op
from headwater.ops.random import arguments, distributions, philox

# The number by which states and ops know the generator.
PHILOX = 1


def cell_of_state(xp: Any, state: Any, algorithm: Any) -> Any:
    """Returns the cell of a state: the counter in two numbers, then the key.

    Raises:
        InvalidArgumentError: if the state is no such vector, or the generator is another.
    """
    if state.dtype != np.int64:
        name = {"float32": "float", "float64": "double"}.get(state.dtype.name, state.dtype.name)
        raise arguments.invalid(f"dtype of RNG state variable must be int64, not {name}")
    if state.ndim != 1:
        raise arguments.invalid(f"RNG state must have one and only one dimension, not {state.ndim}")
    if int(algorithm) != PHILOX:
        raise arguments.invalid(f"Unsupported algorithm id: {int(algorithm)}")
    if len(state) < 3:
        raise arguments.invalid(
            f"For the Philox algorithm, the size of state must be at least 3; got {len(state)}"
        )
    words = state[:3].astype(xp.uint64)
    halves = [(words[i : i + 1] >> shift) & philox.LOW_32 for i in (2, 0, 1) for shift in (0, 32)]
    return xp.concatenate([half.astype(xp.uint32) for half in halves])


def _advanced(xp: Any, state: Any, blocks: Any) -> Any:
    """The state with a counter that is so many blocks further on."""
    low, blocks = state[:1].astype(xp.uint64), xp.asarray(blocks).astype(xp.uint64).reshape(1)
    moved = low + blocks
    # TensorFlow adds halves, and loses a carry into a half that is full: so for -1.
    carried = (low & philox.LOW_32) + (blocks & philox.LOW_32) > philox.LOW_32
    lost = carried & (blocks >> 32 == philox.LOW_32)
    carry = ((moved < low) & ~lost).astype(xp.int64)
    return xp.concatenate([moved.astype(xp.int64), state[1:2] + carry, state[2:]])


def after(xp: Any, state: Any, count: int) -> Any:
    """Returns the state after `count` numbers."""
    return _advanced(xp, state, np.uint64(count * philox.RESERVED_PER_OUTPUT))


def _kernel(draw: Callable[..., Any]) -> Callable[..., Any]:
    """The kernel that draws by `draw(xp, cell, count, dtype)`."""

    def kernel(
        xp: Any, state: Any, algorithm: Any, shape: np.ndarray, *, dtype: DType
    ) -> tuple[Any, Any]:
        cell = cell_of_state(xp, state, algorithm)
        sizes = arguments.sizes_of(shape)
        count = arguments.count_of(sizes)
        numbers = draw(xp, cell, count, np.dtype(dtype.numpy_dtype)).reshape(sizes)
        return after(xp, state, count), numbers

    return kernel


def shape_stateful(c: ShapeContext) -> Any:
    c.with_rank("algorithm", 0)
    c.with_rank("shape", 1)
    return c.value_as_shape("shape")


def full_integers(xp: Any, cell: Any, count: int, dtype: Any) -> Any:
    """Integers of all bits of the stream."""
    draw = distributions.words if dtype.itemsize == 4 else distributions.double_words
    return draw(xp, cell, count).astype(dtype)


def kernel_uniform_int(
    xp: Any, state: Any, algorithm: Any, shape: np.ndarray, minval: Any, maxval: Any
) -> tuple[Any, Any]:
    cell = cell_of_state(xp, state, algorithm)
    sizes = arguments.sizes_of(shape)
    count = arguments.count_of(sizes)
    arguments.check_bounds(xp, minval, maxval, count)
    if not count:
        return state, xp.zeros(sizes, minval.dtype)
    numbers = distributions.uniform_int(xp, cell, count, minval, maxval)
    return after(xp, state, count), numbers.reshape(sizes)


def shape_stateful_int(c: ShapeContext) -> Any:
    c.with_rank("minval", 0)
    c.with_rank("maxval", 0)
    return shape_stateful(c)


def kernel_rng_skip(xp: Any, state: Any, algorithm: Any, delta: Any) -> tuple[Any]:
    cell_of_state(xp, state, algorithm)
    blocks = xp.asarray(delta).astype(xp.uint64) * np.uint64(philox.RESERVED_PER_OUTPUT)
    return (_advanced(xp, state, blocks),)


def shape_rng_skip(c: ShapeContext) -> Any:
    c.with_rank("algorithm", 0)
    c.with_rank("delta", 0)
    return []


for _name, _draw, _default in (
    ("StatefulUniform", distributions.uniform, "float"),
    ("StatefulStandardNormalV2", distributions.normal, "float"),
    ("StatefulTruncatedNormal", distributions.truncated_normal, "float"),
    ("StatefulUniformFullInt", full_integers, "uint64"),
):
    register_op(
        _name,
        inputs="resource: resource, algorithm: int64, shape: shape_dtype",
        outputs="output: dtype",
        attrs=f"dtype: type = {_default}, shape_dtype: type = int64",
        shape=shape_stateful,
        kernel=_kernel(_draw),
        updates=("resource",),
        concrete=("algorithm", "shape"),
        stateful=True,
    )
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
