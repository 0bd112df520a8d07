"""Handles: arrays that hold objects, the values of resource and variant tensors."""

from __future__ import annotations

from typing import Any

import numpy as np


def handle_of(resource: Any) -> np.ndarray:
    """The value of a handle: an array, so that handles can be put together and selected."""
    handle = np.empty((), object)
    handle[()] = resource
    return handle


def resource_of(handle: Any) -> Any:
    """The resource of a handle."""
    return handle.item() if isinstance(handle, np.ndarray) else handle
