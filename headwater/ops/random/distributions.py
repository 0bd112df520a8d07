"""TensorFlow's distributions over a Philox stream: which bits make which number.

Every function takes `xp` (numpy or jax.numpy), the stream of the op (see `philox.py`), the number
of values wanted and a NumPy dtype, and returns a flat array. None of them moves the stream.
"""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

import ml_dtypes
import numpy as np

from headwater.base.lazy import jnp, lax
from headwater.base.typing import Array, DTypeLike
from headwater.ops.random import float32_libm, philox

# Uniform numbers below this are raised to it before a logarithm is taken.
SMALLEST_UNIFORM = 1e-7

# |x| at which truncated normal numbers are cut off.
TRUNCATION = 2.0

# NumPy processes the stream in chunks of this many blocks, which stay in the cache.
NUMPY_PIECE = 4096

# XLA fills this many groups of truncated normal numbers at a time.
XLA_PIECE = 16384


def by_pieces(
    xp: ModuleType, block_count: int, draw: Callable[[int, int], Any], values_per_block: int
) -> Array:
    """Returns `draw(block_count, 0)`, computed by NumPy as pieces `draw(count, start)`."""
    if xp is not np or block_count <= NUMPY_PIECE:
        return draw(block_count, 0)
    first = draw(NUMPY_PIECE, 0)
    result = np.empty(block_count * values_per_block, first.dtype)
    result[: first.size] = first
    for start in range(NUMPY_PIECE, block_count, NUMPY_PIECE):
        count = min(NUMPY_PIECE, block_count - start)
        low, high = start * values_per_block, (start + count) * values_per_block
        result[low:high] = draw(count, start)
    return result


def words(
    xp: ModuleType, stream: Array, count: int, convert: Callable[[Any], Any] = lambda word: word
) -> Array:
    """Returns `convert` of the first `count` 32-bit words of the stream, uint32[count]."""

    def draw(block_count: int, start: int) -> Array:
        if xp is np:
            offset = np.arange(start, start + block_count, dtype=np.uint64)
            found = philox.words_on_host(stream, offset)
            if found is not None:
                return convert(found)
        blocks = philox.blocks(xp, stream, block_count, start)
        return convert(philox.interleave(xp, blocks, np.uint32))

    return by_pieces(xp, -(-count // 4), draw, 4)[:count]


def double_words(
    xp: ModuleType, stream: Array, count: int, convert: Callable[[Any], Any] = lambda word: word
) -> Array:
    """Returns `convert` of the first `count` 64-bit words, uint64[count], low half first."""

    def draw(block_count: int, start: int) -> Array:
        return convert(philox.interleave(xp, philox.blocks(xp, stream, block_count, start)))

    return by_pieces(xp, -(-count // 2), draw, 2)[:count]


def float32_of(xp: ModuleType, word: Array) -> Array:
    """Returns floats of [0, 1) made of the low 23 bits of each word."""
    return (word & 0x7FFFFF).astype(xp.int32).astype(xp.float32) * np.float32(2.0**-23)


def float64_of(xp: ModuleType, double_word: Array) -> Array:
    """Returns doubles of [0, 1) made of 20 bits of the first half and the 32 of the second."""
    bits = (double_word & 0xFFFFF) << 32 | double_word >> 32
    return bits.astype(xp.int64).astype(xp.float64) * 2.0**-52


def uniform(xp: ModuleType, stream: Array, count: int, dtype: DTypeLike) -> Array:
    """Returns `count` values of [0, 1), float16, bfloat16, float32 or float64."""
    if dtype == np.float64:
        return double_words(xp, stream, count, lambda pair: float64_of(xp, pair))
    if dtype == np.float32:
        return words(xp, stream, count, lambda word: float32_of(xp, word))
    mantissa_bits = 10 if dtype == np.float16 else 7

    def convert(word: Array) -> Array:
        bits = (word & (1 << mantissa_bits) - 1).astype(xp.int32)
        return (bits.astype(xp.float32) * np.float32(2.0**-mantissa_bits)).astype(dtype)

    return words(xp, stream, count, convert)


def doubles_of_streams(streams: np.ndarray, count: int) -> np.ndarray:
    """Returns the first `count` doubles of [0, 1) of several streams, float64[n, count]."""
    halves = philox.blocks_of_streams(streams, -(-count // 2))
    return float64_of(np, np.stack(halves, axis=2).reshape(len(streams), -1)[:, :count])


def uniforms_per_block(dtype: DTypeLike) -> int:
    """Returns how many uniform numbers or integers are made of one block."""
    return 2 if np.dtype(dtype).itemsize == 8 else 4


def uniform_int(xp: ModuleType, stream: Array, count: int, low: Array, high: Array) -> Array:
    """Returns `count` integers of [low, high), scalars of int32 or int64.

    A number is the remainder of a 32-bit or 64-bit word, so the distribution has a small bias.
    """
    low, high = xp.asarray(low).reshape(1), xp.asarray(high).reshape(1)
    draw, unsigned = (words, xp.uint32) if low.dtype == np.int32 else (double_words, xp.uint64)
    first = low.astype(unsigned)
    span = high.astype(unsigned) - first
    return draw(xp, stream, count, lambda word: (first + word % span).astype(low.dtype))


def normal_pairs(xp: ModuleType, pair: Array) -> Array:
    """Returns float32 normal numbers by the method of Box and Muller (1958).

    Args:
        pair: uint64[n], two words each.

    Returns:
        uint64[n], the bits of two numbers each.
    """
    if xp is not np:
        # Without the barrier XLA recomputes the blocks for each of their uses.
        pair = lax.optimization_barrier(pair)
    u = xp.maximum(float32_of(xp, pair), np.float32(SMALLEST_UNIFORM))
    # The product is formed in double precision.
    angle = float32_of(xp, pair >> 32).astype(xp.float64) * (2.0 * np.pi)
    radius = xp.sqrt(np.float32(-2.0) * float32_libm.log(xp, u))
    sin, cos = float32_libm.sincos(xp, angle.astype(xp.float32))
    sin, cos = (sin * radius).view(xp.uint32), (cos * radius).view(xp.uint32)
    return sin.astype(xp.uint64) | cos.astype(xp.uint64) << 32


def normal_doubles(xp: ModuleType, blocks: list[Any]) -> list[Any]:
    """Returns the two float64 normal numbers of each block by the method of Box and Muller."""
    u = xp.maximum(float64_of(xp, blocks[0]), SMALLEST_UNIFORM)
    angle = float64_of(xp, blocks[1]) * (2.0 * np.pi)
    radius = xp.sqrt(-2.0 * xp.log(u))
    return [xp.sin(angle) * radius, xp.cos(angle) * radius]


def normal_of(xp: ModuleType, blocks: list[Any], dtype: DTypeLike) -> Array:
    """Returns the normal numbers of some blocks: two each of float64, else four of float32."""
    if dtype == np.float64:
        return philox.interleave(xp, normal_doubles(xp, blocks))
    return normal_pairs(xp, philox.interleave(xp, blocks)).view(xp.float32)


def normals_per_block(dtype: DTypeLike) -> int:
    """Returns how many normal numbers are made of one block."""
    return 2 if dtype == np.float64 else 4


def normal(xp: ModuleType, stream: Array, count: int, dtype: DTypeLike) -> Array:
    """Returns `count` standard normal numbers, float16, bfloat16, float32 or float64."""
    per_block = normals_per_block(dtype)

    def draw(block_count: int, start: int) -> Array:
        return normal_of(xp, philox.blocks(xp, stream, block_count, start), dtype)

    return by_pieces(xp, -(-count // per_block), draw, per_block)[:count].astype(dtype)


def truncated_normal(xp: ModuleType, stream: Array, count: int, dtype: DTypeLike) -> Array:
    """Returns `count` standard normal numbers of magnitude below 2.

    As many numbers as one block makes are a group. Each group has a stream of its own, and takes
    the first normal numbers of that stream that are small enough.
    """
    fill = _fill_groups_numpy if xp is np else _fill_groups_xla
    return fill(stream, -(-count // normals_per_block(dtype)), dtype)[:count].astype(dtype)


def group_stride(dtype: DTypeLike) -> int:
    """Returns how far the streams of groups of truncated normal numbers are from each other."""
    return normals_per_block(dtype) * philox.RESERVED_PER_OUTPUT // 4


def _group_blocks(
    xp: ModuleType, stream: Array, group: Array, block: Array, dtype: DTypeLike
) -> list[Any]:
    """Returns one block of the stream of each group; see `philox.blocks_at`."""
    return philox.blocks_at(xp, stream, group * group_stride(dtype) + block)


def _fill_groups_numpy(stream: np.ndarray, groups: int, dtype: DTypeLike) -> np.ndarray:
    size = normals_per_block(dtype)

    def candidates(group: np.ndarray, block: int) -> np.ndarray:
        blocks = _group_blocks(np, stream, group, block, dtype)
        return normal_of(np, blocks, dtype).reshape(-1, size)

    def draw(count: int, start: int) -> np.ndarray:
        group = np.arange(start, start + count, dtype=np.uint64)
        result = candidates(group, 0)
        pending = np.flatnonzero((abs(result) >= TRUNCATION).any(axis=1))
        numbers = result[pending]
        block = 0
        while pending.size:
            block += 1
            more = candidates(group[pending], block)
            numbers = np.concatenate([numbers, more], axis=1)
            accepted = abs(numbers) < TRUNCATION
            filled = accepted.sum(axis=1) >= size
            rank = np.cumsum(accepted[filled], axis=1)
            first = accepted[filled] & (rank <= size)
            result[pending[filled]] = numbers[filled][first].reshape(-1, size)
            pending, numbers = pending[~filled], numbers[~filled]
        return result.reshape(-1)

    return by_pieces(np, groups, draw, size)


def _fill_groups_xla(stream: Array, groups: int, dtype: DTypeLike) -> Array:
    """Fills one piece of the groups after the other.

    Each turn of the loop gives every group of the piece so many candidates that it is rarely not
    full; if that happens, the next turn stays at this piece.
    """
    if groups == 0:
        return jnp.zeros((0,), dtype)
    size = normals_per_block(dtype)
    ahead = 3 if dtype == np.float64 else 2
    pieces = -(-groups // XLA_PIECE)
    piece = -(-groups // pieces)
    number_type = jnp.float64 if dtype == np.float64 else jnp.float32

    def draw(first_group: Array, first_block: Array) -> list[Any]:
        """Returns rows that `numbers_of` turns into the next numbers of each group."""
        group = first_group + jnp.arange(piece, dtype=jnp.uint64)
        block = first_block + jnp.arange(ahead, dtype=jnp.uint64)
        group, block = jnp.tile(group, ahead), jnp.repeat(block, piece)
        parts = _group_blocks(jnp, stream, group, block, dtype)
        if dtype == np.float64:
            return [part.reshape(ahead, piece) for part in normal_doubles(jnp, parts)]
        parts = [part.reshape(ahead, 1, piece) for part in parts]
        pairs = normal_pairs(jnp, jnp.concatenate(parts, axis=1).reshape(-1))
        return [pairs.reshape(2 * ahead, piece)]

    def numbers_of(row: list[Any]) -> list[Any]:
        if dtype == np.float64:
            return row
        return [half.astype(jnp.uint32).view(jnp.float32) for half in (row[0], row[0] >> 32)]

    def turn(state: tuple[Any, ...]) -> tuple[Any, ...]:
        result, done, block, chosen, filled = state
        drawn = draw(done * piece, block)

        def choose(index: int, state: tuple[Any, Any]) -> tuple[Any, Any]:
            chosen, filled = state
            slot = jnp.arange(size, dtype=jnp.int32)[:, None]
            for number in numbers_of([rows[index] for rows in drawn]):
                accepted = abs(number) < TRUNCATION
                chosen = jnp.where(accepted & (filled == slot), number, chosen)
                filled = filled + accepted
            return chosen, filled

        # A loop, because XLA would recompute unrolled rows for each of their uses.
        chosen, filled = lax.fori_loop(0, len(drawn[0]), choose, (chosen, filled))
        full = (filled >= size).all()
        result = lax.dynamic_update_slice(result, chosen, (jnp.zeros_like(done), done * piece))
        return (
            result,
            done + full.astype(done.dtype),
            jnp.where(full, 0, block + ahead).astype(block.dtype),
            chosen,
            jnp.where(full, 0, filled).astype(filled.dtype),
        )

    start = (
        jnp.zeros((size, pieces * piece), number_type),
        jnp.zeros((), jnp.uint64),
        jnp.zeros((), jnp.uint64),
        jnp.zeros((size, piece), number_type),
        jnp.zeros((piece,), jnp.int32),
    )
    result = lax.while_loop(lambda state: state[1] < pieces, turn, start)[0]
    return result.T.reshape(-1)


def lowest(dtype: np.dtype) -> np.ndarray:
    """Returns the lowest finite value of a dtype, as a scalar of it."""
    info = np.iinfo if np.issubdtype(dtype, np.integer) else ml_dtypes.finfo
    return np.asarray(info(dtype).min, dtype)
