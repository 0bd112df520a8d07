"""Decorators that can be inspected and unwrapped."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from typing import Any


class TFDecorator:
    """The record of one decorator of a function.

    Args:
      decorator_name: the name of the decorator.
      target: what it decorates.
      decorator_doc: the docstring of the decorated function; that of the target if empty.
      decorator_argspec: the parameters of the decorated function; those of the target if None.
    """

    def __init__(
        self,
        decorator_name: str,
        target: Any,
        decorator_doc: str = "",
        decorator_argspec: Any = None,
    ) -> None:
        self.decorator_name = decorator_name
        self.decorated_target = target
        self.decorator_doc = decorator_doc
        self.decorator_argspec = decorator_argspec
        self.__name__ = getattr(target, "__name__", type(target).__name__)
        self.__doc__ = decorator_doc or target.__doc__

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.decorated_target(*args, **kwargs)

    def __get__(self, instance: Any, owner: Any) -> Any:
        return self.decorated_target.__get__(instance, owner)


def make_decorator(
    target: Any,
    decorator_func: Callable[..., Any],
    decorator_name: str | None = None,
    decorator_doc: str = "",
    decorator_argspec: Any = None,
) -> Any:
    """Gives a wrapper the name and docstring of its target.

    Args:
      target: what is decorated.
      decorator_func: the wrapper.
      decorator_name: the name of the decorator, by default that of the calling function.
      decorator_doc: a new docstring.
      decorator_argspec: the parameters of the wrapper, if they are not those of the target.

    Returns:
      The wrapper, which `unwrap` can unwrap.
    """
    if decorator_name is None:
        frame = inspect.currentframe()
        caller = frame.f_back if frame is not None else None
        decorator_name = caller.f_code.co_name if caller is not None else ""
    for name in ("__name__", "__qualname__", "__module__"):
        if hasattr(target, name):
            setattr(decorator_func, name, getattr(target, name))
    for name, value in getattr(target, "__dict__", {}).items():
        decorator_func.__dict__.setdefault(name, value)
    record = TFDecorator(decorator_name, target, decorator_doc, decorator_argspec)
    decorator_func.__doc__ = record.__doc__
    decorator_func.__dict__["__wrapped__"] = target
    decorator_func.__dict__["_tf_decorator"] = record
    return decorator_func


def add_notice_to_docstring(
    doc: str | None, instructions: str, no_doc_str: str, suffix_str: str, notice: Sequence[str]
) -> str:
    """Puts a notice below the first line of a docstring.

    Args:
      doc: the docstring, or None.
      instructions: the last line of the notice; "" for none.
      no_doc_str: the first line if there is no docstring.
      suffix_str: what is added to the first line.
      notice: the lines of the notice.

    Returns:
      The new docstring.
    """
    lines = inspect.cleandoc(doc).splitlines() if doc else []
    added = ["", f"Warning: {notice[0]}", *notice[1:], *filter(None, [instructions])]
    if not lines:
        return "\n".join([no_doc_str, *added])
    if len(lines) > 1 and lines[1].strip():
        added.append("")  # the summary is longer than a line
    return "\n".join([f"{lines[0]} {suffix_str}", *added, *lines[1:]])


def unwrap(maybe_tf_decorator: Any) -> tuple[list[TFDecorator], Any]:
    """Removes all decorators made by `make_decorator`.

    Args:
      maybe_tf_decorator: a function, decorated or not.

    Returns:
      The decorators, the outermost first, and the function below them.
    """
    decorators: list[TFDecorator] = []
    found = maybe_tf_decorator
    while True:
        record = found if isinstance(found, TFDecorator) else getattr(found, "_tf_decorator", None)
        # functools.wraps copies the record to wrappers that it does not belong to.
        if record is None or (
            record is not found
            and getattr(found, "__wrapped__", None) is not record.decorated_target
        ):
            return decorators, found
        decorators.append(record)
        found = record.decorated_target


def rewrap(decorator_func: Any, previous_target: Any, new_target: Any) -> None:
    """Replaces the function below a chain of decorators.

    Args:
      decorator_func: the decorated function.
      previous_target: the function below its decorators.
      new_target: its replacement.
    """
    found = decorator_func
    while found is not previous_target:
        record = found if isinstance(found, TFDecorator) else found._tf_decorator
        below = record.decorated_target
        if below is previous_target:
            record.decorated_target = new_target
            if found is not record:
                found.__wrapped__ = new_target
            return
        found = below


def qualified_name(function: Any) -> str:
    """Returns the name of a function, with its class if it is a method."""
    if isinstance(function, functools.partial):
        return qualified_name(function.func)
    name = getattr(function, "__qualname__", None) or function.__name__
    return str(name).rpartition("<locals>.")[2]
