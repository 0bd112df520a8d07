"""Indexing of tensors: `x[...]`, tf.strided_slice and tf.boolean_mask."""

from __future__ import annotations

from typing import Any

import numpy as np

from headwater.base import dtypes
from headwater.base.dimension import Dimension
from headwater.base.export import export_value
from headwater.base.tensor_shape import TensorShape
from headwater.graph import (
    Tensor,
    build,
    constant_node,
    convert_to_tensor,
    export,
    name_scope,
    shape_tensor,
)
from headwater.graph.basic_nodes import ones_like
from headwater.graph.convert import is_tensor_like

export_value("newaxis", None)

_BAD_INDEX = (
    "Only integers, slices (`:`), ellipsis (`...`), tf.newaxis (`None`) and scalar "
    "tf.int32/tf.int64 tensors are valid indices, got {!r}"
)


def _is_mask(key: Any) -> bool:
    """Whether an index is a boolean mask."""
    if isinstance(key, (bool, np.bool_)):
        return True
    dtype = getattr(key, "dtype", None)
    return dtype is not None and dtype in (np.dtype(bool), dtypes.bool)


def _check_index(index: Any) -> None:
    if isinstance(index, (int, np.integer, Dimension)) and not isinstance(index, bool):
        return
    if isinstance(index, np.ndarray) and index.ndim == 0 and index.dtype.kind in "iu":
        return
    if is_tensor_like(index):
        shape = index.get_shape()
        scalar = shape.ndims is None or shape.ndims == 0
        if scalar and index.dtype.base_dtype in (dtypes.int32, dtypes.int64):
            return
    raise TypeError(_BAD_INDEX.format(index))


class _Entries:
    """The bounds and masks of the entries of an index."""

    def __init__(self) -> None:
        self.begin: list[Any] = []
        self.end: list[Any] = []
        self.strides: list[Any] = []
        self.masks = dict.fromkeys(
            ("begin_mask", "end_mask", "shrink_axis_mask", "new_axis_mask", "ellipsis_mask"), 0
        )

    def add(self, begin: Any, end: Any, stride: Any, *masks: str) -> None:
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
        # Sizes of shapes cannot be converted in a list.
        convert_to_tensor(values[0], name="stack")
        return build.Pack(values, name="stack")


def getitem(tensor: Any, key: Any, var: Any = None) -> Tensor:
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
    if var is not None:
        _make_assignable(part, var, begin, end, strides, scope, entries.masks)
    return part


def _make_assignable(
    part: Tensor, var: Any, begin: Any, end: Any, strides: Any, scope: str, masks: dict[str, int]
) -> None:
    """Gives a part of a variable's value the method `assign`, which changes the variable."""

    def assign(value: Any, name: str | None = None) -> Any:
        name = scope + "_assign" if name is None else name
        return var._strided_slice_assign(begin, end, strides, value, name, **masks)

    part.assign = assign  # type: ignore[attr-defined]


Tensor._override_operator("__getitem__", getitem)


@export("strided_slice")
def strided_slice(
    input_: Any,
    begin: Any,
    end: Any,
    strides: Any = None,
    begin_mask: int = 0,
    end_mask: int = 0,
    ellipsis_mask: int = 0,
    new_axis_mask: int = 0,
    shrink_axis_mask: int = 0,
    var: Any = None,
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
    if var is not None:
        _make_assignable(part, var, begin, end, strides, part.op.name + "/", masks)
    return part


@export("boolean_mask")
def boolean_mask(
    tensor: Any, mask: Any, name: str = "boolean_mask", axis: int | None = None
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
