"""Steps of the host that run as one: nodes on the host and segments that are never compiled."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from headwater.engine import trace
from headwater.engine.compiling.interpreter import Interpreter, can_interpret
from headwater.engine.compiling.segment import Segment
from headwater.engine.nodes.layout import Layout, Values
from headwater.engine.nodes.node import Node
from headwater.engine.state import Pending


def joined(layout: Layout, steps: Sequence[Any]) -> list[Any]:
    """The steps, with those that follow each other on the host joined.

    Args:
        layout: where their values stand.
        steps: the steps of a schedule.
    """
    result: list[Any] = []
    run: list[Any] = []
    # Handles of resources do not depend on other steps.
    handles: list[Any] = []
    for step in [*steps, None]:
        if step is not None and _is_handle(step):
            handles.append(step)
        elif step is not None and _can_join(step):
            run.append(step)
        else:
            result.extend(handles)
            result.extend([HostSteps(layout, run)] if len(run) > 1 else run)
            result.extend([] if step is None else [step])
            run, handles = [], []
    return result


def _is_handle(step: Any) -> bool:
    return isinstance(step, Node) and bool(step.record.resource) and not step.reads


def _can_join(step: Any) -> bool:
    if isinstance(step, Segment):
        return (
            step.is_interpreted and not step.uses_variables and all(map(can_interpret, step.nodes))
        )
    return (
        isinstance(step, Node) and not step.updates and not step.slots_read and can_interpret(step)
    )


class HostSteps:
    """Consecutive steps on the host that use no variables, as one step.

    Args:
        layout: where the values stand.
        steps: the steps in order.
    """

    def __init__(self, layout: Layout, steps: Sequence[Any]) -> None:
        self._layout = layout
        self._steps = list(steps)
        self._runs = 0
        self._interpreter: Interpreter | None = None

    def run(self, values: Values, pending: Pending) -> None:
        """Runs the steps on the values of a run."""
        if self._interpreter is None and self._runs == 0:
            # Nothing is listed for the first run.
            self._runs = 1
        elif not trace.tracers and self._run_calls(values):
            return
        for step in self._steps:
            step.run(values, pending)

    def _run_calls(self, values: Values) -> bool:
        if self._interpreter is None:
            segments = [step for step in self._steps if isinstance(step, Segment)]
            nodes = [
                node
                for step in self._steps
                for node in (step.nodes if isinstance(step, Segment) else [step])
            ]
            released = {index for segment in segments for index in segment.released}
            self._interpreter = Interpreter(self._layout, nodes, released)
        with np.errstate(all="ignore"):
            return self._interpreter.run(values)
