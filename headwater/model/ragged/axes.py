"""Axes of ragged tensors added and removed: expand_dims, squeeze, rank, size."""

from __future__ import annotations

from headwater.base import dtypes
from headwater.base.typing import AxisLike, DTypeLike, TensorLike
from headwater.graph import Tensor, build, constant_value, convert_to_tensor, name_scope
from headwater.model.ragged import partitions
from headwater.model.ragged.conversion import after, convert, positive_axis
from headwater.model.ragged.tensor import RaggedTensor
from headwater.ops.array import one_hot as one_hots
from headwater.ops.array import reshape
from headwater.ops.array import shape as shapes
from headwater.ops.control.assertion import assert_


def expand_dims(
    input: Tensor | RaggedTensor,
    axis: int | None = None,
    name: str | None = None,
    dim: int | None = None,
) -> Tensor | RaggedTensor:
    """`tf.expand_dims` of a ragged tensor.

    Args:
        input: a ragged tensor.
        axis: the place of the new axis, a Python integer.
        name: the name scope.
        dim: old name of `axis`.

    Returns:
        A RaggedTensor.

    Raises:
        TypeError: if the axis is not an integer.
        ValueError: if it is out of bounds.
    """
    axis = dim if axis is None else axis
    with name_scope(name, "RaggedExpandDims", [input]):
        x = convert(input, name="input")
        rank = x.shape.ndims
        axis = positive_axis(axis, None if rank is None else rank + 1)
        return _expanded(x, axis)


def _expanded(x: TensorLike, axis: int) -> Tensor | RaggedTensor:
    if not isinstance(x, RaggedTensor):
        return reshape.expand_dims(x, axis)
    if axis > 1:
        return x.with_values(_expanded(x.values, axis - 1))
    kind = x.row_splits.dtype.base_dtype
    if axis == 0:
        splits = build.Pack([convert_to_tensor(0, kind), x.nrows()])
    else:
        splits = partitions.counted(0, x.nrows(), kind)
        splits.set_shape(x.row_splits.shape)
    return RaggedTensor.from_row_splits(x, splits, validate=False)


def squeeze(
    input: RaggedTensor,
    axis: AxisLike | None = None,
    name: str | None = None,
    squeeze_dims: AxisLike | None = None,
) -> Tensor | RaggedTensor:
    """`tf.squeeze` of a ragged tensor.

    Args:
        input: a ragged tensor.
        axis: the axes of size 1 that go away.
        name: the name scope.
        squeeze_dims: old name of `axis`.

    Returns:
        A RaggedTensor, or a tensor where no ragged axis is left.

    Raises:
        ValueError: if there is no axis, or it is out of bounds.
    """
    axis = squeeze_dims if axis is None else axis
    with name_scope(name, "RaggedSqueeze", [input]):
        x = convert(input)
        if axis is None:
            raise ValueError("Ragged.squeeze must have an axis argument.")
        if isinstance(axis, Tensor):
            known = constant_value(axis)
            if known is None:
                raise ValueError("axis must be known at graph construction time.")
            axis = known.tolist()
        axes = axis if isinstance(axis, (list, tuple)) else [axis]
        for place in sorted({positive_axis(a, x.shape.ndims) for a in axes}, reverse=True):
            x = _without(x, place, place)
        return x


def _without(x: TensorLike, axis: int, named: int) -> Tensor | RaggedTensor:
    """The tensor without an axis, which has the number `named` in the whole tensor."""
    if not isinstance(x, RaggedTensor):
        return reshape.squeeze(x, [axis])
    if axis > 1:
        return x.with_values(_without(x.values, axis - 1, named))
    sizes = x.row_lengths() if axis else x.nrows()
    ones = build.All(build.Equal(sizes, build.OnesLike(sizes)), list(range(axis)))
    check = assert_(ones, [f"the given axis (axis = {named}) is not squeezable!"])
    return after([check], x.values)


def rank(input: RaggedTensor, name: str | None = None) -> Tensor:
    """`tf.rank` of a ragged tensor.

    Args:
        input: a ragged tensor.
        name: the name scope.

    Returns:
        An int32 scalar.
    """
    with name_scope(name, "RaggedRank", [input]):
        x = convert(input)
        return build.AddV2(
            convert_to_tensor(x.ragged_rank, dtypes.int32), shapes.rank(x.flat_values)
        )


def size(input: TensorLike, name: str | None = None, out_type: DTypeLike = dtypes.int32) -> Tensor:
    """`tf.size` of a ragged tensor.

    Args:
        input: a ragged tensor.
        name: the name of the node.
        out_type: the type of the result.

    Returns:
        The number of values, a scalar.
    """
    return shapes.size(convert(input).flat_values, name, out_type)


def one_hot(
    indices: RaggedTensor,
    depth: TensorLike,
    on_value: int | None = None,
    off_value: TensorLike | None = None,
    axis: int | None = None,
    dtype: DTypeLike | None = None,
    name: str | None = None,
) -> RaggedTensor:
    """`tf.one_hot` of a ragged tensor.

    Args:
        indices: a ragged tensor of integers.
        depth: the size of the new axis.
        on_value: the value at the places of the indices.
        off_value: the value at other places.
        axis: the place of the new axis, which is behind the ragged ones; the last by default.
        dtype: the type of the result.
        name: the name scope.

    Returns:
        A RaggedTensor.

    Raises:
        ValueError: if the axis is among the ragged ones or out of bounds.
    """
    with name_scope(name, "RaggedOneHot", [indices]):
        x = convert(indices, name="indices")
        place = -1
        if axis is not None and axis != -1:
            place = positive_axis(axis, x.shape.ndims)
            if place < x.ragged_rank:
                raise ValueError("axis may not be less than indices.ragged_rank.")
            place -= x.ragged_rank - 1
        hot = one_hots.one_hot(x.flat_values, depth, on_value, off_value, place, dtype)
        return x.with_flat_values(hot)
