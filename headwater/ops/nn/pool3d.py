"""Maximum and average pooling over volumes, with their gradients."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from headwater.base.older_calls import inserted, is_no_format
from headwater.base.typing import TensorLike
from headwater.graph import (
    Operation,
    Sample,
    Tensor,
    build,
    convert_to_tensor,
    export,
    name_scope,
    register_op,
    shape_tensor,
    shapes,
)
from headwater.ops.nn.elementwise import zeros_of_shape
from headwater.ops.nn.pooling import (
    kernel_avg_pool,
    kernel_avg_pool_grad,
    kernel_max_pool,
    kernel_max_pool_grad,
    kernel_max_pool_grad_grad,
    reference_avg_pool,
    reference_max_pool,
    shape_original_output,
    shape_pool,
    shuffled,
)
from headwater.ops.nn.window_arguments import numbers_by_dimension, shape_in

_WINDOWS = (
    "ksize: list(int) >= 5, strides: list(int) >= 5, padding: {'SAME', 'VALID'}, "
    "data_format: {'NDHWC', 'NCDHW'} = 'NDHWC'"
)
_REAL_TYPES = (
    "float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64"
)


def _attrs_of(op: Operation) -> dict[str, Any]:
    return {name: op._attrs[name] for name in ("ksize", "strides", "padding", "data_format")}


def gradient_max_pool(op: Operation, grad: Tensor) -> Tensor:
    return build.MaxPool3DGrad(op.inputs[0], op.outputs[0], grad, **_attrs_of(op))


def gradient_max_pool_grad(op: Operation, grad: Tensor) -> tuple[Tensor, ...]:
    return (
        zeros_of_shape(op.inputs[0]),
        zeros_of_shape(op.inputs[1]),
        build.MaxPool3DGradGrad(op.inputs[0], op.inputs[1], grad, **_attrs_of(op)),
    )


def gradient_max_pool_grad_grad(op: Operation, grad: Tensor) -> Any:
    return (
        zeros_of_shape(op.inputs[0]),
        zeros_of_shape(op.inputs[1]),
        build.MaxPool3DGrad(op.inputs[0], op.inputs[1], grad, **_attrs_of(op)),
    )


def gradient_avg_pool(op: Operation, grad: Tensor) -> Tensor:
    return build.AvgPool3DGrad(shape_tensor(op.inputs[0]), grad, **_attrs_of(op))


def gradient_avg_pool_grad(op: Operation, grad: Tensor) -> tuple[Tensor, ...]:
    return build.StopGradient(op.inputs[0]), build.AvgPool3D(grad, **_attrs_of(op))


def samples_pool() -> Iterator[Sample]:
    for padding in ("SAME", "VALID"):
        x = shuffled(2, 3, 4, 5, 2)
        yield Sample(x, ksize=[1, 2, 2, 2, 1], strides=[1, 2, 2, 2, 1], padding=padding)
        yield Sample(x, ksize=[1, 3, 2, 3, 1], strides=[1, 1, 2, 3, 1], padding=padding)


register_op(
    "MaxPool3D",
    inputs="input: T",
    outputs="output: T",
    attrs=f"{_WINDOWS}, T: {{half, bfloat16, float}}",
    shape=shape_pool,
    kernel=kernel_max_pool,
    gradient=gradient_max_pool,
    reference=reference_max_pool,
    samples=samples_pool,
)
register_op(
    "MaxPool3DGrad",
    inputs="orig_input: TInput, orig_output: TInput, grad: T",
    outputs="output: T",
    attrs=(
        f"{_WINDOWS}, T: {{half, bfloat16, float}} = float, "
        "TInput: {half, bfloat16, float} = float"
    ),
    shape=shapes.like_first_of_rank(5),
    kernel=kernel_max_pool_grad,
    gradient=gradient_max_pool_grad,
)
register_op(
    "MaxPool3DGradGrad",
    inputs="orig_input: T, orig_output: T, grad: T",
    outputs="output: T",
    attrs=f"{_WINDOWS}, T: {{{_REAL_TYPES}}}",
    shape=shape_original_output(5),
    kernel=kernel_max_pool_grad_grad,
    gradient=gradient_max_pool_grad_grad,
)
register_op(
    "AvgPool3D",
    inputs="input: T",
    outputs="output: T",
    attrs=f"{_WINDOWS}, T: {{half, bfloat16, float, double}}",
    shape=shape_pool,
    kernel=kernel_avg_pool,
    gradient=gradient_avg_pool,
    reference=reference_avg_pool,
    samples=samples_pool,
)
register_op(
    "AvgPool3DGrad",
    inputs="orig_input_shape: int32, grad: T",
    outputs="output: T",
    attrs=f"{_WINDOWS}, T: {{half, bfloat16, float, double}}",
    shape=shape_in("orig_input_shape", 5),
    kernel=kernel_avg_pool_grad,
    gradient=gradient_avg_pool_grad,
    concrete=("orig_input_shape",),
)


@export("nn.max_pool3d")
@inserted(4, "NDHWC", older=is_no_format)
def max_pool3d(
    input: TensorLike,
    ksize: int | Sequence[int],
    strides: int | Sequence[int],
    padding: str,
    data_format: str = "NDHWC",
    name: str | None = None,
) -> Tensor:
    """The maximum of each window of volumes.

    Args:
        input: volumes, ``[N, D, H, W, C]`` (or ``[N, C, D, H, W]``).
        ksize: the size of the window: one number, three, or five.
        strides: the step of the window: one number, three, or five.
        padding: ``"SAME"`` or ``"VALID"``.
        data_format: ``"NDHWC"`` or ``"NCDHW"``.
        name: the name of the op.

    Returns:
        A tensor ``[N, D', H', W', C]``.

    Raises:
        ValueError: if shapes or arguments do not fit.
    """
    with name_scope(name, "MaxPool3D", [input]) as scope:
        return build.MaxPool3D(
            convert_to_tensor(input, name="input"),
            ksize=numbers_by_dimension(ksize, "ksize", data_format),
            strides=numbers_by_dimension(strides, "strides", data_format),
            padding=padding,
            data_format=data_format,
            name=scope,
        )


@export("nn.avg_pool3d")
@inserted(4, "NDHWC", older=is_no_format)
def avg_pool3d(
    input: TensorLike,
    ksize: int | Sequence[int],
    strides: int | Sequence[int],
    padding: str,
    data_format: str = "NDHWC",
    name: str | None = None,
) -> Tensor:
    """The mean of each window of volumes, not counting padding.

    Args:
        input: volumes, ``[N, D, H, W, C]`` (or ``[N, C, D, H, W]``), floating-point.
        ksize: the size of the window: one number, three, or five.
        strides: the step of the window: one number, three, or five.
        padding: ``"SAME"`` or ``"VALID"``.
        data_format: ``"NDHWC"`` or ``"NCDHW"``.
        name: the name of the op.

    Returns:
        A tensor ``[N, D', H', W', C]``.

    Raises:
        ValueError: if shapes or arguments do not fit.
    """
    with name_scope(name, "AvgPool3D", [input]) as scope:
        return build.AvgPool3D(
            convert_to_tensor(input, name="value"),
            ksize=numbers_by_dimension(ksize, "ksize", data_format),
            strides=numbers_by_dimension(strides, "strides", data_format),
            padding=padding,
            data_format=data_format,
            name=scope,
        )
