"""Joined strings: of several tensors, along axes, and by segments."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from headwater.base import dtypes, errors
from headwater.base.typing import Array, ArrayModule, AxisLike, NestedTensors, Shape, TensorLike
from headwater.graph import (
    NOT_DIFFERENTIABLE,
    RunsOn,
    Sample,
    Tensor,
    build,
    convert_to_tensor,
    export,
    name_scope,
    register_op,
    shapes,
)
from headwater.ops.strings.elements import as_bytes, invalid, shape_text, strings


def shape_string_join(c: shapes.ShapeContext) -> Shape:
    result: Any = ()
    known = True
    for shape in c.shapes:
        if shape is None:
            known = False
        elif shape:
            result = shape if result == () else c.merge(result, shape)
    return result if known or result else None


def kernel_string_join(
    xp: ArrayModule, inputs: list[np.ndarray], *, separator: str | bytes
) -> Array:
    shape: tuple[int, ...] = ()
    for array in inputs:
        if array.ndim:
            if shape and array.shape != shape:
                invalid(
                    f"Input shapes do not match: [{','.join(map(str, shape))}] vs. "
                    f"{shape_text(array)}"
                )
            shape = array.shape
    count = int(np.prod(shape))
    columns = [a.ravel().tolist() if a.ndim else a.ravel().tolist() * count for a in inputs]
    return strings(map(as_bytes(separator).join, zip(*columns)), shape)


def reference_string_join(inputs: list[np.ndarray], *, separator: str | bytes) -> np.ndarray:
    result = inputs[0]
    for other in inputs[1:]:
        result = result + as_bytes(separator) + other
    return np.asarray(result, object)


def samples_string_join() -> Iterator[Sample]:
    a = np.array([b"a", b"bc"], object)
    yield Sample([a, a, np.array(b"x", object)], separator="-")
    yield Sample([np.array(b"x", object), np.array([[b"", b"\xff"]], object)])


register_op(
    "StringJoin",
    inputs="inputs: N * string",
    outputs="output: string",
    attrs="N: int >= 1, separator: string = ''",
    shape=shape_string_join,
    kernel=kernel_string_join,
    reference=reference_string_join,
    samples=samples_string_join,
    runs_on=RunsOn.HOST,
    gradient=NOT_DIFFERENTIABLE,
)


def shape_reduce_join(c: shapes.ShapeContext) -> Shape:
    indices = c.shape("reduction_indices")
    if indices is not None and len(indices) > 1:
        c.fail(f"Shape must be at most rank 1 but is rank {len(indices)}")
    shape, axes = c.shape("inputs"), c.value("reduction_indices")
    if shape is None:
        return None
    if axes is None:
        return (None,) * len(shape) if c.attr("keep_dims") else None
    rank = len(shape)
    reduced = set()
    for axis in axes.ravel().tolist():
        if not -rank <= axis < rank:
            c.fail(f"Invalid reduction dimension {axis} for input with {rank} dimensions.")
        reduced.add(axis % rank)
    if c.attr("keep_dims"):
        return tuple(1 if i in reduced else size for i, size in enumerate(shape))
    return tuple(size for i, size in enumerate(shape) if i not in reduced)


def kernel_reduce_join(
    xp: ArrayModule,
    inputs: np.ndarray,
    reduction_indices: np.ndarray,
    *,
    keep_dims: bool,
    separator: str | bytes,
) -> np.ndarray:
    rank = inputs.ndim
    axes: list[int] = []
    for axis in reduction_indices.ravel().tolist():
        if not -rank <= axis < rank:
            raise errors.OutOfRangeError(
                None, None, f"Invalid reduction dimension {axis} for input with {rank} dimension(s)"
            )
        if axis % rank in axes:
            invalid(f"Duplicate reduction dimension {axis}")
        axes.append(axis % rank)
    kept = [i for i in range(rank) if i not in axes]
    # The first of the axes varies fastest.
    rows = np.transpose(inputs, [*kept, *reversed(axes)])
    shape = tuple(inputs.shape[i] for i in kept)
    rows = rows.reshape(int(np.prod(shape)), int(np.prod(rows.shape[len(kept) :])))
    joined = strings(map(as_bytes(separator).join, rows.tolist()), shape)
    if keep_dims:
        joined = joined.reshape([1 if i in axes else inputs.shape[i] for i in range(rank)])
    return joined


def reference_reduce_join(
    inputs: np.ndarray, reduction_indices: np.ndarray, *, keep_dims: bool, separator: str | bytes
) -> np.ndarray:
    axes = [int(axis) % inputs.ndim for axis in reduction_indices.ravel()]
    between = as_bytes(separator)
    for axis in axes:
        slices = [np.take(inputs, [i], axis) for i in range(inputs.shape[axis])]
        inputs = slices[0]
        for part in slices[1:]:
            inputs = inputs + between + part
    return inputs if keep_dims else np.asarray(np.squeeze(inputs, tuple(axes)), object)


def samples_reduce_join() -> Iterator[Sample]:
    x = np.array([[b"a", b"b", b"c"], [b"d", b"e", b"f"]], object)
    yield Sample(x, np.int32(0))
    yield Sample(x, np.array([-1], np.int32), keep_dims=True, separator="-")
    for axes in ([1, 0], [0, 1]):
        yield Sample(x, np.array(axes, np.int32), separator=".", keep_dims=True)


register_op(
    "ReduceJoin",
    inputs="inputs: string, reduction_indices: int32",
    outputs="output: string",
    attrs="keep_dims: bool = false, separator: string = ''",
    shape=shape_reduce_join,
    kernel=kernel_reduce_join,
    reference=reference_reduce_join,
    samples=samples_reduce_join,
    concrete=("reduction_indices",),
    runs_on=RunsOn.HOST,
    gradient=NOT_DIFFERENTIABLE,
)


def shape_unsorted_segment_join(c: shapes.ShapeContext) -> Shape:
    shape, ids = c.shape("inputs"), c.shape("segment_ids")
    count = c.value("num_segments")
    rows = c.shape("num_segments")
    if rows:
        c.fail(f"Shape must be rank 0 but is rank {len(rows)}")
    if shape is None or ids is None:
        return None
    if len(shape) < len(ids):
        c.fail(f"Shape must be at least rank {len(ids)} but is rank {len(shape)}")
    c.merge(shape[: len(ids)], ids)
    if count is not None and count < 0:
        c.fail(f"Dimension size, given by scalar input 2, must be non-negative but is {int(count)}")
    return (None if count is None else int(count), *shape[len(ids) :])


def kernel_unsorted_segment_join(
    xp: ArrayModule,
    inputs: np.ndarray,
    segment_ids: np.ndarray,
    num_segments: np.ndarray,
    *,
    separator: str | bytes,
) -> np.ndarray:
    if segment_ids.ndim > inputs.ndim:
        invalid("The first dimensions of the inputs must be those of the segment_ids.")
    for i, (size, wanted) in enumerate(zip(segment_ids.shape, inputs.shape)):
        if size != wanted:
            invalid(f"Segment dimension is {size} while input dimension is {wanted} in rank {i}")
    if num_segments.ndim:
        invalid("Number of segments should be a scalar")
    count = int(num_segments)
    if count < 0:
        invalid("Number of segments must be non-negative")
    ids = segment_ids.ravel().tolist()
    if any(not 0 <= i < count for i in ids):
        invalid("segment_ids are not allowed to exceed num_segments or to have negative values.")
    rest = inputs.shape[segment_ids.ndim :]
    rows = inputs.reshape(len(ids), int(np.prod(rest)))
    between = as_bytes(separator)
    # There may be far more segments than rows.
    joined: dict[int, list[bytes]] = {}
    for row, segment in zip(rows.tolist(), ids):
        whole = joined.get(segment, row)
        if whole is not row:
            # There is no separator before the first element that is not empty.
            whole = [a + between + b if a else b for a, b in zip(whole, row)]
        joined[segment] = whole
    result = np.full((count, rows.shape[1]), b"", object)
    for segment, whole in joined.items():
        result[segment] = whole
    return result.reshape(count, *rest)


def samples_unsorted_segment_join() -> Iterator[Sample]:
    x = np.array([[b"a", b"b"], [b"c", b"d"], [b"e", b"f"]], object)
    yield Sample(x, np.array([1, 0, 1], np.int32), np.int32(3), separator="-")
    yield Sample(x[0], np.array([0, 0], np.int64), np.int64(1))
    yield Sample(x, np.array([[0, 1], [1, 0], [0, 0]], np.int32), np.int32(2))


def reference_unsorted_segment_join(
    inputs: np.ndarray,
    segment_ids: np.ndarray,
    num_segments: np.ndarray,
    *,
    separator: str | bytes,
) -> np.ndarray:
    rest = inputs.shape[segment_ids.ndim :]
    result = np.full((int(num_segments), *rest), b"", object)
    started = np.zeros(int(num_segments), bool)
    for place, segment in np.ndenumerate(segment_ids):
        parts = inputs[place]
        result[segment] = (
            result[segment] + as_bytes(separator) + parts if started[segment] else parts
        )
        started[segment] = True
    return result


register_op(
    "UnsortedSegmentJoin",
    inputs="inputs: string, segment_ids: Tindices, num_segments: Tnumsegments",
    outputs="output: string",
    attrs="separator: string = '', Tindices: {int32, int64}, Tnumsegments: {int32, int64} = int32",
    shape=shape_unsorted_segment_join,
    kernel=kernel_unsorted_segment_join,
    reference=reference_unsorted_segment_join,
    samples=samples_unsorted_segment_join,
    concrete=("num_segments",),
    runs_on=RunsOn.HOST,
)


@export("string_join", "strings.join")
def string_join(inputs: Sequence[Any], separator: str = "", name: str | None = None) -> Tensor:
    """Joins strings element by element.

    Args:
        inputs: string tensors of one shape; scalars are repeated.
        separator: what stands between the parts.
        name: the name of the node.

    Returns:
        A string tensor of the common shape.
    """
    return build.StringJoin(inputs, separator=separator, name=name)


@export("reduce_join", "strings.reduce_join")
def reduce_join(
    inputs: TensorLike,
    axis: AxisLike | None = None,
    keep_dims: bool | None = None,
    separator: str = "",
    name: str | None = None,
    reduction_indices: AxisLike | None = None,
    keepdims: bool | None = None,
) -> Tensor:
    """Joins the strings along axes.

    Args:
        inputs: a string tensor.
        axis: the axes, the slowest first; None for all.
        keep_dims: the old name of `keepdims`.
        separator: what stands between the parts.
        name: the name of the nodes.
        reduction_indices: the old name of `axis`.
        keepdims: whether reduced axes stay with size 1.

    Returns:
        A string tensor.

    Raises:
        ValueError: if an argument is given under both of its names.
    """
    if reduction_indices is not None:
        if axis is not None:
            raise ValueError("Cannot specify both 'axis' and 'reduction_indices'")
        axis = reduction_indices
    if keepdims is not None:
        if keep_dims is not None:
            raise ValueError("Cannot specify both 'keepdims' and 'keep_dims'")
        keep_dims = keepdims
    with name_scope(name, "ReduceJoin", [inputs]):
        inputs = convert_to_tensor(inputs, dtype=dtypes.string)
        return build.ReduceJoin(
            inputs, _axes(inputs, axis), keep_dims=bool(keep_dims), separator=separator
        )


def _axes(inputs: Tensor, axis: AxisLike | None) -> NestedTensors:
    if axis is not None:
        return axis
    if inputs._shape is not None:
        return convert_to_tensor(np.arange(len(inputs._shape), dtype=np.int32))
    rank = build.Rank(inputs, name="Rank")
    return build.Range(build.Sub(rank, 1, name="sub"), -1, -1, name="range")


@export("strings.unsorted_segment_join")
def unsorted_segment_join(
    inputs: TensorLike,
    segment_ids: TensorLike,
    num_segments: TensorLike,
    separator: str = "",
    name: str | None = None,
) -> Tensor:
    """Joins the strings of each segment.

    Args:
        inputs: a string tensor.
        segment_ids: integers, of the first dimensions of `inputs`: the segment of each row.
        num_segments: how many segments there are.
        separator: what stands between the parts.
        name: the name of the node.

    Returns:
        A string tensor of shape [num_segments, ...]; empty segments are empty strings.
    """
    return build.UnsortedSegmentJoin(
        inputs, segment_ids, num_segments, separator=separator, name=name
    )
