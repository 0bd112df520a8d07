"""The date up to which programs written by this version must be readable by older ones."""

from __future__ import annotations

import contextlib
import datetime
from collections.abc import Iterator

from headwater.base.export import export

# The release date of the TensorFlow version that we follow.
_RELEASED = datetime.date(2019, 8, 21)
_horizon = _RELEASED


@export("compat.forward_compatible")
def forward_compatible(year: int, month: int, day: int) -> bool:
    """Returns whether features introduced on a day may be used in graphs.

    Args:
        year: the year.
        month: the month, from 1.
        day: the day of the month, from 1.

    Returns:
        Whether the day is before the horizon.
    """
    return _horizon > datetime.date(year, month, day)


@export("compat.forward_compatibility_horizon")
@contextlib.contextmanager
def forward_compatibility_horizon(year: int, month: int, day: int) -> Iterator[None]:
    """A with block that sets the date up to which new features may be used in graphs.

    Args:
        year: the year.
        month: the month, from 1.
        day: the day of the month, from 1.
    """
    global _horizon
    before = _horizon
    _horizon = datetime.date(year, month, day)
    try:
        yield
    finally:
        _horizon = before
