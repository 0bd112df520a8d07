"""Tracing: what a run executed, when, and how large the results were.

A traced run has a `Tracer`. It records interpreted ops one by one, and compiled programs as a
whole; `session/run_metadata.py` turns the records into protos.
"""

from __future__ import annotations

import enum
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from headwater.graph import Operation, Tensor


@dataclass
class Result:
    """One value that an op made.

    Attributes:
        shape: its shape.
        size: its bytes; those of strings count.
        address: where it stands in memory; 0 on an accelerator.
    """

    shape: tuple[int, ...]
    size: int
    address: int


@dataclass
class Event:
    """One op, or the ops of one compiled program, that ran.

    Attributes:
        ops: the op; the ops of a program.
        start: when it began, in nanoseconds since 1970.
        duration: how long it took, in nanoseconds.
        results: the values of its outputs, in order; None where there is none.
        loop: the name of the frame if this is a whole loop.
    """

    ops: list[Operation]
    start: int
    duration: int
    results: list[Result | None] = field(default_factory=list)
    loop: str | None = None


class Tracer:
    """The record of one run.

    Args:
        by_op: whether ops run one by one, each with its time. Otherwise they run as they do
            without a tracer, and what is compiled to one program has one time.
    """

    # Whether it sees every value: loops then run iteration by iteration.
    sees_values = False

    def __init__(self, by_op: bool) -> None:
        self.by_op = by_op
        self.thread = threading.get_ident()
        self.events: list[Event] = []
        self._zero = time.time_ns() - time.perf_counter_ns()

    def now(self) -> int:
        """Nanoseconds since 1970, from a clock that does not jump."""
        return self._zero + time.perf_counter_ns()

    def note(self, ops: list[Operation], start: int, values: list[Any]) -> None:
        """Records an event that ends now.

        Args:
            ops: the ops that ran.
            start: what `time.perf_counter_ns` said before.
            values: the values of their outputs.
        """
        duration = time.perf_counter_ns() - start
        results = [result_of(value) for value in values]
        self.events.append(Event(ops, self._zero + start, duration, results))

    def see_inputs(self, op: Operation, inputs: list[Any]) -> None:
        """Takes what an op is about to take."""

    def see(self, op: Operation, values: list[Any]) -> None:
        """Takes the values of an op that ran; see `note_op`."""

    def see_loop(self, loop: Any, stage: LoopStage, values: list[Any]) -> None:
        """Takes the values of a loop that runs as far as a stage."""


class LoopStage(enum.Enum):
    """How far an iteration of a loop is."""

    # The loop begins; nothing has been computed.
    BEGIN = enum.auto()
    # The loop variables have the values of this iteration.
    ENTERED = enum.auto()
    # The predicate is known: true, or false for the last time.
    GOES_ON = enum.auto()
    LEAVES = enum.auto()
    # The loop variables of the next iteration are known.
    NEXT = enum.auto()
    # What the exits need is known.
    END = enum.auto()


# By thread; empty while nothing is traced, so that asking costs nothing.
tracers: dict[int, Tracer] = {}


@contextmanager
def tracing(tracer: Tracer) -> Iterator[None]:
    """A with block whose runs of this thread are traced."""
    outer = tracers.get(tracer.thread)
    tracers[tracer.thread] = tracer
    try:
        yield
    finally:
        if outer is None:
            del tracers[tracer.thread]
        else:
            tracers[tracer.thread] = outer


def of_this_thread() -> Tracer | None:
    """The tracer of this thread; None if nobody traces it."""
    return tracers.get(threading.get_ident())


@contextmanager
def suspended(tracer: Tracer) -> Iterator[None]:
    """A with block in which the thread of a tracer is not traced."""
    del tracers[tracer.thread]
    try:
        yield
    finally:
        tracers[tracer.thread] = tracer


def note_op(op: Operation, start: int, values: list[Any]) -> None:
    """Records one op that ran on the host.

    Args:
        op: the op.
        start: what `time.perf_counter_ns` said before.
        values: what it made.
    """
    tracer = of_this_thread()
    if tracer is not None:
        tracer.note([op], start, values)
        tracer.see(op, values)


def value_seer() -> Tracer | None:
    """The tracer of this thread if it sees every value."""
    tracer = of_this_thread() if tracers else None
    return tracer if tracer is not None and tracer.sees_values else None


def note_loop(loop: Any, start: int) -> None:
    """Records a loop that ran; of its ops, only interpreted ones have events of their own.

    Args:
        loop: the step.
        start: what `time.perf_counter_ns` said before.
    """
    tracer = of_this_thread()
    if tracer is not None:
        ops = sorted(loop.members, key=lambda op: op._id_value)
        tracer.note(ops, start, [])
        tracer.events[-1].loop = loop.name


def result_of(value: Any) -> Result | None:
    """The shape, size and address of a value; None if it is not an array."""
    if isinstance(value, np.ndarray):
        size = value.nbytes
        if value.dtype == object:
            size = sum(len(v) for v in value.ravel() if isinstance(v, (bytes, str)))
        return Result(value.shape, size, value.ctypes.data)
    if isinstance(value, np.generic):
        return Result((), value.nbytes, 0)
    if hasattr(value, "block_until_ready"):
        return Result(tuple(value.shape), int(value.nbytes), 0)
    return None


def outputs_of(event: Event) -> list[tuple[int, Tensor, Result]]:
    """The outputs of a traced op that have values, as (position, tensor, result)."""
    if len(event.ops) != 1:
        return []
    tensors = event.ops[0]._outputs
    return [(i, t, r) for i, (t, r) in enumerate(zip(tensors, event.results)) if r is not None]
