"""The date up to which programs written by this version must be readable by older ones."""

from __future__ import annotations

import contextlib
import datetime
from collections.abc import Iterator

from headwater.base.export import export

# The day from which the release that we follow has been in use.
_RELEASED = datetime.date(2019, 8, 21)
_horizon = _RELEASED


@export("compat.forward_compatible")
def forward_compatible(year: int, month: int, day: int) -> bool:
    """Returns whether what came into use on a day may be written into graphs.

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
    """Sets the day before which everything may be written into graphs, for the time of a block.

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
