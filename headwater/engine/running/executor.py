"""Executes plans: the steps of a plan on one list of values, one after the other."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from headwater.base import cancellation, errors
from headwater.base.backend_errors import as_op_error
from headwater.base.dead import DEAD
from headwater.engine import trace
from headwater.engine.blocks.deferral import run_deferring
from headwater.engine.loops.loop import Loop
from headwater.engine.nodes.kernels import located
from headwater.engine.nodes.layout import Values
from headwater.engine.running.plan import Plan
from headwater.engine.state import Pending, on_host


def execute(
    plan: Plan, feeds: list[np.ndarray], copy: Callable[[np.ndarray], np.ndarray] = np.array
) -> list[Any]:
    """Runs a plan.

    Args:
        plan: the plan.
        feeds: the values of the plan's feeds, in order.
        copy: copies an array that something else has, too.

    Returns:
        The values of the plan's fetches, in order: arrays that belong to the caller.

    Raises:
        OpError: if an op fails; variables are then as they were before the run.
    """
    return _translated(partial(_fetched, copy), plan, feeds)


def call(plan: Plan, arguments: Sequence[Any]) -> list[Any]:
    """Runs the plan of a function's body.

    Args:
        plan: the plan, whose feeds are the arguments and whose fetches are the results.
        arguments: the values of the arguments.

    Returns:
        The results, which must not be changed.

    Raises:
        OpError: if an op fails.
    """
    return _translated(_awaited, plan, arguments)


def _translated(
    work: Callable[[Plan, Sequence[Any]], list[Any]], plan: Plan, feeds: Sequence[Any]
) -> list[Any]:
    """The result of some work on a plan, whose errors of XLA become OpErrors."""
    try:
        return work(plan, feeds)
    except (MemoryError, RuntimeError) as error:
        translated = as_op_error(error)
        if translated is None:
            raise
        raise translated from error


def _fetched(
    copy: Callable[[np.ndarray], np.ndarray], plan: Plan, feeds: Sequence[Any]
) -> list[Any]:
    results = _executed(plan, feeds)
    for position in range(len(results)):
        try:
            if not _is_unshared(results, position):
                results[position] = fetched(results[position], copy)
            elif not isinstance(results[position], np.ndarray):
                results[position] = np.asarray(_Memory(results[position]))
        except errors.OpError as error:
            raise located(error, plan.fetched[position]._op) from error
    return results


def _awaited(plan: Plan, arguments: Sequence[Any]) -> list[Any]:
    return [on_host(value) for value in _executed(plan, arguments)]


def _executed(plan: Plan, feeds: Sequence[Any]) -> list[Any]:
    values = plan.layout.template.copy()
    for index, value in zip(plan.feeds, feeds):
        values[index] = value
    pending: Pending = {}
    if plan.fetched_slots:
        plan.check_fetched()
    try:
        _run_steps(plan, values, pending)
    except BaseException:
        if pending:
            plan.layout.state.drop(pending)
        raise
    results = [values[i] for i in plan.fetches]
    for position, value in enumerate(results):
        if value is DEAD:
            raise _dead_fetch(plan, position)
    return results


def _run_steps(plan: Plan, values: Values, pending: Pending) -> None:
    if plan.schedule.waits is not None:
        run_deferring(plan.schedule, values, pending)
    else:
        run = cancellation.current()
        is_limited = run is not None and run.is_limited
        for step in plan.schedule.steps if is_limited else plan.schedule.joined:
            if is_limited:
                cancellation.check_time()
            start = time.perf_counter_ns() if trace.tracers else 0
            step.run(values, pending)
            if start and isinstance(step, Loop):
                trace.note_loop(step, start)
    if plan.fetched_slots:
        plan.read_fetched(values, pending)
    if pending:
        plan.layout.publish(pending)


def _dead_fetch(plan: Plan, position: int) -> errors.InvalidArgumentError:
    tensor = plan.fetched[position]
    return errors.InvalidArgumentError(
        None,
        None,
        f"Retval[{position}] does not have value",
        hint=f"The tensor returned for {tensor.name} was not valid: it belongs to a branch (of a "
        "tf.cond or Switch) that was not taken. Fetch what tf.cond returns instead.",
    )


def _references(values: list[Any], position: int) -> int:
    return sys.getrefcount(values[position])


# Of a value that only the list has: the number depends on the version of Python.
_OF_ONE_LIST = _references([np.zeros(1)], 0)
# Smaller arrays are always copied: that costs no more than finding out.
_LARGE_BYTES = 1 << 20


def _is_unshared(values: list[Any], position: int) -> bool:
    """Whether nothing but a list has a large array, so that the caller may get it uncopied."""
    if getattr(values[position], "nbytes", 0) < _LARGE_BYTES:
        return False
    if _references(values, position) != _OF_ONE_LIST:
        return False
    if isinstance(values[position], np.ndarray):
        return values[position].base is None and values[position].flags.writeable
    return _is_in_memory(values[position])


def _is_in_memory(value: Any) -> bool:
    """Whether a device array is in the memory of the host, of a type that NumPy has itself."""
    return (
        hasattr(value, "devices")
        and value.dtype.isbuiltin == 1
        and all(device.platform == "cpu" for device in value.devices())
    )


class _Memory:
    """The memory of a device array that nobody else has, as that of an array of NumPy.

    Args:
        array: the array, which lives as long as this object.

    Raises:
        OpError: if the program that should have made it has failed.
    """

    def __init__(self, array: Any) -> None:
        self._array = array
        interface = on_host(array).__array_interface__
        # NumPy takes arrays of JAX for constants.
        self.__array_interface__ = {**interface, "data": (interface["data"][0], False)}


def fetched(value: Any, copy: Callable[[np.ndarray], np.ndarray] = np.array) -> Any:
    """A value as a session returns it: a scalar, or a copy of the array."""
    value = on_host(value)
    if isinstance(value, np.ndarray):
        return value[()] if value.ndim == 0 else copy(value)
    return value
