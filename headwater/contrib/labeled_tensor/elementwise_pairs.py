"""Functions of the elements of two labeled tensors, and the operators of these."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from headwater.base.export import export
from headwater.contrib.labeled_tensor.core import LabeledTensor, applied_to_both, identity
from headwater.contrib.labeled_tensor.elementwise import (
    labeled_abs,
    labeled_logical_not,
    labeled_neg,
)
from headwater.ops.math.arithmetic import add, multiply, squared_difference, subtract
from headwater.ops.math.comparison import equal, greater, greater_equal, less, less_equal, not_equal
from headwater.ops.math.division import div, mod
from headwater.ops.math.extrema import maximum, minimum
from headwater.ops.math.logical import logical_and, logical_or, logical_xor
from headwater.ops.math.powers import power
from headwater.ops.math.special_functions import igamma, igammac, polygamma, zeta


@export("contrib.labeled_tensor.add")
def labeled_add(
    labeled_tensor_0: Any, labeled_tensor_1: Any, name: str | None = None
) -> LabeledTensor:
    """Adds elements.

    Args:
        labeled_tensor_0: a LabeledTensor or a scalar.
        labeled_tensor_1: another one.
        name: the name of the result.

    Returns:
        A LabeledTensor with the axes of both, aligned by name.
    """
    return applied_to_both("add", add, labeled_tensor_0, labeled_tensor_1, name)


@export("contrib.labeled_tensor.sub")
def labeled_sub(
    labeled_tensor_0: Any, labeled_tensor_1: Any, name: str | None = None
) -> LabeledTensor:
    """Subtracts the elements of the second tensor from those of the first.

    Args:
        labeled_tensor_0: a LabeledTensor or a scalar.
        labeled_tensor_1: another one.
        name: the name of the result.

    Returns:
        A LabeledTensor with the axes of both, aligned by name.
    """
    return applied_to_both("sub", subtract, labeled_tensor_0, labeled_tensor_1, name)


@export("contrib.labeled_tensor.mul")
def labeled_mul(
    labeled_tensor_0: Any, labeled_tensor_1: Any, name: str | None = None
) -> LabeledTensor:
    """Multiplies elements.

    Args:
        labeled_tensor_0: a LabeledTensor or a scalar.
        labeled_tensor_1: another one.
        name: the name of the result.

    Returns:
        A LabeledTensor with the axes of both, aligned by name.
    """
    return applied_to_both("mul", multiply, labeled_tensor_0, labeled_tensor_1, name)


@export("contrib.labeled_tensor.div")
def labeled_div(
    labeled_tensor_0: Any, labeled_tensor_1: Any, name: str | None = None
) -> LabeledTensor:
    """Divides the elements of the first tensor by those of the second.

    Args:
        labeled_tensor_0: a LabeledTensor or a scalar.
        labeled_tensor_1: another one.
        name: the name of the result.

    Returns:
        A LabeledTensor with the axes of both, aligned by name.
    """
    return applied_to_both("div", div, labeled_tensor_0, labeled_tensor_1, name)


@export("contrib.labeled_tensor.mod")
def labeled_mod(
    labeled_tensor_0: Any, labeled_tensor_1: Any, name: str | None = None
) -> LabeledTensor:
    """Takes the remainders of dividing the first tensor by the second.

    Args:
        labeled_tensor_0: a LabeledTensor or a scalar.
        labeled_tensor_1: another one.
        name: the name of the result.

    Returns:
        A LabeledTensor with the axes of both, aligned by name.
    """
    return applied_to_both("mod", mod, labeled_tensor_0, labeled_tensor_1, name)


@export("contrib.labeled_tensor.pow")
def labeled_pow(
    labeled_tensor_0: Any, labeled_tensor_1: Any, name: str | None = None
) -> LabeledTensor:
    """Raises the elements of the first tensor to the powers of the second.

    Args:
        labeled_tensor_0: a LabeledTensor or a scalar.
        labeled_tensor_1: another one.
        name: the name of the result.

    Returns:
        A LabeledTensor with the axes of both, aligned by name.
    """
    return applied_to_both("pow", power, labeled_tensor_0, labeled_tensor_1, name)


@export("contrib.labeled_tensor.equal")
def labeled_equal(
    labeled_tensor_0: Any, labeled_tensor_1: Any, name: str | None = None
) -> LabeledTensor:
    """Tells where elements are equal.

    Args:
        labeled_tensor_0: a LabeledTensor or a scalar.
        labeled_tensor_1: another one.
        name: the name of the result.

    Returns:
        A LabeledTensor with the axes of both, aligned by name.
    """
    return applied_to_both("equal", equal, labeled_tensor_0, labeled_tensor_1, name)


@export("contrib.labeled_tensor.greater")
def labeled_greater(
    labeled_tensor_0: Any, labeled_tensor_1: Any, name: str | None = None
) -> LabeledTensor:
    """Tells where the first tensor is greater than the second.

    Args:
        labeled_tensor_0: a LabeledTensor or a scalar.
        labeled_tensor_1: another one.
        name: the name of the result.

    Returns:
        A LabeledTensor with the axes of both, aligned by name.
    """
    return applied_to_both("greater", greater, labeled_tensor_0, labeled_tensor_1, name)


@export("contrib.labeled_tensor.greater_equal")
def labeled_greater_equal(
    labeled_tensor_0: Any, labeled_tensor_1: Any, name: str | None = None
) -> LabeledTensor:
    """Tells where the first tensor is greater than the second or equal to it.

    Args:
        labeled_tensor_0: a LabeledTensor or a scalar.
        labeled_tensor_1: another one.
        name: the name of the result.

    Returns:
        A LabeledTensor with the axes of both, aligned by name.
    """
    return applied_to_both("greater_equal", greater_equal, labeled_tensor_0, labeled_tensor_1, name)


@export("contrib.labeled_tensor.not_equal")
def labeled_not_equal(
    labeled_tensor_0: Any, labeled_tensor_1: Any, name: str | None = None
) -> LabeledTensor:
    """Tells where elements differ.

    Args:
        labeled_tensor_0: a LabeledTensor or a scalar.
        labeled_tensor_1: another one.
        name: the name of the result.

    Returns:
        A LabeledTensor with the axes of both, aligned by name.
    """
    return applied_to_both("not_equal", not_equal, labeled_tensor_0, labeled_tensor_1, name)


@export("contrib.labeled_tensor.less")
def labeled_less(
    labeled_tensor_0: Any, labeled_tensor_1: Any, name: str | None = None
) -> LabeledTensor:
    """Tells where the first tensor is less than the second.

    Args:
        labeled_tensor_0: a LabeledTensor or a scalar.
        labeled_tensor_1: another one.
        name: the name of the result.

    Returns:
        A LabeledTensor with the axes of both, aligned by name.
    """
    return applied_to_both("less", less, labeled_tensor_0, labeled_tensor_1, name)


@export("contrib.labeled_tensor.less_equal")
def labeled_less_equal(
    labeled_tensor_0: Any, labeled_tensor_1: Any, name: str | None = None
) -> LabeledTensor:
    """Tells where the first tensor is less than the second or equal to it.

    Args:
        labeled_tensor_0: a LabeledTensor or a scalar.
        labeled_tensor_1: another one.
        name: the name of the result.

    Returns:
        A LabeledTensor with the axes of both, aligned by name.
    """
    return applied_to_both("less_equal", less_equal, labeled_tensor_0, labeled_tensor_1, name)


@export("contrib.labeled_tensor.logical_and")
def labeled_logical_and(
    labeled_tensor_0: Any, labeled_tensor_1: Any, name: str | None = None
) -> LabeledTensor:
    """Tells where both tensors are true.

    Args:
        labeled_tensor_0: a LabeledTensor or a scalar.
        labeled_tensor_1: another one.
        name: the name of the result.

    Returns:
        A LabeledTensor with the axes of both, aligned by name.
    """
    return applied_to_both("logical_and", logical_and, labeled_tensor_0, labeled_tensor_1, name)


@export("contrib.labeled_tensor.logical_or")
def labeled_logical_or(
    labeled_tensor_0: Any, labeled_tensor_1: Any, name: str | None = None
) -> LabeledTensor:
    """Tells where one tensor or both are true.

    Args:
        labeled_tensor_0: a LabeledTensor or a scalar.
        labeled_tensor_1: another one.
        name: the name of the result.

    Returns:
        A LabeledTensor with the axes of both, aligned by name.
    """
    return applied_to_both("logical_or", logical_or, labeled_tensor_0, labeled_tensor_1, name)


@export("contrib.labeled_tensor.logical_xor")
def labeled_logical_xor(
    labeled_tensor_0: Any, labeled_tensor_1: Any, name: str | None = None
) -> LabeledTensor:
    """Tells where exactly one tensor is true.

    Args:
        labeled_tensor_0: a LabeledTensor or a scalar.
        labeled_tensor_1: another one.
        name: the name of the result.

    Returns:
        A LabeledTensor with the axes of both, aligned by name.
    """
    return applied_to_both("logical_xor", logical_xor, labeled_tensor_0, labeled_tensor_1, name)


@export("contrib.labeled_tensor.maximum")
def labeled_maximum(
    labeled_tensor_0: Any, labeled_tensor_1: Any, name: str | None = None
) -> LabeledTensor:
    """Takes the greater of two elements.

    Args:
        labeled_tensor_0: a LabeledTensor or a scalar.
        labeled_tensor_1: another one.
        name: the name of the result.

    Returns:
        A LabeledTensor with the axes of both, aligned by name.
    """
    return applied_to_both("maximum", maximum, labeled_tensor_0, labeled_tensor_1, name)


@export("contrib.labeled_tensor.minimum")
def labeled_minimum(
    labeled_tensor_0: Any, labeled_tensor_1: Any, name: str | None = None
) -> LabeledTensor:
    """Takes the lesser of two elements.

    Args:
        labeled_tensor_0: a LabeledTensor or a scalar.
        labeled_tensor_1: another one.
        name: the name of the result.

    Returns:
        A LabeledTensor with the axes of both, aligned by name.
    """
    return applied_to_both("minimum", minimum, labeled_tensor_0, labeled_tensor_1, name)


@export("contrib.labeled_tensor.squared_difference")
def labeled_squared_difference(
    labeled_tensor_0: Any, labeled_tensor_1: Any, name: str | None = None
) -> LabeledTensor:
    """Squares the differences of elements.

    Args:
        labeled_tensor_0: a LabeledTensor or a scalar.
        labeled_tensor_1: another one.
        name: the name of the result.

    Returns:
        A LabeledTensor with the axes of both, aligned by name.
    """
    return applied_to_both(
        "squared_difference", squared_difference, labeled_tensor_0, labeled_tensor_1, name
    )


@export("contrib.labeled_tensor.igamma")
def labeled_igamma(
    labeled_tensor_0: Any, labeled_tensor_1: Any, name: str | None = None
) -> LabeledTensor:
    """Takes the lower regularized incomplete gamma function.

    Args:
        labeled_tensor_0: the parameters of the function.
        labeled_tensor_1: where it is taken.
        name: the name of the result.

    Returns:
        A LabeledTensor with the axes of both, aligned by name.
    """
    return applied_to_both("igamma", igamma, labeled_tensor_0, labeled_tensor_1, name)


@export("contrib.labeled_tensor.igammac")
def labeled_igammac(
    labeled_tensor_0: Any, labeled_tensor_1: Any, name: str | None = None
) -> LabeledTensor:
    """Takes the upper regularized incomplete gamma function.

    Args:
        labeled_tensor_0: the parameters of the function.
        labeled_tensor_1: where it is taken.
        name: the name of the result.

    Returns:
        A LabeledTensor with the axes of both, aligned by name.
    """
    return applied_to_both("igammac", igammac, labeled_tensor_0, labeled_tensor_1, name)


@export("contrib.labeled_tensor.zeta")
def labeled_zeta(
    labeled_tensor_0: Any, labeled_tensor_1: Any, name: str | None = None
) -> LabeledTensor:
    """Takes the Hurwitz zeta function.

    Args:
        labeled_tensor_0: the exponents.
        labeled_tensor_1: the offsets.
        name: the name of the result.

    Returns:
        A LabeledTensor with the axes of both, aligned by name.
    """
    return applied_to_both("zeta", zeta, labeled_tensor_0, labeled_tensor_1, name)


@export("contrib.labeled_tensor.polygamma")
def labeled_polygamma(
    labeled_tensor_0: Any, labeled_tensor_1: Any, name: str | None = None
) -> LabeledTensor:
    """Takes the polygamma function.

    Args:
        labeled_tensor_0: the orders of the derivatives.
        labeled_tensor_1: where the function is taken.
        name: the name of the result.

    Returns:
        A LabeledTensor with the axes of both, aligned by name.
    """
    return applied_to_both("polygamma", polygamma, labeled_tensor_0, labeled_tensor_1, name)


_OPERATORS: dict[str, Callable[..., LabeledTensor]] = {
    "abs": labeled_abs,
    "neg": labeled_neg,
    "invert": labeled_logical_not,
    "add": labeled_add,
    "sub": labeled_sub,
    "mul": labeled_mul,
    "truediv": labeled_div,
    "div": labeled_div,
    "mod": labeled_mod,
    "pow": labeled_pow,
    "and": labeled_logical_and,
    "or": labeled_logical_or,
    "xor": labeled_logical_xor,
    "lt": labeled_less,
    "le": labeled_less_equal,
    "gt": labeled_greater,
    "ge": labeled_greater_equal,
}
_REFLECTED = ("add", "sub", "mul", "truediv", "div", "mod", "pow")


def _reflected(function: Callable[..., LabeledTensor]) -> Callable[..., LabeledTensor]:
    return lambda self, other: function(other, self)


for _operator, _function in _OPERATORS.items():
    setattr(LabeledTensor, f"__{_operator}__", _function)
    if _operator in _REFLECTED:
        setattr(LabeledTensor, f"__r{_operator}__", _reflected(_function))
setattr(LabeledTensor, "__pos__", identity)  # noqa: B010 (as the operators above)
