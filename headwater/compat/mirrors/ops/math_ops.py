"""tensorflow.python.ops.math_ops: what has no public name."""

from __future__ import annotations

from typing import Any

from headwater.base import dtypes
from headwater.base.typing import TensorLike
from headwater.graph import IndexedSlices, Tensor, build, convert_to_tensor
from headwater.graph.indexed_slices import as_indexed_slices
from headwater.ops.math import division
from headwater.ops.math.axes import all_axes
from headwater.ops.math.reductions import _reduced_shape


def _ReductionDims(x: TensorLike, axis: Any, reduction_indices: Any = None) -> Any:
    """Returns the axes of a reduction: those given, or all."""
    axis = reduction_indices if axis is None else axis
    return all_axes(x) if axis is None else axis


def _as_indexed_slices(x: TensorLike, optimize: bool = True) -> IndexedSlices:
    """Returns a tensor as IndexedSlices of all its rows.

    Args:
      x: a tensor or IndexedSlices.
      optimize: whether a known shape becomes a constant.

    Raises:
      TypeError: if it is neither.
    """
    if not isinstance(x, Tensor | IndexedSlices):
        raise TypeError(f"Not a Tensor or IndexedSlices: {type(x)}")
    return as_indexed_slices(x, optimize)


def _as_indexed_slices_list(inputs: Any, optimize: bool = True) -> list[IndexedSlices]:
    """Returns tensors as IndexedSlices whose indices are of one type.

    Args:
      inputs: a list of tensors and IndexedSlices.
      optimize: whether known shapes become constants.

    Raises:
      TypeError: if it is not a list.
    """
    if not isinstance(inputs, list | tuple):
        raise TypeError(f"Expected a list or tuple, not a {type(inputs)}")
    slices = [_as_indexed_slices(x, optimize) for x in inputs]
    if any(x.indices.dtype is dtypes.int32 for x in slices) and any(
        x.indices.dtype is not dtypes.int32 for x in slices
    ):
        slices = [
            x
            if x.indices.dtype is not dtypes.int32
            else IndexedSlices(x.values, build.Cast(x.indices, DstT=dtypes.int64), x.dense_shape)
            for x in slices
        ]
    return slices


def reduced_shape(input_shape: TensorLike, axes: TensorLike) -> Tensor:
    """Returns the shape of a reduction that keeps its dimensions.

    Args:
      input_shape: an integer vector.
      axes: the axes that are reduced.

    Returns:
      An integer vector.
    """
    shape = build.Cast(convert_to_tensor(input_shape), DstT=dtypes.int32)
    return _reduced_shape(shape, build.Cast(convert_to_tensor(axes), DstT=dtypes.int32))


class DivideDelegateWithName:
    """The dividend of a division whose op gets a name.

    Args:
      x: a tensor.
      name: the name.
    """

    def __init__(self, x: TensorLike, name: str | None) -> None:
        self.x = x
        self.name = name

    def __truediv__(self, y: TensorLike) -> Tensor:
        """The quotient."""
        return division.truediv(self.x, y, self.name)

    def __floordiv__(self, y: TensorLike) -> Tensor:
        """The quotient, rounded down."""
        return division.floordiv(self.x, y, self.name)

    def __div__(self, y: TensorLike) -> Tensor:
        """The quotient as in Python 2: of integers it is rounded down."""
        return division.div(self.x, y, self.name)
