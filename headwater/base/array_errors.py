"""Errors for values that cannot be converted to an array."""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np

from headwater.base.dtypes import DType

NUMPY_2 = np.lib.NumpyVersion(np.__version__) >= "2.0.0"


def dense_shape(values: Any) -> list[int]:
    """The shape of nested lists, judged by the first list at each level."""
    dims = []
    while isinstance(values, (list, tuple)):
        dims.append(len(values))
        if not values:
            break
        values = values[0]
    return dims


def _text(value: Any) -> str:
    """`repr`, with NumPy scalars written as plain numbers."""
    if not NUMPY_2:
        return repr(value)
    with np.printoptions(legacy="1.25"):
        return repr(value)


def fail_expected(dtype: DType, value: Any) -> NoReturn:
    # NumPy 2 calls it bool.
    name = "bool_" if type(value) is np.bool_ else type(value).__name__
    raise TypeError(f"Expected {dtype.name}, got {_text(value)} of type '{name}' instead.")


def fail_incompatible(dtype: DType, array_dtype: np.dtype, values: Any) -> NoReturn:
    raise TypeError(f"Incompatible types: {dtype} vs. {array_dtype}. Value is {values}")


def fail_convert(values: Any) -> NoReturn:
    contents = _text(values) if isinstance(values, (list, tuple)) else str(values)
    raise TypeError(
        f"Failed to convert object of type {type(values)} to Tensor. Contents: {contents}. "
        "Consider casting elements to a supported type."
    )


def fail_nested() -> NoReturn:
    raise ValueError(
        "Argument must be a dense tensor: it is nested too deeply, or a list contains itself."
    )


def fail_dense(values: Any) -> NoReturn:
    wanted = dense_shape(values)
    got: list[int] | None
    try:
        got = list(np.array(values).shape)
    except (ValueError, OverflowError):
        try:
            got = list(np.array(values, object).shape)
        except ValueError:
            got = None
    if got is None or got == wanted:
        fail_convert(values)
    contents = _text(values) if isinstance(values, (list, tuple)) else str(values)
    raise ValueError(
        f"Argument must be a dense tensor: {contents} - got shape {got}, but wanted {wanted}."
    )
