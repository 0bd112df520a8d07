"""Whether summaries are recorded, and at which step."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

from headwater.base import dtypes
from headwater.base.export import export
from headwater.base.thread_state import inherited
from headwater.base.typing import TensorLike
from headwater.graph import Tensor, build, constant_value, convert_to_tensor, replication
from headwater.graph.default_graph import device
from headwater.model.global_step import get_or_create_global_step
from headwater.model.variables.variable import Variable
from headwater.ops.array.constant import constant
from headwater.ops.control.cond import cond


class _Recording(threading.local):
    """What a thread has chosen.

    Attributes:
        condition: a bool, a boolean scalar or a function that returns one; None for the default.
        step: the step of summaries that name none, or None.
    """

    condition: Any = None
    step: Any = None


_recording = inherited(_Recording())


def set_condition(condition: Any) -> AbstractContextManager[None]:
    """A with block in which a condition says whether summaries are recorded.

    Args:
        condition: a bool, a boolean scalar or a function that returns one.
    """

    @contextmanager
    def block() -> Iterator[None]:
        before = _recording.condition
        try:
            _recording.condition = condition
            yield
        finally:
            _recording.condition = before

    return block()


@export(
    "contrib.summary.always_record_summaries", "contrib.summary.summary.always_record_summaries"
)
def always_record_summaries() -> AbstractContextManager[None]:
    """A with block in which all summaries are recorded.

    Returns:
        A context manager.
    """
    return set_condition(True)


@export("contrib.summary.never_record_summaries", "contrib.summary.summary.never_record_summaries")
def never_record_summaries() -> AbstractContextManager[None]:
    """A with block in which no summary is recorded.

    Returns:
        A context manager.
    """
    return set_condition(False)


@export(
    "contrib.summary.record_summaries_every_n_global_steps",
    "contrib.summary.summary.record_summaries_every_n_global_steps",
)
def record_summaries_every_n_global_steps(
    n: int, global_step: TensorLike | None = None
) -> AbstractContextManager[None]:
    """A with block in which summaries are recorded at each n-th step.

    Args:
        n: a positive number.
        global_step: an integer scalar; the global step by default.

    Returns:
        A context manager.
    """
    step = get_or_create_global_step() if global_step is None else global_step
    with device("cpu:0"):
        remainder = build.FloorMod(step, n, name="mod")
        return set_condition(build.Equal(remainder, 0))


def record_if(condition: Any) -> AbstractContextManager[None]:
    """A with block in which a condition says whether summaries are recorded.

    Args:
        condition: a bool, a boolean scalar or a function that returns one.

    Returns:
        A context manager.
    """
    return set_condition(condition)


@export(
    "contrib.summary.should_record_summaries", "contrib.summary.summary.should_record_summaries"
)
def should_record_summaries() -> Tensor:
    """Whether summaries are recorded here.

    Returns:
        A boolean scalar.
    """
    return condition_tensor(False)


def condition_tensor(default: bool) -> Tensor:
    """Whether summaries are recorded, as a boolean scalar; the default where nothing was chosen."""
    condition = _recording.condition
    if callable(condition):
        condition = condition()
    # The first operand is the say of a distribution strategy.
    first = not replication.is_later_replica()
    return build.LogicalAnd(first, default if condition is None else condition)


def if_recorded(condition: Tensor, record: Callable[[], Tensor], name: str) -> Tensor:
    """What records a summary, under its condition.

    Args:
        condition: the result of `condition_tensor`.
        record: builds the ops that write, and True.
        name: the name scope of the condition.

    Returns:
        A boolean scalar: whether the summary is recorded.
    """
    known = constant_value(condition.op.inputs[1])
    if known is None:
        return cond(condition, record, lambda: constant(False), name=name)
    return record() if known else constant(False)


def set_step(step: Any) -> None:
    """Sets the step of summaries that name none: `tf.compat.v2.summary.experimental.set_step`.

    Args:
        step: an integer, a tensor or variable; None for no step.
    """
    _recording.step = step


def get_step() -> Any:
    """The step that `set_step` has set; None if there is none."""
    return _recording.step


def step_tensor(step: TensorLike | None) -> Tensor:
    """A given step, or the global step, as a tensor of type int64."""
    if step is None:
        return convert_to_tensor(get_or_create_global_step())
    if isinstance(step, (Tensor, Variable)):
        return convert_to_tensor(step)
    return constant(step, dtypes.int64)
