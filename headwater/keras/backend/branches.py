"""Values that depend on the learning phase or on a condition; functions over sequences."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from headwater.base import dtypes
from headwater.base.export import export
from headwater.base.typing import DTypeLike, NestedTensors, TensorLike
from headwater.graph import Tensor, control_dependencies
from headwater.keras.backend.graph_state import learning_phase
from headwater.keras.backend.shaping import expand_dims, tile
from headwater.keras.backend.tensors import ndim
from headwater.model import functional_loops
from headwater.ops.array.concat import concat
from headwater.ops.array.fill import ones_like
from headwater.ops.array.shape import shape as shape_of
from headwater.ops.control.cond import cond
from headwater.ops.control.identity import identity
from headwater.ops.control.print_v2 import print_v2
from headwater.ops.math.cast import cast
from headwater.ops.math.select import where


def _function(value: Any) -> Callable[[], Any]:
    return value if callable(value) else lambda: value


@export("keras.backend.switch")
def switch(condition: TensorLike, then_expression: Any, else_expression: Any) -> Any:
    """Chooses between two values, as a whole or element by element.

    Args:
        condition: a boolean scalar, or a tensor of no higher rank than the values.
        then_expression: a tensor, or a function that returns one.
        else_expression: a tensor, or a function that returns one.

    Returns:
        A tensor.

    Raises:
        ValueError: if the condition has a higher rank than the values.
    """
    if condition.dtype.base_dtype != dtypes.bool_:
        condition = cast(condition, dtypes.bool_)
    rank = ndim(condition)
    if not rank:
        return cond(condition, _function(then_expression), _function(else_expression))
    then_value = _function(then_expression)()
    else_value = _function(else_expression)()
    expression_rank = ndim(then_value) or 0
    if rank > expression_rank:
        raise ValueError(
            "Rank of `condition` should be less than or equal to rank of `then_expression` and "
            f"`else_expression`. ndim(condition)={rank}, ndim(then_expression)={expression_rank}"
        )
    if rank > 1:
        missing = expression_rank - rank
        wide_shape = concat([shape_of(condition), [1] * missing], axis=0)
        condition = condition if not missing else _widened(condition, wide_shape, missing)
        condition = _spread(condition, then_value)
    return where(condition, then_value, else_value)


def _widened(condition: TensorLike, shape: TensorLike, missing: int) -> Tensor:
    for _ in range(missing):
        condition = expand_dims(condition, -1)
    return condition


def _spread(condition: TensorLike, value: TensorLike) -> Tensor:
    whole = shape_of(value)
    own = shape_of(condition)
    return tile(condition, where(own > 1, ones_like(whole), whole))


@export("keras.backend.in_train_phase")
def in_train_phase(x: Any, alt: Any, training: Any = None) -> Any:
    """Returns one value while training, another one elsewhere.

    Args:
        x: a tensor or a function: what is returned while training.
        alt: a tensor or a function: what is returned elsewhere.
        training: whether it is training; the learning phase if None.

    Returns:
        A tensor.
    """
    if training is None:
        training = learning_phase()
    if not isinstance(training, Tensor):
        if training == 1 or training is True:
            return x() if callable(x) else x
        if training == 0 or training is False:
            return alt() if callable(alt) else alt
    return switch(training, x, alt)


@export("keras.backend.in_test_phase")
def in_test_phase(x: Any, alt: Any, training: Any = None) -> Any:
    """Returns one value outside of training, another one while training.

    Args:
        x: a tensor or a function: what is returned outside of training.
        alt: a tensor or a function: what is returned while training.
        training: whether it is training; the learning phase if None.

    Returns:
        A tensor.
    """
    return in_train_phase(alt, x, training=training)


@export("keras.backend.map_fn")
def map_fn(
    fn: Callable[..., Any],
    elems: NestedTensors,
    name: str | None = None,
    dtype: DTypeLike | None = None,
) -> Any:
    """Applies a function to each row.

    Args:
        fn: a function of a row.
        elems: a tensor.
        name: the name of the nodes.
        dtype: the type of the results; that of the rows if None.

    Returns:
        A tensor of the results.
    """
    return functional_loops.map_fn(fn, elems, name=name, dtype=dtype)


@export("keras.backend.foldl")
def foldl(
    fn: Callable[..., Any], elems: NestedTensors, initializer: Any = None, name: str | None = None
) -> Any:
    """Reduces rows from the first one to the last one.

    Args:
        fn: a function of what has been accumulated and a row.
        elems: a tensor.
        initializer: the first accumulated value; the first row if None.
        name: the name of the nodes.

    Returns:
        The last accumulated value.
    """
    return functional_loops.foldl(fn, elems, initializer=initializer, name=name)


@export("keras.backend.foldr")
def foldr(
    fn: Callable[..., Any], elems: NestedTensors, initializer: Any = None, name: str | None = None
) -> Any:
    """Reduces rows from the last one to the first one.

    Args:
        fn: a function of what has been accumulated and a row.
        elems: a tensor.
        initializer: the first accumulated value; the last row if None.
        name: the name of the nodes.

    Returns:
        The last accumulated value.
    """
    return functional_loops.foldr(fn, elems, initializer=initializer, name=name)


@export("keras.backend.print_tensor")
def print_tensor(x: TensorLike, message: str = "") -> Tensor:
    """Prints a tensor whenever the result is computed.

    Args:
        x: a tensor.
        message: what is printed before it.

    Returns:
        The same value.
    """
    with control_dependencies([print_v2(message, x)]):
        return identity(x)
