"""The number of floating-point operations of products and convolutions."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from headwater.base.typing import TensorLike
from headwater.graph import Graph, Operation
from headwater.graph.statistics import OpStats, RegisterStatistics

if TYPE_CHECKING:
    from headwater.protos.node_def_pb2 import NodeDef


def _shape(tensor: TensorLike) -> tuple[int, ...]:
    """Returns the static shape of a tensor; fails if it is not known completely."""
    shape = tensor.get_shape()
    shape.assert_is_fully_defined()
    return tuple(shape.as_list())


def _matmul(op: Operation) -> int:
    rows_and_terms = _shape(op.inputs[0])
    terms = rows_and_terms[0 if op.get_attr("transpose_a") else -1]
    return 2 * terms * int(np.prod(_shape(op.outputs[0])))


def _conv2d(op: Operation) -> int:
    height, width, channels, _ = _shape(op.inputs[1])
    return 2 * height * width * channels * int(np.prod(_shape(op.outputs[0])))


def _window(op: Operation) -> int:
    """One multiplication and one addition per element of the window of an output element."""
    height, width = _shape(op.inputs[1])[:2]
    return 2 * height * width * int(np.prod(_shape(op.outputs[0])))


def _bias_add(op: Operation) -> int:
    return int(np.prod(_shape(op.inputs[0])))


def _register(op_type: str, count: Callable[..., Any]) -> None:
    @RegisterStatistics(op_type, "flops")
    def statistics(graph: Graph, node: NodeDef) -> OpStats:
        return OpStats("flops", count(graph.get_operation_by_name(node.name)))


for _op_type, _count in {
    "MatMul": _matmul,
    "Conv2D": _conv2d,
    "DepthwiseConv2dNative": _window,
    "Dilation2D": _window,
    "BiasAdd": _bias_add,
}.items():
    _register(_op_type, _count)
