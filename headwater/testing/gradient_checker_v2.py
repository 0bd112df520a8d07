"""Compares gradients of a function with finite differences; see `tf.compat.v2.test`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from headwater.graph import Tensor, build, get_default_graph, gradients, stacks
from headwater.testing.gradient_checker import (
    DIFFERENTIABLE,
    numeric_jacobian,
    theoretical_jacobian,
)


def compute_gradient(
    f: Callable[..., Tensor], x: Sequence[Any], delta: float = 1e-3
) -> tuple[tuple[np.ndarray, ...], tuple[np.ndarray, ...]]:
    """Computes the Jacobians of a function by its gradients, and again by central differences.

    It runs in the default session.

    Args:
      f: takes as many tensors as `x` has elements and returns a tensor.
      x: a list or tuple of arrays or tensors, where to differentiate.
      delta: half the distance of the differences.

    Returns:
      The Jacobians by gradients, and those by differences: a matrix for each argument, with a row
      per element of the argument and a column per element of the result; a complex element has
      two, real and imaginary part.

    Raises:
      ValueError: if `x` is no list, or there is no default session.
      AssertionError: if a type cannot be differentiated.
      TypeError: if the result does not depend on an argument.
    """
    if not isinstance(x, list | tuple):
        raise ValueError(f"`x` must be a list of Tensors (arguments to `f`), not a {type(x)}")
    session = stacks.session_for(get_default_graph(), None, "compute gradient")
    values = [session.run(each) if isinstance(each, Tensor) else np.asarray(each) for each in x]
    pairs = [_jacobians(session, f, values, index, delta) for index in range(len(values))]
    return tuple(pair[0] for pair in pairs), tuple(pair[1] for pair in pairs)


def _jacobians(
    session: Any, f: Callable[..., Tensor], values: list[np.ndarray], index: int, delta: float
) -> tuple[np.ndarray, np.ndarray]:
    """The two Jacobians for one argument; the others are constant."""
    arguments = [build.Placeholder(dtype=each.dtype, shape=each.shape) for each in values]
    x, x_data = arguments[index], values[index]
    if x.dtype not in DIFFERENTIABLE:
        name = x.dtype.base_dtype.name
        raise AssertionError(
            f"Cannot compute gradient for unsupported type {name} of argument {index}"
        )
    y = f(*arguments)
    if y.dtype not in DIFFERENTIABLE:
        raise AssertionError(
            f"Cannot compute gradient for unsupported type {y.dtype.base_dtype.name} of y"
        )
    feeds = dict(zip(arguments, values))
    y_shape = np.shape(session.run(y, feeds))
    dy = build.Placeholder(dtype=y.dtype, shape=y_shape)
    (dx,) = gradients(y, x, dy)
    theoretical = theoretical_jacobian(x, x_data.shape, x_data, dy, y_shape, dx, feeds)
    numeric = numeric_jacobian(x, x_data.shape, x_data, y, y_shape, delta, feeds)
    return theoretical, numeric


def max_error(grad1: Sequence[np.ndarray], grad2: Sequence[np.ndarray]) -> float:
    """Returns the largest difference between two lists of Jacobians, 0 if all are empty.

    Args:
      grad1: a list of matrices.
      grad2: matrices of the same shapes.
    """
    pairs = zip(grad1, grad2)
    return max((float(np.fabs(a - b).max()) for a, b in pairs if a.size or b.size), default=0.0)
