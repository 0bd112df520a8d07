"""tensorflow.contrib.framework.python.framework.experimental."""

from __future__ import annotations

import functools
from typing import Any

from headwater.base import logging
from headwater.base.decorators import add_notice_to_docstring, make_decorator
from headwater.compat.mirrors.util.decorator_utils import get_qualified_name, validate_callable

__all__ = ["experimental"]

_NOTICE = (
    "THIS FUNCTION IS EXPERIMENTAL. It may change or be removed at any time, and without warning."
)


def experimental(func: Any) -> Any:
    """Marks a function as experimental: its docstring says so, and a warning at each call.

    Args:
      func: the function.

    Returns:
      The function with the warning.

    Raises:
      ValueError: if it cannot be called.
    """
    validate_callable(func, "experimental")

    @functools.wraps(func)
    def called(*args: Any, **kwargs: Any) -> Any:
        logging.warning(
            "%s (from %s) is experimental and may change or be removed at any time, and without "
            "warning.",
            get_qualified_name(func),
            func.__module__,
        )
        return func(*args, **kwargs)

    doc = add_notice_to_docstring(
        func.__doc__, "", "EXPERIMENTAL FUNCTION", "(experimental)", [_NOTICE]
    )
    return make_decorator(func, called, "experimental", doc)
