"""Partial runs: one run in several calls, each with more feeds."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from headwater.base import errors
from headwater.engine.running.executor import fetched
from headwater.engine.running.plan import Plan
from headwater.engine.state import Slot
from headwater.graph import Operation, Tensor

_handles = itertools.count(1)


class Progress:
    """What a partial run has fed, run and fetched so far.

    Args:
        fetches: all tensors and ops that may be fetched.
        feeds: all tensors that may be fed.
        together: for ops that run in one with others, as those of a loop do, all of these.

    Attributes:
        handle: the name of the run.
        done: the ops that have run.
    """

    def __init__(
        self,
        fetches: list[Any],
        feeds: list[Tensor],
        together: Mapping[Operation, Iterable[Operation]] | None = None,
    ) -> None:
        self.handle = f"->{'/'.join(f.name for f in fetches)}/{next(_handles)};"
        self.done: set[Operation] = set()
        self._together = together or {}
        self._targets = set(fetches)
        self._feeds = set(feeds)
        self._fed: set[Tensor] = set()
        self._fetched: set[Any] = set()

    @property
    def finished(self) -> bool:
        """Whether everything has been fetched and fed."""
        return len(self._fetched) == len(self._targets) and len(self._fed) == len(self._feeds)

    def begin(
        self, tensors: list[Tensor], ops: list[Operation], feeds: dict[Tensor, np.ndarray]
    ) -> set[Operation]:
        """Begins a call; returns the ops that have to run.

        Raises:
            InvalidArgumentError: if a fetch or feed does not belong to this run, or a feed that
                a fetch needs is missing.
        """
        for tensor in feeds:
            if tensor not in self._feeds:
                raise _invalid(f"The feed {tensor.name} was not specified in partial_run_setup.")
            if tensor in self._fed:
                raise _invalid(f"The feed {tensor.name} has already been fed.")
        fetches: list[Tensor | Operation] = [*tensors, *ops]
        for item in fetches:
            if item not in self._targets:
                raise _invalid(f"The fetch {item.name} was not specified in partial_run_setup.")
            if item in self._fetched:
                raise _invalid(f"The fetch {item.name} has already been fetched.")
        needed = self._needed([*(t.op for t in tensors if t not in self._feeds), *ops], feeds)
        self._fed.update(feeds)
        return needed

    def end(self, tensors: list[Tensor], ops: list[Operation]) -> None:
        """Notes what a call has fetched."""
        self._fetched.update(tensors, ops)

    def _needed(self, ops: list[Operation], feeds: dict[Tensor, np.ndarray]) -> set[Operation]:
        needed: set[Operation] = set()
        stack = list(ops)
        while stack:
            op = stack.pop()
            if op in needed or op in self.done:
                continue
            needed.add(op)
            stack.extend(self._together.get(op, ()))
            stack.extend(op._control_inputs)
            for tensor in op._inputs:
                if tensor not in self._feeds:
                    stack.append(tensor._op)
                elif tensor not in self._fed and tensor not in feeds:
                    raise _invalid(
                        f"Fetch {tensor.name} can't be computed from the feeds that have been "
                        "fed so far."
                    )
        return needed


class PartialRun:
    """What a partial run has computed so far; every op runs once at most.

    Args:
        plan: the plan of all fetches and feeds together.
        fetches: all tensors and ops that may be fetched.
        feeds: all tensors that may be fed.
    """

    def __init__(self, plan: Plan, fetches: list[Any], feeds: list[Tensor]) -> None:
        together = {op: n.members for n in plan.nodes for op in n.members if len(n.members) > 1}
        self._progress = Progress(fetches, feeds, together)
        self.handle = self._progress.handle
        self._plan = plan
        self._feeds = dict(zip(feeds, plan.feeds))
        self._indices = dict(zip((f for f in fetches if isinstance(f, Tensor)), plan.fetches))
        self._values = plan.layout.template.copy()

    @property
    def finished(self) -> bool:
        """Whether everything has been fetched and fed."""
        return self._progress.finished

    def run(
        self, tensors: list[Tensor], ops: list[Operation], feeds: dict[Tensor, np.ndarray]
    ) -> list[Any]:
        """Computes some of the fetches.

        Args:
            tensors: tensors to compute.
            ops: ops to run.
            feeds: further feeds.

        Returns:
            The values of `tensors`.

        Raises:
            InvalidArgumentError: if a fetch or feed does not belong to this run, or a feed that
                a fetch needs is missing.
        """
        needed = self._progress.begin(tensors, ops, feeds)
        for tensor, value in feeds.items():
            self._values[self._feeds[tensor]] = value
        self._run_nodes(needed)
        self._progress.end(tensors, ops)
        return [fetched(self._values[self._indices[t]]) for t in tensors]

    def _run_nodes(self, needed: set[Operation]) -> None:
        plan, values, done = self._plan, self._values, self._progress.done
        pending: dict[Slot, Any] = {}
        for node in plan.nodes:
            if not needed.isdisjoint(node.members) and done.isdisjoint(node.members):
                with np.errstate(all="ignore"):
                    node.run(values, pending)
                done.update(node.members)
        plan.read_fetched(values, pending)
        plan.layout.publish(pending)


def _invalid(text: str) -> errors.InvalidArgumentError:
    return errors.InvalidArgumentError(None, None, text)
