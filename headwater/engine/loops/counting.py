"""The counters of a loop: integer scalars, which are worked out on the host."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Any

from headwater.engine.analysis.control_flow import SWITCHES
from headwater.engine.blocks.block import Node
from headwater.engine.nodes.kernels import run_node
from headwater.engine.state import on_host
from headwater.graph import Operation, Tensor

if TYPE_CHECKING:
    from headwater.engine.loops.loop import Loop

# A loop that counts further is counted by running it.
_MOST_ITERATIONS = 1 << 16


def is_countable(loop: Loop) -> bool:
    """Whether counters alone decide how often a loop runs."""
    if loop.test_index is None or not all(_is_counter(n, loop) for n in loop.test_nodes):
        return False
    return all(_is_counter(n, loop) for n in _counters_of(loop)[0])


def _is_counter(node: Any, loop: Loop) -> bool:
    return isinstance(node, Node) and node.op in loop.scalars


def _counters_of(loop: Loop) -> tuple[list[Any], list[tuple[int, int]]]:
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
        inputs: the frame indices of the values that decide.
    """

    def __init__(self, loop: Loop) -> None:
        self._loop = loop
        self._nodes, self._variables = _counters_of(loop)
        made = {i for n in (*loop.test_nodes, *self._nodes) for i in n.outputs}
        read = {i for n in (*loop.test_nodes, *self._nodes) for i in n.reads}
        read.update(i for pair in self._variables for i in pair)
        self.inputs = sorted(i for i in read - made if i not in loop.constants)

    def count(self, frame: list[Any]) -> int | None:
        """The number of iterations that follow; None if there are very many."""
        assert self._loop.test_index is not None
        values = frame.copy()
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


def scalar_ops(
    own: list[Operation], variables: list[tuple[Operation, Tensor, Tensor]]
) -> set[Operation]:
    """Ops on integer scalars, like the counter of a loop: what they make is needed on the host."""
    merges = {merge: later for merge, _, later in variables}
    found = {op for op in own if _is_scalar_op(op)}
    while True:
        members = {*found, *(m for m, later in merges.items() if later._op in found)}
        kept = {
            op
            for op in found
            if all(_is_scalar(t) and _stays_scalar(t, members) for t in op._inputs)
        }
        if len(kept) == len(found):
            return kept
        found = kept


def _is_scalar_op(op: Operation) -> bool:
    record = op._record
    return (
        not (record.heavy or record.stateful or record.updates or record.cell)
        and bool(op._inputs)
        and all(_is_scalar(t) for t in op._outputs)
    )


def _is_scalar(tensor: Tensor) -> bool:
    dtype = tensor._dtype.base_dtype
    return tensor._shape == () and (dtype.is_integer or dtype.is_bool)


def _stays_scalar(tensor: Tensor, members: Collection[Operation]) -> bool:
    """Whether a scalar is known on the host: it comes in, is constant, or is worked out there."""
    op = tensor._op
    while op._record.name in SWITCHES:
        op = op._inputs[0]._op
    return op in members or op._record.name in ("Const", "Enter")
