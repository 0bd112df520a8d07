"""Notices about old names."""

from __future__ import annotations

from headwater.base import logging

_noticed: set[str] = set()


def notice(old: str, new: str) -> None:
    """Says, once per process and old name, that a name has a successor.

    Args:
      old: the name that the program used, such as "tf.mul".
      new: its successor, such as "tf.multiply".
    """
    if old in _noticed:
        return
    _noticed.add(old)
    logging.warning("The name %s is deprecated. Please use %s instead.", old, new)
