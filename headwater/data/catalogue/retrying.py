"""Calls that are tried again after a growing delay."""

from __future__ import annotations

import functools
import random
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from typing import Any

from headwater.base.export import export

# What a server or a network on the way may answer once and not the next time.
_PASSING_CODES = (110, 500, 502, 503, 504)
_FIRST_DELAY, _LONGEST_DELAY = 1.0, 16.0


@export("contrib.learn.datasets.base.retry")
def retry(
    initial_delay: float,
    max_delay: float,
    factor: float = 2.0,
    jitter: float = 0.25,
    is_retriable: Callable[[Exception], bool] | None = None,
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """A decorator for functions that may fail for a while.

    Args:
        initial_delay: seconds before the second attempt.
        max_delay: when the delay would exceed it, no further attempt follows but the last one.
        factor: by how much the delay grows, at least 1.
        jitter: the part of a delay that is added or taken away at random, from 0 to 1.
        is_retriable: tells whether an exception may pass; None means that each one may.

    Returns:
        The decorator.

    Raises:
        ValueError: if `factor` or `jitter` is out of range.
    """
    if factor < 1:
        raise ValueError(f"factor must be >= 1; was {factor:f}")
    if jitter >= 1:
        raise ValueError(f"jitter must be < 1; was {jitter:f}")

    def decorated(function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def persistent(*args: Any, **kwargs: Any) -> Any:
            delay = initial_delay
            while delay <= max_delay:
                try:
                    return function(*args, **kwargs)
                except Exception as error:
                    if is_retriable is not None and not is_retriable(error):
                        raise
                time.sleep(delay * random.uniform(1 - jitter, 1 + jitter))
                delay *= factor
            return function(*args, **kwargs)

        return persistent

    return decorated


def _may_pass(error: Exception) -> bool:
    return isinstance(error, OSError) and error.errno in _PASSING_CODES


@export("contrib.learn.datasets.base.urlretrieve_with_retry")
def urlretrieve_with_retry(*args: Any, **kwargs: Any) -> Any:
    """`urllib.request.urlretrieve`, again after 1, 2, 4, 8 and 16 seconds if a server is busy.

    Args:
        *args: its arguments.
        **kwargs: its keyword arguments.

    Returns:
        Its result.
    """
    attempt = retry(_FIRST_DELAY, _LONGEST_DELAY, is_retriable=_may_pass)
    return attempt(urllib.request.urlretrieve)(*args, **kwargs)
