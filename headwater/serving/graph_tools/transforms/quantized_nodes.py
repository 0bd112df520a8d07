"""`quantize_nodes`: a graph whose heavy nodes compute with 8 bits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from headwater.base.dtypes import float32, int32, qint32, quint8
from headwater.serving.graph_tools.transforms.context import Context, refuse
from headwater.serving.graph_tools.transforms.matching import (
    ANYTHING,
    CONSTANT,
    Match,
    Pattern,
    replace_matches,
)
from headwater.serving.graph_tools.transforms.node_names import (
    constant,
    copied,
    data_inputs,
    graph_of,
    new_node,
    node_of,
    renamed_input,
    with_inputs,
)
from headwater.serving.graph_tools.transforms.structure import merge_duplicate_nodes

if TYPE_CHECKING:
    from headwater.base.dtypes import DType
    from headwater.protos.graph_pb2 import GraphDef
    from headwater.protos.node_def_pb2 import NodeDef


class _Form(NamedTuple):
    """The op with 8 bits that replaces an op.

    Args:
        op: its op type.
        types: its attrs that are types, those of inputs first.
        copied: the attrs that both ops have.
        is_wide: whether its output has 32 bits.
        plain: the position of an input that is not quantized, or None.
        is_grouped: whether its last inputs are all minima, then all maxima, instead of pairs.
    """

    op: str
    types: tuple[str, ...]
    copied: tuple[str, ...] = ()
    is_wide: bool = False
    plain: int | None = None
    is_grouped: bool = False


_POOLING = ("ksize", "strides", "padding")
_FORMS = {
    "Add": _Form("QuantizedAdd", ("T1", "T2", "Toutput"), is_wide=True),
    "AvgPool": _Form("QuantizedAvgPool", ("T",), _POOLING),
    "BiasAdd": _Form("QuantizedBiasAdd", ("T1", "T2", "out_type"), is_wide=True),
    "Concat": _Form("QuantizedConcat", ("T",), ("N",), plain=0, is_grouped=True),
    "Conv2D": _Form(
        "QuantizedConv2D", ("Tinput", "Tfilter", "out_type"), ("strides", "padding"), is_wide=True
    ),
    "MatMul": _Form(
        "QuantizedMatMul", ("T1", "T2", "Toutput"), ("transpose_a", "transpose_b"), is_wide=True
    ),
    "MaxPool": _Form("QuantizedMaxPool", ("T",), _POOLING),
    "Mul": _Form("QuantizedMul", ("T1", "T2", "Toutput"), is_wide=True),
    "Relu": _Form("QuantizedRelu", ("Tinput",)),
    "Relu6": _Form("QuantizedRelu6", ("Tinput",)),
    "Reshape": _Form("QuantizedReshape", ("T",), plain=1),
    "ResizeBilinear": _Form("QuantizedResizeBilinear", ("T",), ("align_corners",), plain=1),
}
_RANGE = {"T": float32, "keep_dims": False}
_MIN_FIRST = {"mode": "MIN_FIRST"}


def quantize_nodes(graph_def: GraphDef, context: Context) -> GraphDef:
    """Replaces nodes by those with 8 bits, between nodes that quantize and dequantize.

    Parameters: `input_min` and `input_max` make placeholders of 8 bits with this range;
    `fallback_min` and `fallback_max` are the range of results with 32 bits, which is measured in
    each run otherwise.
    """
    inputs = _range_of(context, "input")
    fallback = _range_of(context, "fallback")
    if inputs is not None:
        graph_def = _with_quantized_placeholders(graph_def, inputs)
    graph_def = _with_quantized_ranges(graph_def)
    result: dict[str, NodeDef] = {}
    for node in graph_def.node:
        new = _quantized(node, fallback) if _is_quantizable(node) else [node]
        result.update((part.name, part) for part in new)
    graph_def = graph_of(result.values(), graph_def)
    return merge_duplicate_nodes(_without_detours(graph_def), context)


def _range_of(context: Context, name: str) -> tuple[float, float] | None:
    low, high = f"{name}_min", f"{name}_max"
    if not context.all(low) and not context.all(high):
        return None
    if not context.all(low) or not context.all(high):
        raise refuse(f"You must pass both {low} and {high} into quantize_nodes")
    return context.real(low, 0.0), context.real(high, 0.0)


def _is_float(node: NodeDef, key: str) -> bool:
    return key in node.attr and node.attr[key].type == float32.as_datatype_enum


def _is_quantizable(node: NodeDef) -> bool:
    if node.op not in _FORMS or not _is_float(node, "T"):
        return False
    if "data_format" in node.attr and node.attr["data_format"].s != b"NHWC":
        return False
    return "dilations" not in node.attr or set(node.attr["dilations"].list.i) <= {1}


def _dequantize(name: str, values: Sequence[str]) -> NodeDef:
    return new_node(name, "Dequantize", values, T=quint8, **_MIN_FIRST)


def _ports(name: str) -> list[str]:
    """The value, the minimum and the maximum that a node returns."""
    return [f"{name}:{port}" for port in range(3)]


def _with_quantized_placeholders(graph_def: GraphDef, limits: tuple[float, float]) -> GraphDef:
    """Lets placeholders of floats take 8 bits."""
    replaced: dict[str, str] = {}
    new: dict[str, list[NodeDef]] = {}
    for node in graph_def.node:
        if node.op == "Placeholder" and _is_float(node, "dtype"):
            prefix = f"{node.name}_eightbit"
            low = constant(f"{prefix}/min", np.float32(limits[0]), float32)
            high = constant(f"{prefix}/max", np.float32(limits[1]), float32)
            value = _dequantize(f"{prefix}/dequantize", [node.name, low.name, high.name])
            replaced[node.name] = value.name
            new[node.name] = [copied(node, dtype=quint8), low, high, value]
    result: list[NodeDef] = []
    for node in graph_def.node:
        result += new.get(node.name) or [
            with_inputs(node, lambda text: renamed_input(text, replaced))
        ]
    return graph_of(result, graph_def)


def _with_quantized_ranges(graph_def: GraphDef) -> GraphDef:
    """Quantizes where the range of values is known: at FakeQuantWithMinMaxVars of constants."""
    ranges = Pattern("FakeQuantWithMinMaxVars", (ANYTHING, CONSTANT, CONSTANT))

    def replace(match: Match) -> list[NodeDef]:
        name = match.node.name
        limits = [part.node.name for part in match.inputs[1:]]
        wide = new_node(
            f"{name}_eightbit/quantize",
            "QuantizeV2",
            [match.node.input[0], *limits],
            T=qint32,
            **_MIN_FIRST,
        )
        narrow = _requantize(f"{name}_eightbit/requantize", wide.name, limits)
        sources = [part.node for part in match.inputs]
        return [*sources, wide, narrow, _dequantize(name, _ports(narrow.name))]

    before = None
    while before != graph_def:
        before = graph_def
        graph_def = replace_matches(graph_def, ranges, replace)
    return graph_def


def _requantize(name: str, wide: str, limits: Sequence[str]) -> NodeDef:
    types: dict[str, DType] = {"Tinput": qint32, "out_type": quint8}
    return new_node(name, "Requantize", [*_ports(wide), *limits], **types)


def _quantized(node: NodeDef, fallback: tuple[float, float] | None) -> list[NodeDef]:
    """The node with 8 bits, what quantizes its inputs, and what dequantizes its output."""
    form = _FORMS[node.op]
    new: list[NodeDef] = []
    values: list[str] = []
    pairs: list[tuple[str, str]] = []
    for place, text in enumerate(data_inputs(node)):
        if place == form.plain:
            values.append(text)
            continue
        parts = _quantized_input(f"{node.name}_eightbit", text)
        value, low, high = _ports(parts[-1].name)
        new += parts
        values.append(value)
        pairs.append((low, high))
    limits = [limit for group in (zip(*pairs) if form.is_grouped else pairs) for limit in group]
    types = dict.fromkeys(form.types, quint8)
    if form.is_wide:
        types[form.types[-1]] = qint32
    attrs = {key: node.attr[key] for key in form.copied if key in node.attr}
    controls = [text for text in node.input if text.startswith("^")]
    main = new_node(
        f"{node.name}/eightbit", form.op, [*values, *limits, *controls], **types, **attrs
    )
    new.append(main)
    if form.is_wide:
        new += _narrowed(main.name, fallback)
    return [*new, _dequantize(node.name, _ports(new[-1].name))]


def _quantized_input(prefix: str, text: str) -> list[NodeDef]:
    """The nodes that measure the range of a tensor and quantize it, which the last one does."""
    prefix = f"{prefix}/{text.removesuffix(':0').replace(':', '__port__')}"
    source = [node_of(text)]
    flat = constant(f"{prefix}/reshape_dims", np.array([-1], np.int32), int32, source)
    axis = constant(f"{prefix}/reduction_dims", np.array([0], np.int32), int32, source)
    reshape = new_node(f"{prefix}/reshape", "Reshape", [text, flat.name], T=float32)
    low = new_node(f"{prefix}/min", "Min", [reshape.name, axis.name], **_RANGE)
    high = new_node(f"{prefix}/max", "Max", [reshape.name, axis.name], **_RANGE)
    quantize = new_node(
        f"{prefix}/quantize", "QuantizeV2", [text, low.name, high.name], T=quint8, **_MIN_FIRST
    )
    return [flat, axis, reshape, low, high, quantize]


def _narrowed(name: str, fallback: tuple[float, float] | None) -> list[NodeDef]:
    """The nodes that make 8 bits of 32, which the last one does."""
    if fallback is None:
        measured = new_node(
            f"{name}/requant_range", "RequantizationRange", _ports(name), Tinput=qint32
        )
        return [measured, _requantize(f"{name}/requantize", name, _ports(measured.name)[:2])]
    low = constant(f"{name}/fallback_min", np.float32(fallback[0]), float32)
    high = constant(f"{name}/fallback_max", np.float32(fallback[1]), float32)
    return [low, high, _requantize(f"{name}/requantize", name, [low.name, high.name])]


def _without_detours(graph_def: GraphDef) -> GraphDef:
    """Lets nodes take the quantized values that others have dequantized only to quantize again."""
    nodes = {node.name: node for node in graph_def.node}
    replaced: dict[str, str] = {}
    for node in graph_def.node:
        if node.op == "QuantizeV2" and node.attr["T"].type == quint8.as_datatype_enum:
            source = nodes[node_of(node.input[0])]
            if source.op == "Dequantize" and _measures(node, source, nodes):
                replaced.update(zip(_ports(node.name), source.input))
    return graph_of(
        (with_inputs(node, lambda text: replaced.get(text, text)) for node in graph_def.node),
        graph_def,
    )


def _measures(quantize: NodeDef, source: NodeDef, nodes: dict[str, NodeDef]) -> bool:
    """Whether a node quantizes with the least and the greatest of the values of another one."""
    for text, op in zip(quantize.input[1:], ("Min", "Max")):
        limit = nodes[node_of(text)]
        if limit.op != op or nodes[node_of(limit.input[0])].op != "Reshape":
            return False
        if node_of(nodes[node_of(limit.input[0])].input[0]) != source.name:
            return False
    return True
