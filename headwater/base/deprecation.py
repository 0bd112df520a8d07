"""Notices about old names."""

from __future__ import annotations

from typing import Any

from headwater.base import logging

_noticed: set[str] = set()


def notice(old: str, new: str) -> None:
    """Warns, once per process and old name, that a name has been replaced.

    Args:
      old: the name that the program used, such as "tf.mul".
      new: its replacement, such as "tf.multiply".
    """
    if old in _noticed:
        return
    _noticed.add(old)
    logging.warning("The name %s is deprecated. Please use %s instead.", old, new)


def renamed_argument(new: str, value: Any, old: str, old_value: Any) -> Any:
    """The value of an argument that may be given under its newer or its older name.

    Args:
      new: the newer name.
      value: what was given under it, or None.
      old: the older name.
      old_value: what was given under it, or None.

    Returns:
      The one that is not None, or None.

    Raises:
      ValueError: if both are given.
    """
    if old_value is None:
        return value
    if value is not None:
        raise ValueError(f"Cannot specify both '{old}' and '{new}'")
    return old_value
