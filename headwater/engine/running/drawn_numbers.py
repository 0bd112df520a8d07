"""What ops with a state, such as random ones, return in several successive runs."""

from __future__ import annotations

from typing import Any

import numpy as np

from headwater.engine.analysis.ordering import needed_ops
from headwater.engine.nodes.kernels import host_call
from headwater.engine.state import State, on_host
from headwater.graph import Operation
from headwater.graph.constant_value import constant_value
from headwater.graph.registry import RunsOn
from headwater.graph.row_functions.row_op import row_record


def draws(op: Operation) -> bool:
    """Whether an op depends on nothing but what it keeps between runs, which all of them change.

    On a branch of tf.cond it or its inputs wait for the predicate.
    """
    record = op._record
    return (
        bool(record.state)
        and not (record.resource or record.variable or record.updates or record.calls_python)
        and record.runs_on is not RunsOn.XLA
        and len(op._outputs) == 1
        and all(constant_value(tensor) is not None for tensor in op._inputs)
        and not any(before._control_inputs for before in needed_ops([], [op], ()))
    )


class DrawnNumbers:
    """The results of an op with a state in the next runs.

    Args:
        op: an op that `draws`.
        state: what the session keeps.
    """

    def __init__(self, op: Operation, state: State) -> None:
        self._call = host_call(op, op._record, state.functions)
        self._rows = None
        if op._record.row_kernel is not None:
            self._rows = host_call(op, row_record(op._record), state.functions)
        self._inputs = [constant_value(tensor) for tensor in op._inputs]
        self._state = state
        self._slot = state.slot_of(op)
        # How many results there are, and what the op kept before and after them.
        self._drawn: tuple[int, Any, Any] | None = None

    def draw(self, count: int) -> np.ndarray:
        """The results of so many runs, stacked."""
        with self._state.op_lock, self._state.lock:
            if self._state.unpublished:
                self._state.settle([self._slot], {})
            before = on_host(self._slot.value)
            results, after = self._drawn_from(before, count)
            self._slot.value = after
            self._drawn = count, before, after
        return results

    def _drawn_from(self, kept: Any, count: int) -> tuple[np.ndarray, Any]:
        """The results of so many runs, stacked, and what the op keeps after them."""
        if self._rows is not None:
            rows = np.array([count], np.int32)
            results, kept = self._rows(rows, *self._inputs, state=kept)
            return results, kept
        single = []
        for _ in range(count):
            result, kept = self._call(*self._inputs, state=kept)
            single.append(result)
        return np.stack(single), kept

    def settle(self, used: int) -> None:
        """Takes back what all but the first results have changed, if no other run has drawn."""
        if self._drawn is None:
            return
        count, before, after = self._drawn
        self._drawn = None
        with self._state.op_lock, self._state.lock:
            if used < count and self._slot.value is after:
                self._slot.value = self._drawn_from(before, used)[1] if used else before
