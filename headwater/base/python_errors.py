"""Exceptions of a program's Python functions as TensorFlow's errors."""

from __future__ import annotations

import traceback
from typing import Final

from headwater.base import errors

_KINDS: Final[list[tuple[type[Exception], type[errors.OpError]]]] = [
    (TypeError, errors.InvalidArgumentError),
    (ValueError, errors.InvalidArgumentError),
    (StopIteration, errors.OutOfRangeError),
    (MemoryError, errors.ResourceExhaustedError),
    (NotImplementedError, errors.UnimplementedError),
]


def python_error(error: Exception) -> errors.OpError:
    """The error of an op whose Python function has raised an exception: its text has the trace."""
    kind = next((k for e, k in _KINDS if isinstance(error, e)), errors.UnknownError)
    text = "".join(traceback.format_exception(error)).rstrip()
    # The subclasses take no status code.
    return kind(None, None, f"{type(error).__name__}: {error}\n{text}")  # type: ignore[call-arg]
