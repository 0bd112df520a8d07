"""The largest elements of rows: TopK, TopKV2, NthElement."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from headwater.base.checks import fail
from headwater.base.lazy import lax
from headwater.base.typing import Array, ArrayModule, NestedTensors, Shape, TensorLike
from headwater.graph import (
    Operation,
    Sample,
    Tensor,
    build,
    constant_node,
    convert_to_tensor,
    export,
    name_scope,
    register_op,
    shape_tensor,
    shapes,
)

# If k > 1 is more than 1/16 of the row length, the whole row is sorted.
_SHARE_SORTED = 16


def _constant_size(c: shapes.ShapeContext, name: str) -> int | None:
    """The value of a scalar input if it is known."""
    shape, value = c.shape(name), c.value(name)
    if shape is not None and len(shape) != 0:
        c.fail(f"Input must be scalar but has rank {len(shape)}")
    if value is None:
        return None
    if value < 0:
        c.fail(f"Dimension size, given by scalar input 1, must be non-negative but is {int(value)}")
    return int(value)


def _shape_top_k(c: shapes.ShapeContext, k: int | None) -> list[Shape]:
    shape = c.shape("input")
    if shape is None:
        return [None, None]
    last = shape[-1]
    if k is not None and last is not None and last < k:
        c.fail(f"input must have last dimension >= k = {k} but is {last}")
    result = (*shape[:-1], k)
    return [result, result]


def shape_top_k(c: shapes.ShapeContext) -> list[Shape]:
    c.with_rank_at_least("input", 1)
    return _shape_top_k(c, c.attr("k"))


def shape_top_k_v2(c: shapes.ShapeContext) -> list[Shape]:
    c.with_rank_at_least("input", 1)
    return _shape_top_k(c, _constant_size(c, "k"))


def shape_nth_element(c: shapes.ShapeContext) -> Shape:
    shape = c.with_rank_at_least("input", 1)
    n = _constant_size(c, "n")
    if shape is None:
        return None
    if n is not None and shape[-1] is not None and shape[-1] <= n:
        c.fail(f"Input must have last dimension > n = {n} but is {shape[-1]}")
    return shape[:-1]


def _sorted(xp: ArrayModule, x: Array, k: int) -> tuple[Array, Array]:
    """The same for large k: XLA sorts single integers far faster than pairs."""
    bits = lax.bitcast_convert_type(x, np.uint32)
    highest = np.uint32(0x7FFFFFFF)
    falling = xp.where(bits > highest, bits, highest - bits).astype(np.uint64)
    positions = lax.broadcasted_iota(np.uint64, x.shape, x.ndim - 1)
    keys = lax.sort(falling << np.uint64(32) | positions, is_stable=False)[..., :k]
    indices = (keys & np.uint64(0xFFFFFFFF)).astype(np.int32)
    return xp.take_along_axis(x, indices, axis=-1), indices


def kernel_top_k(xp: ArrayModule, x: Array, *, k: int) -> tuple[Array, ...]:
    if x.ndim < 1:
        fail(f"input must be >= 1-D, got shape {shapes.show(x.shape)}")
    if k < 0:
        fail(f"Need k >= 0, got {k}")
    if x.shape[-1] < k:
        fail(f"input must have at least k columns. Had {x.shape[-1]}, needed {k}")
    if k == 1 and x.shape[-1] and x.dtype.kind not in "iub":
        return _largest(xp, x)
    if xp is not np and x.dtype == np.float32 and k * _SHARE_SORTED > x.shape[-1]:
        return _sorted(xp, x, k)
    if xp is not np:
        values, indices = lax.top_k(x, k)
        return values, indices.astype(np.int32)
    # Sorted backwards, so that of equal elements the first one comes first.
    order = np.argsort(x[..., ::-1], axis=-1, kind="stable")[..., ::-1][..., :k]
    indices = x.shape[-1] - 1 - order
    return np.take_along_axis(x, indices, axis=-1), indices.astype(np.int32)


def _largest(xp: ArrayModule, x: Array) -> tuple[Array, ...]:
    """The largest of each row, without NaN if there is something else."""
    lowest = x.dtype.type(-np.inf)
    largest = xp.max(xp.where(xp.isnan(x), lowest, x), axis=-1, keepdims=True)
    indices = xp.argmax(x == largest, axis=-1, keepdims=True)
    return xp.take_along_axis(x, indices, axis=-1), indices.astype(np.int32)


def kernel_top_k_v2(xp: ArrayModule, x: Array, k: Array) -> tuple[Array, ...]:
    if k.ndim != 0:
        fail(f"k must be scalar, got shape {shapes.show(k.shape)}")
    return kernel_top_k(xp, x, k=int(k))


def kernel_nth_element(xp: ArrayModule, x: Array, n: Array, *, reverse: bool) -> Array:
    if n.ndim != 0:
        fail(f"N must be scalar but has rank {n.ndim}")
    if n < 0:
        fail(f"n must be non-negative but is {int(n)}")
    if x.ndim < 1:
        fail("Input must be >= 1-D")
    if x.shape[-1] <= n:
        fail("Input must have at least n+1 columns")
    place = x.shape[-1] - 1 - int(n) if reverse else int(n)
    return xp.sort(x, axis=-1)[..., place]


def gradient_top_k(op: Operation, grad: Tensor, _: Tensor | None) -> NestedTensors:
    shape = shape_tensor(op.inputs[0])
    indices_shape = shape_tensor(op.outputs[1])
    k = _last_dimension(indices_shape)
    rows = build.Reshape(op.outputs[1], convert_to_tensor([-1, k], name="stack"))
    columns = _last_dimension(shape)
    rows_shape: Tensor = shape_tensor(rows)
    count = build.Cast(rows_shape[0], DstT="int64")
    end = build.Mul(count, columns, name="mul")
    with name_scope(None, "range") as scope:
        start = build.Cast(constant_node(0, name="start"), DstT="int64")
        first = build.Range(start, end, columns, name=scope)
    first = build.Cast(build.ExpandDims(first, -1), DstT="int32")
    flat = build.Reshape(build.AddV2(rows, first, name="add"), [-1])
    places = build.ExpandDims(flat, -1)
    updates = build.Reshape(grad, [-1])
    size = build.Prod(shape, constant_node([0]))
    scattered = build.ScatterNd(places, updates, [size])
    result = build.Reshape(scattered, shape)
    if op.type == "TopK":
        return result
    return result, constant_node(0, name="zeros")


def _last_dimension(shape: Tensor) -> Tensor:
    wide = build.Cast(shape, DstT="int64")
    rank = shape.shape[0].value
    size = build.Size(shape) if rank is None else constant_node(rank, name="Size")
    return build.GatherV2(wide, build.Sub(size, 1, name="sub"), 0)


def gradient_nth_element(op: Operation, grad: Tensor) -> tuple[Tensor | None, ...]:
    chosen = build.Equal(build.ExpandDims(op.outputs[0], -1), op.inputs[0])
    chosen = build.Cast(chosen, DstT=grad.dtype)
    grad = build.ExpandDims(grad, -1)
    count = build.ExpandDims(build.Sum(chosen, -1), -1)
    return build.Mul(build.RealDiv(chosen, count, name="div"), grad, name="mul"), None


def reference_top_k(x: Array, *, k: int) -> tuple[np.ndarray, np.ndarray]:
    values = np.empty((*x.shape[:-1], k), x.dtype)
    indices = np.empty((*x.shape[:-1], k), np.int32)
    for place in np.ndindex(x.shape[:-1]):
        row = x[place].tolist()
        order = sorted(range(len(row)), key=lambda i, row=row: (-row[i], i))[:k]  # type: ignore[misc]
        indices[place] = order
        values[place] = x[place][order]
    return values, indices


def reference_top_k_v2(x: Array, k: Array) -> tuple[np.ndarray, np.ndarray]:
    return reference_top_k(x, k=int(k))


def reference_nth_element(x: Array, n: Array, *, reverse: bool) -> Array:
    part = np.partition(x, (x.shape[-1] - 1 - int(n)) if reverse else int(n), axis=-1)
    return part[..., -1 - int(n)] if reverse else part[..., int(n)]


_ROWS = np.array([[1.5, 3.0, -2.0, 3.0, 0.5], [0.0, -1.0, 7.0, 2.0, -3.0]], np.float32)
_DISTINCT = np.array([[1.5, 3.0, -2.0, 3.5, 0.5], [0.0, -1.0, 7.0, 2.0, -3.0]], np.float32)


def samples_top_k() -> Iterator[Sample]:
    yield Sample(_ROWS, k=3, gradient=())
    yield Sample(_DISTINCT, k=2)


def samples_top_k_v2() -> Iterator[Sample]:
    yield Sample(_ROWS, np.int32(3), gradient=())
    yield Sample(_DISTINCT, np.int32(2), gradient=(0,))
    yield Sample(_DISTINCT[0].astype(np.float64), np.int32(5), gradient=(0,))
    yield Sample(_DISTINCT.reshape(2, 1, 5), np.int32(1), gradient=(0,))
    yield Sample(np.array([[1, 3, 2], [5, 5, 5]], np.int32), np.int32(2))
    yield Sample(_ROWS, np.int32(0), gradient=())


def samples_nth_element() -> Iterator[Sample]:
    yield Sample(_DISTINCT, np.int32(1), gradient=(0,))
    yield Sample(_DISTINCT, np.int32(0), reverse=True, gradient=(0,))
    yield Sample(np.array([4, 1, 3], np.int32), np.int32(2))


register_op(
    "TopK",
    inputs="input: T",
    outputs="values: T, indices: int32",
    attrs="k: int >= 0, sorted: bool = true, T: realnumbertype",
    shape=shape_top_k,
    kernel=kernel_top_k,
    gradient=gradient_top_k,
    reference=reference_top_k,
    samples=samples_top_k,
)
register_op(
    "TopKV2",
    inputs="input: T, k: int32",
    outputs="values: T, indices: int32",
    attrs="sorted: bool = true, T: realnumbertype",
    shape=shape_top_k_v2,
    kernel=kernel_top_k_v2,
    gradient=gradient_top_k,
    concrete=("k",),
    reference=reference_top_k_v2,
    samples=samples_top_k_v2,
)
register_op(
    "NthElement",
    inputs="input: T, n: int32",
    outputs="values: T",
    attrs="reverse: bool = false, T: realnumbertype",
    shape=shape_nth_element,
    kernel=kernel_nth_element,
    gradient=gradient_nth_element,
    concrete=("n",),
    reference=reference_nth_element,
    samples=samples_nth_element,
)


@export("nn.top_k", "math.top_k")
def top_k(
    input: TensorLike, k: TensorLike = 1, sorted: bool = True, name: str | None = None
) -> tuple[Tensor, ...]:
    """Returns the k largest elements of each row, and where they are.

    Of equal elements the one with the lower index comes first.

    Args:
        input: a tensor of real numbers, of rank 1 or more; rows are along the last axis.
        k: how many, an integer or int32 scalar.
        sorted: whether the order of the results matters; they are sorted in any case.
        name: the name of the node.

    Returns:
        A named tuple of `values` and `indices` (int32), both with k in the last axis.

    Raises:
        ValueError: if rows are known to have fewer than k elements.
    """
    return build.TopKV2(input, k, sorted=sorted, name=name)


@export("contrib.nn.nth_element")
def nth_element(
    input: TensorLike, n: TensorLike, reverse: bool = False, name: str | None = None
) -> Tensor:
    """Returns the element of each row that has n smaller ones.

    Args:
        input: a tensor of real numbers, of rank 1 or more; rows are along the last axis.
        n: an integer or int32 scalar, less than the length of a row.
        reverse: whether elements are counted from the largest one.
        name: the name of the node.

    Returns:
        A tensor without the last axis.

    Example:
        >>> print(tf.contrib.nn.nth_element([3.0, 1.0, 2.0], 0).eval())
        1.0
    """
    return build.NthElement(input, n, reverse=reverse, name=name)
