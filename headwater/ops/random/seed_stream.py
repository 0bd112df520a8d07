"""The streams of stateless random ops, which come from a seed that is an input."""

from __future__ import annotations

import numpy as np

from headwater.base.typing import Array, ArrayModule
from headwater.graph import ShapeContext
from headwater.graph.shapes import show
from headwater.ops.random import arguments, philox

# The key under which a seed is scrambled, so that seeds which differ little give streams that
# have nothing in common.
SCRAMBLING_KEY = 0x02461E293EC8F720


def check_seed_shape(c: ShapeContext) -> None:
    """Checks the static shape of the input `seed`."""
    (size,) = c.with_rank("seed", 1)
    if size not in (2, None):
        c.fail(f"Dimension must be 2 but is {size}")


def stream_of_seed(xp: ArrayModule, seed: Array) -> Array:
    """Returns the stream that belongs to a seed of two integers."""
    if seed.shape != (2,):
        raise arguments.invalid(f"seed must have shape [2], not {show(seed.shape)}")
    halves = seed.astype(xp.int64).view(xp.uint64)
    words = [(halves[i : i + 1] >> shift) & philox.LOW_32 for i in (0, 1) for shift in (0, 32)]
    key = philox.make_stream(SCRAMBLING_KEY, 0)[:2]
    stream = xp.concatenate([xp.asarray(key), *(word.astype(xp.uint32) for word in words)])
    first, second = philox.blocks(xp, stream, 1)
    parts = [first & philox.LOW_32, first >> 32, second & philox.LOW_32, second >> 32]
    mixed = [part.astype(xp.uint32) for part in parts]
    return xp.concatenate([*mixed[:2], xp.zeros(2, np.uint32), *mixed[2:]])


def streams_of_seeds(seeds: np.ndarray) -> np.ndarray:
    """Returns the streams, uint32[n, 6], that belong to several seeds of two integers."""
    if seeds.shape[1:] != (2,):
        raise arguments.invalid(f"seed must have shape [2], not {show(seeds.shape[1:])}")
    words = np.ascontiguousarray(seeds.astype(np.int64)).view(np.uint32)
    key = philox.make_stream(SCRAMBLING_KEY, 0)[:2]
    scrambling = np.concatenate([np.broadcast_to(key, (len(seeds), 2)), words], axis=1)
    mixed = np.concatenate(philox.blocks_of_streams(scrambling, 1), axis=1).view(np.uint32)
    return np.concatenate([mixed[:, :2], np.zeros((len(seeds), 2), np.uint32), mixed[:, 2:]], 1)
