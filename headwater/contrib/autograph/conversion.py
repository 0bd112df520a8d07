"""`tf.autograph.to_graph` and its relatives."""

from __future__ import annotations

import ast
import functools
from collections.abc import Callable
from types import FunctionType, MethodType
from typing import Any

from headwater.base.export import export
from headwater.model.autograph.calls import OPERATORS, definition
from headwater.model.autograph.calls import convert as convert_function


def _check(entity: Any) -> None:
    if not callable(entity):
        raise NotImplementedError(
            f'cannot convert entity "{entity}": object conversion is not yet supported.'
        )


@export("autograph.to_graph", "contrib.autograph.to_graph")
def to_graph(
    entity: Callable[..., Any],
    recursive: bool = True,
    arg_values: Any = None,
    arg_types: Any = None,
    experimental_optional_features: Any = None,
) -> Callable[..., Any]:
    """Converts a function so that its `if`, `while` and `for` may depend on tensors.

    Args:
        entity: a function.
        recursive: whether the functions that it calls are converted too.
        arg_values: accepted; the operators look at values when they run.
        arg_types: accepted.
        experimental_optional_features: accepted.

    Returns:
        A function, which makes `tf.cond` and `tf.while_loop` where a tensor decides.

    Raises:
        NotImplementedError: if `entity` is not a function.

    Example:
        >>> def magnitude(x):
        ...     if x < 0:
        ...         return -x
        ...     return x
        >>> print(tf.autograph.to_graph(magnitude)(tf.constant(-3)).eval())
        3
    """
    _check(entity)
    return convert_function(entity, recursive)


@export("autograph.to_code", "contrib.autograph.to_code")
def to_code(
    entity: Callable[..., Any],
    recursive: bool = True,
    arg_values: Any = None,
    arg_types: Any = None,
    indentation: str = "  ",
    experimental_optional_features: Any = None,
) -> str:
    """Shows what `to_graph` makes of a function.

    Args:
        entity: a function.
        recursive: whether the functions that it calls are converted too.
        arg_values: accepted.
        arg_types: accepted.
        indentation: what a line inside a block begins with.
        experimental_optional_features: accepted.

    Returns:
        The source of the converted function.

    Raises:
        NotImplementedError: if `entity` is not a function.
        ValueError: if its source is not available.
    """
    _check(entity)
    function: Any = entity.__func__ if isinstance(entity, MethodType) else entity
    if not isinstance(function, FunctionType):
        function = type(entity).__call__
    tree = definition(function, recursive)
    if tree is None:
        raise ValueError(f"Unable to get the source of {entity}: it cannot be converted.")
    tree.name = f"tf__{tree.name}"
    lines = ast.unparse(tree).splitlines()
    return "\n".join(_indented(line, indentation) for line in lines)


def _indented(line: str, indentation: str) -> str:
    text = line.lstrip(" ")
    return (len(line) - len(text)) // 4 * indentation + text


@export("contrib.autograph.convert")
def convert(
    recursive: bool = False, optional_features: Any = None, user_requested: bool = True
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Decorates a function that is converted when it is called.

    Args:
        recursive: whether the functions that it calls are converted too.
        optional_features: accepted.
        user_requested: accepted.

    Returns:
        A decorator.
    """

    def decorator(f: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(f)
        def wrapper(*args: Any, **kwargs: Any) -> Any:
            return convert_function(f, recursive)(*args, **kwargs)

        return wrapper

    return decorator


@export("contrib.autograph.converted_call")
def converted_call(
    f: Any, options: Any, args: Any, kwargs: Any, caller_fn_scope: Any = None
) -> Any:
    """Calls a function converted.

    Args:
        f: a function.
        options: accepted.
        args: its arguments.
        kwargs: its arguments by name, or None.
        caller_fn_scope: accepted.

    Returns:
        What it returns.
    """
    return OPERATORS.converted_call(f, *args, **(kwargs or {}))
