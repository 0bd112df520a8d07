"""The counter-based generator Philox 4x32-10 with TensorFlow's keys and counters.

Source: Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC 2011.

The state of a random op is a stream: `uint32[6]`, the key (2 words) and a counter of 128 bits
(4 words), low word first. Functions take `xp`, which is numpy or jax.numpy.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from types import ModuleType
from typing import Any

import numpy as np

from headwater.base import native
from headwater.base.typing import Array, DTypeLike

ROUNDS = 10
MULTIPLIERS = (0xD2511F53, 0xCD9E8D57)
KEY_STEPS = (0x9E3779B9, 0xBB67AE85)
LOW_32 = 0xFFFFFFFF
LOW_64 = 0xFFFFFFFFFFFFFFFF
# Up to this many blocks, Python's integers are faster than NumPy's calls; up to so many, the cost
# on the host is calls rather than arithmetic.
_VERY_FEW = 6
_FEW = 4096
_LOW_32 = np.uint64(LOW_32)
_NONE = np.empty(0, np.uint64)
_SHIFT = np.uint64(32)
_MULTIPLIER_COLUMN = np.array(MULTIPLIERS[::-1], np.uint64)[:, None]
_ROUND_STEPS = (np.arange(ROUNDS, dtype=np.uint32)[:, None] * np.array(KEY_STEPS, np.uint32))[
    :, :, None
]

# A stateful kernel advances its counter by this many blocks for each number that it returns, so
# that no two calls overlap, however many numbers a rejection method throws away.
RESERVED_PER_OUTPUT = 256


def make_stream(key: int, counter: int) -> np.ndarray:
    """Returns the stream with a 64-bit key and a 128-bit counter."""
    words = [key >> 32 * word & LOW_32 for word in range(2)]
    words += [counter >> 32 * word & LOW_32 for word in range(4)]
    return np.array(words, np.uint32)


def initial_stream(seed: int, seed2: int) -> np.ndarray:
    """Returns the stream of a random op before its first run.

    Args:
        seed: the attr `seed` of the op, the key.
        seed2: the attr `seed2` of the op, the high half of the counter. If both are 0, both
            come from the operating system.
    """
    if seed == 0 and seed2 == 0:
        seed, seed2 = secrets.randbits(64), secrets.randbits(64)
    return make_stream(seed & LOW_64, (seed2 & LOW_64) << 64)


def skip(xp: ModuleType, stream: Array, blocks: int) -> Array:
    """Returns the stream `blocks` (below 2**64) further on."""
    if xp is np:
        key = stream[:2].tolist()
        low, high = _advanced(stream.tolist(), blocks)
        return np.array([*key, low & LOW_32, low >> 32, high & LOW_32, high >> 32], np.uint32)
    counter = (word.astype(xp.uint32) for word in _counter(xp, stream, blocks))
    return xp.concatenate([stream[:2], *counter])


def _counter(xp: ModuleType, stream: Array, offset: Array) -> list[Any]:
    """Returns the four counter words at each offset, as uint64 values below 2**32."""
    # Arrays of one element, because NumPy warns when a scalar wraps around.
    word = [stream[i : i + 1].astype(xp.uint64) for i in range(2, 6)]
    offset = xp.asarray(offset, xp.uint64).reshape(-1)
    low = (word[0] | word[1] << 32) + offset
    high = (word[2] | word[3] << 32) + (low < offset)
    return [low & LOW_32, low >> 32, high & LOW_32, high >> 32]


class RowStreams:
    """The streams of several rows as one: its first blocks are those of the first row, and so on.

    Args:
        first: the stream of the first row.
        length: how many blocks of each row belong to it.
        stride: how far the stream of a row is from that of the row before.
    """

    def __init__(self, first: np.ndarray, length: int, stride: int) -> None:
        self.first = first
        self._length = np.uint64(length)
        self._stride = np.uint64(stride)

    def places(self, offset: np.ndarray) -> np.ndarray:
        """How far blocks are from the position of the first stream."""
        row, place = np.divmod(offset, self._length)
        result: np.ndarray = row * self._stride + place
        return result


def blocks_at(xp: ModuleType, stream: Array, offset: Array) -> list[Any]:
    """Draws blocks of four 32-bit words.

    Args:
        stream: the state, or RowStreams.
        offset: uint64[n], how far each block is from the position of the stream.

    Returns:
        Two arrays uint64[n]: the first two words of each block, and the last two, the earlier
        word in the low half.
    """
    if isinstance(stream, RowStreams):
        stream, offset = stream.first, stream.places(np.asarray(offset, np.uint64))
    if xp is np and np.size(offset) > _VERY_FEW:
        found = words_on_host(stream, np.asarray(offset, np.uint64).reshape(-1))
        if found is not None:
            return list(np.ascontiguousarray(found.view(np.uint64).reshape(-1, 2).T))
    if xp is np and np.size(offset) <= _VERY_FEW:
        return _blocks_one_by_one(stream.tolist(), np.ravel(offset).tolist())
    c0, c1, c2, c3 = _counter(xp, stream, offset)
    if xp is np and c0.size <= _FEW:
        return _few_blocks(stream[:2], c0, c1, c2, c3)
    return _mixed(xp, stream[:2], c0, c1, c2, c3)


def blocks_of_streams(streams: np.ndarray, count: int) -> list[np.ndarray]:
    """Draws the first blocks of several streams.

    Args:
        streams: uint32[n, 6], the states.
        count: how many blocks of each.

    Returns:
        The halves of the blocks as `blocks_at` gives them, uint64[n, count].
    """
    word = streams.astype(np.uint64)[:, :, np.newaxis]
    offset = np.arange(count, dtype=np.uint64)
    low = (word[:, 2] | word[:, 3] << 32) + offset
    high = (word[:, 4] | word[:, 5] << 32) + (low < offset)
    return _mixed(np, streams[:, :2], low & LOW_32, low >> 32, high & LOW_32, high >> 32)


def _mixed(xp: ModuleType, key: Array, c0: Array, c1: Array, c2: Array, c3: Array) -> list[Any]:
    """The blocks of counters. The key is of shape [2], or [n, 2] for counters of shape [n, m]."""
    steps = np.array(KEY_STEPS, np.uint32)
    # The words stay in 64 bits because the products are 64 bits wide.
    for step in range(ROUNDS):
        if step:
            key = key + steps
        k0, k1 = key[..., :1].astype(xp.uint64), key[..., 1:].astype(xp.uint64)
        p0, p1 = c0 * MULTIPLIERS[0], c2 * MULTIPLIERS[1]
        c0, c1, c2, c3 = (p1 >> 32) ^ c1 ^ k0, p1 & LOW_32, (p0 >> 32) ^ c3 ^ k1, p0 & LOW_32
    return [c0 | c1 << 32, c2 | c3 << 32]


def _blocks_one_by_one(stream: list[int], offsets: list[int]) -> list[np.ndarray]:
    """The same with integers of Python."""
    found = [_block(stream, offset) for offset in offsets]
    return [np.array(half, np.uint64) for half in zip(*found)] if found else [_NONE, _NONE]


def _advanced(stream: list[int], offset: int) -> tuple[int, int]:
    """The low and high half of the counter at an offset."""
    _, _, w0, w1, w2, w3 = stream
    low = (w0 | w1 << 32) + offset
    return low & LOW_64, (w2 | w3 << 32) + (low >> 64) & LOW_64


def _block(stream: list[int], offset: int) -> tuple[int, int]:
    k0, k1 = stream[:2]
    low, high = _advanced(stream, offset)
    c0, c1, c2, c3 = low & LOW_32, low >> 32, high & LOW_32, high >> 32
    for _ in range(ROUNDS):
        p0, p1 = c0 * MULTIPLIERS[0], c2 * MULTIPLIERS[1]
        c0, c1, c2, c3 = (p1 >> 32) ^ c1 ^ k0, p1 & LOW_32, (p0 >> 32) ^ c3 ^ k1, p0 & LOW_32
        k0, k1 = k0 + KEY_STEPS[0] & LOW_32, k1 + KEY_STEPS[1] & LOW_32
    return c0 | c1 << 32, c2 | c3 << 32


def _few_blocks(key: np.ndarray, *counter: np.ndarray) -> list[np.ndarray]:
    """The same with half as many NumPy calls, whose overhead dominates for few numbers."""
    keys = (key[:, None] + _ROUND_STEPS).astype(np.uint64)
    even, odd = np.array(counter[2::-2]), np.array(counter[1::2])
    for round_key in keys:
        product = even * _MULTIPLIER_COLUMN
        even, odd = ((product >> _SHIFT) ^ odd ^ round_key)[::-1], product & _LOW_32
    # Rows are in the opposite order of words.
    return [even[1] | odd[0] << _SHIFT, even[0] | odd[1] << _SHIFT]


def blocks(xp: ModuleType, stream: Array, count: int, start: int = 0) -> list[Any]:
    """Draws the `count` blocks from `start` on; see `blocks_at`."""
    return blocks_at(xp, stream, xp.arange(start, start + count, dtype=xp.uint64))


def words_on_host(stream: Any, offset: np.ndarray) -> np.ndarray | None:
    """The words of `blocks_at` in order, by the native function; None if there is none."""
    if isinstance(stream, RowStreams):
        stream, offset = stream.first, stream.places(offset)
    words: np.ndarray | None = native.host().philox(stream, offset)
    return words


def interleave(xp: ModuleType, parts: Sequence[Any], dtype: DTypeLike | None = None) -> Array:
    """Returns the flat array parts[0][0], parts[1][0], ..., parts[0][1], parts[1][1], ...

    Args:
        parts: 1-D arrays of one length.
        dtype: the bits are read as values of this dtype; None means that of the parts.
    """
    columns = [part[:, None].view(dtype or part.dtype) for part in parts]
    return xp.concatenate(columns, axis=1).reshape(-1)
