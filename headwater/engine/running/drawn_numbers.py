"""What ops with a state, such as random ones, return in several successive runs."""

from __future__ import annotations

from typing import Any

import numpy as np

from headwater.engine.nodes.kernels import host_call
from headwater.engine.state import State, on_host
from headwater.graph import Operation
from headwater.graph.constant_value import constant_value
from headwater.graph.registry import RunsOn


def draws(op: Operation) -> bool:
    """Whether an op depends on nothing but what it keeps between runs."""
    record = op._record
    return (
        bool(record.state)
        and not (record.resource or record.variable or record.updates or record.calls_python)
        and record.runs_on is not RunsOn.XLA
        and not op._control_inputs
        and len(op._outputs) == 1
        and all(constant_value(tensor) is not None for tensor in op._inputs)
    )


class DrawnNumbers:
    """The results of an op with a state in the next runs.

    Args:
        op: an op that `draws`.
        state: what the session keeps.
    """

    def __init__(self, op: Operation, state: State) -> None:
        self._call = host_call(op, op._record, state.functions)
        self._inputs = [constant_value(tensor) for tensor in op._inputs]
        self._state = state
        self._slot = state.slot_of(op)
        # What the op kept before the first of them, and after each.
        self._kept: list[Any] = []

    def draw(self, count: int) -> np.ndarray:
        """The results of so many runs, stacked."""
        results = []
        with self._state.op_lock, self._state.lock:
            if self._state.unpublished:
                self._state.settle([self._slot], {})
            self._kept = [on_host(self._slot.value)]
            for _ in range(count):
                result, kept = self._call(*self._inputs, state=self._kept[-1])
                results.append(result)
                self._kept.append(kept)
            self._slot.value = self._kept[-1]
        return np.stack(results)

    def settle(self, used: int) -> None:
        """Takes back what all but the first results have changed, if no other run has drawn."""
        with self._state.op_lock, self._state.lock:
            if self._kept and self._slot.value is self._kept[-1]:
                self._slot.value = self._kept[used]
        self._kept = []
