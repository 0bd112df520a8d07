"""Updates of single rows of variables, of which there are more or fewer in every run.

The rows that a step of training touches are found at run time: the different words of a batch. A
program for each number of them would be compiled too often, and NumPy would copy the table. So the
rows are filled up to a power of two with rows that do not exist, which XLA leaves alone.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from headwater.base.dead import DEAD
from headwater.engine.compiling.dynamic_shapes import regrouped
from headwater.engine.compiling.segment import Segment
from headwater.engine.nodes.layout import Values
from headwater.engine.nodes.node import Node
from headwater.engine.state import Pending, on_host

_FEWEST_ROWS = 16


class RowUpdates(Segment):
    """Nodes that update rows of variables, in programs for numbers of rows that are rounded up."""

    # The indices are looked at before, so that the rows that are added are no errors.
    has_checks = False

    def __init__(self, segment: Segment, nodes: list[Node]) -> None:
        super().__init__(segment.layout, nodes, runs=1)
        self._rows = [(node.updates[0], *_row_inputs(node)) for node in nodes]
        # The steps of optimizers depend on what earlier ones have made of a row.
        self._distinct = {_row_inputs(node)[0] for node in nodes if _has(node, "grad")}

    def run(self, values: Values, pending: Pending) -> None:
        """Runs the segment; what is wrong with the rows is found without programs."""
        if all(self._fits(values, pending, *inputs) for inputs in self._rows):
            super().run(values, pending)
        else:
            self.interpret(values, pending)

    def _fits(
        self, values: Values, pending: Pending, variable: int, indices: int, rows: int
    ) -> bool:
        slot = self.layout.slots[variable]
        table, numbers = pending.get(slot, slot.value), on_host(values[indices])
        if (
            table is None
            or numbers is DEAD
            or numbers.ndim != 1
            or values[rows].shape[:1] != numbers.shape
        ):
            return False
        if not numbers.size:
            return True
        if indices in self._distinct and len(np.unique(numbers)) < len(numbers):
            return False
        return bool(numbers.min() >= 0 and numbers.max() < len(table))

    def _taken(self, values: Values) -> dict[int, Any]:
        taken = {i: values[i] for i in self.inputs}
        most = max(len(values[indices]) for _, indices, _ in self._rows)
        size = max(_FEWEST_ROWS, 1 << (most - 1).bit_length())
        for _, indices, rows in self._rows:
            numbers = on_host(values[indices])
            taken[indices] = _filled(numbers, size, np.iinfo(numbers.dtype).max)
            taken[rows] = _filled(on_host(values[rows]), size, 0)
        return taken


def _filled(rows: np.ndarray, size: int, value: int) -> np.ndarray:
    """The rows, and so many rows of one value that there are `size` of them."""
    result = np.full((size, *rows.shape[1:]), value, rows.dtype)
    result[: len(rows)] = rows
    return result


def _has(node: Node, name: str) -> bool:
    return any(arg.name == name for arg in node.record.schema.inputs)


def _row_inputs(node: Node) -> list[int]:
    """The indices of the numbers of the rows and of what stands beside them for each row.

    Returns:
        An empty list if the node does not update rows of numbers.
    """
    names = [arg.name for arg in node.record.schema.inputs]
    rows = [i for i, name in enumerate(names) if name in ("grad", "updates")]
    if not node.updates or "indices" not in names or len(rows) != 1:
        return []
    if not node.op._inputs[rows[0]]._dtype.is_floating:
        # Division by the zeros that are added would be an error.
        return []
    return [node.inputs[names.index("indices")], node.inputs[rows[0]]]


def split_for_host(segment: Segment, hosted: list[Node]) -> list[Any]:
    """A segment as steps, of which the given nodes run on the host.

    Those that update rows of variables are compiled all the same, if they come last.
    """
    rows = [node for node in hosted if _row_inputs(node)]
    steps: list[Any] = []
    for level, group in regrouped(segment.nodes, hosted, rows):
        if group[0] not in hosted:
            steps.extend(segment.part(group))
            continue
        last = [node for node in group if level < 0 and node in rows]
        for node in group:
            if node not in last:
                node.host = True
                node.note_dynamic_shapes()
                steps.append(node)
        if last:
            steps.append(RowUpdates(segment, last))
    return steps
