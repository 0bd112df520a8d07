"""Partial runs on several tasks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from headwater.base import dtypes
from headwater.graph import Operation, Tensor
from headwater.session.partial_run import Progress


class ClusterPartialRun:
    """A partial run: each call is a run of the ops that it needs and that have not run.

    What ops of later calls read is fetched with what the caller wants, and fed then.

    Args:
        ops: the ops of all calls.
        fetches: all tensors and ops that may be fetched.
        feeds: all tensors that may be fed.
        run: runs some ops: a function of the ops, the tensors that are fetched, those that are
            fed, and their values; returns the values of the fetches.
    """

    def __init__(
        self,
        ops: Sequence[Operation],
        fetches: list[Any],
        feeds: list[Tensor],
        run: Callable[[list[Operation], list[Tensor], list[Tensor], list[np.ndarray]], list[Any]],
    ) -> None:
        self._progress = Progress(fetches, feeds)
        self.handle = self._progress.handle
        self._ops = list(ops)
        self._run = run
        self._known: dict[Tensor, Any] = {}

    @property
    def finished(self) -> bool:
        """Whether everything has been fetched and fed."""
        return self._progress.finished

    def run(
        self, tensors: list[Tensor], ops: list[Operation], feeds: dict[Tensor, np.ndarray]
    ) -> list[Any]:
        """Computes some of the fetches; see `PartialRun.run`."""
        needed = self._progress.begin(tensors, ops, feeds)
        self._known.update(feeds)
        kept = self._read_later(needed)
        wanted = list(dict.fromkeys([*(t for t in tensors if t not in self._known), *kept]))
        if needed:
            running = self._with_handles(needed)
            fed = [
                t
                for t in dict.fromkeys(t for op in running for t in op._inputs)
                if t in self._known
            ]
            values = self._run(running, wanted, fed, [self._known[t] for t in fed])
            self._known.update(zip(wanted, values))
            self._progress.done.update(needed)
        self._progress.end(tensors, ops)
        return [self._known[t] for t in tensors]

    def _read_later(self, needed: set[Operation]) -> list[Tensor]:
        """The outputs of ops of this call that are needed in later ones."""
        done = self._progress.done
        later = [op for op in self._ops if op not in needed and op not in done]
        read = dict.fromkeys(t for op in later for t in op._inputs if t._op in needed)
        return [t for t in read if t not in self._known and not _is_handle(t)]

    def _with_handles(self, needed: set[Operation]) -> list[Operation]:
        """The ops of this call, and those of former calls that say where variables are."""
        found = set(needed)
        stack = list(needed)
        while stack:
            for tensor in stack.pop()._inputs:
                if _is_handle(tensor) and tensor not in self._known and tensor._op not in found:
                    found.add(tensor._op)
                    stack.append(tensor._op)
        return [op for op in self._ops if op in found]


def _is_handle(tensor: Tensor) -> bool:
    """Whether a tensor says where a variable or another resource is, and does nothing else."""
    record = tensor._op._record
    is_handle = tensor._dtype._is_ref_dtype or tensor._dtype is dtypes.resource
    return is_handle and bool(record.variable or record.resource)
