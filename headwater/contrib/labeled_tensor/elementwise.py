"""Functions of the elements of a labeled tensor."""

from __future__ import annotations

from typing import Any

from headwater.base.export import export
from headwater.contrib.labeled_tensor.core import LabeledTensor, applied
from headwater.ops.math.arithmetic import negative
from headwater.ops.math.exponential import exp, log, sigmoid, tanh
from headwater.ops.math.logical import logical_not
from headwater.ops.math.powers import reciprocal, rsqrt, sqrt, square
from headwater.ops.math.rounding import ceil, floor, round_
from headwater.ops.math.sign import absolute, sign
from headwater.ops.math.special_functions import digamma, erf, erfc, lgamma
from headwater.ops.math.trigonometry import acos, asin, atan, cos, sin, tan


@export("contrib.labeled_tensor.abs")
def labeled_abs(labeled_tensor: Any, name: str | None = None) -> LabeledTensor:
    """Takes the absolute value of each element.

    Args:
        labeled_tensor: a LabeledTensor.
        name: the name of the result.

    Returns:
        A LabeledTensor.
    """
    return applied("abs", absolute, labeled_tensor, name)


@export("contrib.labeled_tensor.neg")
def labeled_neg(labeled_tensor: Any, name: str | None = None) -> LabeledTensor:
    """Negates each element.

    Args:
        labeled_tensor: a LabeledTensor.
        name: the name of the result.

    Returns:
        A LabeledTensor.
    """
    return applied("neg", negative, labeled_tensor, name)


@export("contrib.labeled_tensor.sign")
def labeled_sign(labeled_tensor: Any, name: str | None = None) -> LabeledTensor:
    """Takes the sign of each element: -1, 0 or 1.

    Args:
        labeled_tensor: a LabeledTensor.
        name: the name of the result.

    Returns:
        A LabeledTensor.
    """
    return applied("sign", sign, labeled_tensor, name)


@export("contrib.labeled_tensor.reciprocal")
def labeled_reciprocal(labeled_tensor: Any, name: str | None = None) -> LabeledTensor:
    """Takes the reciprocal of each element.

    Args:
        labeled_tensor: a LabeledTensor.
        name: the name of the result.

    Returns:
        A LabeledTensor.
    """
    return applied("reciprocal", reciprocal, labeled_tensor, name)


@export("contrib.labeled_tensor.square")
def labeled_square(labeled_tensor: Any, name: str | None = None) -> LabeledTensor:
    """Squares each element.

    Args:
        labeled_tensor: a LabeledTensor.
        name: the name of the result.

    Returns:
        A LabeledTensor.
    """
    return applied("square", square, labeled_tensor, name)


@export("contrib.labeled_tensor.round")
def labeled_round(labeled_tensor: Any, name: str | None = None) -> LabeledTensor:
    """Rounds each element to the nearest integer, halves to the even one.

    Args:
        labeled_tensor: a LabeledTensor.
        name: the name of the result.

    Returns:
        A LabeledTensor.
    """
    return applied("round", round_, labeled_tensor, name)


@export("contrib.labeled_tensor.sqrt")
def labeled_sqrt(labeled_tensor: Any, name: str | None = None) -> LabeledTensor:
    """Takes the square root of each element.

    Args:
        labeled_tensor: a LabeledTensor.
        name: the name of the result.

    Returns:
        A LabeledTensor.
    """
    return applied("sqrt", sqrt, labeled_tensor, name)


@export("contrib.labeled_tensor.rsqrt")
def labeled_rsqrt(labeled_tensor: Any, name: str | None = None) -> LabeledTensor:
    """Takes the reciprocal of the square root of each element.

    Args:
        labeled_tensor: a LabeledTensor.
        name: the name of the result.

    Returns:
        A LabeledTensor.
    """
    return applied("rsqrt", rsqrt, labeled_tensor, name)


@export("contrib.labeled_tensor.log")
def labeled_log(labeled_tensor: Any, name: str | None = None) -> LabeledTensor:
    """Takes the natural logarithm of each element.

    Args:
        labeled_tensor: a LabeledTensor.
        name: the name of the result.

    Returns:
        A LabeledTensor.
    """
    return applied("log", log, labeled_tensor, name)


@export("contrib.labeled_tensor.exp")
def labeled_exp(labeled_tensor: Any, name: str | None = None) -> LabeledTensor:
    """Takes the exponential of each element.

    Args:
        labeled_tensor: a LabeledTensor.
        name: the name of the result.

    Returns:
        A LabeledTensor.
    """
    return applied("exp", exp, labeled_tensor, name)


@export("contrib.labeled_tensor.ceil")
def labeled_ceil(labeled_tensor: Any, name: str | None = None) -> LabeledTensor:
    """Rounds each element up to an integer.

    Args:
        labeled_tensor: a LabeledTensor.
        name: the name of the result.

    Returns:
        A LabeledTensor.
    """
    return applied("ceil", ceil, labeled_tensor, name)


@export("contrib.labeled_tensor.floor")
def labeled_floor(labeled_tensor: Any, name: str | None = None) -> LabeledTensor:
    """Rounds each element down to an integer.

    Args:
        labeled_tensor: a LabeledTensor.
        name: the name of the result.

    Returns:
        A LabeledTensor.
    """
    return applied("floor", floor, labeled_tensor, name)


@export("contrib.labeled_tensor.cos")
def labeled_cos(labeled_tensor: Any, name: str | None = None) -> LabeledTensor:
    """Takes the cosine of each element.

    Args:
        labeled_tensor: a LabeledTensor.
        name: the name of the result.

    Returns:
        A LabeledTensor.
    """
    return applied("cos", cos, labeled_tensor, name)


@export("contrib.labeled_tensor.sin")
def labeled_sin(labeled_tensor: Any, name: str | None = None) -> LabeledTensor:
    """Takes the sine of each element.

    Args:
        labeled_tensor: a LabeledTensor.
        name: the name of the result.

    Returns:
        A LabeledTensor.
    """
    return applied("sin", sin, labeled_tensor, name)


@export("contrib.labeled_tensor.tan")
def labeled_tan(labeled_tensor: Any, name: str | None = None) -> LabeledTensor:
    """Takes the tangent of each element.

    Args:
        labeled_tensor: a LabeledTensor.
        name: the name of the result.

    Returns:
        A LabeledTensor.
    """
    return applied("tan", tan, labeled_tensor, name)


@export("contrib.labeled_tensor.acos")
def labeled_acos(labeled_tensor: Any, name: str | None = None) -> LabeledTensor:
    """Takes the inverse cosine of each element.

    Args:
        labeled_tensor: a LabeledTensor.
        name: the name of the result.

    Returns:
        A LabeledTensor.
    """
    return applied("acos", acos, labeled_tensor, name)


@export("contrib.labeled_tensor.asin")
def labeled_asin(labeled_tensor: Any, name: str | None = None) -> LabeledTensor:
    """Takes the inverse sine of each element.

    Args:
        labeled_tensor: a LabeledTensor.
        name: the name of the result.

    Returns:
        A LabeledTensor.
    """
    return applied("asin", asin, labeled_tensor, name)


@export("contrib.labeled_tensor.atan")
def labeled_atan(labeled_tensor: Any, name: str | None = None) -> LabeledTensor:
    """Takes the inverse tangent of each element.

    Args:
        labeled_tensor: a LabeledTensor.
        name: the name of the result.

    Returns:
        A LabeledTensor.
    """
    return applied("atan", atan, labeled_tensor, name)


@export("contrib.labeled_tensor.lgamma")
def labeled_lgamma(labeled_tensor: Any, name: str | None = None) -> LabeledTensor:
    """Takes the logarithm of the absolute value of the gamma function of each element.

    Args:
        labeled_tensor: a LabeledTensor.
        name: the name of the result.

    Returns:
        A LabeledTensor.
    """
    return applied("lgamma", lgamma, labeled_tensor, name)


@export("contrib.labeled_tensor.digamma")
def labeled_digamma(labeled_tensor: Any, name: str | None = None) -> LabeledTensor:
    """Takes the derivative of `lgamma` at each element.

    Args:
        labeled_tensor: a LabeledTensor.
        name: the name of the result.

    Returns:
        A LabeledTensor.
    """
    return applied("digamma", digamma, labeled_tensor, name)


@export("contrib.labeled_tensor.erf")
def labeled_erf(labeled_tensor: Any, name: str | None = None) -> LabeledTensor:
    """Takes the error function of each element.

    Args:
        labeled_tensor: a LabeledTensor.
        name: the name of the result.

    Returns:
        A LabeledTensor.
    """
    return applied("erf", erf, labeled_tensor, name)


@export("contrib.labeled_tensor.erfc")
def labeled_erfc(labeled_tensor: Any, name: str | None = None) -> LabeledTensor:
    """Takes the complementary error function of each element.

    Args:
        labeled_tensor: a LabeledTensor.
        name: the name of the result.

    Returns:
        A LabeledTensor.
    """
    return applied("erfc", erfc, labeled_tensor, name)


@export("contrib.labeled_tensor.logical_not")
def labeled_logical_not(labeled_tensor: Any, name: str | None = None) -> LabeledTensor:
    """Takes the logical opposite of each element.

    Args:
        labeled_tensor: a LabeledTensor.
        name: the name of the result.

    Returns:
        A LabeledTensor.
    """
    return applied("logical_not", logical_not, labeled_tensor, name)


@export("contrib.labeled_tensor.tanh")
def labeled_tanh(labeled_tensor: Any, name: str | None = None) -> LabeledTensor:
    """Takes the hyperbolic tangent of each element.

    Args:
        labeled_tensor: a LabeledTensor.
        name: the name of the result.

    Returns:
        A LabeledTensor.
    """
    return applied("tanh", tanh, labeled_tensor, name)


@export("contrib.labeled_tensor.sigmoid")
def labeled_sigmoid(labeled_tensor: Any, name: str | None = None) -> LabeledTensor:
    """Takes the logistic function of each element.

    Args:
        labeled_tensor: a LabeledTensor.
        name: the name of the result.

    Returns:
        A LabeledTensor.
    """
    return applied("sigmoid", sigmoid, labeled_tensor, name)
