"""Transforms to op types that older releases of TensorFlow had."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from headwater.base.dtypes import float32
from headwater.serving.graph_tools.transforms.context import Context
from headwater.serving.graph_tools.transforms.node_names import (
    constant,
    copied,
    graph_of,
    with_inputs,
)

if TYPE_CHECKING:
    from headwater.protos.graph_pb2 import GraphDef
    from headwater.protos.node_def_pb2 import NodeDef

_TENSOR_ARRAY = re.compile(r"(TensorArray\w*)V3")


def backport_concatv2(graph_def: GraphDef, context: Context) -> GraphDef:
    """Makes Concats of ConcatV2s."""
    result = graph_of(graph_def.node, graph_def)
    for node in result.node:
        if node.op == "ConcatV2":
            node.op = "Concat"
            values = list(node.input)
            axis = node.attr["N"].i
            node.input[:] = [values[axis], *values[:axis], *values[axis + 1 :]]
            del node.attr["Tidx"]
    return result


def backport_tensor_array_v3(graph_def: GraphDef, context: Context) -> GraphDef:
    """Makes the ops of TensorArrays those of version 2, in which arrays have no flow output."""
    flows: dict[str, str] = {}
    result: list[NodeDef] = []
    for node in graph_def.node:
        older = _TENSOR_ARRAY.fullmatch(node.op)
        changed = copied(node)
        if older is not None:
            changed.op = f"{older[1]}V2"
        result.append(changed)
        if node.op in ("TensorArrayV3", "TensorArrayGradV3"):
            flow = constant(f"{node.name}/replacement_flow_node", np.float32(1.0), float32)
            flows[f"{node.name}:1"] = flow.name
            result.append(flow)
    return graph_of(
        (with_inputs(node, lambda text: flows.get(text, text)) for node in result), graph_def
    )
