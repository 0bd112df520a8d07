"""What the random ops have in common: their state, the shape they are asked for, its checks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from headwater.base import errors
from headwater.base.checks import require
from headwater.base.typing import Array, ArrayModule, Shape
from headwater.graph import ShapeContext
from headwater.graph.shapes import show
from headwater.ops.random import philox, rejection


def state_of(attrs: dict[str, Any]) -> np.ndarray:
    """Returns the state of a random op before its first run."""
    return philox.initial_stream(attrs["seed"], attrs["seed2"])


def advance(xp: ArrayModule, state: Array, count: int) -> Array:
    """Returns the state after a run that returned `count` numbers."""
    return philox.skip(xp, state, count * philox.RESERVED_PER_OUTPUT)


def numbers_in_rows(
    draw: Callable[[Any, int], Array],
    per_block: int,
    rows: Array,
    shape: np.ndarray,
    state: np.ndarray,
    reserved: int = 1,
) -> tuple[Array, np.ndarray]:
    """What a random op returns in several runs, and its state after them.

    Args:
        draw: makes so many numbers of a stream.
        per_block: how many numbers are made of one block.
        rows: the number of runs, in a vector.
        shape: the shape of the numbers of one run.
        state: the state before.
        reserved: how many blocks of a stream belong to the numbers of one.
    """
    sizes = sizes_of(shape)
    count, size = int(rows[0]), count_of(sizes)
    used = -(-size // per_block)
    streams = philox.RowStreams(state, max(1, used * reserved), size * philox.RESERVED_PER_OUTPUT)
    numbers = draw(streams, count * used * per_block).reshape(count, used * per_block)
    return numbers[:, :size].reshape(count, *sizes), advance(np, state, count * size)


def shape_of_vector(c: ShapeContext) -> Shape:
    """The output has the shape that the input `shape` describes."""
    c.with_rank("shape", 1)
    return c.value_as_shape("shape")


def invalid(text: str) -> errors.InvalidArgumentError:
    """Returns the error of an argument that does not fit."""
    return errors.InvalidArgumentError(None, None, text)


def sizes_of(shape: np.ndarray) -> tuple[int, ...]:
    """Returns the output shape as integers.

    Raises:
        InvalidArgumentError: if `shape` is not a vector or has a negative element.
    """
    if shape.ndim != 1:
        raise invalid(f"shape must be a vector of {{int32,int64}}, got shape {show(shape.shape)}")
    for size in shape:
        if size < 0:
            raise invalid(f"Dimension {size} must be >= 0")
    return tuple(int(size) for size in shape)


def count_of(sizes: tuple[int, ...]) -> int:
    """Returns the number of elements of a shape."""
    return int(np.prod(sizes, dtype=np.int64))


def check_bounds(xp: ArrayModule, minval: Array, maxval: Array, count: int) -> None:
    """Checks the bounds of random integers, which only matter if some are wanted.

    Raises:
        InvalidArgumentError: if a bound is not a scalar or the range is empty.
    """
    for name, bound in (("minval", minval), ("maxval", maxval)):
        if bound.ndim:
            raise invalid(f"{name} must be 0-D, got shape {show(bound.shape)}")
    if count:

        def error() -> Exception:
            return invalid(f"Need minval < maxval, got {minval} >= {maxval}")

        require(xp, minval < maxval, error)


def shape_and_parameters(c: ShapeContext, name: str) -> Shape:
    """The output has the shape that `shape` describes, followed by that of the parameters."""
    c.with_rank("shape", 1)
    sizes, parameters = c.value_as_shape("shape"), c.shape(name)
    if sizes is None or parameters is None:
        return None
    return sizes + parameters


def per_parameter(xp: ArrayModule, sizes: tuple[int, ...], parameters: Array) -> tuple[Any, Any]:
    """Returns the stream of each output, and its parameter as float64; both are flat."""
    samples = count_of(sizes)
    wide = xp.tile(parameters.astype(xp.float64).reshape(-1), samples)
    return rejection.streams(xp, samples, parameters.size), wide
