"""Functions of elements, and the operators of labeled tensors."""

from __future__ import annotations

from collections.abc import Callable

from headwater.base.export import export
from headwater.contrib.labeled_tensor.core import (
    LabeledTensor,
    define_binary_op,
    define_unary_op,
    identity,
)
from headwater.graph import Tensor
from headwater.ops.math.arithmetic import add, multiply, negative, squared_difference, subtract
from headwater.ops.math.comparison import equal, greater, greater_equal, less, less_equal, not_equal
from headwater.ops.math.division import div, mod
from headwater.ops.math.exponential import exp, log, sigmoid, tanh
from headwater.ops.math.extrema import maximum, minimum
from headwater.ops.math.logical import logical_and, logical_not, logical_or, logical_xor
from headwater.ops.math.powers import power, reciprocal, rsqrt, sqrt, square
from headwater.ops.math.rounding import ceil, floor, round_
from headwater.ops.math.sign import absolute, sign
from headwater.ops.math.special_functions import (
    digamma,
    erf,
    erfc,
    igamma,
    igammac,
    lgamma,
    polygamma,
    zeta,
)
from headwater.ops.math.trigonometry import acos, asin, atan, cos, sin, tan


def _unary(name: str, function: Callable[..., Tensor]) -> Callable[..., LabeledTensor]:
    return export(name)(define_unary_op(name.rpartition(".")[2], function))


def _binary(name: str, function: Callable[..., Tensor]) -> Callable[..., LabeledTensor]:
    return export(name)(define_binary_op(name.rpartition(".")[2], function))


labeled_abs = _unary("contrib.labeled_tensor.abs", absolute)
labeled_neg = _unary("contrib.labeled_tensor.neg", negative)
labeled_sign = _unary("contrib.labeled_tensor.sign", sign)
labeled_reciprocal = _unary("contrib.labeled_tensor.reciprocal", reciprocal)
labeled_square = _unary("contrib.labeled_tensor.square", square)
labeled_round = _unary("contrib.labeled_tensor.round", round_)
labeled_sqrt = _unary("contrib.labeled_tensor.sqrt", sqrt)
labeled_rsqrt = _unary("contrib.labeled_tensor.rsqrt", rsqrt)
labeled_log = _unary("contrib.labeled_tensor.log", log)
labeled_exp = _unary("contrib.labeled_tensor.exp", exp)
labeled_ceil = _unary("contrib.labeled_tensor.ceil", ceil)
labeled_floor = _unary("contrib.labeled_tensor.floor", floor)
labeled_cos = _unary("contrib.labeled_tensor.cos", cos)
labeled_sin = _unary("contrib.labeled_tensor.sin", sin)
labeled_tan = _unary("contrib.labeled_tensor.tan", tan)
labeled_acos = _unary("contrib.labeled_tensor.acos", acos)
labeled_asin = _unary("contrib.labeled_tensor.asin", asin)
labeled_atan = _unary("contrib.labeled_tensor.atan", atan)
labeled_lgamma = _unary("contrib.labeled_tensor.lgamma", lgamma)
labeled_digamma = _unary("contrib.labeled_tensor.digamma", digamma)
labeled_erf = _unary("contrib.labeled_tensor.erf", erf)
labeled_erfc = _unary("contrib.labeled_tensor.erfc", erfc)
labeled_logical_not = _unary("contrib.labeled_tensor.logical_not", logical_not)
labeled_tanh = _unary("contrib.labeled_tensor.tanh", tanh)
labeled_sigmoid = _unary("contrib.labeled_tensor.sigmoid", sigmoid)

labeled_add = _binary("contrib.labeled_tensor.add", add)
labeled_sub = _binary("contrib.labeled_tensor.sub", subtract)
labeled_mul = _binary("contrib.labeled_tensor.mul", multiply)
labeled_div = _binary("contrib.labeled_tensor.div", div)
labeled_mod = _binary("contrib.labeled_tensor.mod", mod)
labeled_pow = _binary("contrib.labeled_tensor.pow", power)
labeled_equal = _binary("contrib.labeled_tensor.equal", equal)
labeled_greater = _binary("contrib.labeled_tensor.greater", greater)
labeled_greater_equal = _binary("contrib.labeled_tensor.greater_equal", greater_equal)
labeled_not_equal = _binary("contrib.labeled_tensor.not_equal", not_equal)
labeled_less = _binary("contrib.labeled_tensor.less", less)
labeled_less_equal = _binary("contrib.labeled_tensor.less_equal", less_equal)
labeled_logical_and = _binary("contrib.labeled_tensor.logical_and", logical_and)
labeled_logical_or = _binary("contrib.labeled_tensor.logical_or", logical_or)
labeled_logical_xor = _binary("contrib.labeled_tensor.logical_xor", logical_xor)
labeled_maximum = _binary("contrib.labeled_tensor.maximum", maximum)
labeled_minimum = _binary("contrib.labeled_tensor.minimum", minimum)
labeled_squared_difference = _binary(
    "contrib.labeled_tensor.squared_difference", squared_difference
)
labeled_igamma = _binary("contrib.labeled_tensor.igamma", igamma)
labeled_igammac = _binary("contrib.labeled_tensor.igammac", igammac)
labeled_zeta = _binary("contrib.labeled_tensor.zeta", zeta)
labeled_polygamma = _binary("contrib.labeled_tensor.polygamma", polygamma)


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
