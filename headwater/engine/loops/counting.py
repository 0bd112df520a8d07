"""Counts the iterations of a loop in advance, where integer scalars decide."""

from __future__ import annotations

from typing import Any

from headwater.engine.loops.body import LoopBody
from headwater.engine.nodes.layout import Values
from headwater.engine.nodes.node import Node, run_node
from headwater.engine.state import on_host

# More iterations are not counted in advance.
_MOST_ITERATIONS = 1 << 16


def is_countable(loop: LoopBody) -> bool:
    """Whether counters alone decide how often a loop runs."""
    if loop.test_index is None or not all(_is_counter(n, loop) for n in loop.test_nodes):
        return False
    return all(_is_counter(n, loop) for n in _counters_of(loop)[0])


def _is_counter(node: Any, loop: LoopBody) -> bool:
    return isinstance(node, Node) and node.op in loop.scalars


def _counters_of(loop: LoopBody) -> tuple[list[Any], list[tuple[int, int]]]:
    """The body nodes and the loop variables (index, index of the next value) that decide."""
    wanted = {loop.test_index, *(i for n in loop.test_nodes for i in n.reads)}
    following = dict(zip(loop.variable_indices, loop.next_indices))
    while True:
        found = {*wanted, *(following[i] for i in wanted if i in following)}
        for node in loop.body_nodes:
            if not found.isdisjoint(node.outputs):
                found.update(node.reads)
        if found == wanted:
            break
        wanted = found
    nodes = [n for n in loop.body_nodes if not wanted.isdisjoint(n.outputs)]
    return nodes, [(i, n) for i, n in following.items() if i in wanted]


class Counting:
    """Counts the iterations of a loop without running it.

    Attributes:
        inputs: the indices of the values that decide.
    """

    def __init__(self, loop: LoopBody) -> None:
        self._loop = loop
        self._nodes, self._variables = _counters_of(loop)
        made = {i for n in (*loop.test_nodes, *self._nodes) for i in n.outputs}
        read = {i for n in (*loop.test_nodes, *self._nodes) for i in n.reads}
        read.update(i for pair in self._variables for i in pair)
        self.inputs = sorted(i for i in read - made if i not in loop.constants)

    def count(self, values: Values) -> int | None:
        """The number of iterations that follow; None if there are very many."""
        assert self._loop.test_index is not None
        values = values.copy()
        for iterations in range(_MOST_ITERATIONS):
            for node in self._loop.test_nodes:
                run_node(node, values)
            if not on_host(values[self._loop.test_index]):
                return iterations
            for node in self._nodes:
                run_node(node, values)
            following = [values[i] for _, i in self._variables]
            for (index, _), value in zip(self._variables, following):
                values[index] = value
        return None
