"""Finds the nodes of a segment with dynamic shapes and splits them from the rest.

The number of words that a sampler hits, or of boxes above a threshold, differs from run to run. One
op with such an input would keep the whole segment from being compiled. So the few nodes that follow
from it run on the host, up to where shapes are static again.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np

from headwater.base import checks, errors
from headwater.base.dead import DEAD
from headwater.base.lazy import jax
from headwater.engine.compiling.lowering import Environment, NeedsValue
from headwater.engine.compiling.region import Region
from headwater.engine.nodes.layout import Values
from headwater.engine.nodes.node import Node
from headwater.engine.state import on_host
from headwater.graph.registry import RunsOn

# The rest is compiled if less than this share of the nodes has dynamic shapes.
_LARGEST_SHARE = 0.6
# Of larger values that need not be known, a probe follows only the shapes.
_SMALL = 1024


class Inputs:
    """The shapes and values for which a program of one run would be compiled.

    Attributes:
        shapes: the shapes of the values that come from nodes on the host and may change.
        values: those values that a program has to know.
    """

    def __init__(self, region: Region, values: Values) -> None:
        self._kinds = region.layout.dynamic_shapes
        self._fed = [values[i].shape for i in region.layout.feeds if i in region.inputs]
        self._dead = {i for i in region.inputs if values[i] is DEAD}
        alive = [i for i in region.inputs if i not in self._dead]
        self.shapes = {i: values[i].shape for i in alive if i in self._kinds}
        self.values = {i: on_host(values[i]) for i in alive if i in region.concrete}

    def changed_from(self, other: Inputs) -> dict[int, Any]:
        """The inputs that differ from those of an earlier run, as they might be in a third run.

        If one output of an op type has changed, all of that type are assumed to change.

        Returns:
            Shapes as tuples, values as arrays, by index. Empty if what is fed has another
            shape (few shapes are expected of feeds) or if other branches were taken.
        """
        if self._fed != other._fed or self._dead != other._dead:
            return {}
        result: dict[int, Any] = {}
        for index, value in self.values.items():
            before = other.values.get(index)
            if before is not None and not np.array_equal(before, value):
                result[index] = before
        axes: dict[Any, set[int]] = {}
        for index, shape in self.shapes.items():
            before = other.shapes.get(index, shape)
            if len(before) != len(shape):
                return {}
            changed = {axis for axis, n in enumerate(shape) if n != before[axis]}
            axes.setdefault(self._kinds[index], set()).update(changed)
        for index, shape in self.shapes.items():
            changed = axes[self._kinds[index]]
            if changed:
                result[index] = tuple(n + (axis in changed) for axis, n in enumerate(shape))
        return result


class Probe:
    """Finds in one interpreted run which values would change shape if some inputs did.

    Args:
        region: the region.
        changes: the inputs with other shapes (tuples) or other values (arrays), by index.
    """

    def __init__(self, region: Region, changes: dict[int, Any]) -> None:
        self._nodes = region.nodes
        self._changes = changes
        self._found: list[Node] | None = []

    def note(self, node: Node, values: Values) -> None:
        """Follows a node that has just run."""
        if self._found is None or self._changes.keys().isdisjoint(node.reads):
            return
        if any(values[i] is DEAD for i in (*node.reads, *node.outputs)):
            return
        if node.record.runs_on is RunsOn.XLA:
            self._found = None
            return
        self._found.append(node)
        try:
            self._follow(node, values)
        except (NeedsValue, errors.OpError):
            # The shapes cannot be computed, or the assumed inputs do not fit together.
            self._found = None

    def _follow(self, node: Node, values: Values) -> None:
        concrete = {node.inputs[i] for i in node.record.concrete_inputs(node.op._attrs)}
        environment = Environment({}, {})
        structs: dict[int, Any] = {}
        for index in node.reads:
            value = on_host(values[index])
            other = self._changes.get(index, value)
            if isinstance(other, tuple):
                structs[index] = jax.ShapeDtypeStruct(other, value.dtype)
            elif np.size(other) > _SMALL and index not in concrete:
                structs[index] = jax.ShapeDtypeStruct(value.shape, value.dtype)
            else:
                environment[index] = other
        if node.state is not None:
            environment[node.state] = on_host(values[node.state])

        def run(traced: dict[int, Any]) -> None:
            for index, value in traced.items():
                environment[index] = value
            with checks.collected(), np.errstate(all="ignore"):
                environment.run(node)

        jax.eval_shape(run, structs)
        for index in node.outputs:
            other, value = environment[index], on_host(values[index])
            if index in environment.known:
                if not np.array_equal(other, value):
                    self._changes[index] = other
            elif other.shape != np.shape(value):
                self._changes[index] = tuple(other.shape)

    def dynamic_nodes(self) -> list[Node]:
        """The nodes with dynamic shapes, in order; none if they are too large a share."""
        found = self._found or []
        return found if len(found) <= _LARGEST_SHARE * len(self._nodes) else []


def regrouped(
    nodes: list[Node], hosted: Collection[Node], late: Collection[Node]
) -> list[tuple[int, list[Node]]]:
    """Splits nodes into groups whose members either all run on the host or are all compiled.

    Args:
        nodes: the nodes in order.
        hosted: those that run on the host.
        late: those of them that come last if no other node depends on them.

    Returns:
        The groups with their levels, in an order in which they can run: as few as the values and
        the variables that the nodes take from one another allow. Levels count from the end: even
        ones are compiled, odd ones hosted, and at -1 stand those that are late.
    """
    used: dict[int, int] = {}
    updated: dict[int, int] = {}
    groups: dict[int, list[Node]] = {}
    hosted = set(hosted)
    for node in reversed(nodes):
        changes = [*node.updates] if node.state is None else [*node.updates, node.state]
        followers = [used[i] for i in (*node.outputs, *changes) if i in used]
        # Reads of the old value come before the update.
        followers.extend(updated[i] for i in node.reads if i in updated)
        level = max(followers, default=-1 if node in late else 0)
        level += level % 2 != (node in hosted)
        groups.setdefault(level, []).append(node)
        for index in (*node.reads, *changes):
            used[index] = max(used.get(index, level), level)
        for index in changes:
            updated[index] = max(updated.get(index, level), level)
    result = [(level, groups[level][::-1]) for level in sorted(groups, reverse=True)]
    _move_releases([node for _, group in result for node in group])
    return result


def _move_releases(nodes: list[Node]) -> None:
    """Sets the `released` indices anew for the new order of the nodes."""
    released = {index for node in nodes for index in node.released}
    for node in reversed(nodes):
        node.released = [i for i in {*node.reads, *node.outputs} if i in released]
        released.difference_update(node.released)
