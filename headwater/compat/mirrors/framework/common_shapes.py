"""tensorflow.python.framework.common_shapes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from headwater.base.dimension import as_dimension
from headwater.base.tensor_shape import TensorShape, as_shape
from headwater.graph.shapes import broadcast_shapes


def scalar_shape(unused_op: Any) -> list[TensorShape]:
    """Returns the shape of a scalar, in a list."""
    return [TensorShape([])]


def unknown_shape(op: Any) -> list[TensorShape]:
    """Returns an unknown shape for each output of an op."""
    return [TensorShape(None) for _ in op.outputs]


def rank(tensor: Any) -> int | None:
    """Returns the rank of a tensor, if it is known, else None."""
    return tensor.shape.ndims


def has_fully_defined_shape(tensor: Any) -> bool:
    """Tells whether the shape of a tensor is known."""
    return tensor.shape.is_fully_defined()


def is_broadcast_compatible(shape_x: TensorShape, shape_y: TensorShape) -> bool:
    """Tells whether two shapes of known rank can be broadcast to each other."""
    if shape_x.ndims is None or shape_y.ndims is None:
        return False
    try:
        broadcast_shape(shape_x, shape_y)
    except ValueError:
        return False
    return True


def broadcast_shape(shape_x: TensorShape, shape_y: TensorShape) -> TensorShape:
    """Returns the shape that two shapes are broadcast to.

    Args:
      shape_x: a TensorShape.
      shape_y: a TensorShape.

    Returns:
      A TensorShape.

    Raises:
      ValueError: if they do not fit.
    """
    x, y = as_shape(shape_x), as_shape(shape_y)
    try:
        return TensorShape(broadcast_shapes(x.to_tuple(), y.to_tuple()))
    except ValueError:
        raise ValueError(f"Incompatible shapes for broadcasting: {x} and {y}") from None


def no_outputs(unused_op: Any) -> list[TensorShape]:
    """Returns the shapes of the outputs of an op that has none."""
    return []


def unchanged_shape(op: Any) -> list[TensorShape]:
    """Returns the shape of the input of an op, in a list."""
    return [op.inputs[0].get_shape()]


def unchanged_shape_with_rank(rank: int) -> Callable[[Any], list[TensorShape]]:
    """Returns a shape function: the shape of the input, which must have a rank."""
    return lambda op: [op.inputs[0].get_shape().with_rank(rank)]


def unchanged_shape_with_rank_at_least(rank: int) -> Callable[[Any], list[TensorShape]]:
    """Returns a shape function: the shape of the input, which must have a rank or a higher one."""
    return lambda op: [op.inputs[0].get_shape().with_rank_at_least(rank)]


def unchanged_shape_with_rank_at_most(rank: int) -> Callable[[Any], list[TensorShape]]:
    """Returns a shape function: the shape of the input, which must have a rank or a lower one."""
    return lambda op: [op.inputs[0].get_shape().with_rank_at_most(rank)]


def get_conv_output_size(
    input_size: Sequence[Any],
    filter_size: Sequence[Any],
    strides: Sequence[Any],
    padding_type: bytes,
) -> tuple[int | None, ...]:
    """Returns the size of the output of a convolution along each axis.

    Args:
      input_size: sizes, Dimensions or None.
      filter_size: the same for the window.
      strides: the same for its steps.
      padding_type: b"SAME" or b"VALID".

    Raises:
      ValueError: if a window is larger than its axis, or the padding another one.
    """
    sizes, windows = tuple(map(_number, input_size)), tuple(map(_number, filter_size))
    steps = tuple(map(_number, strides))
    if any(x is not None and w is not None and w > x for x, w in zip(sizes, windows)):
        raise ValueError(
            "Filter must not be larger than the input: "
            f"Filter: {tuple(filter_size)!r} Input: {tuple(input_size)!r}"
        )
    if padding_type not in (b"SAME", b"VALID"):
        raise ValueError(f"Invalid padding: {padding_type!r}")
    if padding_type == b"SAME":
        windows = (1,) * len(sizes)
    return tuple(
        None if x is None or w is None or s is None else (x - w + s) // s
        for x, w, s in zip(sizes, windows, steps)
    )


def get2d_conv_output_size(
    input_height: Any,
    input_width: Any,
    filter_height: Any,
    filter_width: Any,
    row_stride: Any,
    col_stride: Any,
    padding_type: bytes,
) -> tuple[int | None, ...]:
    """Returns the height and the width of what a convolution gives; see `get_conv_output_size`."""
    return get_conv_output_size(
        (input_height, input_width),
        (filter_height, filter_width),
        (row_stride, col_stride),
        padding_type,
    )


def _number(size: Any) -> int | None:
    return None if size is None else as_dimension(size).value


def _inferred(op: Any) -> list[TensorShape]:
    """Returns the shapes that the registered shape function of an op gives."""
    return [output.get_shape() for output in op.outputs]


# The shape functions of single op types, which every op has got when it was made.
matmul_shape = conv2d_shape = depthwise_conv2d_native_shape = separable_conv2d_shape = _inferred
avg_pool_shape = max_pool_shape = _inferred
