"""Finds the nodes of a segment with dynamic shapes and splits them from the rest.

The number of words that a sampler hits, or of boxes above a threshold, differs from run to run. One
op with such an input would keep the whole segment from being compiled. So the few nodes that follow
from it run on the host, up to where shapes are static again.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np

from headwater.base.dead import DEAD
from headwater.engine.compiling.region import Region
from headwater.engine.nodes.layout import Values
from headwater.engine.nodes.node import Node
from headwater.engine.state import on_host
from headwater.graph.registry import RunsOn

# The rest is compiled if less than this share of the nodes has dynamic shapes.
_LARGEST_SHARE = 0.6
# Larger values that must be known are not compared.
_SMALL = 1024
# Nodes on so few elements run where their inputs are.
_SCALARS = 64
# Runs with changed inputs after which nothing new is expected.
_MOST_COMPARED = 8


class Inputs:
    """The shapes and values for which a program of one run would be compiled.

    Args:
        region: the region.
        values: the values of the run.
    """

    def __init__(self, region: Region, values: Values) -> None:
        self._kinds = region.layout.dynamic_shapes
        self._fed = [values[i].shape for i in region.layout.feeds if i in region.inputs]
        self._dead = {i for i in region.inputs if values[i] is DEAD}
        alive = [i for i in region.inputs if i not in self._dead]
        self._shapes = {i: values[i].shape for i in alive if i in self._kinds}
        self._values = {i: on_host(values[i]).tobytes() for i in alive if i in region.concrete}

    def comparable(self, other: Inputs) -> bool:
        """Whether another run took the same branches and was fed the same shapes.

        Few shapes are expected of feeds, so it is worth compiling for each of them.
        """
        return self._fed == other._fed and self._dead == other._dead

    def changed_from(self, other: Inputs) -> set[int]:
        """The inputs with another shape, or with another value that a program has to know."""
        shapes = {i for i, shape in self._shapes.items() if shape != other._shapes.get(i, shape)}
        return shapes | {
            i for i, value in self._values.items() if value != other._values.get(i, value)
        }

    def of_kind(self, changed: set[int]) -> set[int]:
        """All inputs that are the same output of the same op type as one of the changed ones."""
        kinds = {self._kinds[i] for i in changed if i in self._kinds}
        return {i for i in self._shapes if self._kinds[i] in kinds}


def computed_elements(node: Node, values: Values) -> int:
    """How many elements a node has computed: those of inputs that it hands on cost nothing."""
    given = [values[i] for i in node.inputs]
    memory = {id(owner) for value in given for owner in (value, getattr(value, "base", None))}
    memory.discard(id(None))
    made = [values[i] for i in node.outputs]
    return sum(
        getattr(value, "size", 0)
        for value in made
        if memory.isdisjoint((id(value), id(getattr(value, "base", None))))
    )


class Observation:
    """Finds in interpreted runs which values have other shapes in each run.

    Args:
        region: the region.
    """

    def __init__(self, region: Region) -> None:
        self._region = region
        self._inputs: Inputs | None = None
        self._needed = {
            n: [n.inputs[i] for i in n.record.concrete_inputs(n.op._attrs)] for n in region.nodes
        }
        # What the first of comparable runs had: shapes by index, and values that must be known.
        self._first: dict[Any, Any] = {}
        self._changed: set[int] = set()
        self._dynamic: set[Node] = set()
        self._compared = 0
        # Runs that could not be compared with the one before.
        self._fresh = 0
        self._host_inputs: set[int] = set()
        self.elements: dict[Node, int] = {}

    def begin(self, values: Values) -> bool:
        """Begins a run; tells whether its nodes have to be noted."""
        before, now = self._inputs, Inputs(self._region, values)
        self._inputs = now
        inputs = self._region.inputs
        self._host_inputs = {i for i in inputs if isinstance(values[i], np.ndarray)}
        if before is None or not now.comparable(before):
            self._first.clear()
            self._fresh += 1
            return True
        changed = now.changed_from(before)
        self._changed |= changed
        self._compared += bool(changed)
        return bool(changed)

    def note(self, node: Node, values: Values) -> None:
        """Notes the shapes that a node has read and made in this run."""
        first = self._first
        is_dynamic = False
        for index in (*node.reads, *node.outputs):
            shape = getattr(values[index], "shape", None)
            is_dynamic |= first.setdefault(index, shape) != shape
        for index in self._needed[node]:
            value = values[index]
            if value is not DEAD and value.size <= _SMALL:
                known = on_host(value).tobytes()
                is_dynamic |= first.setdefault((node, index), known) != known
        if is_dynamic:
            self._dynamic.add(node)
        self.elements[node] = computed_elements(node, values)

    def is_exhausted(self) -> bool:
        """Whether enough runs have been seen."""
        return max(self._compared, self._fresh) >= _MOST_COMPARED

    def is_complete(self) -> bool:
        """Whether further runs are not expected to show more.

        All inputs of a kind are expected to change if one does.
        """
        assert self._inputs is not None
        if self.is_exhausted():
            return True
        return self._compared > 0 and self._inputs.of_kind(self._changed) <= self._changed

    def dynamic_nodes(self) -> list[Node]:
        """The nodes that have to run on the host, in order.

        These are the nodes with dynamic shapes, the scalar arithmetic that depends only on them,
        and what computes their shapes. None if a node can only be compiled, or if they are too
        large a share.
        """
        found: dict[Node, None] = {}
        hosted: set[int] = set(self._region.constants)
        for node in self._region.nodes:
            if node in self._dynamic:
                if node.record.runs_on is RunsOn.XLA:
                    return []
            elif not self._is_scalar_work(node, hosted):
                continue
            found[node] = None
            hosted.update(node.outputs)
        if len(found) > _LARGEST_SHARE * len(self._region.nodes):
            return []
        hosted_nodes = self._with_shape_arithmetic(found.keys())
        return [node for node in self._region.nodes if node in hosted_nodes]

    def _with_shape_arithmetic(self, hosted: Collection[Node]) -> set[Node]:
        """The hosted nodes, and arithmetic on integers of the host that only those read.

        Compiled, it would be inputs and outputs of a program.
        """
        known = {*self._region.constants, *self._host_inputs}
        candidates = []
        makers: dict[int, Node] = {}
        readers: dict[int, list[Node]] = {}
        for node in self._region.nodes:
            makers.update((i, node) for i in node.outputs)
            for index in node.reads:
                readers.setdefault(index, []).append(node)
            if node not in hosted:
                if not self._is_little(node, known) or not _makes_integers(node):
                    continue
                candidates.append(node)
            known.update(node.outputs)
        result = {*hosted, *candidates}

        def stays(node: Node) -> bool:
            users = [user for i in node.outputs for user in readers.get(i, ())]
            used = [makers[i] for i in node.reads if i in makers]
            return bool(users) and result.issuperset(users) and result.issuperset(used)

        while others := [n for n in candidates if n in result and not stays(n)]:
            result.difference_update(others)
        return result

    def _is_scalar_work(self, node: Node, hosted: set[int]) -> bool:
        is_constant = self._region.constants.keys() >= set(node.reads)
        return not is_constant and self._is_little(node, hosted)

    def _is_little(self, node: Node, hosted: set[int]) -> bool:
        if node.updates or node.state is not None or node.record.runs_on is RunsOn.XLA:
            return False
        return hosted.issuperset(node.reads) and self.elements.get(node, _SMALL) <= _SCALARS


def _makes_integers(node: Node) -> bool:
    return all(tensor._dtype.is_integer for tensor in node.op._outputs)


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
        changes = _changes(node)
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
    result = _lifted([(level, groups[level][::-1]) for level in sorted(groups, reverse=True)])
    _move_releases([node for _, group in result for node in group])
    return result


def _lifted(groups: list[tuple[int, list[Node]]]) -> list[tuple[int, list[Node]]]:
    """The groups, with compiled ones that do not need the hosted ones before joined.

    Levels are as late as possible, but each compiled group costs the call of a program.
    """
    result: list[tuple[int, list[Node]]] = []
    for level, group in groups:
        earlier = next((i for i, (at, _) in enumerate(result) if not at % 2), None)
        while earlier is not None and not level % 2:
            between = [node for _, nodes in result[earlier + 1 :] for node in nodes]
            if not _depend(group, between):
                result[earlier][1].extend(group)
                break
            later = (i for i, (at, _) in enumerate(result) if i > earlier and not at % 2)
            earlier = next(later, None)
        else:
            result.append((level, group))
    return result


def _depend(nodes: list[Node], others: list[Node]) -> bool:
    """Whether some nodes have to run after others that stand before them."""
    changed = {i for node in others for i in (*node.outputs, *_changes(node))}
    read = {i for node in others for i in node.reads}
    return any(
        not changed.isdisjoint((*node.reads, *_changes(node)))
        or not read.isdisjoint(_changes(node))
        for node in nodes
    )


def _changes(node: Node) -> list[int]:
    """The indices of the variables and of the state that a node changes."""
    return [*node.updates] if node.state is None else [*node.updates, node.state]


def _move_releases(nodes: list[Node]) -> None:
    """Sets the `released` indices anew for the new order of the nodes."""
    released = {index for node in nodes for index in node.released}
    for node in reversed(nodes):
        node.released = [i for i in {*node.reads, *node.outputs} if i in released]
        released.difference_update(node.released)
