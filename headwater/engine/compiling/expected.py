"""What the steps of a run will compile next: it is compiled with the first of them, in threads.

A step that is interpreted notes what its next run compiles if it gets the same shapes again. The
first step of a run that compiles has the programs of those after it compiled at the same time. If
a step gets other shapes than expected, its program waits for those that it is for.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

import numpy as np

from headwater.base.dead import DEAD
from headwater.engine.compiling.threads import in_threads

Result = TypeVar("Result")


class Expecting:
    """A step that compiles programs."""

    def expected_program(self) -> Callable[[], None] | None:
        """What compiles the program that the next run is expected to need; None if there is none.

        It takes no lock.
        """
        return None


def compile_with_others(own: Callable[[], Result], step: Expecting, steps: Iterable[Any]) -> Result:
    """Compiles the program of a step, and what the steps after it are expected to need.

    Args:
        own: compiles the program of the step.
        step: the step.
        steps: the steps of the run.

    Returns:
        The result of `own`.
    """
    following = itertools.dropwhile(lambda s: s is not step, steps)
    others = [s.expected_program() for s in following if isinstance(s, Expecting) and s is not step]
    return in_threads(own, [task for task in others if task is not None])


def outline(value: Any) -> Any:
    """An array of the same type and shape that takes no memory."""
    if value is DEAD or not hasattr(value, "dtype"):
        return value
    return np.broadcast_to(np.empty((), value.dtype), value.shape)
