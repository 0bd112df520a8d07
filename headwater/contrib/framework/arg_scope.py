"""`arg_scope`: with blocks that give functions default arguments."""

from __future__ import annotations

import functools
import inspect
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from headwater.base.export import export
from headwater.base.thread_state import inherited
from headwater.base.typing import NestedTensors

# A function is identified by its module and name, decorated or not.
Key = tuple[str, str]
Scope = dict[Key, dict[str, Any]]


class _Stack(threading.local):
    def __init__(self) -> None:
        self.scopes: list[Scope] = [{}]


_stack = inherited(_Stack())
_decorated: dict[Key, tuple[str, ...]] = {}


@export("contrib.slim.arg_scope_func_key")
def arg_scope_func_key(op: Callable[..., Any]) -> Key:
    """Returns the key of a function in a scope; the same for the function that it decorates.

    Args:
        op: the function, decorated with `add_arg_scope` or not.

    Returns:
        The key, a tuple of strings.
    """
    key = getattr(op, "_key_op", None)
    return key if key is not None else (op.__module__, op.__name__)


@export("contrib.framework.current_arg_scope", "contrib.slim.current_arg_scope")
def current_arg_scope() -> Scope:
    """The active default arguments, by function."""
    return _stack.scopes[-1]


@export("contrib.framework.arg_scope", "contrib.slim.arg_scope")
@contextmanager
def arg_scope(list_ops_or_scope: Sequence[Any] | dict[Any, Any], **kwargs: Any) -> Iterator[Scope]:
    """A with block that gives functions default arguments.

    Args:
        list_ops_or_scope: a list of functions that are decorated with `add_arg_scope`, or a scope
            that an earlier block has yielded, which is entered again.
        **kwargs: the arguments.

    Yields:
        The scope.

    Raises:
        TypeError: if `list_ops_or_scope` is of another kind.
        ValueError: if a function is not decorated, or a scope comes with arguments.
    """
    if isinstance(list_ops_or_scope, dict):
        if kwargs:
            raise ValueError(
                "When attempting to re-use a scope by suppling adictionary, kwargs must be empty."
            )
        scope = dict(list_ops_or_scope)
    elif isinstance(list_ops_or_scope, (list, tuple)):
        scope = dict(current_arg_scope())
        for function in list_ops_or_scope:
            if not has_arg_scope(function):
                raise ValueError(
                    "%s is not decorated with @add_arg_scope", arg_scope_func_key(function)
                )
            scope[arg_scope_func_key(function)] = {
                **scope.get(arg_scope_func_key(function), {}),
                **kwargs,
            }
    else:
        raise TypeError("list_ops_or_scope must either be a list/tuple or reused scope (i.e. dict)")
    _stack.scopes.append(scope)
    try:
        yield scope
    finally:
        _stack.scopes.pop()


@export("contrib.framework.add_arg_scope", "contrib.slim.add_arg_scope")
def add_arg_scope(func: Callable[..., Any]) -> Callable[..., Any]:
    """Decorates a function, so that `arg_scope` can give it arguments.

    Args:
        func: the function.

    Returns:
        The decorated function.
    """
    key = arg_scope_func_key(func)

    @functools.wraps(func)
    def with_arguments(*args: Any, **kwargs: Any) -> NestedTensors:
        defaults = current_arg_scope().get(key)
        return func(*args, **({**defaults, **kwargs} if defaults else kwargs))

    positional = inspect.Parameter.POSITIONAL_OR_KEYWORD
    parameters = [p for p in inspect.signature(func).parameters.values() if p.kind is positional]
    with_default = tuple(p.name for p in parameters if p.default is not p.empty)
    _decorated[key] = with_default or tuple(p.name for p in parameters)
    with_arguments._key_op = key  # type: ignore[attr-defined]
    return with_arguments


@export("contrib.framework.has_arg_scope", "contrib.slim.has_arg_scope")
def has_arg_scope(func: Callable[..., Any]) -> bool:
    """Whether a function is decorated with `add_arg_scope`.

    Args:
        func: the function.

    Returns:
        A bool.
    """
    return arg_scope_func_key(func) in _decorated


@export("contrib.framework.arg_scoped_arguments", "contrib.slim.arg_scoped_arguments")
def arg_scoped_arguments(func: Callable[..., Any]) -> tuple[str, ...]:
    """The names of the arguments that `arg_scope` can give a function.

    Args:
        func: a function that is decorated with `add_arg_scope`.

    Returns:
        A tuple of names.

    Raises:
        AssertionError: if it is not decorated.
    """
    assert has_arg_scope(func), f"{arg_scope_func_key(func)} is not decorated with @add_arg_scope"
    return _decorated[arg_scope_func_key(func)]
