"""Receptive fields of the nodes of a GraphDef (Araujo, Norris and Sim, 2019)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from headwater.base import logging
from headwater.base.typing import Array
from headwater.contrib.receptive_field.graph_compute_order import get_compute_order
from headwater.contrib.receptive_field.parse_layer_parameters import get_layer_params
from headwater.graph import export


class ReceptiveField:
    """The part of the images that one position of an output depends on.

    Args:
        size: its width and height.
        stride: the distance between those of neighbouring positions, along both axes.
        padding: how far the first one reaches over the edge; None if that is not known.
    """

    def __init__(self, size: Any, stride: Any, padding: Any) -> None:
        self.size = np.asarray(size)
        self.stride = np.asarray(stride)
        self.padding = np.asarray(padding)

    def compute_input_center_coordinates(self, y: Any, axis: Sequence[int] | None = None) -> Array:
        """Returns the centres of receptive fields in the images.

        Args:
            y: positions of the output, an array whose last axis is that of coordinates.
            axis: the axes that they have; all if None.

        Raises:
            ValueError: if they have another number of coordinates.
        """
        places, size, stride, padding = self._along(y, axis, "feature coordinates `y`")
        return -padding + (size - 1) / 2 + places * stride

    def compute_feature_coordinates(self, x: Any, axis: Sequence[int] | None = None) -> Array:
        """Returns the positions of the output whose receptive fields have given centres.

        Args:
            x: centres in the images, an array whose last axis is that of coordinates.
            axis: the axes that they have; all if None.

        Raises:
            ValueError: if they have another number of coordinates.
        """
        places, size, stride, padding = self._along(x, axis, "input center coordinates `x`")
        return (places + padding + (1 - size) / 2) / stride

    def _along(self, values: Any, axis: Sequence[int] | None, what: str) -> tuple[Array, ...]:
        axes = list(range(self.size.size)) if axis is None else list(axis)
        places = np.asarray(values)
        if places.shape[-1] != len(axes):
            raise ValueError(
                f"Dimensionality of the {what} ({places.shape[-1]}) does not match dimensionality "
                f"of `axis` ({len(axes)})"
            )
        return places, self.size[axes], self.stride[axes], self.padding[axes]

    def __iter__(self) -> Iterator[Any]:
        return iter(np.concatenate([self.size, self.stride, self.padding]))


class _Axis(NamedTuple):
    """Size, stride and padding along one axis."""

    size: int
    stride: int
    padding: int | None

    def before(self, kernel: int, stride: int, padding: int | None) -> _Axis:
        """That of the inputs of a node with a window."""
        known = self.padding is not None and padding is not None
        return _Axis(
            stride * self.size + kernel - stride,
            stride * self.stride,
            stride * self.padding + padding if known else None,  # type: ignore[operator]
        )

    def joined(self, other: _Axis, direction: str) -> _Axis:
        """The larger one of two paths, which have to be aligned."""
        if self.padding is not None and other.padding is not None:
            text = "Graph is not aligned since {} from different paths is different in {} direction"
            if self.stride != other.stride:
                raise ValueError(text.format("effective stride", direction))
            if self.size - 2 * self.padding != other.size - 2 * other.padding:
                raise ValueError(text.format("center shift", direction))
        elif other.size > self.size:
            return other._replace(padding=None)
        return other if other.size > self.size else self


@export(
    "contrib.receptive_field.compute_receptive_field_from_graph_def",
    "contrib.receptive_field.receptive_field_api.compute_receptive_field_from_graph_def",
)
def compute_receptive_field_from_graph_def(
    graph_def: Any,
    input_node: str,
    output_node: str,
    stop_propagation: Sequence[str] | None = None,
    input_resolution: Sequence[int] | None = None,
) -> ReceptiveField:
    """Returns the receptive field of a node.

    Args:
        graph_def: a GraphDef, or a graph.
        input_node: the name of the node of the images.
        output_node: the name of the node.
        stop_propagation: names of nodes whose inputs do not count.
        input_resolution: height and width of the images, on which paddings may depend.

    Returns:
        A ReceptiveField; unpacked, it is six numbers: the sizes, strides and paddings.

    Raises:
        ValueError: if a node is not found or not known, or if paths are not aligned.
    """
    info, name_to_node = get_compute_order(graph_def, input_node, input_resolution)
    if output_node not in name_to_node:
        raise ValueError("Output node was not found")
    fields = {output_node: (_Axis(1, 1, 0), _Axis(1, 1, 0))}
    for node_info in sorted(info.values(), key=lambda each: -(each.order or 0)):
        node = node_info.node
        if node is None or node.name not in fields:
            continue
        if node.name == input_node:
            x, y = fields[input_node]
            return ReceptiveField((x.size, y.size), (x.stride, y.stride), (x.padding, y.padding))
        params = get_layer_params(node, name_to_node, node_info.input_size)
        if stop_propagation and node.name in stop_propagation:
            logging.debug("Stopping at node: %s", node.name)
            continue
        x, y = fields[node.name]
        paddings: tuple[int | None, int | None] = params.padding_x, params.padding_y
        if None in paddings:  # that of one axis alone is of no use
            paddings = None, None
        before = (
            x.before(params.kernel_size_x, params.stride_x, paddings[0]),  # type: ignore[arg-type]
            y.before(params.kernel_size_y, params.stride_y, paddings[1]),  # type: ignore[arg-type]
        )
        for name in node.input:
            if name.startswith("^"):
                continue
            name = name.partition(":")[0]
            fields[name] = before if name not in fields else _joined(fields[name], before)
    raise ValueError("Input node was not found")


def _joined(first: tuple[_Axis, _Axis], second: tuple[_Axis, _Axis]) -> tuple[_Axis, _Axis]:
    (x1, y1), (x2, y2) = first, second
    return x1.joined(x2, "horizontal"), y1.joined(y2, "vertical")
