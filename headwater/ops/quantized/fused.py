"""Quantized ops fused with bias, ReLU and requantization: kernels exist for MKL only.

Graphs hold them, as in a TensorFlow without MKL; a run raises InvalidArgumentError.
"""

from __future__ import annotations

from typing import Any, NoReturn

from headwater.base.errors import InvalidArgumentError
from headwater.base.typing import ArrayModule
from headwater.graph import Operation, RunsOn, register_op, shapes

_TYPES = "{qint8, quint8, qint32, qint16, quint16}"
_CONV_INPUTS = "min_input: float, max_input: float, min_filter: float, max_filter: float"
_MATMUL_INPUTS = "min_a: float, max_a: float, min_b: float, max_b: float"
_FREEZED = "min_freezed_output: float, max_freezed_output: float"
_SUMMAND = "summand: Tsummand, min_summand: float, max_summand: float"
_BIAS = "Tbias: {float, qint32}"
_WINDOW = "strides: list(int), padding: {'SAME', 'VALID'}, dilations: list(int) = [1, 1, 1, 1]"
_PADDED = f"{_WINDOW}, padding_list: list(int) = []"


def kernel_without_mkl(xp: ArrayModule, *inputs: Any, op: Operation, **attrs: Any) -> NoReturn:
    raise InvalidArgumentError(
        None,
        None,
        f"No OpKernel was registered to support Op '{op.type}' used by node {op.name}",
        hint="TensorFlow has the op in builds with MKL only",
    )


def _register(name: str, inputs: str, outputs: str, attrs: str) -> None:
    register_op(
        name,
        inputs=inputs,
        outputs=outputs,
        attrs=attrs,
        shape=shapes.unknown,
        kernel=kernel_without_mkl,
        runs_on=RunsOn.HOST,
    )


def _register_conv(
    name: str, out_type: str, more: str = "", bias: str = "", types: str = "", window: str = _PADDED
) -> None:
    """A convolution: `more` inputs after the ranges, a bias, types of the bias and the summand."""
    inputs = ["input: Tinput, filter: Tfilter", bias, _CONV_INPUTS, more]
    attrs = [
        f"Tinput: {_TYPES}, Tfilter: {_TYPES}",
        types,
        f"out_type: {_TYPES} = {out_type}",
        window,
    ]
    _register(
        name,
        ", ".join(filter(None, inputs)),
        "output: out_type, min_output: float, max_output: float",
        ", ".join(filter(None, attrs)),
    )


def _register_matmul(name: str, out_type: str, more: str, bias: str, types: str) -> None:
    """A product: `more` inputs after the ranges, a bias and its types."""
    inputs = ["a: T1, b: T2", bias, _MATMUL_INPUTS, more]
    attrs = [
        f"T1: {_TYPES}, T2: {_TYPES}",
        types,
        f"Toutput: {_TYPES} = {out_type}",
        "transpose_a: bool = false, transpose_b: bool = false",
        "input_quant_mode: {'MIN_FIRST', 'SCALED'} = 'MIN_FIRST'",
    ]
    _register(
        name,
        ", ".join(filter(None, inputs)),
        "out: Toutput, min_out: float, max_out: float",
        ", ".join(filter(None, attrs)),
    )


_register_conv("QuantizedConv2DAndRelu", "qint32")
_register_conv("QuantizedConv2DAndReluAndRequantize", "quint8", more=_FREEZED)
_register_conv("QuantizedConv2DAndRequantize", "qint8", more=_FREEZED)
_register_conv("QuantizedConv2DPerChannel", "qint32", window=_WINDOW)
_register_conv("QuantizedConv2DWithBias", "qint32", bias="bias: float")
_register_conv("QuantizedConv2DWithBiasAndRelu", "qint32", bias="bias: float")
_register_conv(
    "QuantizedConv2DWithBiasAndReluAndRequantize",
    "quint8",
    more=_FREEZED,
    bias="bias: Tbias",
    types=_BIAS,
)
_register_conv(
    "QuantizedConv2DWithBiasAndRequantize", "qint8", more=_FREEZED, bias="bias: Tbias", types=_BIAS
)
_register_conv(
    "QuantizedConv2DWithBiasSignedSumAndReluAndRequantize",
    "quint8",
    more=f"{_FREEZED}, {_SUMMAND}",
    bias="bias: Tbias",
    types=f"{_BIAS}, Tsummand: {_TYPES}",
)
_register_conv(
    "QuantizedConv2DWithBiasSumAndRelu", "qint32", more="summand: float", bias="bias: float"
)
_register_conv(
    "QuantizedConv2DWithBiasSumAndReluAndRequantize",
    "quint8",
    more=f"{_FREEZED}, {_SUMMAND}",
    bias="bias: Tbias",
    types=f"{_BIAS}, Tsummand: {_TYPES}",
)
_register_conv("QuantizedDepthwiseConv2D", "qint32", window=_WINDOW)
_register_conv("QuantizedDepthwiseConv2DWithBias", "qint32", bias="bias: float", window=_WINDOW)
_register_conv(
    "QuantizedDepthwiseConv2DWithBiasAndRelu", "qint32", bias="bias: float", window=_WINDOW
)
_register_conv(
    "QuantizedDepthwiseConv2DWithBiasAndReluAndRequantize",
    "quint8",
    more=_FREEZED,
    bias="bias: Tbias",
    types=_BIAS,
    window=_WINDOW,
)
_register_matmul("QuantizedMatMulWithBias", "qint32", "", "bias: Tbias", _BIAS)
_register_matmul("QuantizedMatMulWithBiasAndRelu", "qint32", "", "bias: float", "")
_register_matmul(
    "QuantizedMatMulWithBiasAndReluAndRequantize", "quint8", _FREEZED, "bias: Tbias", _BIAS
)
_register(
    "RequantizationRangePerChannel",
    "input: T, input_min: float, input_max: float",
    "output_min: float, output_max: float",
    f"T: {_TYPES} = qint32, clip_value_max: float",
)
_register(
    "RequantizePerChannel",
    "input: T, input_min: float, input_max: float, "
    "requested_output_min: float, requested_output_max: float",
    "output: out_type, output_min: float, output_max: float",
    f"T: {_TYPES} = qint32, out_type: {_TYPES} = quint8",
)
