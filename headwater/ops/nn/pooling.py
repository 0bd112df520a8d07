"""Shared by the op files of pooling: kernels over windows of any rank, and static shapes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NoReturn

import numpy as np

from headwater.base import dtypes, errors
from headwater.base.typing import Array, ArrayModule, Shape
from headwater.graph import ShapeContext
from headwater.ops.nn import pooling_forms
from headwater.ops.nn.window import Axis, output_size, window_axis


def windows_of(
    shape: Sequence[int], ksize: Sequence[int], strides: Sequence[int], padding: str
) -> dict[int, Axis]:
    """The windows of the dimensions that are pooled."""
    if len(shape) != len(ksize):
        raise errors.InvalidArgumentError(
            None,
            None,
            f"tensor_in_shape must have {len(ksize) - 2} spatial dimensions. {len(shape)} 0",
        )
    return {
        d: window_axis(shape[d], ksize[d], strides[d], padding)
        for d in range(len(shape))
        if ksize[d] != 1 or strides[d] != 1
    }


def _pool_windows(
    shape: Sequence[int],
    ksize: Sequence[int],
    strides: Sequence[int],
    padding: str,
    data_format: str,
    mean: bool = False,
) -> dict[int, Axis]:
    """The windows of a pooling, checked: over the spatial dimensions, or over the depth alone.

    Raises:
        UnimplementedError: if the windows move along other dimensions.
    """
    depth = data_format.index("C")
    if ksize[0] != 1 or strides[0] != 1:
        _unimplemented("Pooling is not yet supported on the batch dimension.")
    if ksize[depth] == 1:
        # As in TensorFlow, a stride along the depth is ignored then.
        strides = [1 if d == depth else stride for d, stride in enumerate(strides)]
        return windows_of(shape, ksize, strides, padding)
    if len(shape) > 4:
        _unimplemented("Pooling is not yet supported on the depth dimension.")
    if any(size != 1 for d, size in enumerate(ksize) if d != depth):
        _unimplemented(
            "MaxPooling supports exactly one of pooling across depth or pooling across "
            "width/height."
        )
    if shape[depth] % ksize[depth]:
        _unimplemented(
            "Depthwise max pooling requires the depth window to evenly divide the input depth"
        )
    if strides[depth] != ksize[depth]:
        _unimplemented("Depthwise max pooling requires the depth window to equal the depth stride")
    if mean:
        _unimplemented("Non-spatial pooling is not yet supported.")
    return windows_of(shape, ksize, strides, padding)


def _unimplemented(text: str) -> NoReturn:
    raise errors.UnimplementedError(None, None, text)


def kernel_max_pool(
    xp: ArrayModule,
    x: Array,
    *,
    ksize: list[int],
    strides: list[int],
    padding: str,
    data_format: str,
) -> Array:
    windows = _pool_windows(x.shape, ksize, strides, padding, data_format)
    # The maximum of all-NaN windows is the lowest number for images, minus infinity for volumes.
    start = dtypes.as_dtype(x.dtype).min if x.ndim == 4 else -np.inf
    start = None if x.dtype.kind in "iu" else x.dtype.type(start)
    return pooling_forms.max_pool(xp, x, windows, start)


def kernel_max_pool_grad(
    xp: ArrayModule,
    x: Array,
    y: Array,
    grad: Array,
    *,
    ksize: list[int],
    strides: list[int],
    padding: str,
    data_format: str,
) -> Array:
    windows = _pool_windows(x.shape, ksize, strides, padding, data_format)
    # For images the first of equal elements gets the gradient; for volumes all of them.
    return pooling_forms.max_pool_grad(xp, x, grad, windows, y if x.ndim == 5 else None)


def kernel_max_pool_grad_grad(
    xp: ArrayModule,
    x: Array,
    y: Array,
    grad: Array,
    *,
    ksize: list[int],
    strides: list[int],
    padding: str,
    data_format: str,
) -> Array:
    windows = _pool_windows(x.shape, ksize, strides, padding, data_format)
    return pooling_forms.max_pool_grad_grad(xp, x, grad, windows)


def kernel_avg_pool(
    xp: ArrayModule,
    x: Array,
    *,
    ksize: list[int],
    strides: list[int],
    padding: str,
    data_format: str,
) -> Array:
    return pooling_forms.avg_pool(
        xp, x, _pool_windows(x.shape, ksize, strides, padding, data_format, mean=True)
    )


def kernel_avg_pool_grad(
    xp: ArrayModule,
    shape: np.ndarray,
    grad: Array,
    *,
    ksize: list[int],
    strides: list[int],
    padding: str,
    data_format: str,
) -> Array:
    sizes = tuple(int(size) for size in shape)
    return pooling_forms.avg_pool_grad(
        xp, grad, _pool_windows(sizes, ksize, strides, padding, data_format, mean=True)
    )


def pooled_shape(
    c: ShapeContext,
    x: Sequence[int | None],
    ksize: Sequence[int],
    strides: Sequence[int],
    depth: int | None = None,
) -> tuple[int | None, ...]:
    """The shape of a pooled tensor; fails if a window does not fit.

    Args:
        c: the context, for the attr ``padding``.
        x: the shape of the input.
        ksize: the size of the window per dimension.
        strides: the step of the window per dimension.
        depth: the dimension of the channels, if strides along it say nothing without a window.

    Returns:
        The shape.
    """
    result: list[int | None] = []
    for d, (size, window, stride) in enumerate(zip(x, ksize, strides)):
        if stride <= 0:
            c.fail(f"Stride must be > 0, but got {stride}")
        if d == 0 or (d == depth and window == 1):
            result.append(size)
            continue
        out = None if size is None else output_size(size, window, stride, c.attr("padding"))
        if size is not None and size < window and window > 1 and c.attr("padding") == "VALID":
            c.fail(f"Negative dimension size caused by subtracting {window} from {size}")
        result.append(out)
    return tuple(result)


def shape_pool(c: ShapeContext) -> Shape:
    """The shape of a pooling with the attrs ``ksize`` and ``strides``."""
    ksize = c.attr("ksize")
    x = c.with_rank(c.record.schema.inputs[0].name, len(ksize))
    return pooled_shape(c, x, ksize, c.attr("strides"), c.attr("data_format").index("C"))


def shape_original_output(rank: int) -> Callable[[ShapeContext], Any]:
    """The shape of the pooled images, which have this rank."""
    return lambda c: c.with_rank("orig_output", rank)


def reference_pool(
    x: np.ndarray,
    ksize: Sequence[int],
    strides: Sequence[int],
    padding: str,
    reduce: Callable[..., Any],
) -> np.ndarray:
    """Pools window by window, without what lies outside."""
    axes = [window_axis(x.shape[d], ksize[d], strides[d], padding) for d in range(x.ndim)]
    y = np.zeros([a.out for a in axes], x.dtype)
    for position in np.ndindex(*y.shape):
        firsts = [i * a.stride - a.low for i, a in zip(position, axes)]
        part = tuple(slice(max(f, 0), f + a.window) for f, a in zip(firsts, axes))
        y[position] = reduce(x[part])
    return y


def reference_max_pool(
    x: np.ndarray, *, ksize: list[int], strides: list[int], padding: str
) -> np.ndarray:
    return reference_pool(x, ksize, strides, padding, np.max)


def reference_avg_pool(
    x: np.ndarray, *, ksize: list[int], strides: list[int], padding: str
) -> np.ndarray:
    return reference_pool(x, ksize, strides, padding, np.mean)


def shuffled(*shape: int) -> np.ndarray:
    """Different numbers in no order, so that every window has one maximum."""
    numbers = np.random.RandomState(sum(shape)).permutation(np.prod(shape))
    return numbers.reshape(shape).astype(np.float32) / 7
