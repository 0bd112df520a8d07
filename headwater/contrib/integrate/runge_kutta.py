"""One step of an explicit Runge-Kutta method, and the polynomial between its two ends."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from headwater.base.typing import TensorLike
from headwater.graph import Tensor, build, control_dependencies, convert_to_tensor, name_scope
from headwater.ops.array.reshape import reshape
from headwater.ops.array.stack import stack
from headwater.ops.control.assertion import assert_
from headwater.ops.math.cast import cast
from headwater.ops.math.complex_numbers import imag, real
from headwater.ops.math.reduce_functions import reduce_sum


class Tableau(NamedTuple):
    """The coefficients of an explicit Runge-Kutta method of s + 1 stages (Butcher's tableau).

    `alpha` are the times of the stages, `beta` the weights of the earlier ones, `c_sol` those of
    the solution, `c_mid` those of the value in the middle, `c_error` those of the error estimate.
    """

    alpha: Sequence[float]
    beta: Sequence[Sequence[float]]
    c_sol: Sequence[float]
    c_mid: Sequence[float]
    c_error: Sequence[float]


# Dormand and Prince, "A family of embedded Runge-Kutta formulae", 1980; the middle is from
# Shampine, "Some practical Runge-Kutta formulas", 1986.
DORMAND_PRINCE = Tableau(
    alpha=[1 / 5, 3 / 10, 4 / 5, 8 / 9, 1.0, 1.0],
    beta=[
        [1 / 5],
        [3 / 40, 9 / 40],
        [44 / 45, -56 / 15, 32 / 9],
        [19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729],
        [9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656],
        [35 / 384, 0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84],
    ],
    c_sol=[35 / 384, 0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84, 0],
    c_mid=[
        6025192743 / 30085553152 / 2,
        0,
        51252292925 / 65400821598 / 2,
        -2691868925 / 45128329728 / 2,
        187940372067 / 1594534317056 / 2,
        -1776094331 / 19743644256 / 2,
        11237099 / 235043384 / 2,
    ],
    c_error=[
        1951 / 21600 - 35 / 384,
        0,
        22642 / 50085 - 500 / 1113,
        451 / 720 - 125 / 192,
        -12231 / 42400 - -2187 / 6784,
        649 / 6300 - 11 / 84,
        1 / 60,
    ],
)


def abs_square(x: TensorLike) -> Tensor:
    """|x|^2, a real tensor."""
    if x.dtype.is_complex:
        return build.Square(real(x)) + build.Square(imag(x))
    return build.Square(x)


def scaled_sum(scale: Tensor, weights: Sequence[float], values: Sequence[Any]) -> Tensor:
    """The sum of scale * weight * value; weights of 0 are left out."""
    terms = [(scale * w) * x for w, x in zip(weights, values, strict=True) if w != 0]
    return build.AddN(terms)


def runge_kutta_step(
    func: Callable[[Any, Any], Any],
    y0: TensorLike,
    f0: TensorLike,
    t0: TensorLike,
    dt: TensorLike,
    tableau: Tableau = DORMAND_PRINCE,
    name: str | None = None,
) -> tuple[Any, Any, Any, Any]:
    """One step.

    Args:
        func: the derivative, a function of y and t.
        y0: the value at the beginning.
        f0: its derivative.
        t0: the time at the beginning, a scalar.
        dt: the length of the step, a scalar.
        tableau: the method.
        name: the name scope.

    Returns:
        The value and the derivative at the end, the estimated error, and all derivatives.
    """
    with name_scope(name, "runge_kutta_step", [y0, f0, t0, dt]):
        y0 = convert_to_tensor(y0, name="y0")
        f0 = convert_to_tensor(f0, name="f0")
        t0 = convert_to_tensor(t0, name="t0")
        dt = convert_to_tensor(dt, name="dt")
        scale: Tensor = cast(dt, y0.dtype)
        derivatives = [f0]
        y: Tensor = y0
        for alpha, beta in zip(tableau.alpha, tableau.beta, strict=True):
            t = t0 + alpha * dt
            y = y0 + scaled_sum(scale, beta, derivatives)
            derivatives.append(func(y, t))
        # The last stage is the solution itself where its weights are those of the solution.
        if tableau.c_sol[-1] != 0 or list(tableau.c_sol[:-1]) != list(tableau.beta[-1]):
            y = y0 + scaled_sum(scale, tableau.c_sol, derivatives)
        y1 = build.Identity(y, name="runge_kutta_step/y1")
        f1 = build.Identity(derivatives[-1], name="runge_kutta_step/f1")
        error = scaled_sum(scale, tableau.c_error, derivatives)
        return y1, f1, build.Identity(error, name="runge_kutta_step/error"), derivatives


def interp_fit(
    y0: Tensor, y1: Tensor, y_mid: Tensor, f0: Tensor, f1: Tensor, dt: Tensor
) -> list[Any]:
    """The polynomial of degree 4 through three values, with two given derivatives.

    Args:
        y0: the value at 0.
        y1: the value at `dt`.
        y_mid: the value in the middle.
        f0: the derivative at 0.
        f1: the derivative at `dt`.
        dt: the length of the interval.

    Returns:
        The coefficients for x = t / dt, the highest power first.
    """
    a = 2 * dt * (f1 - f0) - 8 * (y1 + y0) + 16 * y_mid
    b = dt * (5 * f0 - 3 * f1) + 18 * y0 + 14 * y1 - 32 * y_mid
    c = dt * (f1 - 4 * f0) - 11 * y0 - 5 * y1 + 16 * y_mid
    return [a, b, c, dt * f0, y0]


def interp_fit_step(
    y0: Tensor,
    y1: Tensor,
    derivatives: Sequence[Any],
    dt: TensorLike,
    tableau: Tableau = DORMAND_PRINCE,
) -> list[Any]:
    """The polynomial of one step, as of `interp_fit`."""
    with name_scope("interp_fit_rk"):
        scale: TensorLike = cast(dt, y0.dtype)
        y_mid = y0 + scaled_sum(scale, tableau.c_mid, derivatives)
        return interp_fit(y0, y1, y_mid, derivatives[0], derivatives[-1], scale)


def interp_evaluate(coefficients: Sequence[Any], t0: Tensor, t1: Tensor, t: Tensor) -> Tensor:
    """The value of a polynomial of `interp_fit` at a time between `t0` and `t1`.

    Args:
        coefficients: those of `interp_fit`.
        t0: the beginning of the interval.
        t1: its end.
        t: the time, a scalar.

    Returns:
        A tensor like a coefficient; an InvalidArgumentError when it runs if `t` lies outside.
    """
    with name_scope("interp_evaluate"):
        t0, t1, t = (convert_to_tensor(x) for x in (t0, t1, t))
        given = [convert_to_tensor(x) for x in coefficients]
        dtype = given[0].dtype
        inside = build.LogicalAnd(build.LessEqual(t0, t), build.LessEqual(t, t1))
        check = assert_(inside, ["invalid interpolation, fails `t0 <= t <= t1`:", t0, t, t1])
        with control_dependencies([check]):
            ratio: Tensor = build.RealDiv(t - t0, t1 - t0)
        x: TensorLike = cast(ratio, dtype)
        powers: list[Any] = [convert_to_tensor(1, dtype=dtype), x]
        for _ in range(2, len(given)):
            powers.append(powers[-1] * x)
        scales = stack(powers[::-1])
        column = reshape(scales, [-1] + [1] * (given[0].get_shape().ndims or 0))
        return reduce_sum(column * stack(given), 0)
