"""Dilated windows: space is moved to the batch, so that a dense op sees every n-th element."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from headwater.base import dtypes
from headwater.base.typing import Array, NestedTensors, TensorLike
from headwater.graph import (
    Tensor,
    build,
    constant_value,
    convert_to_tensor,
    export,
    shape_tensor,
)
from headwater.ops.array.concat import concat
from headwater.ops.array.space_to_batch import required_space_to_batch_paddings
from headwater.ops.array.stack import stack


@export("nn.with_space_to_batch")
def with_space_to_batch(
    input: TensorLike,
    dilation_rate: TensorLike,
    padding: str,
    op: Callable[[Tensor, int, str], Tensor],
    filter_shape: TensorLike | None = None,
    spatial_dims: Sequence[int] | None = None,
    data_format: str | None = None,
) -> Tensor:
    """Runs a dense op with sliding windows as if its windows were dilated.

    Args:
        input: a tensor ``[N, spatial..., C]``.
        dilation_rate: the distance of the elements of a window per spatial dimension.
        padding: ``"SAME"`` or ``"VALID"``.
        op: function ``(input, number of spatial dimensions, padding)`` that adds the dense op.
        filter_shape: the shape of the window, needed for ``"SAME"``.
        spatial_dims: the spatial dimensions; by default those that follow from `data_format`.
        data_format: a layout; one that begins with ``NC`` has the channels first.

    Returns:
        What `op` gives, put together again.

    Raises:
        ValueError: if an argument is not allowed.
    """
    x = convert_to_tensor(input, name="input")
    rate = convert_to_tensor(dilation_rate, dtype=dtypes.int32, name="dilation_rate")
    if rate._shape is None or len(rate._shape) != 1:
        raise ValueError("rate must be rank 1")
    count = rate._shape[0]
    if count is None:
        raise ValueError("rate must have known shape")
    if count == 0:
        raise ValueError("rate must have an element for each spatial dimension")
    dims = _dimensions(spatial_dims, count, data_format)
    if x._shape is not None and len(x._shape) <= dims[-1]:
        raise ValueError(
            f"input tensor must have rank {dims[-1] + 1} at least, but has rank {len(x._shape)}"
        )
    known_rate = constant_value(rate)
    if known_rate is not None:
        if np.any(known_rate < 1):
            raise ValueError("dilation_rate must be positive")
        if np.all(known_rate == 1):
            return op(x, count, padding)
    block: Array = rate if known_rate is None else known_rate
    base = _base_paddings(padding, block, filter_shape, count)
    paddings, crops = required_space_to_batch_paddings(
        input_shape=_sizes(x, dims), base_paddings=base, block_shape=rate
    )
    block = _with_other_dims(block, 1, dims)
    paddings, crops = _with_other_dims(paddings, 0, dims), _with_other_dims(crops, 0, dims)
    result = op(build.SpaceToBatchND(x, block, paddings), count, "VALID")
    output = build.BatchToSpaceND(result, block, crops)
    if data_format is not None and data_format.startswith("NC") and result._shape is not None:
        # Partially known crops do not give the static number of channels.
        output.set_shape([None, result._shape[1], *[None] * count])
    return output


def _dimensions(
    spatial_dims: Sequence[int] | None, count: int, data_format: str | None
) -> list[int]:
    if spatial_dims is None:
        first = 2 if data_format is not None and data_format.startswith("NC") else 1
        return list(range(first, first + count))
    dims = list(spatial_dims)
    if dims != sorted(set(dims)) or any(d < 1 for d in dims):
        raise ValueError(
            "spatial_dims must be a montonically increasing sequence of positive integers"
        )
    return dims


def _base_paddings(padding: str, rate: np.ndarray, filter_shape: TensorLike, count: int) -> Any:
    """The paddings of the windows themselves."""
    if padding == "VALID":
        return np.zeros([count, 2], np.int32)
    if padding != "SAME":
        raise ValueError(f"Invalid padding method {padding!r}")
    if filter_shape is None:
        raise ValueError("filter_shape must be specified for SAME padding")
    shape = convert_to_tensor(filter_shape, name="filter_shape")
    known = constant_value(shape)
    sizes = (shape if known is None else known)[:count]
    extra = (sizes - 1) * rate
    start = extra // 2
    end = extra - start
    return stack([[start[i], end[i]] for i in range(count)])


def _sizes(x: Tensor, dims: Sequence[int]) -> NestedTensors:
    """The spatial part of the shape."""
    if x._shape is not None and all(x._shape[d] is not None for d in dims):
        return [x._shape[d] for d in dims]
    shape: Tensor = shape_tensor(x)
    return stack([shape[d] for d in dims])


def _with_other_dims(values: TensorLike, fill: int, dims: Sequence[int]) -> Any:
    """Rows for all dimensions up to the last spatial one; the others get `fill`."""
    if isinstance(values, Tensor):
        known = constant_value(values)
        if known is None:
            return _among_other_dims(values, fill, dims)
        values = known
    result = np.full((dims[-1], *np.shape(values)[1:]), fill, np.int32)
    for d, value in zip(dims, values):
        result[d - 1] = value
    return result


def _among_other_dims(values: Tensor, fill: int, dims: Sequence[int]) -> Tensor:
    """The same for values that the graph computes: constant rows between slices of them."""
    row_shape = (values._shape or (None,))[1:]
    parts: list[Any] = []
    first, last = 0, 0  # rows used so far, the last dimension written
    while first < len(dims):
        if dims[first] > last + 1:
            parts.append(np.full((dims[first] - last - 1, *row_shape), fill, np.int32))
        end = first + 1
        while end < len(dims) and dims[end] == dims[end - 1] + 1:
            end += 1
        parts.append(values[first:end])
        first, last = end, dims[end - 1]
    return concat(parts, 0)
