"""Handles: arrays that hold objects, the values of resource and variant tensors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np


class Origin(NamedTuple):
    """The op that has made a resource, and the values of its inputs."""

    op: Any
    inputs: Sequence[Any]


class Described:
    """A resource that knows how it was made, so that a graph can say it.

    Attributes:
        origin: None if no op has made it, such as a part of another resource.
    """

    origin: Origin | None = None


def handle_of(resource: Any) -> np.ndarray:
    """The value of a handle: an array, so that handles can be put together and selected."""
    handle = np.empty((), object)
    handle[()] = resource
    return handle


def resource_of(handle: Any) -> Any:
    """The resource of a handle."""
    return handle.item() if isinstance(handle, np.ndarray) else handle
