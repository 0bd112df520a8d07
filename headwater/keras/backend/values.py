"""Reading and writing the values of variables."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from headwater.base.export import export
from headwater.base.tensor_shape import TensorShape
from headwater.base.typing import Array, TensorLike
from headwater.graph import (
    SparseTensor,
    Tensor,
    control_dependencies,
)
from headwater.keras.backend.graph_state import get_session
from headwater.keras.backend.tensors import dtype, to_dense
from headwater.model.variables.variable import Variable
from headwater.ops.array.constant import placeholder as make_placeholder


@export("keras.backend.eval")
def eval_(x: TensorLike) -> Array:
    """Computes a tensor in the session of `get_session`.

    Args:
        x: a tensor or variable.

    Returns:
        A NumPy array.
    """
    return get_value(to_dense(x))


@export("keras.backend.get_value")
def get_value(x: Any) -> Array:
    """The value of a variable or tensor.

    Args:
        x: a variable, a tensor, or a value.

    Returns:
        A NumPy array.
    """
    if not isinstance(x, (Tensor, Variable, SparseTensor)):
        return x
    return get_session((x,)).run(x)


@export("keras.backend.batch_get_value")
def batch_get_value(tensors: Sequence[Any]) -> list[Array]:
    """The values of several variables.

    Args:
        tensors: variables or tensors.

    Returns:
        A list of NumPy arrays.
    """
    if not tensors:
        return []
    values: list[Array] = get_session(tensors).run(list(tensors))
    return values


def _assignment(x: Any, value: Array) -> tuple[Any, Any]:
    """The assignment node of a variable and its placeholder, which are made once."""
    if hasattr(x, "_assign_placeholder"):
        return x._assign_op, x._assign_placeholder
    # The size may change: a variable of unknown shape takes any value.
    x._assign_placeholder = make_placeholder(
        x.dtype.base_dtype, shape=TensorShape([None] * np.ndim(value))
    )
    x._assign_op = x.assign(x._assign_placeholder)
    return x._assign_op, x._assign_placeholder


@export("keras.backend.set_value")
def set_value(x: Variable, value: Any) -> None:
    """Sets the value of a variable.

    Args:
        x: a variable.
        value: an array of its shape.

    Returns:
        None.
    """
    batch_set_value([(x, value)])


@export("keras.backend.batch_set_value")
def batch_set_value(tuples: Iterable[tuple[Variable, Any]]) -> None:
    """Sets the values of several variables.

    Args:
        tuples: pairs of a variable and an array of its shape.

    Returns:
        None.
    """
    pairs = list(tuples)
    if not pairs:
        return
    operations = []
    feed = {}
    graph = pairs[0][0].graph
    with graph.as_default(), control_dependencies(None):
        for x, value in pairs:
            array = np.asarray(value, dtype=dtype(x))
            operation, holder = _assignment(x, array)
            operations.append(operation)
            feed[holder] = array
        get_session([pairs[0][0]]).run(operations, feed_dict=feed)
