"""Limits on quantized numbers: QuantizedRelu, QuantizedRelu6, QuantizedReluX."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from headwater.base import dtypes
from headwater.base.dtypes import DType
from headwater.base.typing import Array, ArrayModule, DTypeLike, Shape, TensorLike
from headwater.graph import RunsOn, Sample, Tensor, build, export, register_op, shapes
from headwater.ops.quantized.steps import KINDS, Steps

_F = np.float32


def _limited(
    x: np.ndarray, low: Array, high: Array, kind: DType, limit: float | None = None
) -> tuple[Array, ...]:
    steps = Steps(kind)
    integers = np.maximum(steps.integers(x), steps.storage.type(steps.clipped(0.0, low, high)))
    if limit is not None:
        integers = np.minimum(integers, steps.storage.type(steps.clipped(limit, low, high)))
    return integers.view(steps.kind), _F(low), _F(high)


def kernel_relu(
    xp: ArrayModule, features: np.ndarray, low: Array, high: Array, *, Tinput: DType
) -> tuple[Array, ...]:
    return _limited(features, low, high, Tinput)


def kernel_relu6(
    xp: ArrayModule, features: np.ndarray, low: Array, high: Array, *, Tinput: DType
) -> tuple[Array, ...]:
    return _limited(features, low, high, Tinput, 6.0)


def kernel_relu_x(
    xp: ArrayModule,
    features: np.ndarray,
    max_value: Array,
    low: Array,
    high: Array,
    *,
    Tinput: DType,
) -> tuple[Array, Array, Array]:
    return _limited(features, low, high, Tinput, float(max_value))


def shape_relu(c: shapes.ShapeContext) -> list[Shape]:
    c.with_rank("min_features", 0)
    c.with_rank("max_features", 0)
    return [c.shape("features"), (), ()]


_X = np.array([0, 30, 60, 128, 255], np.uint8).view(dtypes.quint8.as_numpy_dtype)


def samples_relu() -> Iterator[Sample]:
    yield Sample(_X, _F(-3), _F(10))


def samples_relu_x() -> Iterator[Sample]:
    yield Sample(_X, _F(2), _F(-3), _F(10))


def _register_quantized_relu(
    name: str, extra: str, kernel: Callable[..., Any], samples: Callable[..., Any]
) -> None:
    register_op(
        name,
        inputs=f"features: Tinput, {extra}min_features: float, max_features: float",
        outputs="activations: out_type, min_activations: float, max_activations: float",
        attrs=f"Tinput: {KINDS}, out_type: {KINDS} = quint8",
        shape=shape_relu,
        kernel=kernel,
        samples=samples,
        runs_on=RunsOn.HOST,
    )


_register_quantized_relu("QuantizedRelu", "", kernel_relu, samples_relu)
_register_quantized_relu("QuantizedRelu6", "", kernel_relu6, samples_relu)
_register_quantized_relu("QuantizedReluX", "max_value: float, ", kernel_relu_x, samples_relu_x)


@export("nn.quantized_relu_x")
def quantized_relu_x(
    features: TensorLike,
    max_value: TensorLike,
    min_features: TensorLike,
    max_features: TensorLike,
    out_type: DTypeLike = dtypes.quint8,
    name: str | None = None,
) -> tuple[Tensor, ...]:
    """Limits quantized numbers to those from 0 to a highest one.

    Args:
        features: a quantized tensor.
        max_value: the highest number, a float32 scalar.
        min_features: the lower end of the range of `features`.
        max_features: the upper end of the range of `features`.
        out_type: the type of the result.
        name: the name of the node.

    Returns:
        A tuple of the quantized result and the ends of its range.
    """
    return build.QuantizedReluX(
        features, max_value, min_features, max_features, out_type=out_type, name=name
    )
