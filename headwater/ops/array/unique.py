"""Distinct elements and differences of lists: Unique, UniqueWithCounts, ListDiff."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from headwater.base import dtypes, errors, native
from headwater.base.dtypes import DType
from headwater.base.older_calls import inserted, is_no_type
from headwater.base.typing import Array, ArrayModule, DTypeLike, Shape, TensorLike
from headwater.graph import Sample, Tensor, build, export, register_op, shapes

# A range of so many numbers per element has a table of its own, for each number its first position.
_NUMBERS_PER_ELEMENT = 64


def _first_in_table(x: np.ndarray) -> tuple[np.ndarray, np.ndarray] | None:
    """As `_first_occurrences`, without sorting; None if the range of the integers is large."""
    most = _NUMBERS_PER_ELEMENT * len(x) + 1024
    # Negative numbers are large ones without a sign.
    count = int(np.maximum.reduce(x.view(f"u{x.itemsize}"))) + 1
    # NumPy takes no positions of 64 bits without a sign, and negative ones from the end.
    places = x.view("i8" if x.itemsize == 8 else f"u{x.itemsize}")
    if count > most:
        low = x.min()
        count = int(x.max()) - int(low) + 1
        if count > most:
            return None
        # Without a sign, differences that overflow are right.
        places = (x - low).view(f"u{x.itemsize}").astype(np.int64)
    positions = np.arange(len(x))
    table = np.empty(count, np.int64)
    # Of several positions the last one stays.
    table[places[::-1]] = positions[::-1]
    first = (table.take(places) == positions).nonzero()[0]
    if len(first) == len(x):
        return first, positions
    table[places.take(first)] = positions[: len(first)]
    return first, table.take(places)


def _first_occurrences(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Positions of the distinct rows in order of appearance, and for each row its number."""
    if x.ndim == 1 and x.dtype.kind in "iu" and x.size:
        found = _first_in_table(x)
        if found is not None:
            return found
    if x.ndim == 1:
        # Each NaN is a value of its own.
        _, first, inverse = np.unique(x, return_index=True, return_inverse=True, equal_nan=False)
    elif x.dtype == object:
        # NumPy does not sort rows of strings.
        numbers: dict[Any, int] = {}
        rows = [tuple(row) for row in x.reshape(len(x), -1).tolist()]
        rank = np.array([numbers.setdefault(row, len(numbers)) for row in rows], np.int64)
        return np.unique(rank, return_index=True)[1], rank
    else:
        matrix = x.reshape(len(x), -1)
        _, first, inverse = np.unique(matrix, return_index=True, return_inverse=True, axis=0)
    order = np.argsort(first, kind="stable")
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    return first[order], rank[inverse.ravel()]


def kernel_unique(xp: ArrayModule, x: np.ndarray, *, out_idx: DType) -> tuple[Array, ...]:
    kind = out_idx.numpy_dtype
    found = native.host().unique(x, out_idx.size)
    if found is not None:
        return tuple(found)
    first, index = _first_of_vector(x)
    return x.take(first), index.astype(kind)


def _first_of_vector(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    if x.ndim != 1:
        raise errors.InvalidArgumentError(None, None, "unique expects a 1D vector.")
    return _first_occurrences(x)


def kernel_unique_with_counts(
    xp: ArrayModule, x: np.ndarray, *, out_idx: DType
) -> tuple[Array, ...]:
    first, index = _first_of_vector(x)
    return _results(x.take(first), index, len(first), out_idx)


def _results(
    y: np.ndarray, index: np.ndarray, count: int, out_idx: DType
) -> tuple[np.ndarray, ...]:
    kind = out_idx.numpy_dtype
    return y, index.astype(kind), np.bincount(index, minlength=count).astype(kind)


def kernel_unique_v2(
    xp: ArrayModule, x: np.ndarray, axis: np.ndarray, *, out_idx: DType
) -> tuple[Array, Array]:
    y, index, _ = kernel_unique_with_counts_v2(xp, x, axis, out_idx=out_idx)
    return y, index


def kernel_unique_with_counts_v2(
    xp: ArrayModule, x: np.ndarray, axis: np.ndarray, *, out_idx: DType
) -> Any:
    if not axis.size:
        return kernel_unique_with_counts(xp, x, out_idx=out_idx)
    dim = int(axis.ravel()[0])
    if not -x.ndim <= dim < x.ndim:
        raise errors.InvalidArgumentError(None, None, f"axis has to be between [0, {x.ndim})")
    first, index = _first_occurrences(np.moveaxis(x, dim, 0))
    return _results(np.take(x, first, dim), index, len(first), out_idx)


def shape_unique(c: shapes.ShapeContext) -> list[Shape]:
    if len(c.record.schema.outputs) == 2 and c.shape("x") is not None:
        c.with_rank("x", 1)
    return [(None,), c.shape("x"), (None,)][: len(c.record.schema.outputs)]


def shape_unique_v2(c: shapes.ShapeContext) -> list[Shape]:
    # Along an axis, the distinct slices have the rank of the input; TensorFlow infers a vector.
    shape, axis = c.shape("x"), c.value("axis")
    y: tuple[int | None, ...] | None = (None,) if shape is not None and len(shape) == 1 else None
    index: Shape = (None,) if y is None and shape is not None else shape
    if axis is not None and not axis.size:
        y, index = (None,), shape
    elif shape is not None and axis is not None:
        dim = int(axis.ravel()[0])
        if -len(shape) <= dim < len(shape):
            dim %= len(shape)
            y, index = (*shape[:dim], None, *shape[dim + 1 :]), (shape[dim],)
    return [y, index, (None,)][: len(c.record.schema.outputs)]


def samples_unique() -> Iterator[Sample]:
    for kind in (np.int32, np.int64):
        yield Sample(np.array([3, 1, 3, 2, 1], np.int32), out_idx=kind)
        yield Sample(np.array([2.5, -1.0, 2.5]), out_idx=kind)
        yield Sample(np.array([b"b", b"a", b"b"], object), out_idx=kind)
        yield Sample(np.array([], np.float32), out_idx=kind)


def samples_unique_v2() -> Iterator[Sample]:
    x = np.array([[1, 2, 1], [1, 2, 1], [0, 5, 0]], np.int32)
    yield Sample(x, np.array([0], np.int64))
    yield Sample(x, np.array([1], np.int32), out_idx=np.int64)
    yield Sample(x[2], np.array([], np.int64))


def reference_unique_with_counts(
    x: np.ndarray, *, out_idx: DType
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    seen: dict[Any, int] = {}
    index = [seen.setdefault(value, len(seen)) for value in x.tolist()]
    kind = out_idx.numpy_dtype
    counts = [index.count(i) for i in range(len(seen))]
    return np.array(list(seen), x.dtype), np.array(index, kind), np.array(counts, kind)


def reference_unique(x: np.ndarray, *, out_idx: DType) -> tuple[np.ndarray, np.ndarray]:
    return reference_unique_with_counts(x, out_idx=out_idx)[:2]


_INDEX = "T: type, {}out_idx: {{int32, int64}} = int32"


def _register_unique(
    name: str, outputs: str, kernel: Callable[..., Any], reference: Callable[..., Any]
) -> None:
    register_op(
        name,
        inputs="x: T",
        outputs=outputs,
        attrs=_INDEX.format(""),
        shape=shape_unique,
        kernel=kernel,
        reference=reference,
        samples=samples_unique,
        dynamic_shape=True,
    )


_register_unique("Unique", "y: T, idx: out_idx", kernel_unique, reference_unique)
_register_unique(
    "UniqueWithCounts",
    "y: T, idx: out_idx, count: out_idx",
    kernel_unique_with_counts,
    reference_unique_with_counts,
)


def _register_unique_v2(name: str, outputs: str, kernel_v2: Callable[..., Any]) -> None:
    register_op(
        name,
        inputs="x: T, axis: Taxis",
        outputs=outputs,
        attrs=_INDEX.format("Taxis: {int32, int64} = int64, "),
        shape=shape_unique_v2,
        kernel=kernel_v2,
        samples=samples_unique_v2,
        dynamic_shape=True,
    )


_register_unique_v2("UniqueV2", "y: T, idx: out_idx", kernel_unique_v2)
_register_unique_v2(
    "UniqueWithCountsV2", "y: T, idx: out_idx, count: out_idx", kernel_unique_with_counts_v2
)


def shape_list_diff(c: shapes.ShapeContext) -> list[Shape]:
    c.with_rank("x", 1)
    c.with_rank("y", 1)
    return [(None,), (None,)]


def kernel_list_diff(
    xp: ArrayModule, x: np.ndarray, y: np.ndarray, *, out_idx: DType
) -> tuple[Array, ...]:
    for name, value in (("x", x), ("y", y)):
        if value.ndim != 1:
            raise errors.InvalidArgumentError(
                None,
                None,
                f"{name} should be a 1D vector.",
            )
    others = set(y.tolist())
    kept = np.array([i for i, v in enumerate(x.tolist()) if v not in others], np.int64)
    return x[kept], kept.astype(out_idx.numpy_dtype)


def samples_list_diff() -> Iterator[Sample]:
    yield Sample(np.array([1, 2, 3, 2, 4], np.int32), np.array([2, 4], np.int32))
    yield Sample(np.array([b"a", b"b"], object), np.array([b"b"], object), out_idx=np.int64)
    yield Sample(np.array([1.0]), np.array([1.0]))


def reference_list_diff(
    x: np.ndarray, y: np.ndarray, *, out_idx: DType
) -> tuple[np.ndarray, np.ndarray]:
    kept = ~np.isin(x, y)
    return x[kept], np.flatnonzero(kept).astype(out_idx.numpy_dtype)


register_op(
    "ListDiff",
    inputs="x: T, y: T",
    outputs="out: T, idx: out_idx",
    attrs=_INDEX.format(""),
    shape=shape_list_diff,
    kernel=kernel_list_diff,
    reference=reference_list_diff,
    samples=samples_list_diff,
    dynamic_shape=True,
)


@export("unique")
@inserted(1, dtypes.int32, older=is_no_type)
def unique(
    x: TensorLike, out_idx: DTypeLike = dtypes.int32, name: str | None = None
) -> tuple[Tensor, ...]:
    """Returns the distinct elements of a vector in the order in which they appear.

    Args:
        x: a vector.
        out_idx: the type of the positions, int32 or int64.
        name: the name of the node.

    Returns:
        A tuple `(y, idx)`: the distinct elements, and for each element of `x` its place in `y`.
    """
    return build.Unique(x, out_idx=out_idx, name=name)


@export("unique_with_counts")
@inserted(1, dtypes.int32, older=is_no_type)
def unique_with_counts(
    x: TensorLike, out_idx: DTypeLike = dtypes.int32, name: str | None = None
) -> tuple[Tensor, ...]:
    """Returns the distinct elements of a vector and how often each appears.

    Args:
        x: a vector.
        out_idx: the type of the positions and counts, int32 or int64.
        name: the name of the node.

    Returns:
        A tuple `(y, idx, count)`: the distinct elements, for each element of `x` its place in
        `y`, and the counts.
    """
    return build.UniqueWithCounts(x, out_idx=out_idx, name=name)


@export("setdiff1d")
def setdiff1d(
    x: TensorLike, y: TensorLike, index_dtype: DTypeLike = dtypes.int32, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """Returns the elements of a vector that another one does not have.

    Args:
        x: a vector.
        y: a vector of the same type.
        index_dtype: the type of the positions, int32 or int64.
        name: the name of the node.

    Returns:
        A tuple `(out, idx)`: the elements, and their places in `x`.
    """
    return build.ListDiff(x, y, out_idx=index_dtype, name=name)


@export("listdiff")
@inserted(2, None, older=is_no_type)
def listdiff(
    x: TensorLike, y: TensorLike, out_idx: DTypeLike | None = None, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """Returns the elements of a vector that another one does not have.

    Args:
        x: a vector.
        y: a vector of the same type.
        out_idx: the type of the positions, int32 (if None) or int64.
        name: the name of the node.

    Returns:
        A tuple `(out, idx)`: the elements, and their places in `x`.
    """
    return build.ListDiff(x, y, out_idx=out_idx or dtypes.int32, name=name)
