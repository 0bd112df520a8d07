"""Traces that an exception does not leave."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar

Result = TypeVar("Result")


def trace_to_end(
    stage: Callable[[Callable[..., Any]], Result], function: Callable[..., Any]
) -> Result:
    """Traces a function; an exception of the function is raised after the trace has ended.

    JAX never frees a trace that an exception has left, if the trace has a constant.

    Args:
        stage: traces what it is given, such as `lambda f: jax.jit(f).trace(x)`. Its result for a
            function that returns nothing is dropped.
        function: the function.

    Returns:
        The result of `stage`.
    """
    raised: list[BaseException] = []

    @functools.wraps(function)
    def ending(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        except BaseException as error:
            raised.append(error)
            return ()

    result = stage(ending)
    if raised:
        try:
            raise raised[0]
        finally:
            # The traceback has this frame.
            raised.clear()
    return result
