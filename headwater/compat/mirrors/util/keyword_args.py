"""tensorflow.python.util.keyword_args."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from headwater.base.decorators import make_decorator


def keyword_args_only(func: Callable[..., Any]) -> Any:
    """Makes a function one that takes keyword arguments only.

    Args:
      func: a function.

    Returns:
      The function; it raises ValueError if it is called with positional arguments.
    """

    @functools.wraps(func)
    def called(*args: Any, **kwargs: Any) -> Any:
        if args:
            raise ValueError(f"Must use keyword args to call {func.__name__}.")
        return func(**kwargs)

    return make_decorator(func, called, "keyword_args_only")
