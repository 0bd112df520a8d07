"""Helpers for kernels on arrays of byte strings."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NoReturn

import numpy as np

from headwater.base import errors
from headwater.base.typing import Array, TensorLike


def invalid(text: str, hint: str = "") -> NoReturn:
    """Raises the error of a bad value."""
    raise errors.InvalidArgumentError(None, None, text, hint=hint)


def strings(values: Iterable[bytes], shape: tuple[int, ...]) -> np.ndarray:
    """An array of byte strings of a shape."""
    values = list(values)
    array = np.empty(len(values), object)
    array[:] = values
    return array.reshape(shape)


def each(function: Callable[[bytes], bytes], x: Array) -> np.ndarray:
    """The array of `function` of each string."""
    x = np.asarray(x, object)
    return strings([function(value) for value in x.ravel().tolist()], x.shape)


def shape_text(x: TensorLike) -> str:
    """The shape of an array as errors show it."""
    return "[" + ",".join(str(size) for size in np.shape(x)) + "]"


def show(value: bytes) -> str:
    """A byte string as error texts show it."""
    return value.decode("utf-8", "replace")


def as_bytes(value: str | bytes) -> bytes:
    """The bytes of a string attr."""
    return value.encode() if isinstance(value, str) else value
