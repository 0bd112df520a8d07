"""On what the values depend that a program has to know."""

from __future__ import annotations

from typing import Any

from headwater.base.dead import DEAD
from headwater.engine.analysis.purity import OF_SHAPES
from headwater.engine.compiling.region import Region
from headwater.engine.nodes.node import Node
from headwater.graph.registry import RunsOn
from headwater.graph.shapes import number_of_elements

# Values of so many elements are not computed on the host only to be known to a program.
_LARGE = 1024
# As many integers of an input become part of the key of a program.
_FEW_INTEGERS = 16


def deciding(region: Region, index: int, taken: Any) -> set[int]:
    """The inputs that decide on a value; empty if it depends on more than a few integers.

    Shapes are known while a program is traced, so what has a shape does not decide.
    """
    wanted = {index}
    for node in reversed(region.nodes):
        if wanted.isdisjoint(node.outputs):
            continue
        record = node.record
        if node.updates or node.state is not None or record.stateful:
            return set()
        if record.runs_on is RunsOn.XLA or not _makes_integers(node):
            return set()
        wanted.difference_update(node.outputs)
        if record.name not in OF_SHAPES:
            wanted.update(node.reads)
    wanted.difference_update(region.constants)
    if not wanted.issubset(region.inputs):
        return set()
    few = all(taken[i] is not DEAD and taken[i].size <= _FEW_INTEGERS for i in wanted)
    return wanted if few and all(taken[i].dtype.kind in "iu" for i in wanted) else set()


def deciding_on_others(region: Region, taken: Any) -> set[int]:
    """The inputs that decide on values which nodes need: one retry instead of one for each."""
    known = {*region.constants, *region.concrete}
    found: set[int] = set()
    for node in region.nodes:
        if node.record.name in OF_SHAPES or known.issuperset(node.reads):
            known.update(node.outputs)
        for position in node.record.concrete_inputs(node.op._attrs):
            index = node.inputs[position]
            if index not in known and node.record.runs_on is not RunsOn.HOST_UNLESS_KNOWN:
                found |= deciding(region, index, taken)
                known.add(index)
    return found


def producers(region: Region, index: int) -> list[Node] | None:
    """The few nodes that a value depends on; None if they are more than a little arithmetic.

    Ops with state or random numbers are more, and so are values that may be large.
    """
    wanted = {index}
    found: list[Node] = []
    for node in reversed(region.nodes):
        if wanted.isdisjoint(node.outputs):
            continue
        if node.updates or node.state is not None or node.record.stateful:
            return None
        if any(i in region.layout.slots for i in node.inputs) or not _is_little_work(node):
            return None
        wanted.update(node.reads)
        found.append(node)
    return found[::-1]


def _makes_integers(node: Node) -> bool:
    return all(tensor._dtype.is_integer for tensor in node.op._outputs)


def _is_little_work(node: Node) -> bool:
    """Whether the node is cheap with NumPy."""
    if node.record.runs_on is RunsOn.XLA:
        return False
    sizes = [number_of_elements(t._shape) for t in node.op._outputs if t._dtype.is_floating]
    return all(size is not None and size < _LARGE for size in sizes)
