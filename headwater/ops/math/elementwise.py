"""What the files of elementwise ops share: kernels with TensorFlow's errors, public functions."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from headwater.base import errors
from headwater.base.export import export
from headwater.graph import Sample, SparseTensor, Tensor, build, shapes

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

    def kernel(xp: Any, x: Any, y: Any) -> Any:
        try:
            return function(xp, x, y)
        except (TypeError, ValueError):
            fail_if_incompatible(x, y)
            raise

    return kernel


def also_of_sparse(function: Callable[..., Any]) -> Callable[..., Any]:
    """Makes a function ``(x, name=None)`` of tensors take the values of a SparseTensor too."""

    @functools.wraps(function)
    def of_either(x: Any, name: str | None = None) -> Any:
        # The attempt stands before the check as in TensorFlow: it uses up a name for the node.
        try:
            return function(x, name)
        except (TypeError, ValueError):
            if not isinstance(x, SparseTensor):
                raise
        return SparseTensor(x.indices, function(x.values, name), x.dense_shape)

    return of_either


def unary_function(
    op_type: str, *names: str, doc: str, argument: str = "x", sparse: bool = False
) -> Any:
    """Makes and exports the public function of an op with one input and one output.

    Args:
        op_type: the op type.
        *names: the dotted public names, the main one first.
        doc: the first line of the docstring.
        argument: the public name of the input.
        sparse: whether the function takes a SparseTensor too.

    Returns:
        The function ``(x, name=None)``.
    """

    if argument == "input":

        def function(input: Any, name: str | None = None) -> Tensor:
            return getattr(build, op_type)(input, name=name)

    else:

        def function(x: Any, name: str | None = None) -> Tensor:  # type: ignore[misc]
            return getattr(build, op_type)(x, name=name)

    function.__doc__ = f"""{doc}

    Args:
        {argument}: a tensor{" or SparseTensor" if sparse else ""}.
        name: the name of the node.

    Returns:
        {"What `x` is," if sparse else "A tensor"} of the same shape.
    """
    return _named(also_of_sparse(function) if sparse else function, names)


def binary_function(op_type: str, *names: str, doc: str) -> Any:
    """Makes and exports the public function of an elementwise op with two inputs.

    Args:
        op_type: the op type.
        *names: the dotted public names, the main one first.
        doc: the first line of the docstring.

    Returns:
        The function ``(x, y, name=None)``.
    """

    def function(x: Any, y: Any, name: str | None = None) -> Tensor:
        return getattr(build, op_type)(x, y, name=name)

    function.__doc__ = f"""{doc}

    Args:
        x: a tensor.
        y: a tensor of the same type, of a shape that fits (with broadcasting).
        name: the name of the node.

    Returns:
        A tensor of the broadcast shape.
    """
    return _named(function, names)


def _named(function: Any, names: tuple[str, ...]) -> Any:
    function.__name__ = function.__qualname__ = names[0].rpartition(".")[2]
    return export(*names)(function)


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
