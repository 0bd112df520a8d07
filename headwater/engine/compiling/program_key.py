"""The key of the program of a region; see `engine/program_keys.py`.

The names of ops and the rest of the graph do not matter.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from headwater.base.dead import DEAD
from headwater.engine.compiling.lowering import is_folded_size
from headwater.engine.compiling.region import Region
from headwater.engine.nodes.layout import NOTHING
from headwater.engine.nodes.node import Node
from headwater.engine.program_keys import Key, attr_names


class Numbers(dict[int, int]):
    """Numbers the indices of a layout in the order in which they are met."""

    def __missing__(self, index: int) -> int:
        number = self[index] = len(self)
        return number

    def of(self, indices: Iterable[int]) -> list[int]:
        """The numbers of some indices."""
        return [self[index] for index in indices]


def region_key(
    region: Region, known: Mapping[int, Any], arguments: Sequence[list[Any]]
) -> tuple[str, Numbers]:
    """The key of the program of a region, and the numbers of the indices in it.

    Args:
        region: the region.
        known: the values that are known, by index.
        arguments: the lists of arguments that the program is for.

    Raises:
        NoKey: if there is none.
    """
    key, numbers = Key("region", region.device), Numbers()
    for node in region.nodes:
        add_node(key, numbers, node)
    needed = _needed_values(region.nodes) if region.large_constants else set()
    unneeded = set(region.large_constants).difference(needed)
    add_known(key, numbers, {i: value for i, value in known.items() if i not in unneeded})
    key.add(
        *(numbers.of(i for i in region.inputs if i not in known), numbers.of(region.outputs)),
        *(numbers.of(region.kept), numbers.of(region.read), numbers.of(region.updated)),
        *(numbers.of(region.large_constants), region.last, region.has_checks),
    )
    for values in arguments:
        key.add_shapes(values)
    return key.text(), numbers


def _needed_values(nodes: Iterable[Node]) -> set[int]:
    """The indices of the inputs whose values kernels must know."""
    return {n.inputs[i] for n in nodes for i in n.record.concrete_inputs(n.op._attrs)}


def add_node(key: Key, numbers: Numbers, node: Node) -> None:
    """Adds a node to a key."""
    record, op = node.record, node.op
    key.add_attrs(op._attrs, attr_names(record))
    key.add(
        record.name,
        # Otherwise the node reads a variable for the op.
        record is op._record,
        numbers.of(node.inputs),
        numbers.of(node.guards),
        numbers.of(node.outputs),
        numbers.of(node.updates),
        [(numbers[output], numbers[tested]) for output, tested in node.alive],
        None if node.state is None else numbers[node.state],
        [t._dtype.name for t in op._outputs],
        is_folded_size(node),
    )
    if "op" in record.kernel_attrs:
        # Such kernels look at the tensors of the graph.
        key.add([(t._dtype.name, t._shape) for t in (*op._inputs, *op._outputs)])
        key.add_attrs(op._attrs, sorted(name for name in op._attrs if name[0] != "_"))


def add_known(key: Key, numbers: Numbers, values: Mapping[int, Any]) -> None:
    """Adds known values by index."""
    for index, value in values.items():
        key.add(numbers[index])
        if value is DEAD or value is NOTHING:
            key.add("dead" if value is DEAD else "nothing")
        else:
            key.add_array(value)
