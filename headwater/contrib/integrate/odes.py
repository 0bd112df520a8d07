"""Initial value problems: adaptive steps, and steps on a fixed grid."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from headwater.base import dtypes
from headwater.base.typing import NestedTensors, TensorLike
from headwater.contrib.integrate.runge_kutta import (
    abs_square,
    interp_evaluate,
    interp_fit_step,
    runge_kutta_step,
)
from headwater.graph import (
    Operation,
    Tensor,
    build,
    control_dependencies,
    convert_to_tensor,
    export,
    name_scope,
)
from headwater.ops.array.constant import constant
from headwater.ops.array.shape import size
from headwater.ops.array.stack import stack, unstack
from headwater.ops.control.assertion import assert_
from headwater.ops.control.cond import cond
from headwater.ops.control.tensor_array_class import TensorArray
from headwater.ops.control.while_loop import while_loop
from headwater.ops.math.cast import cast
from headwater.ops.math.reduce_functions import reduce_all, reduce_mean, reduce_sum

if TYPE_CHECKING:
    from headwater.base.dtypes import DType


class _State(NamedTuple):
    """The state after a step: its end, the derivative there, the times, the next length."""

    y1: TensorLike
    f1: TensorLike
    t0: TensorLike
    t1: TensorLike
    dt: TensorLike


class _History(NamedTuple):
    """The history of attempted steps: end, error ratio, last accepted times, polynomial."""

    integrate_points: TensorLike
    error_ratio: TensorLike
    t0: TensorLike
    t1: TensorLike
    coefficients: TensorLike

    def with_step(self, *values: Tensor) -> _History:
        return _History(*(_appended(array, x) for array, x in zip(self, values, strict=True)))


def _appended(array: TensorArray, value: Tensor) -> TensorArray:
    return array.write(array.size(), value)


def optimal_step_size(
    last_step: Tensor,
    error_ratio: TensorLike,
    safety: TensorLike = 0.9,
    ifactor: TensorLike = 10.0,
    dfactor: TensorLike = 0.2,
    order: int = 5,
    name: str | None = None,
) -> Tensor:
    """The length of the next step.

    Args:
        last_step: the length of the last one, a scalar.
        error_ratio: its error divided by the tolerance.
        safety: a factor below 1 against steps that fail.
        ifactor: the largest factor by which a step may grow.
        dfactor: the smallest factor by which it may shrink.
        order: the order of the method.
        name: the name scope.

    Returns:
        A scalar.
    """
    with name_scope(name, "optimal_step_size", [last_step, error_ratio]):
        error_ratio = cast(error_ratio, last_step.dtype)
        exponent = convert_to_tensor(1 / order, dtype=last_step.dtype)
        ifactor = convert_to_tensor(ifactor, dtype=last_step.dtype)
        dfactor = convert_to_tensor(dfactor, dtype=last_step.dtype)
        growth: Tensor = build.Pow(error_ratio, exponent)
        factor = build.Maximum(
            build.Reciprocal(ifactor), build.Minimum(growth / safety, build.Reciprocal(dfactor))
        )
        return last_step / factor


def assert_increasing(t: Tensor) -> Operation:
    """An op that fails the run unless the elements of a vector increase."""
    grows = reduce_all(build.Greater(t[1:], t[:-1]))
    return assert_(grows, ["`t` must be monotonic increasing"])


def check_input_types(y0: Tensor, t: Tensor, dt: Tensor | None = None) -> None:
    """Raises TypeError unless values and times are of types that can be integrated."""
    if not (y0.dtype.is_floating or y0.dtype.is_complex):
        raise TypeError("`y0` must have a floating point or complex floating point dtype")
    if not t.dtype.is_floating:
        raise TypeError("`t` must have a floating point dtype")
    if dt is not None and not dt.dtype.is_floating:
        raise TypeError("`dt` must have a floating point dtype")


def dopri5(
    func: Callable[[Any, Any], Any],
    y0: Tensor,
    t: TensorLike,
    rtol: Tensor,
    atol: Tensor,
    full_output: bool = False,
    first_step: Any = None,
    safety: TensorLike = 0.9,
    ifactor: TensorLike = 10.0,
    dfactor: TensorLike = 0.2,
    max_num_steps: TensorLike = 1000,
    name: str | None = None,
) -> NestedTensors:
    """Solves with the adaptive method of Dormand and Prince, of order 5.

    Args:
        func: the derivative, a function of y and t.
        y0: the value at t[0].
        t: the times, an increasing vector.
        rtol: the relative tolerance of a step.
        atol: the absolute tolerance.
        full_output: whether the history is returned too.
        first_step: the length of the first step; 1 if None.
        safety: as of `optimal_step_size`.
        ifactor: as of `optimal_step_size`.
        dfactor: as of `optimal_step_size`.
        max_num_steps: the largest number of steps between two times.
        name: the name scope.

    Returns:
        The values at the times, or these and the history.
    """
    first_step = 1.0 if first_step is None else first_step
    with name_scope(
        name, "dopri5", [y0, t, rtol, atol, safety, ifactor, dfactor, max_num_steps]
    ) as scope:
        first_step = convert_to_tensor(first_step, dtype=t.dtype, name="first_step")
        safety = convert_to_tensor(safety, dtype=t.dtype, name="safety")
        ifactor = convert_to_tensor(ifactor, dtype=t.dtype, name="ifactor")
        dfactor = convert_to_tensor(dfactor, dtype=t.dtype, name="dfactor")
        max_num_steps = convert_to_tensor(max_num_steps, dtype=dtypes.int32, name="max_num_steps")

        def step(
            state: _State, history: _History, coefficients: Tensor, i: TensorLike, tried: TensorLike
        ) -> tuple[NestedTensors, ...]:
            y0, f0, t0, t1, dt = state
            limits = [
                assert_(build.Greater(t1 + dt, t1), ["underflow in dt", dt]),
                assert_(build.Less(tried, max_num_steps), ["max_num_steps exceeded"]),
                assert_(
                    reduce_all(build.IsFinite(build.Abs(abs_square(y0)))),
                    ["non-finite values in state `y`", y0],
                ),
            ]
            with control_dependencies(limits):
                y1, f1, error, derivatives = runge_kutta_step(func, y0, f0, t1, dt)
            with name_scope("error_ratio"):
                # The root of the mean square of error / (atol + rtol max(|y0|, |y1|)).
                larger = build.Maximum(build.Sqrt(abs_square(y0)), build.Sqrt(abs_square(y1)))
                tolerance: Tensor = atol + rtol * larger
                ratios = build.RealDiv(abs_square(error), build.Square(tolerance))
                error_ratio: Tensor = build.Sqrt(reduce_mean(ratios))
                accept = build.LessEqual(error_ratio, convert_to_tensor(1.0, error_ratio.dtype))
            with name_scope("update"):
                end = t1 + dt
                next_y, next_f, next_t0, next_t1, polynomial = cond(
                    accept,
                    lambda: (y1, f1, t1, end, stack(interp_fit_step(y0, y1, derivatives, dt))),
                    lambda: (y0, f0, t0, t1, coefficients),
                )
                next_dt = optimal_step_size(dt, error_ratio, safety, ifactor, dfactor)
            reached = reduce_sum(cast(build.LessEqual(t, next_t1), dtypes.int32))
            # The limit holds for the steps between two of the times.
            tried = cond(build.Greater(reached, i), lambda: constant(0), lambda: tried + 1)
            return (
                _State(next_y, next_f, next_t0, next_t1, next_dt),
                history.with_step(end, error_ratio, next_t0, next_t1, polynomial),
                polynomial,
                reached,
                tried,
            )

        with control_dependencies([assert_increasing(t)]):
            count = size(t)
        first, last = t[0], t[count - 1]
        history = _History(
            _steps(t.dtype, ()),
            _steps(y0.dtype.real_dtype, ()),
            _steps(t.dtype, ()),
            _steps(t.dtype, ()),
            _steps(y0.dtype, None),
        )
        # All steps first: they do not depend on the times in between.
        _, history, _, _, _ = while_loop(
            lambda state, *_: build.Less(state.t1, last),
            step,
            (_State(y0, func(y0, first), first, first, first_step), history, stack([y0] * 5), 1, 0),
            name="integrate_loop",
        )
        starts, ends = history.t0.stack(), history.t1.stack()

        def interpolate(i: Tensor, values: TensorArray) -> tuple[Tensor | TensorArray, ...]:
            step_of = reduce_sum(cast(build.Less(ends, t[i]), dtypes.int32))
            polynomial = unstack(history.coefficients.read(step_of), num=5)
            y = interp_evaluate(polynomial, starts[step_of], ends[step_of], t[i])
            return i + 1, values.write(i, y)

        _, values = while_loop(
            lambda i, _: build.Less(i, count),
            interpolate,
            (1, TensorArray(y0.dtype, size=count).write(0, y0)),
            name="interpolate_loop",
        )
        solution = values.stack(name=scope)
        solution.set_shape(t.get_shape().concatenate(y0.get_shape()))
        if not full_output:
            return solution
        points = history.integrate_points.stack()
        return solution, {
            "num_func_evals": 6 * size(points) + 1,
            "integrate_points": points,
            "error_ratio": history.error_ratio.stack(),
        }


def _steps(dtype: DType, element_shape: Any) -> TensorArray:
    return TensorArray(
        dtype, size=0, dynamic_size=True, clear_after_read=False, element_shape=element_shape
    )


@export("contrib.integrate.odeint")
def odeint(
    func: Callable[[Any, Any], Any],
    y0: TensorLike,
    t: TensorLike,
    rtol: TensorLike = 1e-6,
    atol: TensorLike = 1e-12,
    method: str | None = None,
    options: dict[str, Any] | None = None,
    full_output: bool = False,
    name: str | None = None,
) -> NestedTensors:
    """Integrates dy/dt = func(y, t) with y(t[0]) = y0, in steps as long as the errors allow.

    Args:
        func: the derivative, a function of y and a scalar t.
        y0: the initial value, a floating-point or complex tensor.
        t: the times at which y is wanted, an increasing vector; the first is that of `y0`.
        rtol: the relative tolerance of a step.
        atol: the absolute tolerance.
        method: "dopri5" or None.
        options: arguments of the method: first_step, safety, ifactor, dfactor, max_num_steps.
        full_output: whether the history is returned too.
        name: the name scope.

    Returns:
        The values, with the times as their first dimension; with `full_output`, these and a
        dictionary of num_func_evals, integrate_points and error_ratio.

    Raises:
        ValueError: if the method is unknown, or there are options and no method.
        TypeError: if `y0` or `t` are of other types.
    """
    if method is not None and method != "dopri5":
        raise ValueError(f"invalid method: {method!r}")
    if options is None:
        options = {}
    elif method is None:
        raise ValueError("cannot supply `options` without specifying `method`")
    with name_scope(name, "odeint", [y0, t, rtol, atol]) as scope:
        times = convert_to_tensor(t, preferred_dtype=dtypes.float64, name="t")
        value: TensorLike = convert_to_tensor(y0, name="y0")
        check_input_types(value, times)
        kind = build.Abs(value).dtype if not value.dtype.is_complex else value.dtype.real_dtype
        relative = convert_to_tensor(rtol, dtype=kind, name="rtol")
        absolute = convert_to_tensor(atol, dtype=kind, name="atol")
        return dopri5(
            func,
            value,
            times,
            rtol=relative,
            atol=absolute,
            full_output=full_output,
            name=scope,
            **options,
        )


class FixedGridIntegrator:
    """The solution at the points of a grid; a class defines the increment of one step."""

    def integrate(
        self,
        evol_func: Callable[..., Any],
        y0: TensorLike,
        time_grid: TensorLike,
        dt_grid: TensorLike,
        steps_on_intervals: TensorLike | None = None,
    ) -> Tensor:
        """The values at all times.

        Args:
            evol_func: the derivative, a function of y and t.
            y0: the value at the first time.
            time_grid: the times, a vector.
            dt_grid: the lengths of the steps, a vector one shorter.
            steps_on_intervals: the number of steps in each interval; None for one.

        Returns:
            The values, with the times as their first dimension.
        """
        advance = functools.partial(self._advance, evol_func)
        count = size(dt_grid)
        values = TensorArray(y0.dtype, size=size(time_grid)).write(0, y0)

        def interval(i: Tensor, y: Tensor, values: TensorArray) -> tuple[Tensor | TensorArray, ...]:
            dt, steps = dt_grid[i], 1 if steps_on_intervals is None else steps_on_intervals[i]

            def one(j: TensorLike, y: Tensor) -> tuple[Tensor, ...]:
                return j + 1, advance(y, time_grid[i] + cast(j, dt.dtype) * dt, dt)

            _, y = while_loop(lambda j, _: build.Less(j, steps), one, (0, y))
            return i + 1, y, values.write(i + 1, y)

        _, _, values = while_loop(lambda i, *_: build.Less(i, count), interval, (0, y0, values))
        return values.stack()

    def _advance(self, func: Callable[..., Any], y: Tensor, t: Tensor, dt: Tensor) -> Tensor:
        return y + self._step(func, y, t, dt)

    def _step(self, func: Callable[..., Any], y: Tensor, t: Tensor, dt: Any) -> Tensor:
        raise NotImplementedError


class MidpointIntegrator(FixedGridIntegrator):
    """The midpoint rule, of order 2."""

    def _step(self, func: Callable[..., Any], y: Tensor, t: Tensor, dt: TensorLike) -> Tensor:
        scale: Tensor = cast(dt, y.dtype)
        middle = y + func(y, t) * scale / 2
        return scale * func(middle, t + dt / 2)


class RungeKutta4Integrator(FixedGridIntegrator):
    """The classical Runge-Kutta method, of order 4."""

    def _step(self, func: Callable[..., Any], y: Tensor, t: Tensor, dt: TensorLike) -> Tensor:
        scale: Tensor = cast(dt, y.dtype)
        half: Tensor = scale / 2
        k1 = func(y, t)
        k2 = func(y + k1 * half, t + dt / 2)
        k3 = func(y + k2 * half, t + dt / 2)
        k4 = func(y + k3 * scale, t + dt)
        return (k1 + 2 * k2 + 2 * k3 + k4) * scale / 6


_FIXED: dict[str, type[FixedGridIntegrator]] = {
    "midpoint": MidpointIntegrator,
    "rk4": RungeKutta4Integrator,
}


@export("contrib.integrate.odeint_fixed")
def odeint_fixed(
    func: Callable[[Any, Any], Any],
    y0: TensorLike,
    t: TensorLike,
    dt: TensorLike | None = None,
    method: str = "rk4",
    name: str | None = None,
) -> Tensor:
    """Integrates dy/dt = func(y, t) with y(t[0]) = y0, in steps of given lengths.

    Args:
        func: the derivative, a function of y and a scalar t.
        y0: the initial value, a floating-point or complex tensor.
        t: the times at which y is wanted, an increasing vector.
        dt: the length of a step, a scalar or one per interval; None for one step per interval.
        method: "rk4" or "midpoint".
        name: the name scope.

    Returns:
        The values, with the times as their first dimension.

    Raises:
        ValueError: if the method is unknown, or `dt` has another length than the intervals.
        TypeError: if an argument is of another type.
    """
    with name_scope(name, "odeint_fixed", [y0, t, dt]):
        times: Tensor = convert_to_tensor(t, preferred_dtype=dtypes.float64, name="t")
        value = convert_to_tensor(y0, name="y0")
        lengths: TensorLike = times[1:] - times[:-1]
        steps: TensorLike = None
        if dt is not None:
            given: Tensor = convert_to_tensor(dt, preferred_dtype=dtypes.float64, name="dt")
            check_input_types(value, times, given)
            _check_lengths(times, given)
            given = cast(given, times.dtype)
            steps = cast(build.Ceil(build.RealDiv(lengths, given + lengths * 0)), dtypes.int32)
            lengths = build.RealDiv(lengths, cast(steps, times.dtype))
        else:
            check_input_types(value, times)
        if method not in _FIXED:
            raise ValueError(f"method not supported: {method!s}")
        with control_dependencies([assert_increasing(times)]):
            times = build.Identity(times)
        with name_scope(method):
            return _FIXED[method]().integrate(func, value, times, lengths, steps)


def _check_lengths(t: Tensor, dt: Tensor) -> None:
    if len(t.get_shape().as_list()) > 1:
        raise ValueError("t must be a 1D tensor")
    if len(dt.get_shape().as_list()) > 1:
        raise ValueError("t must be a 1D tensor")
    if t.get_shape()[0].value is None or dt.get_shape().ndims == 0:
        return
    if dt.get_shape()[0].value not in (None, t.get_shape()[0].value - 1):
        raise ValueError("t and dt have incompatible lengths, must be N and N-1")
