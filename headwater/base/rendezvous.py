"""Rendezvous: where the parts of a graph that several tasks run hand values to each other."""

from __future__ import annotations

import functools
from abc import ABC, abstractmethod
from typing import Any

from headwater.base import cancellation, errors
from headwater.base.waiting import Waiting

# How the names of edges begin whose values are sent without being asked for.
PUSHED = "pushed_"
# And those of edges inside loops, over which a value is sent in every iteration.
REPEATED = f"{PUSHED}again_"


class Edge:
    """An edge of a graph from one task to another, as its two nodes describe it.

    Attributes:
        is_pushed: whether the value is sent without being asked for.
        is_repeated: whether a value is sent in every iteration of a loop.
        key: the key of the value as TensorFlow writes it; the last part is frame and iteration.
    """

    def __init__(self, name: str, send_device: str, incarnation: int, recv_device: str) -> None:
        self.name = name
        self.send_device = send_device
        self.incarnation = incarnation
        self.recv_device = recv_device
        self.is_pushed = name.startswith(PUSHED)
        self.is_repeated = name.startswith(REPEATED)
        number = incarnation & (2**64 - 1)
        self.key = f"{send_device};{number:016x};{recv_device};{name};0:0"

    def key_of(self, iteration: int) -> str:
        """The key of the value of an iteration."""
        return f"{self.key.removesuffix('0')}{iteration}"


@functools.lru_cache(maxsize=4096)
def edge_of(name: str, send_device: str, incarnation: int, recv_device: str) -> Edge:
    """The edge of a node, which every run asks for."""
    return Edge(name, send_device, incarnation, recv_device)


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
