"""Layers applied several times."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from headwater.base.export import export
from headwater.base.typing import TensorLike
from headwater.graph import Tensor, convert_to_tensor
from headwater.model.variables.variable_scope import variable_scope


def _name_of(layer: Callable[..., Any], default: str) -> str:
    """The name of a function, or of the function in a functools.partial."""
    if hasattr(layer, "__name__"):
        return layer.__name__
    return getattr(getattr(layer, "func", None), "__name__", default)


@export("contrib.layers.repeat", "contrib.slim.repeat")
def repeat(
    inputs: TensorLike, repetitions: int, layer: Callable[..., Any], *args: Any, **kwargs: Any
) -> Tensor:
    """Applies a layer several times with the same arguments.

    Args:
        inputs: a tensor.
        repetitions: the number of times.
        layer: a function with an argument `scope`.
        *args: its arguments after the inputs.
        **kwargs: its arguments by name; `scope` names the variable scope and begins the names of
            the scopes in it, which end in "_1", "_2" and so on.

    Returns:
        The last output.

    Example:
        >>> x = tf.ones([1, 2])
        >>> y = tf.contrib.layers.repeat(x, 2, tf.contrib.layers.fully_connected, 3, scope="fc")
        >>> [v.op.name for v in tf.model_variables()][::2]
        ['fc/fc_1/weights', 'fc/fc_2/weights']
    """
    scope = kwargs.pop("scope", None)
    with variable_scope(scope, "Repeat", [inputs]):
        outputs = convert_to_tensor(inputs)
        prefix = _name_of(layer, "repeat") if scope is None else scope
        for i in range(repetitions):
            outputs = layer(outputs, *args, **{**kwargs, "scope": f"{prefix}_{i + 1}"})
        return outputs


@export("contrib.layers.stack", "contrib.slim.stack")
def stack(
    inputs: TensorLike, layer: Callable[..., Any], stack_args: Sequence[Any], **kwargs: Any
) -> Tensor:
    """Applies a layer several times with other arguments each time.

    Args:
        inputs: a tensor.
        layer: a function with an argument `scope`.
        stack_args: for each time an argument, or a list or tuple of arguments.
        **kwargs: further arguments by name; `scope` names the variable scope and begins the names
            of the scopes in it; `reuse` says whether the variables of the scope are used again.

    Returns:
        The last output.

    Raises:
        TypeError: if `stack_args` is not a list or tuple.
    """
    scope, reuse = kwargs.pop("scope", None), kwargs.pop("reuse", None)
    if not isinstance(stack_args, (list, tuple)):
        raise TypeError("stack_args need to be a list or tuple")
    with variable_scope(scope, "Stack", [inputs], reuse=reuse):
        outputs = convert_to_tensor(inputs)
        prefix = _name_of(layer, "stack") if scope is None else scope
        for i, args in enumerate(stack_args):
            args = args if isinstance(args, (list, tuple)) else [args]
            outputs = layer(outputs, *args, **{**kwargs, "scope": f"{prefix}_{i + 1}"})
        return outputs
