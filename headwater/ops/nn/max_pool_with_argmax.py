"""Maximum pooling that also returns the positions of the maxima, with its gradients."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from headwater.base import dtypes
from headwater.base.dtypes import DType
from headwater.base.older_calls import inserted
from headwater.base.typing import Array, ArrayModule, DTypeLike, Shape, TensorLike
from headwater.graph import (
    Operation,
    Sample,
    ShapeContext,
    Tensor,
    build,
    convert_to_tensor,
    export,
    name_scope,
    register_op,
    shapes,
)
from headwater.ops.nn import pooling, pooling_forms

_WINDOWS = "ksize: list(int) >= 4, strides: list(int) >= 4"
_TYPES = (
    "T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64}"
)
_GRAD_ATTRS = (
    f"{_WINDOWS}, padding: {{'SAME', 'VALID'}}, include_batch_in_index: bool = false, "
    f"Targmax: {{int32, int64}}, {_TYPES}"
)


def kernel_max_pool_with_argmax(
    xp: ArrayModule,
    x: Array,
    *,
    ksize: list[int],
    strides: list[int],
    padding: str,
    include_batch_in_index: bool,
    Targmax: DType,
) -> tuple[Any, Any]:
    windows = pooling.windows_of(x.shape, ksize, strides, padding)
    y = pooling_forms.max_pool(xp, x, windows)
    integer = Targmax.as_numpy_dtype
    rest = pooling_forms.max_index(xp, x, windows)
    position: list[Any] = [None] * 4
    for d in range(4):
        shape = [1] * 4
        shape[d] = y.shape[d]
        position[d] = np.arange(y.shape[d], dtype=integer).reshape(shape)
    # The index within the window has the digits of the offsets, the last dimension first.
    rest = rest if isinstance(rest, int) else rest.astype(integer)
    for d, axis in reversed(list(windows.items())):
        offset = rest % integer(axis.window)
        rest = rest // integer(axis.window)
        position[d] = position[d] * integer(axis.stride) + offset - integer(axis.low)
    index = position[0] if include_batch_in_index else xp.zeros_like(position[0])
    for d in range(1, 4):
        index = index * integer(x.shape[d]) + position[d]
    return y, xp.broadcast_to(index, y.shape).astype(integer)


def _flat_index(xp: ArrayModule, x: Array, argmax: Array, include_batch: bool) -> Array:
    """The positions of the maxima in the flat input."""
    index = argmax.astype(np.int64)
    if not include_batch and x.shape[0] > 1:
        step = int(np.prod(x.shape[1:]))
        index = index + (np.arange(x.shape[0], dtype=np.int64) * step).reshape(-1, 1, 1, 1)
    return index.reshape(-1)


def kernel_max_pool_grad_with_argmax(
    xp: ArrayModule, x: Array, grad: Array, argmax: Array, *, include_batch_in_index: bool
) -> Array:
    index = _flat_index(xp, x, argmax, include_batch_in_index)
    size = int(np.prod(x.shape))
    if xp is np:
        total = np.zeros(size, grad.dtype)
        np.add.at(total, index, grad.reshape(-1))
    else:
        total = xp.zeros(size, grad.dtype).at[index].add(grad.reshape(-1))
    return total.reshape(x.shape)


def kernel_max_pool_grad_grad_with_argmax(
    xp: ArrayModule, x: Array, grad: Array, argmax: Array, *, include_batch_in_index: bool
) -> Array:
    index = _flat_index(xp, x, argmax, include_batch_in_index)
    return xp.take(grad.reshape(-1), index).reshape(argmax.shape)


def reference_max_pool_with_argmax(
    x: np.ndarray,
    *,
    ksize: list[int],
    strides: list[int],
    padding: str,
    include_batch_in_index: bool,
    Targmax: DType,
) -> tuple[np.ndarray, np.ndarray]:
    numbers = np.arange(x.size).reshape(x.shape)
    y = pooling.reference_pool(x, ksize, strides, padding, np.max)
    place = dict(zip(x.flat, numbers.flat))
    index = np.array([place[value] for value in y.flat]).reshape(y.shape)
    return y, index if include_batch_in_index else index % (x.size // x.shape[0])


def shape_pool(c: ShapeContext) -> Shape:
    x = c.with_rank("input", 4)
    return pooling.pooled_shape(c, x, c.attr("ksize"), c.attr("strides"))


def shape_with_argmax(c: ShapeContext) -> list[Shape]:
    shape = shape_pool(c)
    return [shape, shape]


def gradient_max_pool_with_argmax(op: Operation, grad: Tensor, _: Tensor | None) -> Tensor:
    names = ("ksize", "strides", "padding", "include_batch_in_index")
    return build.MaxPoolGradWithArgmax(
        op.inputs[0], grad, op.outputs[1], **{name: op._attrs[name] for name in names}
    )


def samples_max_pool_with_argmax() -> Iterator[Sample]:
    x = pooling.shuffled(2, 5, 6, 2)
    for padding in ("SAME", "VALID"):
        for batch in (False, True):
            yield Sample(
                x, ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding=padding,
                include_batch_in_index=batch, gradient=(0,),
            )  # fmt: skip
            yield Sample(
                x, ksize=[1, 3, 2, 1], strides=[1, 1, 3, 1], padding=padding,
                include_batch_in_index=batch, Targmax=dtypes.int32, gradient=(0,),
            )  # fmt: skip


register_op(
    "MaxPoolWithArgmax",
    inputs="input: T",
    outputs="output: T, argmax: Targmax",
    attrs=(
        f"{_WINDOWS}, Targmax: {{int32, int64}} = int64, padding: {{'SAME', 'VALID'}}, "
        f"include_batch_in_index: bool = false, {_TYPES}"
    ),
    shape=shape_with_argmax,
    kernel=kernel_max_pool_with_argmax,
    gradient=gradient_max_pool_with_argmax,
    reference=reference_max_pool_with_argmax,
    samples=samples_max_pool_with_argmax,
)
register_op(
    "MaxPoolGradWithArgmax",
    inputs="input: T, grad: T, argmax: Targmax",
    outputs="output: T",
    attrs=_GRAD_ATTRS,
    shape=shapes.like_first_of_rank(4),
    kernel=kernel_max_pool_grad_with_argmax,
)
register_op(
    "MaxPoolGradGradWithArgmax",
    inputs="input: T, grad: T, argmax: Targmax",
    outputs="output: T",
    attrs=_GRAD_ATTRS,
    shape=shape_pool,
    kernel=kernel_max_pool_grad_grad_with_argmax,
)


@export("nn.max_pool_with_argmax")
@inserted(4, "NHWC", older=lambda value: not isinstance(value, str))
def max_pool_with_argmax(
    input: TensorLike,
    ksize: int | Sequence[int],
    strides: int | Sequence[int],
    padding: str,
    data_format: str = "NHWC",
    Targmax: DTypeLike | None = None,
    name: str | None = None,
    output_dtype: DTypeLike | None = None,
    include_batch_in_index: bool = False,
) -> tuple[Tensor, ...]:
    """The maximum of each window of images, and where it is.

    Args:
        input: images, ``[N, H, W, C]``.
        ksize: the size of the window per dimension.
        strides: the step of the window per dimension.
        padding: ``"SAME"`` or ``"VALID"``.
        data_format: ``"NHWC"``.
        Targmax: the type of the positions, int32 or int64 (the default).
        name: the name of the op.
        output_dtype: newer name of `Targmax`.
        include_batch_in_index: whether the positions count through all images.

    Returns:
        (maxima, positions), where a position is ``(y * W + x) * C + c``.

    Raises:
        ValueError: if shapes or arguments do not fit.
    """
    if data_format != "NHWC":
        raise ValueError("Data formats other than 'NHWC' are not yet supported")
    kind = Targmax if output_dtype is None else output_dtype
    with name_scope(name, "MaxPoolWithArgmax", [input]) as scope:
        return build.MaxPoolWithArgmax(
            convert_to_tensor(input, name="input"),
            ksize=ksize,
            strides=strides,
            padding=padding,
            Targmax=dtypes.as_dtype(dtypes.int64 if kind is None else kind),
            include_batch_in_index=include_batch_in_index,
            name=scope,
        )
