"""The distribution function of the standard normal distribution and its relatives."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from headwater.base import dtypes
from headwater.base.typing import TensorLike
from headwater.graph import Tensor, build, convert_to_tensor, name_scope
from headwater.ops.array.constant import constant
from headwater.ops.array.fill import fill, zeros_like
from headwater.ops.array.shape import shape
from headwater.ops.math.select import where_v2
from headwater.ops.math.sign import absolute

# Between these limits log_ndtr is the logarithm of ndtr.
LOGNDTR_FLOAT64_LOWER = np.array(-20, np.float64)
LOGNDTR_FLOAT32_LOWER = np.array(-10, np.float32)
LOGNDTR_FLOAT64_UPPER = np.array(8, np.float64)
LOGNDTR_FLOAT32_UPPER = np.array(5, np.float32)

# Coefficients of ndtri in the Cephes library (S. L. Moshier), lowest power last: for the middle,
# for sqrt(-2 log p) up to 8, and above.
_MIDDLE = (
    (
        -5.99633501014107895267e1, 9.80010754185999661536e1, -5.66762857469070293439e1,
        1.39312609387279679503e1, -1.23916583867381258016e0,
    ),
    (
        1.0, 1.95448858338141759834e0, 4.67627912898881538453e0, 8.63602421390890590575e1,
        -2.25462687854119370527e2, 2.00260212380060660359e2, -8.20372256168333339912e1,
        1.59056225126211695515e1, -1.18331621121330003142e0,
    ),
)  # fmt: skip
_TAIL = (
    (
        4.05544892305962419923e0, 3.15251094599893866154e1, 5.71628192246421288162e1,
        4.40805073893200834700e1, 1.46849561928858024014e1, 2.18663306850790267539e0,
        -1.40256079171354495875e-1, -3.50424626827848203418e-2, -8.57456785154685413611e-4,
    ),
    (
        1.0, 1.57799883256466749731e1, 4.53907635128879210584e1, 4.13172038254672030440e1,
        1.50425385692907503408e1, 2.50464946208309415979e0, -1.42182922854787788574e-1,
        -3.80806407691578277194e-2, -9.33259480895457427372e-4,
    ),
)  # fmt: skip
_FAR_TAIL = (
    (
        3.23774891776946035970e0, 6.91522889068984211695e0, 3.93881025292474443415e0,
        1.33303460815807542389e0, 2.01485389549179081538e-1, 1.23716634817820021358e-2,
        3.01581553508235416007e-4, 2.65806974686737550832e-6, 6.23974539184983293730e-9,
    ),
    (
        1.0, 6.02427039364742014255e0, 3.67983563856160859403e0, 1.37702099489081330271e0,
        2.16236993594496635890e-1, 1.34204006088543189037e-2, 3.28014464682127739104e-4,
        2.89247864745380683936e-6, 6.79019408009981274425e-9,
    ),
)  # fmt: skip
_EXP_MINUS_2 = math.exp(-2.0)


def _checked(x: TensorLike, name: str, text: str) -> Tensor:
    x = convert_to_tensor(x, name=name)
    if x.dtype.base_dtype not in (dtypes.float32, dtypes.float64):
        raise TypeError(text.format(x.dtype))
    return x


def ndtr(x: TensorLike, name: str = "ndtr") -> Tensor:
    """The probability that a standard normal number is at most `x`.

    Args:
        x: a tensor of float32 or float64.
        name: the name scope.

    Returns:
        A tensor like `x`.

    Raises:
        TypeError: if `x` has another type.
    """
    with name_scope(name, None, [x]):
        return _ndtr(
            _checked(x, "x", "x.dtype={} is not handled, see docstring for supported types.")
        )


def _ndtr(x: Tensor) -> Tensor:
    half_sqrt_2 = constant(0.5 * math.sqrt(2.0), dtype=x.dtype, name="half_sqrt_2")
    w = x * half_sqrt_2
    z = absolute(w)
    small = build.Less(z, half_sqrt_2)
    # Each form where it is exact: near zero, above, and below.
    near = 1.0 + build.Erf(w)
    above = build.Greater(w, 0.0)
    y = where_v2(small, near, where_v2(above, 2.0 - build.Erfc(z), build.Erfc(z)))
    return 0.5 * y


def ndtri(p: TensorLike, name: str = "ndtri") -> Tensor:
    """The inverse of `ndtr`.

    Args:
        p: a tensor of float32 or float64 with probabilities.
        name: the name scope.

    Returns:
        A tensor like `p`.

    Raises:
        TypeError: if `p` has another type.

    Source: S. L. Moshier, "Methods and Programs for Mathematical Functions", 1989.
    """
    with name_scope(name, None, [p]):
        return _ndtri(
            _checked(p, "p", "p.dtype={} is not handled, see docstring for supported types.")
        )


def _polynomial(x: TensorLike, coefficients: Sequence[float]) -> Tensor:
    result = zeros_like(x)
    kind = x.dtype.as_numpy_dtype
    for coefficient in coefficients:
        result = kind(coefficient) + result * x
    return result


def _ratio(x: TensorLike, coefficients: tuple[Sequence[float], Sequence[float]]) -> Tensor:
    return _polynomial(x, coefficients[0]) / _polynomial(x, coefficients[1])


def _ndtri(p: TensorLike) -> Tensor:
    # The function is odd around 1/2: only the lower part is computed.
    lower = where_v2(build.Greater(p, 1.0 - _EXP_MINUS_2), 1.0 - p, p)
    # A substitute for zeros, so that no gradient is NaN.
    at_zero = build.LessEqual(lower, 0.0)
    half = fill(shape(p), np.array(0.5, p.dtype.as_numpy_dtype))
    q = where_v2(at_zero, half, lower)
    w = q - 0.5
    square = w**2
    middle = (w + w * square * _ratio(square, _MIDDLE)) * -math.sqrt(2.0 * math.pi)
    z = build.Sqrt(-2.0 * build.Log(q))
    first = z - build.Log(z) / z
    far = _polynomial(1.0 / z, _FAR_TAIL[0]) / _polynomial(1.0 / z, _FAR_TAIL[1]) / z
    near = _polynomial(1.0 / z, _TAIL[0]) / _polynomial(1.0 / z, _TAIL[1]) / z
    tail_far, tail_near = first - far, first - near
    x = where_v2(
        build.Greater(q, _EXP_MINUS_2),
        middle,
        where_v2(build.GreaterEqual(z, 8.0), tail_far, tail_near),
    )
    x = where_v2(build.Greater(p, 1.0 - _EXP_MINUS_2), x, -x)
    largest = constant(np.inf, dtype=p.dtype)
    infinity = fill(shape(p), largest)
    return where_v2(
        build.LessEqual(p, 0.0),
        -infinity,
        where_v2(build.GreaterEqual(p, 1.0), infinity, x),
    )


def log_ndtr(x: TensorLike, series_order: int = 3, name: str = "log_ndtr") -> Tensor:
    """The logarithm of `ndtr`, precise far below zero too.

    Args:
        x: a tensor of float32 or float64.
        series_order: the number of terms of the asymptotic series far below zero.
        name: the name scope.

    Returns:
        A tensor like `x`.

    Raises:
        TypeError: if `x` has another type, or `series_order` is not an integer.
        ValueError: if `series_order` is out of range.
    """
    if not isinstance(series_order, int):
        raise TypeError("series_order must be a Python integer.")
    if series_order < 0:
        raise ValueError("series_order must be non-negative.")
    if series_order > 30:
        raise ValueError("series_order must be <= 30.")
    with name_scope(name, None, [x]):
        x = _checked(x, "x", "x.dtype={} is not supported.")
        if x.dtype.base_dtype == dtypes.float64:
            limits: tuple[np.ndarray, ...] = LOGNDTR_FLOAT64_LOWER, LOGNDTR_FLOAT64_UPPER
        else:
            limits = LOGNDTR_FLOAT32_LOWER, LOGNDTR_FLOAT32_UPPER
        lower, upper = limits
        high = build.Greater(x, upper)
        # log(1 - a) is nearly -a.
        above = -_ndtr(-x)
        in_middle = build.Greater(x, lower)
        middle = build.Log(_ndtr(build.Maximum(x, lower)))
        below = _log_ndtr_lower(build.Minimum(x, lower), series_order)
        return where_v2(high, above, where_v2(in_middle, middle, below))


def _log_ndtr_lower(x: TensorLike, series_order: int) -> Tensor:
    square = build.Square(x)
    scale = -0.5 * square - build.Log(-x) - 0.5 * math.log(2.0 * math.pi)
    return scale + build.Log(_log_ndtr_asymptotic_series(x, series_order))


def _log_ndtr_asymptotic_series(x: TensorLike, series_order: int) -> Any:
    if series_order <= 0:
        return np.array(1, x.dtype.as_numpy_dtype)
    square = build.Square(x)
    even, odd = zeros_like(x), zeros_like(x)
    power = square
    for n in range(1, series_order + 1):
        term = np.array(_double_factorial(2 * n - 1), x.dtype.as_numpy_dtype) / power
        if n % 2:
            odd += term
        else:
            even += term
        power *= square
    return 1.0 + even - odd


def _double_factorial(n: int) -> int:
    return math.prod(range(n, 1, -2))


def erfinv(x: TensorLike, name: str = "erfinv") -> Tensor:
    """The inverse of the error function.

    Args:
        x: a tensor of float32 or float64 in [-1, 1].
        name: the name scope.

    Returns:
        A tensor like `x`.

    Raises:
        TypeError: if `x` has another type.
    """
    with name_scope(name, None, [x]):
        x = _checked(x, "x", "x.dtype={} is not handled, see docstring for supported types.")
        result: TensorLike = ndtri((x + 1.0) / 2.0)
        return result / math.sqrt(2.0)


def log_cdf_laplace(x: TensorLike, name: str = "log_cdf_laplace") -> Tensor:
    """The logarithm of the distribution function of the Laplace distribution.

    Args:
        x: a tensor of floating-point numbers.
        name: the name scope.

    Returns:
        A tensor like `x`.
    """
    with name_scope(name, None, [x]):
        x = convert_to_tensor(x, name="x")
        below = -math.log(2.0) + x
        # The exponent is never large.
        above = build.Log1p(-0.5 * build.Exp(-absolute(x)))
        return where_v2(build.Less(x, 0.0), below, above)
