"""Rewrites the parts of graphs that masters register into what a plan can run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

SENDS = frozenset(("_Send", "_HostSend"))
# What TensorFlow's optimizer makes of an op and those that follow it.
_FUSED = {"_FusedMatMul": "MatMul", "_FusedConv2D": "Conv2D"}
# Inputs of the ops that are fused, besides the result of the op before.
_EXTRA_INPUTS = {"BiasAdd": 1, "FusedBatchNorm": 4}


def send_signals(graph_def: Any) -> None:
    """Has what sends a constant wait for what the constant waits for.

    A plan knows constants beforehand, so they neither wait nor are they dead; what sends them does
    and is, where it waits for a branch that is not taken.
    """
    constants = {n.name: n for n in graph_def.node if n.op == "Const" and n.input}
    for node in [n for n in graph_def.node if n.op in SENDS] if constants else ():
        constant = constants.get(node.input[0].partition(":")[0])
        if constant is not None:
            node.input.extend(text for text in constant.input if text not in node.input)


def expand_fused(graph_def: Any) -> None:
    """Replaces the nodes that TensorFlow's optimizer fuses by the ops that they stand for."""
    for node in list(graph_def.node):
        if node.op == "_UnaryOpsComposition":
            names = [name.decode() for name in node.attr["op_names"].list.s]
            _make_chain(graph_def, node, names, [node.input[0]], [])
        elif node.op in _FUSED:
            names = [name.decode() for name in node.attr["fused_ops"].list.s]
            data = [text for text in node.input if not text.startswith("^")]
            _make_chain(graph_def, node, [_FUSED[node.op], *names], data[:2], data[2:])


def _make_chain(
    graph_def: Any, node: Any, ops: Sequence[str], inputs: Sequence[str], arguments: Sequence[str]
) -> None:
    """Turns a node into the last op of a row of ops; the others get nodes of their own."""
    controls = [text for text in node.input if text.startswith("^")]
    fused = type(node)()
    fused.CopyFrom(node)
    left = list(arguments)
    current = list(inputs)
    for position, op in enumerate(ops):
        last = position == len(ops) - 1
        made = node if last else graph_def.node.add(name=f"{fused.name}/_{op}_{position}")
        made.op, made.device = op, fused.device
        count = _EXTRA_INPUTS.get(op, 0)
        del made.input[:]
        made.input.extend([*current, *left[:count], *controls])
        del left[:count]
        made.attr.clear()
        made.attr["T"].CopyFrom(fused.attr["T"])
        _copy_attrs(fused, made, op)
        current = [made.name]


_KEPT = {
    "MatMul": ("transpose_a", "transpose_b"),
    "Conv2D": (
        "strides",
        "padding",
        "explicit_paddings",
        "data_format",
        "dilations",
        "use_cudnn_on_gpu",
    ),
    "BiasAdd": ("data_format",),
    "FusedBatchNorm": ("data_format", "epsilon"),
}


def _copy_attrs(fused: Any, made: Any, op: str) -> None:
    for name in _KEPT.get(op, ()):
        if name in fused.attr:
            made.attr[name].CopyFrom(fused.attr[name])
    if op == "FusedBatchNorm":
        made.attr["is_training"].b = False
