"""The key of the program of a loop; see `engine/program_keys.py`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from headwater.base.lazy import jax
from headwater.engine.compiling.program_key import Numbers, add_known, add_node
from headwater.engine.loops.arrays import Arrays
from headwater.engine.loops.body import LoopBody
from headwater.engine.nodes.node import Node
from headwater.engine.program_keys import Key


class LoopKey:
    """The key of the program of a loop, and what stands for its nodes and values.

    Args:
        loop: the loop.
        device: the JAX device of its ops; None for the default one.
        arguments: the loop variables, the constants, the slots, and the states of the arrays.
        arrays: the stacks and TensorArrays.
        capacity: how many iterations there are, if there are stacks.
        known: the constants whose values the program relies on.

    Attributes:
        text: the key.

    Raises:
        NoKey: if there is none.
    """

    def __init__(
        self,
        loop: LoopBody,
        device: Any,
        arguments: Sequence[Any],
        arrays: Arrays,
        capacity: int,
        known: Mapping[int, np.ndarray],
    ) -> None:
        # The nodes of the loop and of those in it, each with the numbers of its values.
        self._nodes: list[tuple[Node, Numbers]] = []
        self._key = Key("loop", device)
        numbers = self._add_loop(loop)
        self._key.add(capacity, *arrays.description(numbers))
        self._key.add(numbers.of(loop.layout.slots), numbers.of(known))
        add_known(self._key, numbers, known)
        for values in arguments:
            self._key.add(str(jax.tree.structure(values)))
            self._key.add_shapes(jax.tree.leaves(values))
        self.text = self._key.text()

    def _add_loop(self, loop: LoopBody) -> Numbers:
        """Adds a loop, and the loops in it."""
        numbers = Numbers()
        for nodes in (loop.test_nodes, loop.once_nodes, loop.body_nodes, loop.end_nodes):
            self._key.add(len(nodes))
            for node in nodes:
                if isinstance(node, Node):
                    self._nodes.append((node, numbers))
                    add_node(self._key, numbers, node)
                else:
                    self._add_inner(node, numbers)
        self._key.add(
            *(numbers.of(loop.variable_indices), numbers.of(loop.next_indices)),
            *(numbers.of(loop.constant_indices), numbers.of(loop.updated_slots)),
            None if loop.test_index is None else numbers[loop.test_index],
        )
        constants = {i: v for i, v in loop.constants.items() if i in numbers}
        add_known(self._key, numbers, constants)
        return numbers

    def _add_inner(self, loop: LoopBody, outside: Numbers) -> None:
        """Adds a loop inside of a loop, and how they are connected."""
        self._key.add("inner loop")
        inside = self._add_loop(loop)
        self._key.add(
            *(_pairs(loop.entries, inside, outside), _pairs(loop.exits, inside, outside)),
            _pairs(list(loop.slots_outside.items()), inside, outside),
            *(inside.of(loop.first_indices), inside.of(loop.layout.slots)),
            *(outside.of(loop.reads), outside.of(loop.outputs)),
            outside.of(loop.valueless_exits),
        )

    def place_of(self, node: Node, index: int) -> tuple[int, int]:
        """What stands for a node and one of its values, in every process."""
        place = next(i for i, (other, _) in enumerate(self._nodes) if other is node)
        return place, self._nodes[place][1][index]

    def node_at(self, place: int, number: int) -> tuple[Node, int]:
        """The node and the index of its value, for what `place_of` has returned."""
        node, numbers = self._nodes[place]
        return node, list(numbers)[number]


def _pairs(
    indices: Sequence[tuple[int, int]], inside: Numbers, outside: Numbers
) -> list[tuple[int, int]]:
    return [(inside[i], outside[j]) for i, j in indices]
