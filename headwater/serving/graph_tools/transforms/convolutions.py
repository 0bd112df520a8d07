"""Transforms that join convolutions with the resizing, padding and batching around them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from headwater.base.dtypes import as_dtype, int32
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
    new_node,
)

if TYPE_CHECKING:
    from headwater.protos.graph_pb2 import GraphDef
    from headwater.protos.node_def_pb2 import NodeDef

_RESIZE = Pattern("ResizeBilinear", (ANYTHING, ANYTHING))
_ATROUS = Pattern(
    "BatchToSpaceND",
    (
        Pattern(
            "Conv2D|DepthwiseConv2dNative",
            (Pattern("SpaceToBatchND", (ANYTHING, CONSTANT, CONSTANT)), CONSTANT),
        ),
        CONSTANT,
        CONSTANT,
    ),
)


def fuse_pad_and_conv(graph_def: GraphDef, context: Context) -> GraphDef:
    """Joins MirrorPads with the convolutions after them."""
    pattern = Pattern("Conv2D", (Pattern("MirrorPad", (ANYTHING, ANYTHING)), ANYTHING))

    def fuse(match: Match) -> list[NodeDef]:
        pad, filters = match.inputs
        source, paddings = pad.inputs
        fused = new_node(
            match.node.name,
            "FusedPadConv2D",
            [pad.node.input[0], pad.node.input[1], match.node.input[1]],
            mode=pad.node.attr["mode"],
            **_shared_attrs(match.node),
        )
        return [filters.node, source.node, paddings.node, fused]

    return replace_matches(graph_def, pattern, fuse, context.kept_names())


def fuse_resize_and_conv(graph_def: GraphDef, context: Context) -> GraphDef:
    """Joins ResizeBilinears with the convolutions after them."""

    def fuse(match: Match) -> list[NodeDef]:
        resize, filters = match.inputs
        source, size = resize.inputs
        paddings = constant(f"{match.node.name}_dummy_paddings", np.zeros([4, 2], np.int32), int32)
        fused = _fused_resize(match.node, resize.node, paddings.name, "REFLECT")
        return [source.node, size.node, filters.node, paddings, fused]

    pattern = Pattern("Conv2D", (_RESIZE, ANYTHING))
    return replace_matches(graph_def, pattern, fuse, context.kept_names())


def fuse_resize_pad_and_conv(graph_def: GraphDef, context: Context) -> GraphDef:
    """Joins ResizeBilinears and MirrorPads with the convolutions after them."""

    def fuse(match: Match) -> list[NodeDef]:
        pad, filters = match.inputs
        resize, paddings = pad.inputs
        source, size = resize.inputs
        mode = pad.node.attr["mode"].s.decode()
        fused = _fused_resize(match.node, resize.node, pad.node.input[1], mode)
        return [source.node, size.node, filters.node, paddings.node, fused]

    pattern = Pattern("Conv2D", (Pattern("MirrorPad", (_RESIZE, ANYTHING)), ANYTHING))
    return replace_matches(graph_def, pattern, fuse, context.kept_names())


def _shared_attrs(convolution: NodeDef) -> dict[str, object]:
    return {key: convolution.attr[key] for key in ("T", "padding", "strides")}


def _fused_resize(convolution: NodeDef, resize: NodeDef, paddings: str, mode: str) -> NodeDef:
    return new_node(
        convolution.name,
        "FusedResizeAndPadConv2D",
        [resize.input[0], resize.input[1], paddings, convolution.input[1]],
        resize_align_corners=resize.attr["align_corners"],
        mode=mode,
        **_shared_attrs(convolution),
    )


def flatten_atrous_conv(graph_def: GraphDef, context: Context) -> GraphDef:
    """Replaces dilated convolutions, made of batches of parts, by filters with zeros in between.

    A convolution stays if its padding is neither that of SAME nor that of VALID.
    """
    return replace_matches(graph_def, _ATROUS, _flattened, context.kept_names())


def _flattened(match: Match) -> list[NodeDef] | None:
    convolution, _, crops = match.inputs
    to_batch, filters = convolution.inputs
    source, block, paddings = to_batch.inputs
    rates = constant_value(block.node)
    weights = constant_value(filters.node)
    spread = np.zeros(
        [
            (weights.shape[0] - 1) * rates[0] + 1,
            (weights.shape[1] - 1) * rates[1] + 1,
            *weights.shape[2:],
        ],
        weights.dtype,
    )
    spread[:: rates[0], :: rates[1]] = weights
    padding = _padding_of(
        constant_value(paddings.node) - constant_value(crops.node), spread.shape[:2]
    )
    if padding is None:
        return None
    new_filters = constant(filters.node.name, spread, as_dtype(filters.node.attr["dtype"].type))
    flat = new_node(
        match.node.name,
        convolution.node.op,
        [to_batch.node.input[0], filters.node.name],
        padding=padding,
        **{
            key: convolution.node.attr[key]
            for key in ("T", "data_format", "strides", "use_cudnn_on_gpu")
            if key in convolution.node.attr
        },
    )
    return [source.node, new_filters, flat]


def _padding_of(paddings: np.ndarray, sizes: tuple[int, ...]) -> str | None:
    """The name of a padding by its amounts before and after each axis, or None."""
    same = [[(size - 1) // 2, size - 1 - (size - 1) // 2] for size in sizes]
    if paddings.tolist() == same:
        return "SAME"
    return None if paddings.any() else "VALID"
