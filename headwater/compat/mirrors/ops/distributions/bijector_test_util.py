"""tensorflow.python.ops.distributions.bijector_test_util: checks of bijectors for tests."""

from __future__ import annotations

from typing import Any

import numpy as np

from headwater.base.typing import Array
from headwater.graph import build
from headwater.model.distributions.uniform import Uniform
from headwater.ops.math.reduce_functions import reduce_mean
from headwater.session.session import get_default_session

__all__ = [
    "assert_bijective_and_finite",
    "assert_finite",
    "assert_scalar_congruency",
    "assert_strictly_decreasing",
    "assert_strictly_increasing",
    "assert_strictly_monotonic",
]


def assert_finite(array: Array) -> None:
    """Raises an AssertionError unless all elements are finite."""
    if not np.all(np.isfinite(array)):
        raise AssertionError(f"array was not all finite. {array[:15]}")


def assert_strictly_increasing(array: Array) -> None:
    """Raises an AssertionError unless each element is above the one before."""
    np.testing.assert_array_less(0.0, np.diff(array))


def assert_strictly_decreasing(array: Array) -> None:
    """Raises an AssertionError unless each element is below the one before."""
    np.testing.assert_array_less(np.diff(array), 0.0)


def assert_strictly_monotonic(array: Array) -> None:
    """Raises an AssertionError unless the elements increase, or decrease, throughout."""
    if array[0] < array[-1]:
        assert_strictly_increasing(array)
    else:
        assert_strictly_decreasing(array)


def assert_scalar_congruency(
    bijector: Any,
    lower_x: float,
    upper_x: float,
    n: int = 10000,
    rtol: float = 0.01,
    sess: Any = None,
) -> None:
    """Checks on an interval that functions and Jacobians of a scalar bijector fit together.

    Args:
        bijector: the bijector.
        lower_x: the lower end.
        upper_x: the upper end.
        n: the number of points.
        rtol: the tolerance.
        sess: the session; the default one if None.

    Raises:
        AssertionError: if they do not.
    """
    session: Any = sess or get_default_session()
    x: Any = np.linspace(lower_x, upper_x, num=10).astype(np.float32)
    y = bijector.forward(x)
    steps = np.diff(session.run(y))
    if not (np.all(steps > 0) or np.all(steps < 0)):
        raise AssertionError("the bijector is not monotonic")
    np.testing.assert_allclose(x, session.run(bijector.inverse(y)), rtol=1e-5, atol=1e-3)
    ends = session.run(bijector.forward(np.array([lower_x, upper_x], np.float32)))
    # The mean of |dx/dy| over y is the length in x divided by that in y.
    for low, high, log_det, other in (
        (*sorted(map(float, ends)), bijector.inverse_log_det_jacobian, upper_x - lower_x),
        (lower_x, upper_x, bijector.forward_log_det_jacobian, float(abs(ends[1] - ends[0]))),
    ):
        points = Uniform(np.float32(low), np.float32(high)).sample(n, seed=0)
        mean = session.run(reduce_mean(build.Exp(log_det(points, event_ndims=0))))
        np.testing.assert_allclose(mean, other / (high - low), rtol=rtol, atol=1e-3)
    forward, inverse = session.run(
        [
            bijector.forward_log_det_jacobian(x, event_ndims=0),
            bijector.inverse_log_det_jacobian(y, event_ndims=0),
        ]
    )
    np.testing.assert_allclose(forward + 0 * x, 0 * x - inverse, rtol=1e-5, atol=1e-3)


def assert_bijective_and_finite(
    bijector: Any,
    x: Any,
    y: Any,
    event_ndims: int,
    atol: float = 0,
    rtol: float = 1e-5,
    sess: Any = None,
) -> None:
    """Checks at points that functions and Jacobians of a bijector are inverse and finite.

    Args:
        bijector: the bijector.
        x: points.
        y: points of the image.
        event_ndims: the number of dimensions of an event.
        atol: the absolute tolerance.
        rtol: the relative tolerance.
        sess: the session; the default one if None.

    Raises:
        AssertionError: if they are not.
    """
    session: Any = sess or get_default_session()
    there, back = bijector.forward(x), bijector.inverse(y)
    found = session.run(
        [
            there,
            bijector.inverse(there),
            back,
            bijector.forward(back),
            bijector.forward_log_det_jacobian(x, event_ndims=event_ndims),
            bijector.inverse_log_det_jacobian(there, event_ndims=event_ndims),
            bijector.inverse_log_det_jacobian(y, event_ndims=event_ndims),
            bijector.forward_log_det_jacobian(back, event_ndims=event_ndims),
        ]
    )
    for value in found:
        if not np.all(np.isfinite(value)):
            raise AssertionError("a value is not finite")
    np.testing.assert_allclose(x, found[1], atol=atol, rtol=rtol)
    np.testing.assert_allclose(y, found[3], atol=atol, rtol=rtol)
    np.testing.assert_allclose(found[4], -found[5], atol=atol, rtol=rtol)
    np.testing.assert_allclose(found[6], -found[7], atol=atol, rtol=rtol)
