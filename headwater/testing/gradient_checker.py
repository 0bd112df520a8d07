"""Compares gradients of a graph with finite differences."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from headwater.base import dtypes
from headwater.graph import (
    IndexedSlices,
    Tensor,
    build,
    constant_node,
    get_default_graph,
    gradients,
    stacks,
)

DIFFERENTIABLE = (
    dtypes.float16,
    dtypes.bfloat16,
    dtypes.float32,
    dtypes.float64,
    dtypes.complex64,
    dtypes.complex128,
)


def _components(array: np.ndarray) -> np.ndarray:
    """The flat array of real components, two per complex number; a view if possible."""
    flat = array.reshape(-1)
    return flat.view(flat.real.dtype) if np.iscomplexobj(flat) else flat


def _component_type(dtype: np.dtype) -> np.dtype:
    return np.zeros((), dtype).real.dtype


def _component_count(dtype: dtypes.DType, shape: Sequence[int]) -> int:
    return int(np.prod(shape, dtype=np.int64)) * (2 if dtype.is_complex else 1)


def _run(fetch: Any, feeds: dict[Any, Any]) -> Any:
    return stacks.session_for(get_default_graph(), None, "evaluate tensor").run(fetch, feeds)


def _dense(gradient: Any, shape: Sequence[int]) -> np.ndarray:
    """A gradient as an array; repeated indices of slices add up."""
    if not hasattr(gradient, "indices"):
        return np.asarray(gradient)
    result = np.zeros(shape, gradient.values.dtype)
    np.add.at(result, gradient.indices, gradient.values)
    return result


def theoretical_jacobian(
    x: Tensor,
    x_shape: Sequence[int],
    x_data: np.ndarray,
    dy: Tensor,
    y_shape: Sequence[int],
    dx: Any,
    extra_feed_dict: dict[Any, Any],
) -> np.ndarray:
    """The Jacobian by `dx`, the gradient of y for the upstream gradient `dy`."""
    dtype = dtypes.as_dtype(x.dtype).base_dtype.as_numpy_dtype
    columns = _component_count(dy.dtype, y_shape)
    jacobian = np.zeros((_component_count(x.dtype, x_shape), columns), _component_type(dtype))
    dy_data = np.zeros(y_shape, dy.dtype.as_numpy_dtype)
    dy_parts = _components(dy_data)
    for column in range(columns):
        dy_parts[column] = 1
        backprop = _run(dx, {**extra_feed_dict, x: x_data, dy: dy_data})
        jacobian[:, column] = _components(_dense(backprop, x_shape))
        dy_parts[column] = 0
    if columns == 0:
        # The gradient of nothing must still be of the right shape.
        backprop = _dense(_run(dx, {**extra_feed_dict, x: x_data, dy: dy_data}), x_shape)
        if backprop.shape != x_data.shape:
            raise ValueError(
                f"Empty gradient has wrong shape: expected {x_data.shape}, got {backprop.shape}"
            )
        if np.any(backprop):
            raise ValueError("Empty gradient has nonzero values")
    return jacobian


def numeric_jacobian(
    x: Tensor,
    x_shape: Sequence[int],
    x_data: np.ndarray,
    y: Tensor,
    y_shape: Sequence[int],
    delta: float,
    extra_feed_dict: dict[Any, Any],
) -> np.ndarray:
    """The Jacobian by central differences at a distance of `delta`."""
    dtype = dtypes.as_dtype(x.dtype).base_dtype
    # Differences of 8-bit values need a wider type.
    is_short = dtype == dtypes.bfloat16
    kind = np.dtype(np.float32) if is_short else _component_type(dtype.as_numpy_dtype)
    rows = _component_count(dtype, x_shape)
    jacobian = np.zeros((rows, _component_count(y.dtype, y_shape)), kind)
    # Differences are taken in the type of x, whatever that of the initial value is.
    x_data = np.array(x_data, dtype.as_numpy_dtype, order="C")
    parts = _components(x_data)
    scale = np.asarray(2 * delta, kind)[()]

    def value() -> np.ndarray:
        array = _run(y, {**extra_feed_dict, x: x_data})
        array = np.asarray(array).astype(np.float32) if is_short else np.asarray(array)
        return _components(np.ascontiguousarray(array))

    for row in range(rows):
        original = parts[row].copy()
        parts[row] += delta
        above = value().copy()
        parts[row] = original
        parts[row] -= delta
        below = value()
        parts[row] = original
        with np.errstate(invalid="ignore"):
            jacobian[row, :] = (above - below) / scale
    return jacobian


def dx_and_dy(x: Any, y: Tensor, y_shape: Sequence[int]) -> tuple[Any, Tensor]:
    """The gradient of y, and the placeholder for the upstream gradient."""
    ones = np.ones(y_shape, y.dtype.base_dtype.as_numpy_dtype)
    dy_original = constant_node(ones, y.dtype.base_dtype, shape=tuple(y_shape))
    dy = build.Identity(dy_original)
    (dx,) = gradients(y, x, dy)
    return dx, dy_original


def both_jacobians(
    x: Any,
    x_shape: Sequence[int],
    dx: Any,
    y: Tensor,
    y_shape: Sequence[int],
    dy: Tensor,
    x_init_value: np.ndarray | None = None,
    delta: float = 1e-3,
    extra_feed_dict: dict[Any, Any] | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """The two Jacobians of `compute_gradient` for one tensor `x`."""
    feeds = extra_feed_dict or {}
    for what, tensor in (("x", x), ("y", y)):
        dtype = tensor.dtype.base_dtype
        if dtype not in DIFFERENTIABLE:
            raise AssertionError(f"Don't support type {dtype.name} for {what}")
    dtype = x.dtype.base_dtype
    if x_init_value is not None:
        shape = list(x_init_value.shape)
        if list(x_shape) != shape:
            raise AssertionError(f"x_shape = {x_shape}, init_data shape = {shape}")
        x_data = x_init_value
    else:
        x_data = np.asarray(np.random.random_sample(x_shape)).astype(dtype.as_numpy_dtype)
        if dtype.is_complex:
            x_data.imag = np.random.random_sample(x_shape)
    theoretical = theoretical_jacobian(x, x_shape, x_data, dy, y_shape, dx, feeds)
    numeric = numeric_jacobian(x, x_shape, x_data, y, y_shape, delta, feeds)
    return theoretical, numeric


def compute_gradient(
    x: Any,
    x_shape: Any,
    y: Any,
    y_shape: Sequence[int],
    x_init_value: Any = None,
    delta: float = 1e-3,
    init_targets: Any = None,
    extra_feed_dict: dict[Any, Any] | None = None,
) -> Any:
    """Computes the Jacobian of `y` by `tf.gradients`, and again by central differences.

    It runs in the default session.

    Args:
      x: a tensor or a list of tensors.
      x_shape: the dimensions of `x`, a list of integers, or a list of such lists.
      y: a tensor.
      y_shape: the dimensions of `y`, a list of integers.
      x_init_value: an array, where to differentiate; by default random numbers from 0 to 1 of
        NumPy's global generator. For a list `x`, a list of arrays.
      delta: half the distance of the differences.
      init_targets: ops to run first.
      extra_feed_dict: values of further tensors.

    Returns:
      The two Jacobians as matrices, with a row per element of `x` and a column per element of
      `y`; a complex element has two, real and imaginary part. For a list `x`, a list of pairs.

    Raises:
      AssertionError: if a type cannot be differentiated, or `x_init_value` is of another shape.
    """
    feeds = dict(extra_feed_dict or {})
    several = isinstance(x, list)
    tensors = x if several else [x]
    shapes = x_shape if several else [x_shape]
    values = x_init_value if several else [x_init_value]
    if values is None:
        values = [None] * len(tensors)
    gradients_of = [dx_and_dy(tensor, y, y_shape) for tensor in tensors]
    for target in [] if init_targets is None else _as_list(init_targets):
        _run(target, feeds)
    results = []
    for tensor, shape, value, (dx, dy) in zip(tensors, shapes, values, gradients_of):
        if not isinstance(dx, Tensor | IndexedSlices):
            raise AssertionError(f"dx = {dx}")
        results.append(both_jacobians(tensor, shape, dx, y, y_shape, dy, value, delta, feeds))
    return results if several else results[0]


def _as_list(targets: Any) -> list[Any]:
    return list(targets) if isinstance(targets, list | tuple) else [targets]


def compute_gradient_error(
    x: Any,
    x_shape: Any,
    y: Any,
    y_shape: Sequence[int],
    x_init_value: Any = None,
    delta: float = 1e-3,
    init_targets: Any = None,
    extra_feed_dict: dict[Any, Any] | None = None,
) -> Any:
    """The largest difference between the two Jacobians of `compute_gradient`.

    Args:
      x: a tensor or a list of tensors.
      x_shape: the dimensions of `x`, a list of integers, or a list of such lists.
      y: a tensor.
      y_shape: the dimensions of `y`, a list of integers.
      x_init_value: an array, where to differentiate; by default random numbers from 0 to 1 of
        NumPy's global generator. For a list `x`, a list of arrays.
      delta: half the distance of the differences.
      init_targets: ops to run first.
      extra_feed_dict: values of further tensors.

    Returns:
      The difference; NaN if a Jacobian has one.
    """
    pairs = compute_gradient(
        x, x_shape, y, y_shape, x_init_value, delta, init_targets, extra_feed_dict
    )
    error: Any = 0
    for theoretical, numeric in [pairs] if isinstance(pairs, tuple) else pairs:
        if theoretical.size or numeric.size:
            error = np.maximum(error, np.fabs(theoretical - numeric).max())
    return error
