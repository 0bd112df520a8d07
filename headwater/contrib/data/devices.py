"""Older names of functions of `tf.data.experimental` that move elements to devices."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from headwater.base.deprecated_api import deprecated
from headwater.base.export import export
from headwater.data.datasets import devices


@export("contrib.data.copy_to_device")
@deprecated(None, "Use `tf.data.experimental.copy_to_device(...)`.")
def copy_to_device(target_device: str, source_device: str = "/cpu:0") -> Callable[[Any], Any]:
    """As `tf.data.experimental.copy_to_device`.

    Args:
        target_device: the name of the device that gets the elements.
        source_device: the name of the device where they are made.

    Returns:
        A function from a dataset to a dataset.
    """
    return devices.copy_to_device(target_device, source_device)


@export("contrib.data.prefetch_to_device")
@deprecated(None, "Use `tf.data.experimental.prefetch_to_device(...)`.")
def prefetch_to_device(device: str, buffer_size: Any = None) -> Callable[[Any], Any]:
    """As `tf.data.experimental.prefetch_to_device`.

    Args:
        device: the name of the device.
        buffer_size: how many elements may wait; left open if None.

    Returns:
        A function from a dataset to a dataset.
    """
    return devices.prefetch_to_device(device, buffer_size)
