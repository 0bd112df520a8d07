"""The streams of random ops whose state is a variable."""

from __future__ import annotations

import numpy as np

from headwater.base.typing import Array, ArrayModule
from headwater.ops.random import arguments, philox

# The number by which states and ops know the generator.
PHILOX = 1


def stream_of_variable(xp: ArrayModule, state: Array, algorithm: Array) -> Array:
    """Returns the stream of a state: the counter in two numbers, then the key.

    Raises:
        InvalidArgumentError: if the state is not such a vector, or the generator is another.
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


def advanced(xp: ArrayModule, state: Array, blocks: Array) -> Array:
    """Returns the state with its counter advanced by a number of blocks."""
    low, blocks = state[:1].astype(xp.uint64), xp.asarray(blocks).astype(xp.uint64).reshape(1)
    moved = low + blocks
    # TensorFlow adds the halves and loses a carry into a full half, as for -1.
    carried = (low & philox.LOW_32) + (blocks & philox.LOW_32) > philox.LOW_32
    lost = carried & (blocks >> 32 == philox.LOW_32)
    carry = ((moved < low) & ~lost).astype(xp.int64)
    return xp.concatenate([moved.astype(xp.int64), state[1:2] + carry, state[2:]])


def after(xp: ArrayModule, state: Array, count: int) -> Array:
    """Returns the state after `count` numbers."""
    return advanced(xp, state, np.uint64(count * philox.RESERVED_PER_OUTPUT))
