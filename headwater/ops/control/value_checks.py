"""Checks of values: they fail the run, or at once where the values are known."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from headwater.base import errors
from headwater.base.typing import TensorLike
from headwater.graph import (
    Operation,
    Tensor,
    build,
    constant_node,
    constant_value,
    convert_to_tensor,
    export,
    name_scope,
)
from headwater.graph.constant_value import static_value
from headwater.ops.control.assertion import assert_
from headwater.ops.control.type_checks import is_numeric_tensor
from headwater.ops.math.axes import all_axes


def _check(
    relation: str,
    known: Callable[[Any, Any], Any],
    x: Tensor,
    y: Tensor,
    data: list[Any],
    summarize: int | None,
) -> Operation:
    """An op that fails unless a relation holds for all elements."""
    found = getattr(build, relation)(x, y)
    condition = _all(found)
    # Only what TensorFlow knows too: other values fail the run.
    values = static_value(x), static_value(y)
    if values[0] is not None and values[1] is not None and not np.all(known(*values)):
        raise errors.InvalidArgumentError(None, None, "\n".join(_shown(item) for item in data))
    return assert_(condition, data, summarize=summarize)


def _all(found: Tensor) -> Tensor:
    result = build.All(found, all_axes(found))
    result.set_shape(())
    return result


def _shown(item: TensorLike) -> str:
    value = constant_value(item) if isinstance(item, Tensor) else item
    return str(item if value is None else value)


def _check_pair(
    sign: str,
    relation: str,
    known: Callable[[Any, Any], Any],
    x: TensorLike,
    y: TensorLike,
    data: TensorLike | None,
    summarize: int | None,
    message: str | None,
) -> Operation:
    """The check of a relation between x and y, with TensorFlow's message."""
    x = convert_to_tensor(x, name="x")
    y = convert_to_tensor(y, name="y")
    if data is None:
        data = [f"Condition x {sign} y did not hold element-wise:"]
        data += [f"x ({x.name}) = ", x, f"y ({y.name}) = ", y]
    if message is not None:
        data = [message, *data]
    return _check(relation, known, x, y, data, summarize)


@export("assert_equal", "debugging.assert_equal")
def assert_equal(
    x: TensorLike,
    y: TensorLike,
    data: Sequence[str] | None = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> Operation:
    """Checks that two tensors are equal in each element.

    Args:
        x: a tensor.
        y: a tensor of the same type and a shape that broadcasts with that of `x`.
        data: tensors that the error shows; by default `x` and `y`.
        summarize: how many elements of each the error shows.
        message: what the error begins with.
        name: a name scope.

    Returns:
        An op that fails the run if the condition does not hold.

    Raises:
        InvalidArgumentError: if the values are known and the condition does not hold.
    """
    with name_scope(name, "assert_equal", [x, y, data]):
        if x is y:
            return build.NoOp()
    with name_scope(name, "assert_equal", [x, y, data]):
        return _check_pair("==", "Equal", np.equal, x, y, data, summarize, message)


@export("assert_none_equal", "debugging.assert_none_equal")
def assert_none_equal(
    x: TensorLike,
    y: TensorLike,
    data: TensorLike | None = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> Operation:
    """Checks that two tensors differ in each element.

    Args:
        x: a tensor.
        y: a tensor of the same type and a shape that broadcasts with that of `x`.
        data: tensors that the error shows; by default `x` and `y`.
        summarize: how many elements of each the error shows.
        message: what the error begins with.
        name: a name scope.

    Returns:
        An op that fails the run if the condition does not hold.

    Raises:
        InvalidArgumentError: if the values are known and the condition does not hold.
    """
    with name_scope(name, "assert_none_equal", [x, y, data]):
        return _check_pair("!=", "NotEqual", np.not_equal, x, y, data, summarize, message)


@export("assert_less", "debugging.assert_less")
def assert_less(
    x: TensorLike,
    y: TensorLike,
    data: Sequence[TensorLike] | None = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> Operation:
    """Checks that each element of a tensor is less than another.

    Args:
        x: a tensor.
        y: a tensor of the same type and a shape that broadcasts with that of `x`.
        data: tensors that the error shows; by default `x` and `y`.
        summarize: how many elements of each the error shows.
        message: what the error begins with.
        name: a name scope.

    Returns:
        An op that fails the run if the condition does not hold.

    Raises:
        InvalidArgumentError: if the values are known and the condition does not hold.
    """
    with name_scope(name, "assert_less", [x, y, data]):
        return _check_pair("<", "Less", np.less, x, y, data, summarize, message)


@export("assert_less_equal", "debugging.assert_less_equal")
def assert_less_equal(
    x: TensorLike,
    y: TensorLike,
    data: Sequence[TensorLike] | None = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> Operation:
    """Checks that no element of a tensor is greater than another.

    Args:
        x: a tensor.
        y: a tensor of the same type and a shape that broadcasts with that of `x`.
        data: tensors that the error shows; by default `x` and `y`.
        summarize: how many elements of each the error shows.
        message: what the error begins with.
        name: a name scope.

    Returns:
        An op that fails the run if the condition does not hold.

    Raises:
        InvalidArgumentError: if the values are known and the condition does not hold.
    """
    with name_scope(name, "assert_less_equal", [x, y, data]):
        return _check_pair("<=", "LessEqual", np.less_equal, x, y, data, summarize, message)


@export("assert_greater", "debugging.assert_greater")
def assert_greater(
    x: TensorLike,
    y: TensorLike,
    data: TensorLike | None = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> Operation:
    """Checks that each element of a tensor is greater than another.

    Args:
        x: a tensor.
        y: a tensor of the same type and a shape that broadcasts with that of `x`.
        data: tensors that the error shows; by default `x` and `y`.
        summarize: how many elements of each the error shows.
        message: what the error begins with.
        name: a name scope.

    Returns:
        An op that fails the run if the condition does not hold.

    Raises:
        InvalidArgumentError: if the values are known and the condition does not hold.
    """
    with name_scope(name, "assert_greater", [x, y, data]):
        return _check_pair(">", "Greater", np.greater, x, y, data, summarize, message)


@export("assert_greater_equal", "debugging.assert_greater_equal")
def assert_greater_equal(
    x: TensorLike,
    y: TensorLike,
    data: TensorLike | None = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> Operation:
    """Checks that no element of a tensor is less than another.

    Args:
        x: a tensor.
        y: a tensor of the same type and a shape that broadcasts with that of `x`.
        data: tensors that the error shows; by default `x` and `y`.
        summarize: how many elements of each the error shows.
        message: what the error begins with.
        name: a name scope.

    Returns:
        An op that fails the run if the condition does not hold.

    Raises:
        InvalidArgumentError: if the values are known and the condition does not hold.
    """
    with name_scope(name, "assert_greater_equal", [x, y, data]):
        return _check_pair(">=", "GreaterEqual", np.greater_equal, x, y, data, summarize, message)


def _against_zero(
    sign: str, x: TensorLike, data: TensorLike, message: str | None
) -> tuple[Tensor, Tensor, list[Any]]:
    """A tensor, a zero of its type, and what the check of its sign shows."""
    x = convert_to_tensor(x, name="x")
    if data is None:
        data = [message or "", f"Condition x {sign} 0 did not hold element-wise:"]
        data.append(f"x ({x.name}) = ")
        if sign == "<=":  # TF 1.15 concatenates these two without a space.
            data[1:] = ["".join(data[1:])]
        data.append(x)
    return x, constant_node(0, x.dtype.base_dtype), data


@export("assert_negative", "debugging.assert_negative")
def assert_negative(
    x: TensorLike,
    data: TensorLike | None = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> Operation:
    """Checks that all elements of a tensor are negative.

    Args:
        x: a tensor.
        data: tensors that the error shows; by default `x`.
        summarize: how many elements of each the error shows.
        message: what the error begins with.
        name: a name scope.

    Returns:
        An op that fails the run if the condition does not hold.

    Raises:
        InvalidArgumentError: if the values are known and the condition does not hold.
    """
    with name_scope(name, "assert_negative", [x, data]):
        x, zero, data = _against_zero("<", x, data, message)
        return assert_less(x, zero, data=data, summarize=summarize)


@export("assert_positive", "debugging.assert_positive")
def assert_positive(
    x: TensorLike,
    data: Sequence[str] | None = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> Operation:
    """Checks that all elements of a tensor are positive.

    Args:
        x: a tensor.
        data: tensors that the error shows; by default `x`.
        summarize: how many elements of each the error shows.
        message: what the error begins with.
        name: a name scope.

    Returns:
        An op that fails the run if the condition does not hold.

    Raises:
        InvalidArgumentError: if the values are known and the condition does not hold.
    """
    with name_scope(name, "assert_positive", [x, data]):
        x, zero, data = _against_zero(">", x, data, message)
        return assert_less(zero, x, data=data, summarize=summarize)


@export("assert_non_negative", "debugging.assert_non_negative")
def assert_non_negative(
    x: TensorLike,
    data: TensorLike | None = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> Operation:
    """Checks that no element of a tensor is negative.

    Args:
        x: a tensor.
        data: tensors that the error shows; by default `x`.
        summarize: how many elements of each the error shows.
        message: what the error begins with.
        name: a name scope.

    Returns:
        An op that fails the run if the condition does not hold.

    Raises:
        InvalidArgumentError: if the values are known and the condition does not hold.
    """
    with name_scope(name, "assert_non_negative", [x, data]):
        x, zero, data = _against_zero(">=", x, data, message)
        return assert_less_equal(zero, x, data=data, summarize=summarize)


@export("assert_non_positive", "debugging.assert_non_positive")
def assert_non_positive(
    x: TensorLike,
    data: TensorLike | None = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> Operation:
    """Checks that no element of a tensor is positive.

    Args:
        x: a tensor.
        data: tensors that the error shows; by default `x`.
        summarize: how many elements of each the error shows.
        message: what the error begins with.
        name: a name scope.

    Returns:
        An op that fails the run if the condition does not hold.

    Raises:
        InvalidArgumentError: if the values are known and the condition does not hold.
    """
    with name_scope(name, "assert_non_positive", [x, data]):
        x, zero, data = _against_zero("<=", x, data, message)
        return assert_less_equal(x, zero, data=data, summarize=summarize)


@export("assert_near", "debugging.assert_near")
def assert_near(
    x: TensorLike,
    y: TensorLike,
    rtol: TensorLike | None = None,
    atol: TensorLike | None = None,
    data: TensorLike | None = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> Operation:
    """Checks that |x - y| < atol + rtol |y| for all elements.

    Args:
        x: a tensor of floats.
        y: a tensor of the same type and a shape that broadcasts with that of `x`.
        rtol: the relative tolerance; by default ten times the smallest step from 1.
        atol: the absolute tolerance; by default the same.
        data: tensors that the error shows; by default `x` and `y`.
        summarize: how many elements of each the error shows.
        message: what the error begins with.
        name: a name scope.

    Returns:
        An op that fails the run if the condition does not hold.

    Raises:
        ValueError: if the type is not a floating-point type.
    """
    with name_scope(name, "assert_near", [x, y, rtol, atol, data]):
        x = convert_to_tensor(x, name="x")
        y = convert_to_tensor(y, name="y", dtype=x.dtype.base_dtype)
        step = 10 * np.finfo(x.dtype.as_numpy_dtype).eps
        rtol = convert_to_tensor(step if rtol is None else rtol, x.dtype.base_dtype, name="rtol")
        atol = convert_to_tensor(step if atol is None else atol, x.dtype.base_dtype, name="atol")
        if data is None:
            what = f"x and y not equal to tolerance rtol = {rtol}, atol = {atol}"
            data = [message or "", what, f"x ({x.name}) = ", x, f"y ({y.name}) = ", y]
        tolerance = build.AddV2(atol, build.Mul(rtol, build.Abs(y), name="mul"), name="add")
        near = build.Less(build.Abs(build.Sub(x, y, name="sub")), tolerance)
        return assert_(_all(near), data, summarize=summarize)


def _steps(x: TensorLike) -> Tensor:
    """The differences of neighbours, row by row."""
    x = build.Reshape(x, [-1])
    if not is_numeric_tensor(x):
        raise TypeError(f"Expected x to be numeric, instead found: {x}")
    following = build.StridedSlice(x, [1], [0], [1], end_mask=1)
    preceding = build.StridedSlice(x, [0], [-1], [1], begin_mask=1)
    return build.Sub(following, preceding, name="sub")


@export(
    "is_non_decreasing",
    "debugging.is_non_decreasing",
    "math.is_non_decreasing",
    "contrib.framework.is_non_decreasing",
)
def is_non_decreasing(x: TensorLike, name: str | None = None) -> Tensor:
    """Tells whether no element of a tensor is less than the one before it, row by row.

    Args:
        x: a tensor of numbers.
        name: a name scope.

    Returns:
        A scalar of type bool; true if there are fewer than two elements.

    Raises:
        TypeError: if the elements are not numbers.
    """
    with name_scope(name, "is_non_decreasing", [x]):
        steps = _steps(x)
        return _all(build.LessEqual(constant_node(0, steps.dtype), steps))


@export(
    "is_strictly_increasing",
    "debugging.is_strictly_increasing",
    "math.is_strictly_increasing",
    "contrib.framework.is_strictly_increasing",
)
def is_strictly_increasing(x: TensorLike, name: str | None = None) -> Tensor:
    """Tells whether each element of a tensor is greater than the one before it, row by row.

    Args:
        x: a tensor of numbers.
        name: a name scope.

    Returns:
        A scalar of type bool; true if there are fewer than two elements.

    Raises:
        TypeError: if the elements are not numbers.
    """
    with name_scope(name, "is_strictly_increasing", [x]):
        steps = _steps(x)
        return _all(build.Less(constant_node(0, steps.dtype), steps))
