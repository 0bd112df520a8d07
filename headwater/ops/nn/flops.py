"""The number of floating-point operations of products, convolutions and pooling."""

from __future__ import annotations

import numpy as np

from headwater.graph import Operation, Tensor
from headwater.graph.statistics import elements, register_flops, static_shape


def _matmul(op: Operation) -> int:
    rows_and_terms = static_shape(op.inputs[0])
    terms = rows_and_terms[0 if op.get_attr("transpose_a") else -1]
    return 2 * terms * elements(op.outputs[0])


def _convolution(op: Operation) -> int:
    """One multiplication and one addition per output and weight of a filter."""
    weights = static_shape(op.inputs[1])[:-1]
    return 2 * int(np.prod(weights)) * elements(op.outputs[0])


def _window(op: Operation) -> int:
    """One multiplication and one addition per element of the window of an output element."""
    height, width = static_shape(op.inputs[1])[:2]
    return 2 * height * width * elements(op.outputs[0])


def _input_gradient(op: Operation) -> float:
    return _convolution_gradient(op, op.outputs[0], op.inputs[1])


def _filter_gradient(op: Operation) -> float:
    return _convolution_gradient(op, op.inputs[0], op.outputs[0])


def _convolution_gradient(op: Operation, image: Tensor, weights: Tensor) -> float:
    """As TensorFlow counts: as if every pixel of the image were the center of a filter."""
    if op.get_attr("data_format") != b"NHWC":
        raise ValueError("Only NHWC format is supported in flops computations")
    pixels = elements(image) // static_shape(image)[3]
    products = pixels * elements(weights)
    return 2.0 * products / int(np.prod(op.get_attr("strides")))


def _bias_add(op: Operation) -> int:
    return elements(op.inputs[0])


def _bias_add_gradient(op: Operation) -> int:
    return elements(op.inputs[0]) - elements(op.outputs[0])


def _area(op: Operation) -> int:
    return int(np.prod(op.get_attr("ksize")))


def _pool(op: Operation) -> int:
    return _area(op) * elements(op.outputs[0])


def _average_pool_gradient(op: Operation) -> int:
    return 2 * _area(op) * elements(op.inputs[1])


def _max_pool_gradient(op: Operation) -> int:
    return (_area(op) + 1) * elements(op.inputs[1])


def _softmax(op: Operation) -> int:
    return 5 * elements(op.outputs[0])


def _l2_loss(op: Operation) -> int:
    return 3 * elements(op.inputs[0]) - 1


for _op_type, _count in {
    "AvgPool": _pool,
    "AvgPoolGrad": _average_pool_gradient,
    "BiasAdd": _bias_add,
    "BiasAddGrad": _bias_add_gradient,
    "Conv2D": _convolution,
    "Conv2DBackpropFilter": _filter_gradient,
    "Conv2DBackpropInput": _input_gradient,
    "Conv3D": _convolution,
    "DepthwiseConv2dNative": _window,
    "Dilation2D": _window,
    "L2Loss": _l2_loss,
    "MatMul": _matmul,
    "MaxPool": _pool,
    "MaxPoolGrad": _max_pool_gradient,
    "Softmax": _softmax,
}.items():
    register_flops(_op_type, _count)
