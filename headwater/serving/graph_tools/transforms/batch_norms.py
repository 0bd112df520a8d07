"""Transforms that multiply batch normalizations into the filters before them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from headwater.base.dtypes import as_dtype
from headwater.serving.graph_tools.transforms.context import Context
from headwater.serving.graph_tools.transforms.matching import (
    ANYTHING,
    CONSTANT,
    Match,
    Pattern,
    replace_matches,
)
from headwater.serving.graph_tools.transforms.node_names import (
    constant,
    constant_value,
    copied,
    new_node,
)

if TYPE_CHECKING:
    from headwater.protos.graph_pb2 import GraphDef
    from headwater.protos.node_def_pb2 import NodeDef

_CONVOLUTION = Pattern("Conv2D|DepthwiseConv2dNative", (ANYTHING, CONSTANT))
_SCALED = Pattern(
    "Mul", (Pattern("Conv2D|MatMul|DepthwiseConv2dNative", (ANYTHING, CONSTANT)), CONSTANT)
)
_CONSTANTS = (CONSTANT,) * 4
_NORMALIZATIONS = "BatchNormWithGlobalNormalization|FusedBatchNorm"
_PLAIN = Pattern(_NORMALIZATIONS, (_CONVOLUTION, *_CONSTANTS))
_OF_BATCHES = Pattern(
    _NORMALIZATIONS,
    (
        Pattern(
            "BatchToSpaceND",
            (
                Pattern(
                    "Conv2D|DepthwiseConv2dNative",
                    (Pattern("SpaceToBatchND", (ANYTHING,) * 3), CONSTANT),
                ),
                ANYTHING,
                ANYTHING,
            ),
        ),
        *_CONSTANTS,
    ),
)
_OF_HALVES = Pattern(
    _NORMALIZATIONS,
    (
        Pattern(
            "ConcatV2|Concat",
            (
                Pattern("Conv2D", (ANYTHING, CONSTANT)),
                Pattern("Conv2D", (ANYTHING, CONSTANT)),
                CONSTANT,
            ),
        ),
        *_CONSTANTS,
    ),
)


def fold_batch_norms(graph_def: GraphDef, context: Context) -> GraphDef:
    """Multiplies constant factors of channels into the filters of the layers before them.

    A layer whose filters or outputs have other uses stays.
    """
    return replace_matches(graph_def, _SCALED, _folded_product, context.kept_names())


def _folded_product(match: Match) -> list[NodeDef] | None:
    layer, factors = match.inputs
    source, filters = layer.inputs
    scale = constant_value(factors.node)
    if scale.ndim != 1 or scale.size != _channels(layer.node, constant_value(filters.node)):
        return None
    if not _has_channels_last(layer.node):
        return None
    new_layer = copied(layer.node)
    new_layer.name = match.node.name
    return [_scaled(filters.node, layer.node, scale), source.node, new_layer]


def _has_channels_last(layer: NodeDef) -> bool:
    if layer.op == "MatMul":
        return not ("transpose_b" in layer.attr and layer.attr["transpose_b"].b)
    return "data_format" not in layer.attr or layer.attr["data_format"].s == b"NHWC"


def _channels(layer: NodeDef, weights: np.ndarray) -> int:
    """The number of output channels of a layer."""
    return int(np.prod(weights.shape[2:] if _is_depthwise(layer) else weights.shape[-1:]))


def _is_depthwise(layer: NodeDef) -> bool:
    return layer.op == "DepthwiseConv2dNative"


def _scaled(filters: NodeDef, layer: NodeDef, scale: np.ndarray) -> NodeDef:
    """The filters of a layer, multiplied by a factor for each output channel."""
    weights = constant_value(filters)
    factors = scale.reshape(weights.shape[2:]) if _is_depthwise(layer) else scale
    dtype = as_dtype(filters.attr["dtype"].type)
    return constant(filters.name, (weights * factors).astype(weights.dtype), dtype)


def fold_old_batch_norms(graph_def: GraphDef, context: Context) -> GraphDef:
    """Puts FusedBatchNorms and BatchNormWithGlobalNormalizations into convolutions and additions.

    A convolution whose filters or outputs have other uses stays.
    """
    outputs = context.kept_names()
    for pattern, fold in (
        (_PLAIN, _folded),
        (_OF_BATCHES, _folded_in_batches),
        (_OF_HALVES, _folded_halves),
    ):
        before = None
        while before != graph_def:
            before = graph_def
            graph_def = replace_matches(graph_def, pattern, fold, outputs)
    return graph_def


def _scale_and_offset(normalization: Match) -> tuple[np.ndarray, np.ndarray]:
    """What a normalization multiplies its input by and adds to it, for each channel."""
    node = normalization.node
    values = [constant_value(match.node) for match in normalization.inputs[1:]]
    if node.op == "FusedBatchNorm":
        gamma, beta, mean, variance = values
        epsilon, is_scaled = node.attr["epsilon"].f, True
    else:
        mean, variance, beta, gamma = values
        epsilon = node.attr["variance_epsilon"].f
        is_scaled = node.attr["scale_after_normalization"].b
    scale = 1.0 / np.sqrt(variance + np.float32(epsilon))
    if is_scaled:
        scale = scale * gamma
    return scale, beta - mean * scale


def _with_offset(
    convolution: Match, scale: np.ndarray, offset: np.ndarray, name: str
) -> list[NodeDef]:
    """The scaled filters, the convolution, and an addition that gets a name."""
    source, filters = convolution.inputs
    layer = convolution.node
    dtype = as_dtype(filters.node.attr["dtype"].type)
    bias = constant(f"{layer.name}_bn_offset", offset.astype(dtype.as_numpy_dtype), dtype)
    attrs = {key: layer.attr[key] for key in ("T", "data_format") if key in layer.attr}
    add = new_node(name, "BiasAdd", [layer.name, bias.name], **attrs)
    return [_scaled(filters.node, layer, scale), source.node, layer, bias, add]


def _folded(match: Match) -> list[NodeDef] | None:
    scale, offset = _scale_and_offset(match)
    return _with_offset(match.inputs[0], scale, offset, match.node.name)


def _folded_in_batches(match: Match) -> list[NodeDef]:
    scale, offset = _scale_and_offset(match)
    to_space = match.inputs[0]
    convolution, block, crops = to_space.inputs
    to_batch = convolution.inputs[0]
    filters, _, layer, bias, add = _with_offset(
        convolution, scale, offset, f"{convolution.node.name}/biasadd"
    )
    last = copied(to_space.node)
    last.name = match.node.name
    last.input[0] = add.name
    sources = [part.node for part in to_batch.inputs]
    return [*sources, filters, to_batch.node, layer, bias, add, block.node, crops.node, last]


def _folded_halves(match: Match) -> list[NodeDef] | None:
    joined = match.inputs[0]
    one, two, axis = joined.inputs
    if joined.node.op == "Concat" or constant_value(axis.node).tolist() not in (3, -1):
        return None
    scale, offset = _scale_and_offset(match)
    count = constant_value(one.inputs[1].node).shape[-1]
    first = _with_offset(one, scale[:count], offset[:count], f"{joined.node.name}_bn_in0")
    second = _with_offset(two, scale[count:], offset[count:], f"{joined.node.name}_bn_in1")
    last = copied(joined.node)
    last.name = match.node.name
    last.input[:2] = [first[-1].name, second[-1].name]
    return [*first, *second, axis.node, last]
