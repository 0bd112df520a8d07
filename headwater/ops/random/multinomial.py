"""Draws of class numbers: Multinomial, StatelessMultinomial and their functions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from headwater.base import dtypes
from headwater.base.dtypes import DType
from headwater.base.typing import Array, ArrayModule, DTypeLike, Shape, TensorLike
from headwater.graph import (
    NOT_DIFFERENTIABLE,
    Sample,
    ShapeContext,
    Tensor,
    build,
    convert_to_tensor,
    export,
    name_scope,
    register_op,
)
from headwater.graph.seeds import op_seeds
from headwater.graph.shapes import show
from headwater.ops.random import arguments, distributions, seed_stream

ATTR_T = "{float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64}"


def shape_multinomial(c: ShapeContext) -> Shape:
    logits = c.with_rank("logits", 2)
    c.with_rank("num_samples", 0)
    count = c.value("num_samples")
    if count is not None and count < 0:
        c.fail(f"Dimension size, given by scalar input 1, must be non-negative but is {count}")
    return logits[0], None if count is None else int(count)


def draw_classes(xp: ArrayModule, state: Array, logits: Array, count: int) -> Array:
    """Draws `count` classes for each row of unnormalised logarithms of probabilities.

    A logarithm that is not finite stands for probability 0. The numbers are used up row by row.
    """
    rows = logits.shape[0]
    drawn = distributions.uniform(xp, state, rows * count, np.dtype(np.float64))
    return _classes_of(xp, logits, drawn.reshape(rows, count))


def _classes_of(xp: ArrayModule, logits: Array, drawn: Array) -> Array:
    """The classes that numbers of [0, 1) choose, of shape [rows, count]."""
    rows, count = drawn.shape
    classes = logits.shape[1]
    finite = xp.isfinite(logits)
    lowest = distributions.lowest(logits.dtype)
    top = xp.max(xp.where(finite, logits, lowest), axis=1, keepdims=True, initial=lowest)
    wide = xp.where(finite, logits.astype(xp.float64) - top.astype(xp.float64), -xp.inf)
    running = xp.cumsum(xp.exp(wide), axis=1)
    wanted = drawn * running[:, -1:]
    # The first class whose running total is above the number, by bisection.
    low, high = xp.zeros((rows, count), np.int64), xp.full((rows, count), classes)
    for _ in range(classes.bit_length()):
        middle = (low + high) // 2
        total = xp.take_along_axis(running, xp.minimum(middle, classes - 1), axis=1)
        right = (middle < high) & (total <= wanted)
        low, high = xp.where(right, middle + 1, low), xp.where(right, high, middle)
    return low


def kernel_multinomial(
    xp: ArrayModule, logits: Array, num_samples: np.ndarray, *, output_dtype: DType, state: Array
) -> tuple[Any, Any]:
    count = _sample_count(logits, num_samples)
    if not count or not logits.shape[0]:
        return xp.zeros((logits.shape[0], count), output_dtype.numpy_dtype), state
    classes = draw_classes(xp, state, logits, count)
    # A draw takes two words; the draws of a row are rounded up to whole blocks.
    reserved = 2 * logits.shape[0] * -(-count // 4) * 4
    return classes.astype(output_dtype.numpy_dtype), arguments.advance(xp, state, reserved)


def kernel_stateless_multinomial(
    xp: ArrayModule, logits: Array, num_samples: np.ndarray, seed: Array, *, output_dtype: DType
) -> Array:
    state = seed_stream.stream_of_seed(xp, seed)
    count = _sample_count(logits, num_samples)
    if not count or not logits.shape[0]:
        return xp.zeros((logits.shape[0], count), output_dtype.numpy_dtype)
    return draw_classes(xp, state, logits, count).astype(output_dtype.numpy_dtype)


def rows_of_stateless_multinomial(
    xp: ArrayModule,
    rows: Array,
    logits: Array,
    num_samples: np.ndarray,
    seed: Array,
    *,
    output_dtype: DType,
) -> Array:
    streams = seed_stream.streams_of_seeds(seed)
    count = _sample_count(logits[0], num_samples)
    size, batch, classes = logits.shape
    drawn = distributions.doubles_of_streams(streams, batch * count)
    found = _classes_of(np, logits.reshape(-1, classes), drawn.reshape(-1, count))
    return found.reshape(size, batch, count).astype(output_dtype.numpy_dtype)


def _sample_count(logits: Array, num_samples: np.ndarray) -> int:
    """Returns the number of draws per row, after the checks of the kernels."""
    if logits.ndim != 2:
        raise arguments.invalid(f"logits should be a matrix, got shape {show(logits.shape)}")
    if num_samples.ndim:
        raise arguments.invalid(
            f"num_samples should be a scalar, got shape {show(num_samples.shape)}"
        )
    if num_samples < 0:
        raise arguments.invalid(f"num_samples should be nonnegative, got {num_samples}")
    if not logits.shape[1]:
        raise arguments.invalid(f"num_classes should be positive, got {logits.shape[1]}")
    return int(num_samples)


def samples_multinomial() -> Iterator[Sample]:
    logits = np.array([[0.5, -1.0, 2.0], [0.0, 0.0, -np.inf]], np.float32)
    yield Sample(logits, np.int32(4), seed=1)
    yield Sample(logits.astype(np.float64), np.int32(0), output_dtype=dtypes.int32)
    yield Sample(logits[:0], np.int32(3))


def samples_stateless_multinomial() -> Iterator[Sample]:
    logits = np.array([[0.5, -1.0, 2.0], [0.0, 0.0, -np.inf]], np.float32)
    seed = np.array([3, -4], np.int64)
    yield Sample(logits, np.int32(4), seed)
    yield Sample(logits.astype(np.float16), np.int32(1), seed.astype(np.int32))
    yield Sample(logits[:0], np.int32(3), seed, output_dtype=dtypes.int32)


register_op(
    "Multinomial",
    inputs="logits: T, num_samples: int32",
    outputs="output: output_dtype",
    attrs=f"seed: int = 0, seed2: int = 0, T: {ATTR_T}, output_dtype: {{int32, int64}} = int64",
    shape=shape_multinomial,
    kernel=kernel_multinomial,
    gradient=NOT_DIFFERENTIABLE,
    concrete=("num_samples",),
    state=arguments.state_of,
    stateful=True,
    samples=samples_multinomial,
)


def shape_stateless_multinomial(c: ShapeContext) -> Shape:
    seed_stream.check_seed_shape(c)
    return shape_multinomial(c)


register_op(
    "StatelessMultinomial",
    inputs="logits: T, num_samples: int32, seed: Tseed",
    outputs="output: output_dtype",
    attrs=f"T: {ATTR_T}, Tseed: {{int32, int64}} = int64, output_dtype: {{int32, int64}} = int64",
    shape=shape_stateless_multinomial,
    kernel=kernel_stateless_multinomial,
    row_kernel=rows_of_stateless_multinomial,
    gradient=NOT_DIFFERENTIABLE,
    concrete=("num_samples",),
    samples=samples_stateless_multinomial,
)


@export("multinomial", "random.multinomial")
def multinomial(
    logits: TensorLike,
    num_samples: TensorLike,
    seed: int | None = None,
    name: str | None = None,
    output_dtype: DTypeLike | None = None,
) -> Tensor:
    """Draws class numbers, row by row.

    Args:
        logits: [rows, classes], logarithms of the probabilities up to a constant per row.
        num_samples: how many numbers are drawn for each row.
        seed: the op-level seed; see `tf.set_random_seed`.
        name: the name of the node.
        output_dtype: int32 or int64; None means int64.

    Returns:
        A tensor [rows, num_samples] of class numbers.
    """
    with name_scope(name, "multinomial", [logits]):
        return _categorical(logits, num_samples, output_dtype, seed)


@export("random.categorical")
def categorical(
    logits: TensorLike,
    num_samples: TensorLike,
    dtype: DTypeLike | None = None,
    seed: int | None = None,
    name: str | None = None,
) -> Tensor:
    """Draws class numbers, row by row.

    Args:
        logits: [rows, classes], logarithms of the probabilities up to a constant per row.
        num_samples: how many numbers are drawn for each row.
        dtype: int32 or int64; None means int64.
        seed: the op-level seed; see `tf.set_random_seed`.
        name: the name of the node.

    Returns:
        A tensor [rows, num_samples] of class numbers.
    """
    with name_scope(name, "categorical", [logits]):
        return _categorical(logits, num_samples, dtype, seed)


def _categorical(
    logits: TensorLike, num_samples: TensorLike, dtype: DType | None, seed: int | None
) -> Tensor:
    logits = convert_to_tensor(logits, name="logits")
    seeds = op_seeds(seed)
    return build.Multinomial(logits, num_samples, **seeds, output_dtype=dtype or dtypes.int64)


@export("random.stateless_multinomial", "contrib.stateless.stateless_multinomial")
def stateless_multinomial(
    logits: TensorLike,
    num_samples: TensorLike,
    seed: TensorLike,
    output_dtype: DTypeLike = dtypes.int64,
    name: str | None = None,
) -> Tensor:
    """Draws class numbers that depend on the arguments only.

    Args:
        logits: [rows, classes], logarithms of the probabilities up to a constant per row.
        num_samples: how many numbers are drawn for each row.
        seed: two integers.
        output_dtype: int32 or int64.
        name: the name of the node.

    Returns:
        A tensor [rows, num_samples] of class numbers.
    """
    with name_scope(name, "stateless_multinomial", [logits, seed]):
        return _stateless_categorical(logits, num_samples, seed, output_dtype)


@export("random.stateless_categorical")
def stateless_categorical(
    logits: TensorLike,
    num_samples: TensorLike,
    seed: TensorLike,
    dtype: DTypeLike = dtypes.int64,
    name: str | None = None,
) -> Tensor:
    """Draws class numbers that depend on the arguments only.

    Args:
        logits: [rows, classes], logarithms of the probabilities up to a constant per row.
        num_samples: how many numbers are drawn for each row.
        seed: two integers.
        dtype: int32 or int64.
        name: the name of the node.

    Returns:
        A tensor [rows, num_samples] of class numbers.
    """
    with name_scope(name, "stateless_categorical", [logits, seed]):
        return _stateless_categorical(logits, num_samples, seed, dtype)


def _stateless_categorical(
    logits: TensorLike, num_samples: TensorLike, seed: TensorLike, dtype: DType
) -> Tensor:
    logits = convert_to_tensor(logits, name="logits")
    return build.StatelessMultinomial(logits, num_samples, seed, output_dtype=dtype or dtypes.int64)
