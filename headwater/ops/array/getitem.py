"""Indexing, masks and functions based on them: `x[...]`, tf.boolean_mask, tf.repeat."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NoReturn

import numpy as np

from headwater.base import dtypes
from headwater.base.dimension import Dimension
from headwater.base.export import export_value
from headwater.base.tensor_shape import TensorShape
from headwater.base.typing import DTypeLike, TensorLike
from headwater.graph import (
    Tensor,
    build,
    constant_node,
    convert_to_tensor,
    export,
    grids,
    name_scope,
    rank_tensor,
    shape_tensor,
)
from headwater.graph.basic_nodes import ones_like
from headwater.graph.convert import is_tensor_like

export_value("newaxis", None)

SLICE_TYPE_ERROR = (
    "Only integers, slices (`:`), ellipsis (`...`), tf.newaxis (`None`) and scalar "
    "tf.int32/tf.int64 tensors are valid indices"
)


def _is_mask(key: Any) -> bool:
    """Whether an index is a boolean mask."""
    if isinstance(key, (bool, np.bool_)):
        return True
    dtype = getattr(key, "dtype", None)
    return dtype is not None and dtype in (np.dtype(bool), dtypes.bool_)


def _check_index(index: TensorLike) -> None:
    if isinstance(index, (int, np.integer, Dimension)) and not isinstance(index, bool):
        return
    if isinstance(index, np.ndarray) and index.ndim == 0 and index.dtype.kind in "iu":
        return
    if is_tensor_like(index):
        shape = index.get_shape()
        scalar = shape.ndims is None or shape.ndims == 0
        if scalar and index.dtype.base_dtype in (dtypes.int32, dtypes.int64):
            return
    raise TypeError(f"{SLICE_TYPE_ERROR}, got {index!r}")


class _Entries:
    """The bounds and masks of the entries of an index."""

    def __init__(self) -> None:
        self.begin: list[Any] = []
        self.end: list[Any] = []
        self.strides: list[Any] = []
        self.masks = dict.fromkeys(
            ("begin_mask", "end_mask", "shrink_axis_mask", "new_axis_mask", "ellipsis_mask"), 0
        )

    def add(self, begin: TensorLike, end: TensorLike, stride: TensorLike, *masks: str) -> None:
        for mask in masks:
            self.masks[mask] |= 1 << len(self.begin)
        self.begin.append(begin)
        self.end.append(end)
        self.strides.append(stride)

    def add_index(self, entry: Any) -> None:
        """Adds one entry of an index."""
        if isinstance(entry, slice):
            self._add_range(entry)
        elif entry is Ellipsis:
            self.add(0, 0, 1, "ellipsis_mask")
        elif entry is None:
            self.add(0, 0, 1, "new_axis_mask")
        else:
            _check_index(entry)
            self.add(entry, entry + 1, 1, "shrink_axis_mask")

    def _add_range(self, entry: slice) -> None:
        masks = []
        if entry.start is None:
            masks.append("begin_mask")
        else:
            _check_index(entry.start)
        if entry.stop is None:
            masks.append("end_mask")
        else:
            _check_index(entry.stop)
        if entry.step is not None:
            _check_index(entry.step)
        self.add(
            0 if entry.start is None else entry.start,
            0 if entry.stop is None else entry.stop,
            1 if entry.step is None else entry.step,
            *masks,
        )


def _vector(values: list[Any]) -> Tensor:
    """The bounds as a vector: a constant, or a Pack if there are tensors among them."""
    try:
        return convert_to_tensor(values, name="stack")
    except (TypeError, ValueError):
        # Dimensions in a list cannot be converted to a tensor.
        convert_to_tensor(values[0], name="stack")
        return build.Pack(values, name="stack")


def getitem(tensor: TensorLike, key: TensorLike, var: TensorLike | None = None) -> Tensor:
    """The part of a tensor that an index selects, as NumPy's basic indexing does.

    Args:
        tensor: the tensor.
        key: integers, scalar integer tensors, slices, `...`, None (a new dimension), a tuple of
            these, or a boolean tensor.
        var: the variable whose value `tensor` is, if the part is to be assigned to.

    Returns:
        A tensor.

    Raises:
        TypeError: if something else is among the indices.
        ValueError: if an index is out of range.
    """
    if _is_mask(key):
        return boolean_mask(tensor, key)
    entries = _Entries()
    for entry in key if isinstance(key, (list, tuple)) else (key,):
        entries.add_index(entry)
    values = [tensor, *entries.begin, *entries.end, *entries.strides]
    with name_scope(None, "strided_slice", values) as scope:
        if entries.begin:
            begin = _vector(entries.begin)
            end = _vector(entries.end)
            strides = _vector(entries.strides)
            if dtypes.int64 in (begin.dtype, end.dtype, strides.dtype):
                begin, end, strides = (
                    b if b.dtype is dtypes.int64 else build.Cast(b, DstT=dtypes.int64)
                    for b in (begin, end, strides)
                )
        else:
            begin = end = strides = constant_node([], dtypes.int32)
        part = build.StridedSlice(tensor, begin, end, strides, name=scope, **entries.masks)
    _make_assignable(part, var, begin, end, strides, scope, entries.masks)
    return part


def _assign_to_part(value: Sequence[int], name: str | None = None) -> NoReturn:
    """The method `assign` of a slice of a tensor that is not a variable."""
    raise ValueError("Sliced assignment is only supported for variables")


def _make_assignable(
    part: Tensor,
    var: TensorLike | None,
    begin: TensorLike,
    end: TensorLike,
    strides: TensorLike,
    scope: str,
    masks: dict[str, int],
) -> None:
    """Gives a slice of a variable's value the method `assign`, which changes the variable."""
    if var is None:
        part.assign = _assign_to_part  # type: ignore[attr-defined]
        return

    def assign(value: TensorLike, name: str | None = None) -> Any:
        name = scope + "_assign" if name is None else name
        return var._strided_slice_assign(begin, end, strides, value, name, **masks)

    part.assign = assign  # type: ignore[attr-defined]


Tensor._override_operator("__getitem__", getitem)


@export("strided_slice")
def strided_slice(
    input_: TensorLike,
    begin: TensorLike,
    end: TensorLike,
    strides: TensorLike | None = None,
    begin_mask: int = 0,
    end_mask: int = 0,
    ellipsis_mask: int = 0,
    new_axis_mask: int = 0,
    shrink_axis_mask: int = 0,
    var: TensorLike | None = None,
    name: str | None = None,
) -> Tensor:
    """Returns the part of a tensor between two bounds, with strides.

    Args:
        input_: a tensor.
        begin: the first indices, an integer vector.
        end: the indices after the last, an integer vector.
        strides: the steps, an integer vector; ones if None.
        begin_mask: bits of the entries whose first bound is left out.
        end_mask: bits of the entries whose second bound is left out.
        ellipsis_mask: the bit of the entry that stands for all dimensions in between.
        new_axis_mask: bits of the entries that insert a dimension.
        shrink_axis_mask: bits of the entries that are a single index.
        var: the variable whose value `input_` is, if the part is to be assigned to.
        name: the name of the node.

    Returns:
        A tensor.

    Raises:
        ValueError: if an index is out of range or the bounds differ in length.
    """
    if strides is None:
        strides = ones_like(begin)
    masks = {
        "begin_mask": begin_mask,
        "end_mask": end_mask,
        "ellipsis_mask": ellipsis_mask,
        "new_axis_mask": new_axis_mask,
        "shrink_axis_mask": shrink_axis_mask,
    }
    part = build.StridedSlice(input_, begin, end, strides, name=name, **masks)
    _make_assignable(part, var, begin, end, strides, part.op.name + "/", masks)
    return part


@export("boolean_mask")
def boolean_mask(
    tensor: TensorLike, mask: TensorLike, name: str = "boolean_mask", axis: int | None = None
) -> Tensor:
    """Returns the elements (or slices) of a tensor for which a mask is true.

    Args:
        tensor: a tensor.
        mask: a boolean tensor of known rank; its shape is that of `tensor` from `axis` on.
        name: the name scope.
        axis: the dimension of `tensor` at which the mask begins; the first if None.

    Returns:
        A tensor in which one dimension stands for those of the mask.

    Raises:
        ValueError: if the rank of the mask is unknown or 0, or the shapes do not fit.
    """
    with name_scope(name, values=[tensor, mask]):
        tensor = convert_to_tensor(tensor, name="tensor")
        mask = convert_to_tensor(mask, name="mask")
        mask_shape, shape = mask.get_shape(), tensor.get_shape()
        rank = mask_shape.ndims
        if rank == 0:
            raise ValueError("mask cannot be scalar.")
        if rank is None:
            raise ValueError(
                "Number of mask dimensions must be specified, even if some dimensions are None.  "
                "E.g. shape=[None] is ok, but shape=None is not."
            )
        axis = 0 if axis is None else axis
        shape[axis : axis + rank].assert_is_compatible_with(mask_shape)
        covered = getitem(shape_tensor(tensor), slice(axis, axis + rank))
        count = build.Prod(covered, [0])
        before = getitem(shape_tensor(tensor), slice(None, axis))
        after = getitem(shape_tensor(tensor), slice(axis + rank, None))
        tensor = build.Reshape(tensor, build.ConcatV2([before, [count], after], 0, name="concat"))
        if shape.ndims is not None:
            known = shape[axis : axis + rank].num_elements()
            tensor.set_shape(
                TensorShape(shape[:axis]).concatenate([known]).concatenate(shape[axis + rank :])
            )
        flat = build.Reshape(mask, [-1])
        chosen = build.Squeeze(build.Where(flat), squeeze_dims=[1])
        return build.GatherV2(tensor, chosen, axis)


@export("sequence_mask")
def sequence_mask(
    lengths: TensorLike,
    maxlen: TensorLike | None = None,
    dtype: DTypeLike = dtypes.bool_,
    name: str | None = None,
) -> Tensor:
    """Returns a mask whose rows begin with as many true elements as `lengths` says.

    Args:
        lengths: integers.
        maxlen: the length of the rows, a scalar; the largest of `lengths` if None.
        dtype: the type of the mask.
        name: the name scope.

    Returns:
        A tensor of the shape of `lengths` with one more dimension.

    Raises:
        ValueError: if `maxlen` is not a scalar.
    """
    with name_scope(name, "SequenceMask", [lengths, maxlen]):
        lengths = convert_to_tensor(lengths)
        if maxlen is None:
            longest = build.Max(lengths, _all_axes(lengths))
            maxlen = build.Maximum(constant_node(0, longest.dtype), longest)
        else:
            maxlen = convert_to_tensor(maxlen)
        if maxlen._shape is not None and len(maxlen._shape):
            raise ValueError("maxlen must be scalar for sequence_mask")
        kind = maxlen.dtype.base_dtype
        row = build.Range(constant_node(0, kind), maxlen, constant_node(1, kind))
        column = build.Cast(build.ExpandDims(lengths, -1), DstT=kind)
        mask = build.Less(row, column)
        if dtype is None or dtypes.as_dtype(dtype).base_dtype is dtypes.bool_:
            return mask
        return build.Cast(mask, DstT=dtypes.as_dtype(dtype))


def _all_axes(x: Tensor) -> Tensor:
    rank = x._rank()
    if rank is not None:
        return constant_node(np.arange(rank, dtype=np.int32))
    return build.Range(0, build.Rank(x), 1)


@export("repeat")
def repeat(
    input: TensorLike, repeats: TensorLike, axis: int | None = None, name: str | None = None
) -> Tensor:
    """Repeats the elements (or slices) of a tensor.

    Args:
        input: a tensor.
        repeats: how often, one integer, or one per slice.
        axis: the dimension; None flattens the tensor first.
        name: the name scope.

    Returns:
        A tensor of the same type.

    Raises:
        ValueError: if `axis` is out of range.
    """
    if axis is None:
        input = build.Reshape(input, [-1])
        axis = 0
    with name_scope(name, "Repeat", [input, repeats]):
        data = convert_to_tensor(input, name="data")
        repeats = build.Cast(convert_to_tensor(repeats, name="repeats"), DstT=dtypes.int32)
        sizes = shape_tensor(data)
        rank = data._rank()
        if rank is not None and not -rank <= axis < rank:
            raise ValueError(f"axis={axis} out of bounds: expected {-rank}<=axis<{rank}")
        axis = axis if rank is None else axis % rank
        if repeats._rank() == 0:
            copies = _copies(data, repeats, axis + 1)
            return build.Reshape(copies, _joined_sizes(sizes, axis))
        if repeats._rank() != axis + 1:
            repeats = _for_each_slice(repeats, sizes, axis)
        most = build.Maximum(0, build.Max(repeats, _all_axes(repeats)))
        mask = sequence_mask(repeats, most)
        result = boolean_mask(_copies(data, most, axis + 1), mask)
        if axis:
            result = build.Reshape(result, _joined_sizes(sizes, axis))
        if rank is not None:
            shape = data.get_shape()
            result.set_shape(shape[:axis].concatenate([None]).concatenate(shape[axis + 1 :]))
        return result


def _copies(data: Tensor, count: Tensor, axis: int) -> Tensor:
    """The tensor repeated along a new dimension."""
    expanded = build.ExpandDims(data, axis)
    multiples: list[Any] = [1] * len(expanded._shape or ())
    multiples[axis] = count
    return build.Tile(expanded, multiples)


def _joined_sizes(sizes: Tensor, axis: int) -> Tensor:
    """The sizes with that of one dimension left open."""
    parts = [getitem(sizes, slice(None, axis)), [-1], getitem(sizes, slice(axis + 1, None))]
    return build.ConcatV2(parts, 0, name="concat")


def _for_each_slice(repeats: Tensor, sizes: Tensor, axis: int) -> Tensor:
    """The counts repeated for the dimensions before the axis."""
    own = shape_tensor(repeats)
    outer = getitem(sizes, slice(None, axis + 1 - rank_tensor(repeats)))
    result = build.BroadcastTo(repeats, build.ConcatV2([outer, own], 0, name="concat"))
    result.set_shape([None] * (axis + 1))
    return result


@export("meshgrid")
def meshgrid(*args: Any, **kwargs: Any) -> list[Tensor]:
    """Returns the coordinates of the points of a grid.

    Args:
        *args: vectors: the coordinates along each dimension.
        **kwargs: ``indexing``, ``"xy"`` (the first dimension of the result is that of the second
            vector; default) or ``"ij"``; ``name``, the name scope.

    Returns:
        One tensor per vector, each of the shape of the grid.

    Raises:
        ValueError: if `indexing` is something else.
        TypeError: if there are other keywords.
    """
    indexing, name = kwargs.pop("indexing", "xy"), kwargs.pop("name", "meshgrid")
    for key in kwargs:
        raise TypeError(f"'{key}' is an invalid keyword argument for this function")
    return grids.meshgrid(*args, indexing=indexing, name=name)
