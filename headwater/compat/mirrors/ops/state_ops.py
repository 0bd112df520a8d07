"""tensorflow.python.ops.state_ops: what is not public of it."""

from __future__ import annotations

from typing import Any

from headwater.base.tensor_shape import as_tuple
from headwater.base.typing import DTypeLike
from headwater.graph import Tensor, build, colocate_with, name_scope
from headwater.ops.state.assign import assign

__all__ = ["init_variable", "variable_op", "variable_op_v2"]


def init_variable(v: Any, init: Any, name: str = "init") -> Tensor:
    """Gives a variable its first value.

    Args:
      v: the variable.
      init: the value, or a function of shape and type that returns it.
      name: the name of the node, below that of the variable.

    Returns:
      The mutable tensor after the assignment.
    """
    with name_scope(f"{v.op.name}/"), name_scope(name) as scope, colocate_with(v):
        value = init(v.get_shape().as_list(), v.dtype.base_dtype) if callable(init) else init
        return assign(v, value, name=scope)


def variable_op(
    shape: Any,
    dtype: DTypeLike,
    name: str = "Variable",
    set_shape: bool = True,
    container: str = "",
    shared_name: str = "",
) -> Tensor:
    """Makes the op of a variable, as old releases did; see `variable_op_v2`."""
    ref = build.Variable(
        shape=as_tuple(shape) if set_shape else (),
        dtype=dtype,
        container=container,
        shared_name=shared_name,
        name=name,
    )
    if not set_shape:
        ref._shape = None
    return ref


def variable_op_v2(
    shape: Any, dtype: DTypeLike, name: str = "Variable", container: str = "", shared_name: str = ""
) -> Tensor:
    """Makes the op of a variable.

    Args:
      shape: the shape.
      dtype: the type.
      name: the name.
      container: the container that holds the value.
      shared_name: the name under which several ops share the value.

    Returns:
      The reference, a Tensor.
    """
    return build.VariableV2(
        shape=as_tuple(shape), dtype=dtype, container=container, shared_name=shared_name, name=name
    )
