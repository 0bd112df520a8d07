"""Rendezvous: where the parts of a graph that several tasks run hand values to each other."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, NamedTuple

from headwater.base import cancellation, errors
from headwater.base.waiting import Waiting

# How the names of edges begin whose values are sent without being asked for.
PUSHED = "pushed_"


class Edge(NamedTuple):
    """An edge of a graph from one task to another, as its two nodes describe it."""

    name: str
    send_device: str
    incarnation: int
    recv_device: str

    @property
    def is_pushed(self) -> bool:
        """Whether the value is sent without being asked for."""
        return self.name.startswith(PUSHED)

    @property
    def key(self) -> str:
        """The key of the value as TensorFlow writes it; the last part is frame and iteration."""
        number = self.incarnation & (2**64 - 1)
        return f"{self.send_device};{number:016x};{self.recv_device};{self.name};0:0"


class Rendezvous(ABC):
    """The values that one step hands from task to task."""

    @abstractmethod
    def send(self, edge: Edge, value: Any) -> None:
        """Gives a value away; the caller may change or free its memory afterwards."""

    @abstractmethod
    def receive(self, edge: Edge) -> Waiting:
        """Asks for a value."""

    @abstractmethod
    def flush(self) -> None:
        """Sends what was given away so far, as the run is about to compute or to wait."""


def flush() -> None:
    """Sends the values that the run of this thread has given away, if it has a rendezvous."""
    run = cancellation.current()
    if run is not None and run.rendezvous is not None:
        run.rendezvous.flush()


def current_rendezvous() -> Rendezvous:
    """The rendezvous of the step that runs in this thread.

    Raises:
        InternalError: if it is a run without tasks.
    """
    run = cancellation.current()
    if run is None or run.rendezvous is None:
        raise errors.InternalError(None, None, "Did not find a rendezvous for this step.")
    found: Rendezvous = run.rendezvous
    return found
