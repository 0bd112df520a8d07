"""Contraction of two tensors along any of their axes, by one matrix product."""

from __future__ import annotations

from typing import Any

import numpy as np

from headwater.base import dtypes
from headwater.base.axes import counted_from_start
from headwater.base.typing import TensorLike
from headwater.graph import (
    Tensor,
    build,
    constant_node,
    convert_to_tensor,
    export,
    name_scope,
    rank_tensor,
    shape_tensor,
)
from headwater.graph.shapes import number_of_elements


@export("tensordot", "linalg.tensordot")
def tensordot(a: TensorLike, b: TensorLike, axes: TensorLike, name: str | None = None) -> Tensor:
    """Sums products of elements of `a` and `b` over given axes.

    Args:
        a: a tensor of floating-point or complex numbers.
        b: a tensor of the same type.
        axes: the number of axes (the last of `a` with the first of `b`), or a list of two lists
            of axes.
        name: the name of the node.

    Returns:
        A tensor whose axes are the remaining ones of `a`, then those of `b`.

    Raises:
        ValueError: if the axes do not fit.
    """
    with name_scope(name, "Tensordot", [a, b, axes]) as scope:
        a = convert_to_tensor(a, name="a")
        b = convert_to_tensor(b, name="b")
        axes_a, axes_b = _split_axes(a, axes)
        matrix_a, free_a, static_a = _as_matrix(a, axes_a, summed_first=False)
        matrix_b, free_b, static_b = _as_matrix(b, axes_b, summed_first=True)
        product = build.MatMul(matrix_a, matrix_b)
        if isinstance(free_a, list) and isinstance(free_b, list):
            return build.Reshape(product, free_a + free_b, name=scope)
        free_a = convert_to_tensor(free_a, dtype=dtypes.int32)
        free_b = convert_to_tensor(free_b, dtype=dtypes.int32)
        result = build.Reshape(
            product, build.ConcatV2([free_a, free_b], 0, name="concat"), name=scope
        )
        if static_a is not None and static_b is not None:
            result.set_shape(static_a + static_b)
        return result


def _split_axes(a: Tensor, axes: TensorLike) -> tuple[Any, Any]:
    """The axes of `a` and of `b` that are summed."""
    if isinstance(axes, int) or (isinstance(axes, np.integer) and not np.ndim(axes)):
        return _last_and_first(a, int(axes))
    if isinstance(axes, (list, tuple)):
        if len(axes) != 2:
            raise ValueError("'axes' must be an integer or have length 2.")
        axes_a, axes_b = axes
        if isinstance(axes_a, int) and isinstance(axes_b, int):
            axes_a, axes_b = [axes_a], [axes_b]
        if not isinstance(axes_a, Tensor) and len(axes_a) != len(axes_b):
            raise ValueError(
                f"Different number of contraction axes 'a' and 'b', {len(axes_a)} != {len(axes_b)}."
            )
        return axes_a, axes_b
    both = convert_to_tensor(axes, name="axes", dtype=dtypes.int32)
    return both[0], both[1]


def _last_and_first(a: Tensor, count: int) -> tuple[Any, Any]:
    if count < 0:
        raise ValueError("'axes' must be at least 0.")
    rank = a._rank()
    if rank is None:
        whole = rank_tensor(a)
        return (
            build.Range(whole - count, whole, 1, name="range"),
            build.Range(0, count, 1, name="range"),
        )
    if count > rank:
        raise ValueError(f"'axes' must not be larger than the number of dimensions of tensor {a}.")
    return list(range(rank - count, rank)), list(range(count))


def _as_matrix(
    x: Tensor, axes: TensorLike, summed_first: bool
) -> tuple[Tensor, Any, list[Any] | None]:
    """`x` with its summed axes flattened to one and the free ones to another.

    Returns:
        The matrix, the free dimensions as a list (if all are known) or tensor, and what is
        statically known of them.
    """
    shape = x._shape
    listed = isinstance(axes, (list, tuple))
    if shape is not None and listed:
        summed = [counted_from_start(int(i), len(shape)) for i in axes]
        free = [i for i in range(len(shape)) if i not in summed]
        static = [shape[i] for i in free]
        if None not in shape:
            order = summed + free if summed_first else free + summed
            sizes = [
                number_of_elements(tuple(static)),
                number_of_elements(tuple(shape[i] for i in summed)),
            ]
            transposed = build.Transpose(x, order, name="transpose")
            matrix = build.Reshape(transposed, sizes[::-1] if summed_first else sizes)
            return matrix, static, static
        summed_axes = constant_node(summed, dtypes.int32, "axes")
        free_axes = constant_node(free, dtypes.int32, "free")
        whole = shape_tensor(x)
    else:
        static = None
        whole = shape_tensor(x)
        rank = rank_tensor(x)
        summed_axes = convert_to_tensor(axes, dtype=dtypes.int32, name="axes")
        summed_axes = build.Select(
            build.GreaterEqual(summed_axes, 0), summed_axes, summed_axes + rank
        )
        everything = build.Range(0, rank, 1, name="range")
        free_axes = build.ListDiff(everything, summed_axes).out
    free_sizes = build.GatherV2(whole, free_axes, 0)
    summed_sizes = build.GatherV2(whole, summed_axes, 0)
    free_size = build.Prod(free_sizes, constant_node([0], dtypes.int32))
    summed_size = build.Prod(summed_sizes, constant_node([0], dtypes.int32))
    parts, sizes_list = [free_axes, summed_axes], [free_size, summed_size]
    if summed_first:
        parts, sizes_list = parts[::-1], sizes_list[::-1]
    order_tensor = build.ConcatV2(parts, 0, name="concat")
    sizes_tensor = build.Pack(sizes_list, name="stack")
    transposed = build.Transpose(x, order_tensor, name="transpose")
    return build.Reshape(transposed, sizes_tensor), free_sizes, static
