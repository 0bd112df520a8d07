"""Gradients of broadcast inputs as one call each, when nodes are interpreted.

For an input of `a + b` whose shape is not known when the graph is built, TensorFlow's gradient has
five ops: the shapes of both inputs, BroadcastGradientArgs, the sum over the axes that it names, and
a reshape. The shapes themselves say in one call what these ops find out.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from headwater.engine.analysis.purity import is_pure
from headwater.engine.nodes.node import Node


class BroadcastGradient:
    """The ops for one input as one function of the gradient and both inputs.

    Args:
        nodes: the ops in order, the reshape last.
        places: the place of each of their values.

    Attributes:
        nodes: the ops.
        compute: runs the ops on a list of values, where the shapes do not fit to each other.
        inputs: the places of the gradient, of the input, and of the other input.
        output: the place of the result.
    """

    def __init__(self, nodes: Sequence[Node], places: Mapping[int, int]) -> None:
        shape, other, _, total, reshape = self.nodes = list(nodes)
        self.inputs = tuple(places[n.inputs[0]] for n in (total, shape, other))
        self.output = places[reshape.outputs[0]]
        self.compute: Callable[[dict[int, Any]], None] | None = None

    def __call__(self, gradient: np.ndarray, value: np.ndarray, other: np.ndarray) -> Any:
        axes = summed_axes(gradient.shape, value.shape, other.shape)
        if axes is None or gradient.dtype.kind not in "fc" or gradient.dtype.itemsize < 4:
            assert self.compute is not None
            local = dict(zip(self.inputs, (gradient, value, other)))
            self.compute(local)
            return local[self.output]
        if not axes:
            return gradient
        return np.add.reduce(gradient, axis=axes).reshape(value.shape)


def summed_axes(
    gradient: tuple[int, ...], value: tuple[int, ...], other: tuple[int, ...]
) -> tuple[int, ...] | None:
    """The axes over which the gradient of a broadcast is summed for one of its inputs.

    Args:
        gradient: the shape of the gradient of the result.
        value: the shape of the input.
        other: the shape of the other input.

    Returns:
        The axes; None if the shapes do not fit to each other.
    """
    if gradient == value == other:
        return ()
    rank = len(gradient)
    absent, absent_other = rank - len(value), rank - len(other)
    if min(absent, absent_other) != 0:
        return None
    axes = []
    for axis, size in enumerate(gradient):
        own = value[axis - absent] if axis >= absent else 1
        others = other[axis - absent_other] if axis >= absent_other else 1
        if own != size:
            if own != 1 or others != size:
                return None
            axes.append(axis)
        elif others not in (1, size):
            return None
        elif axis < absent:
            axes.append(axis)
    return tuple(axes)


def broadcast_gradients(
    nodes: Sequence[Node], places: Mapping[int, int]
) -> dict[Node, BroadcastGradient]:
    """Finds the ops of gradients of broadcasts.

    Args:
        nodes: the nodes that are interpreted, in order.
        places: where their values stand, by index.

    Returns:
        The gradients by the last of their ops.
    """
    made: dict[int, Node] = {}
    updated: set[int] = set()
    found = {}
    for node in nodes:
        if node.record.name == "Reshape":
            group = _ops_of(node, made, places)
            depends = any(n.guards or n.alive for n in [*group, node])
            if group and not depends and updated.isdisjoint(n.inputs[0] for n in group[:2]):
                found[node] = BroadcastGradient([*group, node], places)
        updated.update(node.updates)
        made.update((places[i], node) for i in node.outputs)
    return found


def _ops_of(reshape: Node, made: Mapping[int, Node], places: Mapping[int, int]) -> list[Node]:
    """The ops before the reshape of a gradient; none if it is something else."""

    def producer(node: Node, position: int, name: str) -> Node | None:
        maker = made.get(places[node.inputs[position]])
        return maker if maker is not None and maker.record.name == name else None

    total, shape = producer(reshape, 0, "Sum"), producer(reshape, 1, "Shape")
    if total is None or shape is None or total.op._attrs["keep_dims"]:
        return []
    axes = producer(total, 1, "BroadcastGradientArgs")
    if axes is None:
        return []
    side = [places[i] for i in axes.outputs].index(places[total.inputs[1]])
    other = producer(axes, 1 - side, "Shape")
    if other is None or producer(axes, side, "Shape") is not shape:
        return []
    return [shape, other, axes, total]


class Joined(Protocol):
    """Several ops as one call.

    Attributes:
        nodes: the ops in order.
        inputs: the places of what they take from others.
    """

    nodes: list[Node]
    inputs: tuple[int, ...]


def without_unread(
    nodes: Sequence[Node],
    joined: Mapping[Node, Joined],
    places: Mapping[int, int],
    given: Collection[int],
) -> list[Node]:
    """The nodes that are still called.

    Args:
        nodes: the nodes in order.
        joined: the ops that are one call, by the last of them.
        places: where the values of the nodes stand, by index.
        given: the places that are read after the nodes.
    """
    replaced = {node for ops in joined.values() for node in ops.nodes[:-1]}
    read = set(given)
    kept = []
    for node in reversed(nodes):
        if (
            node in replaced
            and is_pure(node.record)
            and read.isdisjoint(places[i] for i in node.outputs)
        ):
            continue
        kept.append(node)
        ops = joined.get(node)
        read.update(ops.inputs if ops else [places[i] for i in node.reads])
    return kept[::-1]
