"""What programs say to AutoGraph."""

from __future__ import annotations

import enum
import functools
from collections.abc import Callable, Sequence
from typing import Any

from headwater.base.export import export
from headwater.model.autograph.calls import leave_alone


@export("autograph.experimental.Feature", "contrib.autograph.Feature")
class Feature(enum.Enum):
    """An optional feature of AutoGraph."""

    ALL = "ALL"
    AUTO_CONTROL_DEPS = "AUTO_CONTROL_DEPS"
    ASSERT_STATEMENTS = "ASSERT_STATEMENTS"
    BUILTIN_FUNCTIONS = "BUILTIN_FUNCTIONS"
    EQUALITY_OPERATORS = "EQUALITY_OPERATORS"
    LISTS = "LISTS"
    NAME_SCOPES = "NAME_SCOPES"

    @classmethod
    def all(cls) -> tuple[Feature, ...]:
        """All features."""
        return tuple(cls.__members__.values())

    @classmethod
    def all_but(cls, exclude: Feature | Sequence[Feature]) -> tuple[Feature, ...]:
        """All features but some.

        Args:
            exclude: a feature or a sequence of features.

        Returns:
            The others, without ALL.
        """
        left_out = exclude if isinstance(exclude, (list, tuple, set)) else (exclude,)
        return tuple(x for x in cls.all() if x is not cls.ALL and x not in left_out)


@export("autograph.experimental.do_not_convert", "contrib.autograph.do_not_convert")
def do_not_convert(func: Callable[..., Any] | None = None) -> Callable[..., Any]:
    """Marks a function that AutoGraph is not to convert.

    Args:
        func: the function; None gives a decorator.

    Returns:
        A function that calls it.
    """
    if func is None:
        return do_not_convert

    @functools.wraps(func)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        return func(*args, **kwargs)

    return leave_alone(wrapper)


_UNCHANGED = object()


@export("autograph.experimental.set_loop_options", "contrib.autograph.set_loop_options")
def set_loop_options(
    parallel_iterations: Any = _UNCHANGED,
    back_prop: Any = _UNCHANGED,
    swap_memory: Any = _UNCHANGED,
    maximum_iterations: Any = _UNCHANGED,
) -> None:
    """Does nothing: loops are sequential, and memory is managed by the engine.

    Args:
        parallel_iterations: ignored.
        back_prop: ignored.
        swap_memory: ignored.
        maximum_iterations: ignored.
    """


@export("autograph.set_verbosity")
def set_verbosity(level: int, alsologtostdout: bool = False) -> None:
    """Sets how much AutoGraph logs; it logs nothing here.

    Args:
        level: 0 for nothing.
        alsologtostdout: whether it would be printed too.
    """


@export("autograph.trace")
def trace(*args: Any) -> None:
    """Prints values when the graph is built.

    Args:
        *args: the values.
    """
    print(*args)  # noqa: T201 - printing is what it is for
