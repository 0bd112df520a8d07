"""Pooling over windows of random sizes, with its gradients.

Source: B. Graham, "Fractional Max-Pooling", 2014.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import product
from typing import Any

import numpy as np

from headwater.base import errors
from headwater.base.typing import Array, ArrayModule, Shape, TensorLike
from headwater.graph import (
    Operation,
    Sample,
    ShapeContext,
    Tensor,
    build,
    export,
    register_op,
    shapes,
)
from headwater.graph.seeds import get_seed
from headwater.ops.random import distributions, philox
from headwater.ops.random.permutation import permutation

_ATTRS = (
    "pooling_ratio: list(float) >= 4, pseudo_random: bool = false, overlapping: bool = false, "
    "deterministic: bool = false, seed: int = 0, seed2: int = 0, T: {float, double, int32, int64}"
)
_OUTPUTS = "output: T, row_pooling_sequence: int64, col_pooling_sequence: int64"
_GRAD_ATTRS = "overlapping: bool = false, T: {float, double, int32, int64}"


def _invalid(text: str) -> errors.InvalidArgumentError:
    return errors.InvalidArgumentError(None, None, text)


def _boundaries(
    xp: ArrayModule, state: Array, size: int, count: int, pseudo_random: bool
) -> tuple[Any, Any]:
    """Where the windows along an axis begin.

    Args:
        xp: NumPy or jax.numpy.
        state: the random stream.
        size: the length of the axis.
        count: the number of windows, whose lengths are k and k + 1 for k = size // count.
        pseudo_random: whether window i begins at ceil(size / count * (i + u)) - 1, with one random
            number u; otherwise the lengths are a random permutation.

    Returns:
        int64[count + 1], which ends with `size`, and the state afterwards.
    """
    k = size // count
    if pseudo_random:
        ratio = size / count
        # With a larger u the first window would be longer than k + 1, or the last shorter than k.
        limit = min((k + 2) / ratio - 1, (size + 1 - k) / ratio - (count - 1))
        u = distributions.uniform(xp, state, 1, np.dtype(np.float64)) * limit
        inner = xp.ceil(ratio * (np.arange(1, count, dtype=np.float64) + u)).astype(np.int64) - 1
        ends = np.array([0], np.int64), np.array([size], np.int64)
        return xp.concatenate([ends[0], inner, ends[1]]), philox.skip(xp, state, 1)
    longer = size % count
    lengths = np.repeat(np.array([k + 1, k], np.int64), [longer, count - longer])
    if count > 1:
        lengths = xp.asarray(lengths)[permutation(xp, state, count)]
    sums = xp.cumsum(lengths, dtype=np.int64)
    return (
        xp.concatenate([np.zeros(1, np.int64), sums]),
        philox.skip(xp, state, -(-count // 4)),
    )


def _elements(
    xp: ArrayModule, boundaries: Array, size: int, count: int, overlapping: bool
) -> tuple[list[Any], list[Any]]:
    """For each element of a window, its position in all windows, and whether it exists."""
    first = boundaries[:-1]
    last = boundaries[1:] if overlapping else boundaries[1:] - 1
    last = xp.minimum(last, size - 1)
    longest = min(size // count + 1 + bool(overlapping), size)
    positions = [first + np.int64(i) for i in range(longest)]
    inside = [position <= last for position in positions]
    return [xp.minimum(p, size - 1) for p in positions], inside


def _pool(
    xp: ArrayModule, x: Array, boundaries: Sequence[Any], overlapping: bool, mean: bool
) -> Array:
    for axis, bounds in zip((1, 2), boundaries):
        count = bounds.shape[0] - 1
        shape = [1] * 4
        shape[axis] = count
        positions, inside = _elements(xp, bounds, x.shape[axis], count, overlapping)
        total: Array = None
        for position, valid in zip(positions, inside):
            part = xp.take(x, position, axis=axis)
            valid = valid.reshape(shape)
            if total is None:
                total = part
            elif mean:
                total = total + xp.where(valid, part, np.zeros((), x.dtype))
            else:
                total = xp.where(valid & (part > total), part, total)
        x = total
    return x


def _counts(
    xp: ArrayModule, boundaries: Sequence[Any], sizes: Sequence[int], overlapping: bool
) -> Array:
    """The number of elements of every window, int64[1, rows, columns, 1]."""
    rows, columns = (
        xp.minimum(bounds[1:] if overlapping else bounds[1:] - 1, size - 1) - bounds[:-1] + 1
        for bounds, size in zip(boundaries, sizes)
    )
    return rows.reshape(1, -1, 1, 1) * columns.reshape(1, 1, -1, 1)


def _truncated(xp: ArrayModule, total: Array, counts: Array) -> Any:
    """Integer quotients, rounded towards 0."""
    return xp.sign(total) * (xp.abs(total) // counts)


def _fractional_pool(
    xp: ArrayModule,
    x: Array,
    pooling_ratio: list[float],
    pseudo_random: bool,
    overlapping: bool,
    deterministic: bool,
    state: Array,
    mean: bool,
) -> tuple[Any, ...]:
    if x.ndim != 4:
        name = "avg" if mean else "max"
        raise _invalid(f"fractional_{name}_pool requires 4-dimensional inputs")
    if pooling_ratio[0] != 1 or pooling_ratio[3] != 1:
        raise errors.UnimplementedError(
            None,
            None,
            f"Fractional {'average' if mean else 'max'} pooling is not yet supported on the batch "
            "nor channel dimension.",
        )
    advanced = state
    boundaries = []
    for axis in (1, 2):
        count = int(x.shape[axis] / pooling_ratio[axis])
        if count <= 0:
            raise _invalid(f"Window {pooling_ratio[axis]} is larger than the input")
        bounds, advanced = _boundaries(xp, advanced, x.shape[axis], count, pseudo_random)
        boundaries.append(bounds)
    y = _pool(xp, x, boundaries, overlapping, mean)
    if mean:
        counts = _counts(xp, boundaries, x.shape[1:3], overlapping).astype(y.dtype)
        y = _truncated(xp, y, counts) if y.dtype.kind == "i" else y / counts
    return (y, *boundaries), state if deterministic else advanced


def kernel_fractional_max_pool(
    xp: ArrayModule,
    x: Array,
    *,
    pooling_ratio: list[float],
    pseudo_random: bool,
    overlapping: bool,
    deterministic: bool,
    seed: int,
    seed2: int,
    state: Array,
) -> tuple[Any, ...]:
    return _fractional_pool(
        xp, x, pooling_ratio, pseudo_random, overlapping, deterministic, state, False
    )


def kernel_fractional_avg_pool(
    xp: ArrayModule,
    x: Array,
    *,
    pooling_ratio: list[float],
    pseudo_random: bool,
    overlapping: bool,
    deterministic: bool,
    seed: int,
    seed2: int,
    state: Array,
) -> tuple[Any, ...]:
    return _fractional_pool(
        xp, x, pooling_ratio, pseudo_random, overlapping, deterministic, state, True
    )


def _grids(
    xp: ArrayModule, shape: Sequence[int], boundaries: Sequence[Any], overlapping: bool
) -> Iterator[Any]:
    """Yields rows, columns and existence of each element of the windows."""
    rows, columns = (
        list(zip(*_elements(xp, bounds, size, bounds.shape[0] - 1, overlapping)))
        for bounds, size in zip(boundaries, shape[1:3])
    )
    for (row, row_inside), (column, column_inside) in product(rows, columns):
        inside = row_inside.reshape(1, -1, 1, 1) & column_inside.reshape(1, 1, -1, 1)
        yield row, column, inside


def _add_at(xp: ArrayModule, total: Array, row: Array, column: Array, values: Array) -> Array:
    where: tuple[Any, ...] = (slice(None), row[:, None], column[None, :])
    if xp is np:
        np.add.at(total, where, values)
        return total
    return total.at[where].add(values)


def kernel_fractional_max_pool_grad(
    xp: ArrayModule, x: Array, y: Array, g: Array, rows: Array, columns: Array, *, overlapping: bool
) -> Array:
    boundaries = (rows, columns)
    best = number = None
    grids = list(_grids(xp, x.shape, boundaries, overlapping))
    for i, (row, column, inside) in enumerate(grids):
        part = xp.take(xp.take(x, row, axis=1), column, axis=2)
        if best is None:
            best, number = part, xp.zeros(part.shape, np.int32)
            continue
        better = inside & (part > best)
        best = xp.where(better, part, best)
        number = xp.where(better, np.int32(i), number)
    total = xp.zeros(x.shape, g.dtype)
    for i, (row, column, _) in enumerate(grids):
        part = xp.where(number == np.int32(i), g, np.zeros((), g.dtype))
        total = _add_at(xp, total, row, column, part)
    return total


def kernel_fractional_avg_pool_grad(
    xp: ArrayModule, shape: np.ndarray, g: Array, rows: Array, columns: Array, *, overlapping: bool
) -> Array:
    sizes = [int(size) for size in shape]
    boundaries = (rows, columns)
    counts = _counts(xp, boundaries, sizes[1:3], overlapping)
    share = g.astype(np.float64) / counts.astype(np.float64)
    total = xp.zeros(sizes, np.float64)
    for row, column, inside in _grids(xp, sizes, boundaries, overlapping):
        total = _add_at(xp, total, row, column, xp.where(inside, share, np.float64(0)))
    return total.astype(g.dtype)


def shape_fractional_pool(c: ShapeContext) -> list[Shape]:
    x = c.with_rank("value", 4)
    ratio = c.attr("pooling_ratio")
    if len(ratio) != 4:
        c.fail("pooling_ratio field must specify 4 dimensions")
    sizes: list[int | None] = []
    for size, r in zip(x, ratio):
        if not r:
            c.fail("pooling_ratio cannot be zero")
        if size is not None and int(size / r) < 0:
            c.fail(f"Size computed for dim is negative: {int(size / r)}")
        sizes.append(None if size is None else int(size / r))
    lengths = [None if size is None else size + 1 for size in sizes[1:3]]
    return [tuple(sizes), (lengths[0],), (lengths[1],)]


def shape_avg_pool_grad(c: ShapeContext) -> Shape:
    sizes = c.value_as_shape("orig_input_tensor_shape")
    return (None,) * 4 if sizes is None else sizes


def gradient_fractional_max_pool(op: Operation, grad: TensorLike, *_: Tensor | None) -> Tensor:
    return build.FractionalMaxPoolGrad(
        op.inputs[0], op.outputs[0], grad, *op.outputs[1:], overlapping=op._attrs["overlapping"]
    )


def gradient_fractional_avg_pool(op: Operation, grad: TensorLike, *_: Tensor | None) -> Tensor:
    shape = build.Shape(op.inputs[0], out_type="int64")
    return build.FractionalAvgPoolGrad(
        shape, grad, *op.outputs[1:], overlapping=op._attrs["overlapping"]
    )


def _state_of(attrs: dict[str, Any]) -> np.ndarray:
    return philox.initial_stream(attrs["seed"], attrs["seed2"])


def samples_fractional_pool() -> Iterator[Sample]:
    x = np.random.RandomState(3).permutation(2 * 7 * 8 * 2).reshape(2, 7, 8, 2)
    for overlapping, pseudo_random in product((False, True), repeat=2):
        yield Sample(
            x.astype(np.float32), pooling_ratio=[1.0, 1.4, 2.0, 1.0], pseudo_random=pseudo_random,
            overlapping=overlapping, deterministic=True, seed=3, seed2=5, gradient=(),
        )  # fmt: skip


def _register_fractional_pool(
    name: str, kernel: Callable[..., Any], gradient: Callable[..., Any]
) -> None:
    register_op(
        name,
        inputs="value: T",
        outputs=_OUTPUTS,
        attrs=_ATTRS,
        shape=shape_fractional_pool,
        kernel=kernel,
        gradient=gradient,
        state=_state_of,
        samples=samples_fractional_pool,
    )


_register_fractional_pool(
    "FractionalMaxPool", kernel_fractional_max_pool, gradient_fractional_max_pool
)
_register_fractional_pool(
    "FractionalAvgPool", kernel_fractional_avg_pool, gradient_fractional_avg_pool
)
register_op(
    "FractionalMaxPoolGrad",
    inputs=(
        "orig_input: T, orig_output: T, out_backprop: T, row_pooling_sequence: int64, "
        "col_pooling_sequence: int64"
    ),
    outputs="output: T",
    attrs=_GRAD_ATTRS,
    shape=shapes.like_first_of_rank(4),
    kernel=kernel_fractional_max_pool_grad,
)
register_op(
    "FractionalAvgPoolGrad",
    inputs=(
        "orig_input_tensor_shape: int64, out_backprop: T, row_pooling_sequence: int64, "
        "col_pooling_sequence: int64"
    ),
    outputs="output: T",
    attrs=_GRAD_ATTRS,
    shape=shape_avg_pool_grad,
    kernel=kernel_fractional_avg_pool_grad,
    concrete=("orig_input_tensor_shape",),
)


@export("nn.fractional_max_pool")
def fractional_max_pool(
    value: TensorLike,
    pooling_ratio: TensorLike,
    pseudo_random: bool = False,
    overlapping: bool = False,
    deterministic: bool = False,
    seed: int = 0,
    seed2: int = 0,
    name: str | None = None,
) -> tuple[Tensor, ...]:
    """The maximum over windows whose sizes are random.

    Args:
        value: images, ``[N, H, W, C]``.
        pooling_ratio: by what each dimension shrinks; 1 for the first and the last.
        pseudo_random: whether the windows follow from one random number per axis.
        overlapping: whether neighbouring windows share their boundary.
        deterministic: whether every run has the same windows.
        seed: the first seed; 0 unless `deterministic`.
        seed2: the second seed.
        name: the name of the op.

    Returns:
        (maxima, where the windows begin along the rows, and along the columns).
    """
    return build.FractionalMaxPool(
        value,
        pooling_ratio=pooling_ratio,
        pseudo_random=pseudo_random,
        overlapping=overlapping,
        deterministic=deterministic,
        seed=seed,
        seed2=seed2,
        name=name,
    )


@export("nn.fractional_avg_pool")
def fractional_avg_pool(
    value: TensorLike,
    pooling_ratio: TensorLike,
    pseudo_random: bool = False,
    overlapping: bool = False,
    deterministic: bool = False,
    seed: int = 0,
    seed2: int = 0,
    name: str | None = None,
) -> tuple[Tensor, ...]:
    """The mean over windows whose sizes are random.

    Args:
        value: images, ``[N, H, W, C]``.
        pooling_ratio: by what each dimension shrinks; 1 for the first and the last.
        pseudo_random: whether the windows follow from one random number per axis.
        overlapping: whether neighbouring windows share their boundary.
        deterministic: whether every run has the same windows.
        seed: the first seed; 0 unless `deterministic`.
        seed2: the second seed.
        name: the name of the op.

    Returns:
        (means, where the windows begin along the rows, and along the columns).
    """
    return build.FractionalAvgPool(
        value,
        pooling_ratio=pooling_ratio,
        pseudo_random=pseudo_random,
        overlapping=overlapping,
        deterministic=deterministic,
        seed=seed,
        seed2=seed2,
        name=name,
    )


def fractional_max_pool_v2(
    value: TensorLike,
    pooling_ratio: float | Sequence[float],
    pseudo_random: bool = False,
    overlapping: bool = False,
    seed: int = 0,
    name: str | None = None,
) -> tuple[Tensor, ...]:
    """The maximum over windows whose sizes are random.

    Args:
        value: images, ``[N, H, W, C]``.
        pooling_ratio: by what height and width shrink: one number, two, or one per dimension.
        pseudo_random: whether the windows follow from one random number per axis.
        overlapping: whether neighbouring windows share their boundary.
        seed: the seed, with which every run has the same windows; 0 for none.
        name: the name of the op.

    Returns:
        (maxima, where the windows begin along the rows, and along the columns).

    Raises:
        ValueError: if there are other numbers of ratios.
    """
    ratios = [pooling_ratio] if isinstance(pooling_ratio, (int, float)) else list(pooling_ratio)
    if len(ratios) not in (1, 2, 4):
        raise ValueError(f"pooling_ratio should be of length 1, 2 or 4 but was {len(ratios)}")
    if len(ratios) < 4:
        ratios = [1.0, ratios[0], ratios[-1], 1.0]
    return fractional_max_pool(
        value, ratios, pseudo_random, overlapping, **_fixed_windows(seed), name=name
    )


def fractional_avg_pool_v2(
    value: TensorLike,
    pooling_ratio: Sequence[float],
    pseudo_random: bool = False,
    overlapping: bool = False,
    seed: int = 0,
    name: str | None = None,
) -> tuple[Tensor, ...]:
    """The mean over windows whose sizes are random.

    Args:
        value: images, ``[N, H, W, C]``.
        pooling_ratio: by what each dimension shrinks; 1 for the first and the last.
        pseudo_random: whether the windows follow from one random number per axis.
        overlapping: whether neighbouring windows share their boundary.
        seed: the seed, with which every run has the same windows; 0 for none.
        name: the name of the op.

    Returns:
        (means, where the windows begin along the rows, and along the columns).
    """
    return fractional_avg_pool(
        value, pooling_ratio, pseudo_random, overlapping, **_fixed_windows(seed), name=name
    )


def _fixed_windows(seed: int) -> dict[str, Any]:
    """The arguments of the first forms that stand for a seed of the second."""
    seed1, seed2 = get_seed(seed) if seed else (0, 0)
    return {"deterministic": seed != 0, "seed": seed1, "seed2": seed2}
