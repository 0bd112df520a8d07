"""Arithmetic on shapes and other small integers, whose results are remembered.

A step computes the same shapes again and again: the number of rows of a batch, the sizes of a
gradient. Connected ops of this kind are one call here, which looks for the results of the same
shapes and numbers before it computes anything.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from headwater.engine.analysis.purity import OF_SHAPES, is_pure
from headwater.engine.compiling.broadcast_gradients import Joined
from headwater.engine.nodes.node import Node
from headwater.graph import Tensor
from headwater.graph.registry import RunsOn
from headwater.graph.shapes import is_static, number_of_elements

# Values of more elements are not remembered, nor compared.
_SMALL = 16
# One op alone costs as little as the search for its results.
_FEWEST_NODES = 2
# When so many results are kept, the memory begins anew.
_MOST_RESULTS = 4096
# After so many searches, too few hits end the search for known results.
_TRIAL = 256


def arithmetic_groups(
    nodes: Sequence[Node], places: Mapping[int, int], joined: Mapping[Node, Joined]
) -> Iterator[Node | list[Node]]:
    """Groups arithmetic on small integers that depends on each other.

    Args:
        nodes: nodes in order.
        places: where each of their values stands, by index; equal ones have one place.
        joined: the nodes that stand for several ops.

    Yields:
        Single nodes, and lists of nodes whose results may be remembered, in an order in which
        they can run: a group stands before the first other node that needs it.
    """
    group_of: dict[int, list[Node]] = {}
    pending: list[list[Node]] = []

    def ended(group: list[Node]) -> list[Node | list[Node]]:
        pending.remove(group)
        for node in group:
            for index in node.outputs:
                del group_of[places[index]]
        return [group] if len(group) >= _FEWEST_NODES else list(group)

    for node in nodes:
        read = joined[node].inputs if node in joined else [places[i] for i in node.reads]
        before = [group_of[place] for place in read if place in group_of]
        if node in joined or not _is_small_arithmetic(node):
            for group in before:
                if group in pending:
                    yield from ended(group)
            yield node
            continue
        group = before[0] if before else []
        if not before:
            pending.append(group)
        for other in before[1:]:
            if other is not group and other in pending:
                pending.remove(other)
                group.extend(other)
                group_of.update((places[i], group) for n in other for i in n.outputs)
        group.append(node)
        group_of.update((places[index], group) for index in node.outputs)
    for group in list(pending):
        yield from ended(group)


def _is_small_arithmetic(node: Node) -> bool:
    """Whether a node makes few integers of few integers, or of shapes."""
    record = node.record
    if record is not node.op._record or not is_pure(record) or record.runs_on is RunsOn.XLA:
        return False
    if any(index in node.layout.slots for index in node.inputs) or node.guards or node.alive:
        return False
    op = node.op
    if not all(map(_is_few_integers, op._outputs)):
        return False
    return record.name in OF_SHAPES or all(map(_is_few_integers, op._inputs))


def _is_few_integers(tensor: Tensor) -> bool:
    dtype = tensor._dtype
    if not (dtype.is_integer or dtype.is_bool) or not is_static(tensor._shape):
        return False
    return (number_of_elements(tensor._shape) or 0) <= _SMALL


class RememberedArithmetic:
    """Nodes as one function of shapes and small integers.

    Args:
        nodes: the nodes in order.
        places: the place of each of their values, by index, in the lists on which they run.
        compute: runs the nodes on such a list.

    Attributes:
        inputs: the places of what they take: shapes first.
        outputs: the places of what they make.
    """

    def __init__(
        self,
        nodes: Sequence[Node],
        places: Mapping[int, int],
        compute: Callable[[dict[int, Any]], None],
    ) -> None:
        self._compute = compute
        constants = nodes[0].layout.template
        made = {places[index] for node in nodes for index in node.outputs}
        of_shape: dict[int, None] = {}
        of_value: dict[int, None] = {}
        self._constants: dict[int, Any] = {}
        for node in nodes:
            for index in node.inputs:
                place = places[index]
                if constants[index] is not None:
                    self._constants[place] = constants[index]
                elif place not in made:
                    kind = of_shape if node.record.name in OF_SHAPES else of_value
                    kind[place] = None
        self._shapes = len(of_shape)
        self.inputs = (*of_shape, *of_value)
        self.outputs = tuple(places[i] for node in nodes for i in node.outputs)
        self._results: dict[Any, tuple[Any, ...]] = {}
        self._searches = self._hits = 0

    def __call__(self, *values: Any) -> tuple[Any, ...]:
        if self._searches >= _TRIAL and 2 * self._hits < self._searches:
            return self._computed(values)
        self._searches += 1
        key = (
            *[value.shape for value in values[: self._shapes]],
            *[(value.shape, value.tobytes()) for value in values[self._shapes :]],
        )
        results = self._results.get(key)
        if results is not None:
            self._hits += 1
            return results
        results = self._computed(values)
        if len(self._results) >= _MOST_RESULTS:
            self._results = {}
        self._results[key] = results
        return results

    def _computed(self, values: Sequence[Any]) -> tuple[Any, ...]:
        local = {**self._constants, **dict(zip(self.inputs, values))}
        self._compute(local)
        # Copies: views of what a program has fed would change with it.
        return tuple(local[place].copy() for place in self.outputs)
