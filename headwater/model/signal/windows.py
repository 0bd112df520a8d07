"""Window functions for Fourier transforms."""

from __future__ import annotations

import math

import numpy as np

from headwater.base import dtypes
from headwater.base.dtypes import as_dtype
from headwater.base.typing import DTypeLike, TensorLike
from headwater.graph import (
    Tensor,
    build,
    constant_node,
    constant_value,
    convert_to_tensor,
    export,
    name_scope,
)
from headwater.ops.array.fill import ones
from headwater.ops.control.cond import cond
from headwater.ops.math.cast import cast
from headwater.ops.math.ranges import range_


def _raised_cosine(
    name: str | None,
    default: str,
    length: TensorLike,
    periodic: TensorLike,
    dtype: DTypeLike,
    a: float,
    b: float,
) -> Tensor:
    """The window ``a - b cos(2 pi k / n)``."""
    kind = as_dtype(dtype)
    if not kind.is_floating:
        raise ValueError(f"dtype must be a floating point type. Found {kind}")
    with name_scope(name, default, [length, periodic]):
        length = convert_to_tensor(length, dtype=dtypes.int32, name="window_length")
        length.get_shape().assert_has_rank(0)
        known = constant_value(length)
        if known is not None and int(known) == 1:
            return ones([1], dtype=kind)
        periodic = convert_to_tensor(periodic, dtype=dtypes.bool_, name="periodic")
        periodic.get_shape().assert_has_rank(0)
        longer = cast(periodic, dtypes.int32) * (1 - build.FloorMod(length, 2))
        n = cast(length + longer - 1, kind)
        steps = cast(range_(length), kind)
        turns = constant_node(np.asarray(2 * math.pi, kind.as_numpy_dtype), kind) * steps / n
        if known is not None:
            return cast(a - b * build.Cos(turns), kind)
        return cond(
            build.Equal(length, 1),
            lambda: ones([1], dtype=kind),
            lambda: a - b * build.Cos(turns),
        )


@export("signal.hann_window", "contrib.signal.hann_window")
def hann_window(
    window_length: TensorLike,
    periodic: TensorLike = True,
    dtype: DTypeLike = dtypes.float32,
    name: str | None = None,
) -> Tensor:
    """Returns a Hann window.

    Args:
        window_length: the number of samples, an int32 scalar.
        periodic: whether the window fits periods, as spectra want it, or is symmetric.
        dtype: a floating-point type.
        name: the name scope.

    Returns:
        A vector of `window_length` numbers.

    Raises:
        ValueError: if the type is not floating-point.
    """
    return _raised_cosine(name, "hann_window", window_length, periodic, dtype, 0.5, 0.5)


@export("signal.hamming_window", "contrib.signal.hamming_window")
def hamming_window(
    window_length: TensorLike,
    periodic: TensorLike = True,
    dtype: DTypeLike = dtypes.float32,
    name: str | None = None,
) -> Tensor:
    """Returns a Hamming window.

    Args:
        window_length: the number of samples, an int32 scalar.
        periodic: whether the window fits periods, as spectra want it, or is symmetric.
        dtype: a floating-point type.
        name: the name scope.

    Returns:
        A vector of `window_length` numbers.

    Raises:
        ValueError: if the type is not floating-point.
    """
    return _raised_cosine(name, "hamming_window", window_length, periodic, dtype, 0.54, 0.46)
