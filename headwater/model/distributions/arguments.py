"""Checks and conversions of the parameters of distributions."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np

from headwater.base import dtypes
from headwater.base.dtypes import DType, as_dtype
from headwater.base.tensor_shape import TensorShape
from headwater.base.typing import DTypeLike, TensorLike
from headwater.graph import (
    Operation,
    Tensor,
    build,
    constant_value,
    convert_to_tensor,
    name_scope,
    rank_tensor,
    shape_tensor,
    with_dependencies,
)
from headwater.ops.array.concat import concat
from headwater.ops.array.constant import constant
from headwater.ops.array.shape import broadcast_static_shape, rank, shape
from headwater.ops.array.slice import slice_
from headwater.ops.control.cond import cond
from headwater.ops.control.identity import no_op
from headwater.ops.control.rank_checks import assert_rank_at_least
from headwater.ops.control.value_checks import (
    assert_equal,
    assert_greater_equal,
    assert_less_equal,
    assert_near,
    assert_non_negative,
)
from headwater.ops.linalg.compositions import transposed
from headwater.ops.math.cast import cast
from headwater.ops.math.exponential import sigmoid
from headwater.ops.math.reduce_functions import reduce_all, reduce_sum
from headwater.ops.math.select import where_v2
from headwater.ops.nn.softmax import softmax

_INTEGER_OF = {"float16": dtypes.int16, "float32": dtypes.int32, "float64": dtypes.int64}
# The numbers of significand bits, the implicit one included.
_PRECISION = {"float16": 11, "float32": 24, "float64": 53}


def assert_integer_form(
    x: TensorLike,
    data: TensorLike | None = None,
    summarize: int | None = None,
    message: str | None = None,
    int_dtype: DType | None = None,
    name: str = "assert_integer_form",
) -> Operation:
    """Checks that all elements are whole numbers.

    Args:
        x: a tensor.
        data: what the error shows.
        summarize: how many elements the error shows.
        message: the beginning of the error's text.
        int_dtype: the integers that `x` is compared with.
        name: the name of the op.

    Returns:
        The op that checks.

    Raises:
        TypeError: if there are no integers for the type of `x`.
    """
    with name_scope(name, None, [x, data]):
        x = convert_to_tensor(x, name="x")
        if x.dtype.is_integer:
            return no_op()
        if message is None:
            message = f"{x} has non-integer components"
        if int_dtype is None:
            int_dtype = _INTEGER_OF.get(x.dtype.base_dtype.name)
            if int_dtype is None:
                raise TypeError(f"Unrecognized type {x.dtype.name}")
        whole = cast(cast(x, int_dtype), x.dtype)
        return assert_equal(x, whole, data=data, summarize=summarize, message=message, name=name)


def assert_close(
    x: TensorLike,
    y: TensorLike,
    data: TensorLike | None = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str = "assert_close",
) -> Any:
    """Checks that two tensors differ by no more than rounding errors (releases before 1.9).

    Args:
        x: a tensor.
        y: a tensor.
        data: what the error shows.
        summarize: how many elements the error shows.
        message: the beginning of the error's text.
        name: the name of the op.

    Returns:
        The op that checks.
    """
    x, y = convert_to_tensor(x, name="x"), convert_to_tensor(y, name="y")
    if data is None:
        texts = [f"{message or ''}Condition x ~= y did not hold element-wise: x = ", x.name, x]
        data = [*texts, "y = ", y.name, y]
    if x.dtype.is_integer:
        return assert_equal(x, y, data=data, summarize=summarize, message=message, name=name)
    close = build.Abs(build.Sub(x, y)) <= np.finfo(x.dtype.as_numpy_dtype).eps
    with name_scope(name, None, [x, y, data]):
        return assert_equal(close, True, data=data, summarize=summarize)


def assert_symmetric(matrix: TensorLike) -> Tensor:
    """A copy of the matrices that fails if they are not symmetric."""
    check = assert_equal(matrix, transposed(matrix))
    return with_dependencies([check], matrix)


def embed_check_nonnegative_integer_form(
    x: TensorLike, name: str = "embed_check_nonnegative_integer_form"
) -> Tensor:
    """A copy of `x` that fails if it has negative elements or fractions."""
    with name_scope(name, None, [x]):
        x = convert_to_tensor(x, name="x")
        checks = [assert_non_negative(x, message=f"'{x}' must be non-negative.")]
        if not x.dtype.is_integer:
            text = f"'{x}' cannot contain fractional components."
            checks.append(assert_integer_form(x, message=text))
        return with_dependencies(checks, x)


def same_dynamic_shape(a: TensorLike, b: TensorLike) -> Tensor:
    """Whether two tensors have one shape when the graph runs, a bool scalar."""
    a, b = convert_to_tensor(a, name="a"), convert_to_tensor(b, name="b")

    def all_equal() -> Tensor:
        one = concat([shape(a), shape(b)], 0)
        return reduce_all(build.Equal(one, concat([shape(b), shape(a)], 0)))

    return cond(build.Equal(rank(a), rank(b)), all_equal, lambda: constant(False))


def maybe_get_static_value(x: TensorLike, dtype: DTypeLike = None) -> Any:
    """The value of `x` as an array of `dtype`, or None if it is not known."""
    if x is None:
        return None
    value = constant_value(x) if hasattr(x, "graph") else x
    return value if value is None or dtype is None else np.array(value, dtype)


def _floating(value: TensorLike, role: str, dtype: DTypeLike) -> Tensor:
    value = convert_to_tensor(value, name=role, dtype=dtype)
    if not value.dtype.is_floating:
        raise TypeError(f"{role} must having floating type.")
    return value


def get_logits_and_probs(
    logits: TensorLike | None = None,
    probs: TensorLike | None = None,
    multidimensional: bool = False,
    validate_args: bool = False,
    name: str = "get_logits_and_probs",
    dtype: DTypeLike | None = None,
) -> tuple[Tensor, Tensor]:
    """Log-odds and probabilities from one of them.

    Args:
        logits: log-odds; for several classes, logarithms of probabilities up to a constant.
        probs: probabilities.
        multidimensional: whether the last dimension is one of classes.
        validate_args: whether the probabilities are checked.
        name: the name scope.
        dtype: the type.

    Returns:
        Logits and probabilities.

    Raises:
        ValueError: if both are given, or none of them.
        TypeError: if they are not floating-point numbers.
    """
    with name_scope(name, None, [probs, logits]):
        if (probs is None) == (logits is None):
            raise ValueError("Must pass probs or logits, but not both.")
        if probs is None:
            logits = _floating(logits, "logits", dtype)
            if not multidimensional:
                return logits, sigmoid(logits, name="probs")
            if validate_args:
                logits = embed_check_categorical_event_shape(logits)
            return logits, softmax(logits, name="probs")
        probs = _floating(probs, "probs", dtype)
        if validate_args:
            with name_scope("validate_probs"):
                probs = _checked_probs(probs, multidimensional)
        with name_scope("logits"):
            if multidimensional:
                return build.Log(probs), probs
            return build.Log(probs) - build.Log1p(-1.0 * probs), probs


def _checked_probs(probs: TensorLike, multidimensional: bool) -> Tensor:
    one = constant(1.0, probs.dtype)
    checks = [assert_non_negative(probs)]
    if multidimensional:
        probs = embed_check_categorical_event_shape(probs)
        text = "probs does not sum to 1."
        checks.append(assert_near(reduce_sum(probs, -1), one, message=text))
    else:
        text = "probs has components greater than 1."
        checks.append(assert_less_equal(probs, one, message=text))
    return with_dependencies(checks, probs)


def is_integer_like(dtype: DTypeLike) -> bool:
    """Whether values of a type are whole numbers: integers, and booleans as 0 and 1."""
    dtype = _known(dtype)
    return dtype.is_integer or dtype.base_dtype == dtypes.bool_


def is_known_unsigned(dtype: DTypeLike) -> bool:
    """Whether this is an unsigned type whose limits are known."""
    return as_dtype(dtype).base_dtype in (dtypes.bool_, dtypes.uint8, dtypes.uint16)


def is_known_signed(dtype: DTypeLike) -> bool:
    """Whether this is a signed type whose limits are known."""
    names = ("float16", "float32", "float64", "int8", "int16", "int32", "int64")
    return as_dtype(dtype).base_dtype.name in names


def is_known_dtype(dtype: DTypeLike) -> bool:
    """Whether the limits of the type are known."""
    return is_known_unsigned(dtype) or is_known_signed(dtype)


def _known(dtype: DTypeLike) -> DType:
    dtype = as_dtype(dtype)
    if not is_known_dtype(dtype):
        raise TypeError(f"Unrecognized dtype: {dtype.name}")
    return dtype.base_dtype


def largest_integer(dtype: DTypeLike) -> int:
    """The largest integer n such that a type represents all integers up to n.

    Raises:
        TypeError: if the limits of the type are not known.
    """
    dtype = _known(dtype)
    if dtype.name in _PRECISION:
        return 2 ** _PRECISION[dtype.name]
    return 1 if dtype == dtypes.bool_ else int(np.iinfo(dtype.as_numpy_dtype).max)


def smallest_integer(dtype: DTypeLike) -> int:
    """The negative of the largest integer, or 0 for unsigned types.

    Raises:
        TypeError: if the limits of the type are not known.
    """
    dtype = _known(dtype)
    return 0 if is_known_unsigned(dtype) else -largest_integer(dtype)


def embed_check_categorical_event_shape(
    categorical_param: TensorLike, name: str = "embed_check_categorical_event_shape"
) -> Tensor:
    """Checks that there are at least two classes, and no more than the type can number.

    Args:
        categorical_param: a tensor whose last dimension is one of classes.
        name: the name scope.

    Returns:
        The tensor, or a copy that fails if its shape is not known now.

    Raises:
        TypeError: if the limits of the type are not known.
        ValueError: if the number of classes is out of range.
    """
    with name_scope(name, None, [categorical_param]):
        x = convert_to_tensor(categorical_param, name="x")
        dtype = x.dtype.base_dtype
        if not is_known_dtype(dtype):
            raise TypeError(f"Unable to validate size of unrecognized dtype ({dtype.name}).")
        most = largest_integer(dtype)
        short = "A categorical-distribution parameter must have at least 1 dimension."
        few = "A categorical-distribution parameter must have at least 2 events."
        many = "Number of classes exceeds `dtype` precision, i.e., "
        if x.get_shape().ndims == 0:
            raise ValueError(short)
        count = None if x.get_shape().ndims is None else x.get_shape()[-1].value
        if count is None:
            sizes: TensorLike = shape(x, name="x_shape")
            given = sizes[-1]
            checks = [assert_rank_at_least(x, 1, message=short)]
            again: Tensor = shape(x)
            checks.append(assert_greater_equal(again[-1], 2, message=few))
            text = f"{many}{dtype.name} dtype cannot exceed {most} shape."
            checks.append(assert_less_equal(given, most, message=text))
            return with_dependencies(checks, x)
        if count < 2:
            raise ValueError(few)
        if count > most:
            raise ValueError(f"{many}{dtype.name} implies shape ({count}) cannot exceed {most}.")
        return x


def embed_check_integer_casting_closed(
    x: TensorLike,
    target_dtype: DTypeLike,
    assert_nonnegative: bool = True,
    name: str = "embed_check_casting_closed",
) -> Tensor:
    """A copy of `x` that fails if a cast to another type would change it.

    Args:
        x: a tensor of numbers.
        target_dtype: the other type.
        assert_nonnegative: whether negative numbers fail too.
        name: the name scope.

    Returns:
        A tensor like `x`.

    Raises:
        TypeError: if one of the types is not of numbers, or both are floating-point types.
    """
    with name_scope(name, None, [x]):
        x = convert_to_tensor(x, name="x")
        target = as_dtype(target_dtype)
        if not is_integer_like(x.dtype) and not x.dtype.is_floating:
            raise TypeError(f"{x.dtype.name}.dtype must be floating- or integer-type.")
        if not is_integer_like(target) and not target.is_floating:
            raise TypeError(f"target_dtype ({target.name}) must be floating- or integer-type.")
        if not is_integer_like(x.dtype) and not is_integer_like(target):
            raise TypeError(
                f"At least one of {x} ({x.dtype.name}) and target_dtype ({target.name}) must be "
                "integer-type."
            )
        checks = []
        if assert_nonnegative:
            checks.append(assert_non_negative(x, message="Elements must be non-negative."))
        if x.dtype.is_floating:
            text = f"Elements must be {target.name}-equivalent."
            checks.append(assert_integer_form(x, int_dtype=target, message=text))
            return with_dependencies(checks, x)
        most, least = largest_integer(target), smallest_integer(target)
        if largest_integer(x.dtype) > most:
            checks.append(assert_less_equal(x, most, message=f"Elements cannot exceed {most}."))
        if not assert_nonnegative and smallest_integer(x.dtype) < least:
            text = f"Elements cannot be smaller than {least}."
            checks.append(assert_greater_equal(x, least, message=text))
        return with_dependencies(checks, x)


def log_combinations(n: TensorLike, counts: TensorLike, name: str = "log_combinations") -> Tensor:
    """Logarithms of multinomial coefficients: log(n! / prod(counts!)).

    Args:
        n: the numbers of draws.
        counts: the numbers of draws of each class, [..., classes].
        name: the name scope.

    Returns:
        A tensor of the shape of `n`.
    """
    with name_scope(name, None, [n, counts]):
        n, counts = convert_to_tensor(n, name="n"), convert_to_tensor(counts, name="counts")
        total = build.Lgamma(n + 1)
        return total - reduce_sum(build.Lgamma(counts + 1), axis=[-1])


def pick_vector(
    cond: TensorLike, true_vector: TensorLike, false_vector: TensorLike, name: str = "pick_vector"
) -> Tensor:
    """One of two vectors, which may differ in length.

    Args:
        cond: a bool scalar.
        true_vector: what is picked if it is true.
        false_vector: what is picked otherwise.
        name: the name scope.

    Returns:
        The vector as it was given if `cond` is known, else a tensor.

    Raises:
        TypeError: if `cond` is not a bool, or the vectors have different types.
    """
    with name_scope(name, None, [cond, true_vector, false_vector]):
        cond = convert_to_tensor(cond, name="cond")
        if cond.dtype != dtypes.bool_:
            raise TypeError(f"{cond}.dtype={cond.dtype} which is not {dtypes.bool_}")
        known = constant_value(cond)
        if known is not None:
            return true_vector if known else false_vector
        first = convert_to_tensor(true_vector, name="true_vector")
        second = convert_to_tensor(false_vector, name="false_vector")
        if first.dtype != second.dtype:
            raise TypeError(
                f"{first}.dtype={first.dtype} does not match {second}.dtype={second.dtype}"
            )
        sizes: Tensor = shape(first)
        n = sizes[0]
        both = concat([first, second], 0)
        begin = [where_v2(cond, 0, n)]
        return slice_(both, begin, [build.Select(cond, n, -1)])


def prefer_static_broadcast_shape(
    shape1: TensorLike, shape2: TensorLike, name: str = "prefer_static_broadcast_shape"
) -> TensorShape | Tensor:
    """The shape that two shapes broadcast to: a TensorShape if both are known.

    Args:
        shape1: a TensorShape, a list, or an int32 vector.
        shape2: the same.
        name: the name scope.

    Returns:
        A TensorShape, or an int32 vector.
    """
    with name_scope(name, None, [shape1, shape2]):
        known = [_static_shape(each) for each in (shape1, shape2)]
        if known[0] is not None and known[1] is not None:
            return broadcast_static_shape(*(TensorShape(each) for each in known))
        tensors = [
            convert_to_tensor(_plain(x), dtypes.int32, name="shape") for x in (shape1, shape2)
        ]
        return build.BroadcastArgs(*tensors)


def _plain(x: Tensor) -> Tensor:
    return x.as_list() if isinstance(x, TensorShape) else x


def _static_shape(x: TensorLike) -> Any:
    if isinstance(x, TensorShape):
        return x.as_list() if x.is_fully_defined() else None
    value = constant_value(convert_to_tensor(x, dtypes.int32, name="shape"))
    return None if value is None else value.tolist()


def prefer_static_value(x: Tensor) -> Any:
    """The value of a tensor if it is known, else the tensor."""
    value = constant_value(x)
    return x if value is None else value


def prefer_static_rank(x: TensorLike) -> Any:
    """The rank of a tensor: a number if it is known, else a tensor."""
    return prefer_static_value(rank_tensor(convert_to_tensor(x)))


def prefer_static_shape(x: TensorLike) -> Any:
    """The shape of a tensor: an array if it is known, else a tensor."""
    return prefer_static_value(shape_tensor(convert_to_tensor(x)))


def dimension_size(x: TensorLike, axis: int) -> Any:
    """The length of an axis: a number if it is known, else a tensor."""
    known = None if x.get_shape().ndims is None else x.get_shape()[axis].value
    if known is not None:
        return known
    sizes: TensorLike = shape(x)
    return sizes[axis]


def gen_new_seed(seed: int | None, salt: str) -> int | None:
    """A seed derived from another seed and a salt; None from None."""
    if seed is None:
        return None
    text = f"{seed}{salt}".encode()
    digest = hashlib.md5(text, usedforsecurity=False).hexdigest()
    return int(digest[:8], 16) & 0x7FFFFFFF
