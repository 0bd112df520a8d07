"""Pooling over one to three spatial dimensions, with optional dilation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from headwater.base.deprecation import renamed_argument
from headwater.base.typing import TensorLike
from headwater.graph import Tensor, convert_to_tensor, export, name_scope
from headwater.model.nn.dilated_windows import with_space_to_batch
from headwater.ops.array.reshape import expand_dims, squeeze
from headwater.ops.nn.pool2d import avg_pool, max_pool
from headwater.ops.nn.pool3d import avg_pool3d, max_pool3d

_OPS: dict[tuple[str, int], Callable[..., Tensor]] = {
    ("MAX", 1): max_pool,
    ("MAX", 2): max_pool,
    ("MAX", 3): max_pool3d,
    ("AVG", 1): avg_pool,
    ("AVG", 2): avg_pool,
    ("AVG", 3): avg_pool3d,
}


@export("nn.pool")
def pool(
    input: TensorLike,
    window_shape: Sequence[int],
    pooling_type: str,
    padding: str,
    dilation_rate: Sequence[int] | None = None,
    strides: Sequence[int] | None = None,
    name: str | None = None,
    data_format: str | None = None,
    dilations: Sequence[int] | None = None,
) -> Tensor:
    """The maximum or mean of windows along one to three spatial dimensions.

    Args:
        input: a tensor ``[N, spatial..., C]``, or ``[N, C, spatial...]`` if `data_format` says so.
        window_shape: the size of the window per spatial dimension.
        pooling_type: ``"MAX"`` or ``"AVG"``.
        padding: ``"SAME"`` or ``"VALID"``.
        dilation_rate: the distance of the window's elements per spatial dimension.
        strides: the step of the window per spatial dimension.
        name: the name of the ops.
        data_format: a layout; one that begins with ``NC`` has the channels first.
        dilations: newer name of `dilation_rate`.

    Returns:
        A tensor ``[N, spatial'..., C]``.

    Raises:
        ValueError: if an argument is not allowed, or both strides and rates are above one.
    """
    rates = renamed_argument("dilations", dilations, "dilation_rate", dilation_rate)
    with name_scope(name, f"{pooling_type.lower()}_pool", [input]) as scope:
        x = convert_to_tensor(input, name="input")
        count = len(window_shape)
        if not 1 <= count <= 3:
            raise ValueError("It is required that 1 <= num_spatial_dims <= 3.")
        x.get_shape().with_rank(count + 2)
        rates = _positive(rates, count, "dilation_rate")
        steps = _positive(strides, count, "strides")
        if any(s > 1 for s in steps) and any(r > 1 for r in rates):
            raise ValueError("strides > 1 not supported in conjunction with dilation_rate > 1")
        gaps = any(size > 1 and rate > 1 for size, rate in zip(window_shape, rates))
        if padding == "SAME" and gaps:
            raise ValueError("pooling with SAME padding is not implemented for dilation_rate > 1")
        if (pooling_type, count) not in _OPS:
            raise ValueError(f"{count}-D {pooling_type} pooling is not supported.")

        def dense(x: Tensor, count: int, padding: Any) -> Tensor:
            return _dense(x, window_shape, steps, pooling_type, padding, data_format, scope)

        return with_space_to_batch(
            x, rates, padding, dense, filter_shape=window_shape, data_format=data_format
        )


def _positive(value: Sequence[int] | None, count: int, name: str) -> list[int]:
    """One positive number per spatial dimension; ones for None."""
    numbers = [1] * count if value is None else list(value)
    if len(numbers) != count:
        raise ValueError(f"len({name})={len(numbers)} but should be {count}")
    if any(number < 1 for number in numbers):
        raise ValueError(f"all values of {name} must be positive")
    return numbers


def _dense(
    x: Tensor,
    window: Sequence[int],
    strides: list[int],
    pooling_type: str,
    padding: str,
    data_format: str | None,
    scope: str,
) -> Tensor:
    first = data_format is not None and data_format.startswith("NC")
    sizes, steps, rank = list(window), strides, len(window)
    place = 2 if first else 1
    if rank == 1:
        # A window along one axis is one along two, of length 1 along the other.
        x, sizes, steps = expand_dims(x, place), [1, *sizes], [1, *steps]
    letters = "DHW" if rank == 3 else "HW"
    y = _OPS[pooling_type, rank](
        x,
        [1, 1, *sizes] if first else [1, *sizes, 1],
        [1, 1, *steps] if first else [1, *steps, 1],
        padding,
        data_format=f"NC{letters}" if first else f"N{letters}C",
        name=scope,
    )
    return squeeze(y, [place]) if rank == 1 else y


def _by_axis(value: TensorLike, name: str, first: bool) -> list[int]:
    """The numbers of a window along one axis, for images of height one."""
    numbers = list(value) if isinstance(value, list | tuple) else [value]
    if len(numbers) == 1:
        numbers = [1, 1, *numbers] if first else [1, *numbers, 1]
    elif len(numbers) != 3:
        raise ValueError(f"{name} should be of length 1, 1 or 3 but was {len(numbers)}")
    return [1, *numbers]


def _pool_along_one_axis(
    function: Callable[..., Tensor],
    default: str,
    x: TensorLike,
    ksize: int | Sequence[int],
    strides: int | Sequence[int],
    padding: str,
    data_format: str | None,
    name: str | None,
) -> Tensor:
    with name_scope(name, default, [x]) as scope:
        first = (data_format or "NWC") == "NCW"
        place = 2 if first else 1
        window, steps = _by_axis(ksize, "ksize", first), _by_axis(strides, "strides", first)
        y = function(
            expand_dims(x, place),
            window,
            steps,
            padding,
            data_format="NCHW" if first else "NHWC",
            name=scope,
        )
        return squeeze(y, [place])


@export("nn.max_pool1d")
def max_pool1d(
    input: TensorLike,
    ksize: int | Sequence[int],
    strides: int | Sequence[int],
    padding: str,
    data_format: str = "NWC",
    name: str | None = None,
) -> Tensor:
    """The maximum of each window along one axis.

    Args:
        input: a tensor ``[N, W, C]`` (or ``[N, C, W]``).
        ksize: the size of the window.
        strides: the step of the window.
        padding: ``"SAME"`` or ``"VALID"``.
        data_format: ``"NWC"`` or ``"NCW"``.
        name: the name of the op.

    Returns:
        A tensor ``[N, W', C]``.

    Raises:
        ValueError: if shapes or arguments do not fit.
    """
    return _pool_along_one_axis(
        max_pool, "MaxPool1d", input, ksize, strides, padding, data_format, name
    )


@export("nn.avg_pool1d")
def avg_pool1d(
    input: TensorLike,
    ksize: int | Sequence[int],
    strides: int | Sequence[int],
    padding: str,
    data_format: str = "NWC",
    name: str | None = None,
) -> Tensor:
    """The mean of each window along one axis, not counting padding.

    Args:
        input: a tensor ``[N, W, C]`` (or ``[N, C, W]``).
        ksize: the size of the window.
        strides: the step of the window.
        padding: ``"SAME"`` or ``"VALID"``.
        data_format: ``"NWC"`` or ``"NCW"``.
        name: the name of the op.

    Returns:
        A tensor ``[N, W', C]``.

    Raises:
        ValueError: if shapes or arguments do not fit.
    """
    return _pool_along_one_axis(
        avg_pool, "AvgPool1D", input, ksize, strides, padding, data_format, name
    )


_BY_RANK: dict[str, dict[int, Callable[..., Tensor]]] = {
    "MAX": {3: max_pool1d, 4: max_pool, 5: max_pool3d},
    "AVG": {3: avg_pool1d, 4: avg_pool, 5: avg_pool3d},
}
_LAYOUTS = {3: "NWC", 4: "NHWC", 5: "NDHWC"}


def _pool_by_rank(
    kind: str,
    x: Tensor,
    ksize: Any,
    strides: int | Sequence[int],
    padding: str,
    layout: Any,
    name: str | None,
) -> Tensor:
    rank = x.get_shape().ndims if isinstance(x, Tensor) else np.ndim(x)
    if rank is None and layout is not None:
        rank = len(layout)
    if rank not in _LAYOUTS:
        raise ValueError(f"Input tensor must be of rank 3, 4 or 5 but was {rank}.")
    return _BY_RANK[kind][rank](
        x, ksize, strides, padding, data_format=layout or _LAYOUTS[rank], name=name
    )


@export("nn.max_pool_v2")
def max_pool_v2(
    input: TensorLike,
    ksize: int | Sequence[int],
    strides: int | Sequence[int],
    padding: str,
    data_format: str | None = None,
    name: str | None = None,
) -> Tensor:
    """The maximum of each window along one to three axes.

    Args:
        input: a tensor of rank 3 to 5.
        ksize: the size of the window per axis.
        strides: the step of the window per axis.
        padding: ``"SAME"`` or ``"VALID"``.
        data_format: a layout; None has the channels last.
        name: the name of the op.

    Returns:
        A tensor of the same rank.

    Raises:
        ValueError: if shapes or arguments do not fit.
    """
    return _pool_by_rank("MAX", input, ksize, strides, padding, data_format, name)


@export("nn.avg_pool_v2")
def avg_pool_v2(
    input: TensorLike,
    ksize: int | Sequence[int],
    strides: int | Sequence[int],
    padding: str,
    data_format: str | None = None,
    name: str | None = None,
) -> Tensor:
    """The mean of each window along one to three axes, not counting padding.

    Args:
        input: a tensor of rank 3 to 5.
        ksize: the size of the window per axis.
        strides: the step of the window per axis.
        padding: ``"SAME"`` or ``"VALID"``.
        data_format: a layout; None has the channels last.
        name: the name of the op.

    Returns:
        A tensor of the same rank.

    Raises:
        ValueError: if shapes or arguments do not fit.
    """
    return _pool_by_rank("AVG", input, ksize, strides, padding, data_format, name)
