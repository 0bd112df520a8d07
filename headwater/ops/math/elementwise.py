"""Shared by the files of elementwise ops: kernels with TensorFlow's errors, samples."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from headwater.base import errors
from headwater.base.typing import Array, ArrayModule, NestedTensors, TensorLike
from headwater.graph import Sample, SparseTensor, shapes

FLOATS = "bfloat16, half, float, double"
FLOATS_AND_COMPLEX = f"{FLOATS}, complex64, complex128"


def fail_if_incompatible(*arrays: Any) -> None:
    """Raises TensorFlow's error if two arrays cannot be broadcast against each other.

    Raises:
        InvalidArgumentError: if a pair of dimensions differs and neither is 1.
    """
    x, y = (tuple(a.shape) for a in arrays)
    try:
        shapes.broadcast_shapes(x, y)
    except ValueError:
        raise errors.InvalidArgumentError(
            None,
            None,
            f"Incompatible shapes: {shapes.show(x)} vs. {shapes.show(y)}",
            hint="elementwise ops need equal dimensions, or 1 where they differ (broadcasting).",
        ) from None


def binary_kernel(function: Callable[[Any, Any, Any], Any]) -> Callable[[Any, Any, Any], Any]:
    """A kernel of two broadcast inputs that reports incompatible shapes as TensorFlow does.

    Args:
        function: ``(xp, x, y)`` -> result.

    Returns:
        The kernel.
    """

    def kernel(xp: ArrayModule, x: Array, y: Array) -> Array:
        try:
            return function(xp, x, y)
        except (TypeError, ValueError):
            fail_if_incompatible(x, y)
            raise

    return kernel


def also_of_sparse(function: Callable[..., Any]) -> Callable[..., Any]:
    """Makes a function ``(x, name=None)`` of tensors take the values of a SparseTensor too."""

    @functools.wraps(function)
    def of_either(x: TensorLike, name: str | None = None) -> NestedTensors:
        # The attempt precedes the check as in TensorFlow: it uses up a node name.
        try:
            return function(x, name)
        except (TypeError, ValueError):
            if not isinstance(x, SparseTensor):
                raise
        return SparseTensor(x.indices, function(x.values, name), x.dense_shape)

    return of_either


def unary_samples(
    low: float, high: float, types: tuple[Any, ...] = (np.float32, np.float64), **options: Any
) -> Callable[[], Iterator[Sample]]:
    """Samples of an op with one input: numbers between `low` and `high` in several types.

    Args:
        low: the smallest number.
        high: the largest number.
        types: the NumPy types.
        **options: for each Sample.
    """

    def samples() -> Iterator[Sample]:
        for kind in types:
            values = np.linspace(low, high, 6).reshape(2, 3)
            if np.dtype(kind).kind == "c":
                values = values + 1j * np.linspace(0.3, 0.9, 6).reshape(2, 3)
            yield Sample(values.astype(kind), **options)
        yield Sample(np.array((low + 2 * high) / 3, types[0]), **options)
        yield Sample(np.zeros((0, 2), types[0]), **options)

    return samples
