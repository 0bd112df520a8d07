"""Calls of kernels, one after the other, on a list of values."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from headwater.base.dead import DEAD
from headwater.engine.nodes.layout import NOTHING
from headwater.engine.nodes.node import KERNEL_ERRORS, Node, raise_located
from headwater.graph import Operation


class Branch(NamedTuple):
    """What becomes of a call if it stands on a branch that is not taken.

    Attributes:
        guards: the places of values that keep it from running if they are dead.
        outputs: the places of what is dead then.
        alive: places of outputs, each with a place for those that only test whether it is dead.
        joins: whether it runs with dead inputs too.
        members: the calls that it stands for, of which some may run nevertheless.
    """

    guards: tuple[int, ...] = ()
    outputs: tuple[int, ...] = ()
    alive: tuple[tuple[int, int], ...] = ()
    joins: bool = False
    members: tuple[Call, ...] = ()


class Call(NamedTuple):
    """One call of a kernel.

    Attributes:
        op: the op.
        function: its kernel.
        inputs: the places of what it takes.
        output: the place of its result; -1 if it does not have exactly one.
        outputs: the places of all its results.
        released: the places that no later call reads.
        branch: what becomes of it on a branch that is not taken.
    """

    op: Operation
    function: Callable[..., Any]
    inputs: tuple[int, ...]
    output: int
    outputs: tuple[int, ...]
    released: tuple[int, ...] = ()
    branch: Branch = Branch()

    @property
    def reads(self) -> tuple[int, ...]:
        """The places of all that it asks for."""
        return (*self.inputs, *self.branch.guards)

    @property
    def makes(self) -> tuple[int, ...]:
        """The places of all that it sets."""
        return (*self.outputs, *(place for _, place in self.branch.alive))


def branch_of(node: Node, places: dict[int, int]) -> Branch:
    """What becomes of the call of a node.

    Args:
        node: the node.
        places: the place of each of its values.
    """
    return Branch(
        tuple(places[i] for i in node.guards),
        tuple(places[i] for i in node.outputs),
        tuple((places[output], places[alive]) for output, alive in node.alive),
        node.record.joins,
    )


def run(calls: Iterable[Call], local: list[Any] | dict[int, Any]) -> None:
    """Makes calls in order, on a list of values of which none is dead.

    Raises:
        OpError: if an op fails.
    """
    value_at = local.__getitem__
    call: Any = None
    try:
        for call in calls:
            _, function, inputs, output, outputs, released, _ = call
            results = function(*map(value_at, inputs))
            if output >= 0 and type(results) is np.ndarray:
                local[output] = results
            else:
                _store(outputs, results, local)
            for place in released:
                local[place] = None
    except KERNEL_ERRORS as error:
        raise_located(error, call.op)


def run_among_branches(calls: Iterable[Call], local: list[Any] | dict[int, Any]) -> None:
    """As `run`, where values may be dead.

    Raises:
        OpError: if an op fails.
    """
    call: Any = None
    try:
        for call in calls:
            _, function, inputs, output, outputs, released, branch = call
            values = [local[place] for place in inputs]
            is_dead = _any_dead([local[place] for place in branch.guards])
            if branch.joins:
                values = [DEAD] * len(values) if is_dead else values
                _store(outputs, function(*values), local)
            elif is_dead or _any_dead(values):
                if branch.members:
                    run_among_branches(branch.members, local)
                for place in () if branch.members else branch.outputs:
                    local[place] = DEAD
            else:
                results = function(*values)
                if output >= 0 and type(results) is np.ndarray:
                    local[output] = results
                else:
                    _store(outputs, results, local)
            for made, alive in branch.alive:
                local[alive] = DEAD if local[made] is DEAD else NOTHING
            for place in released:
                local[place] = None
    except KERNEL_ERRORS as error:
        raise_located(error, call.op)


_ID_OF_DEAD = id(DEAD)


def _any_dead(values: Sequence[Any]) -> bool:
    # `in` would compare the elements of arrays.
    return _ID_OF_DEAD in map(id, values)


def _store(outputs: Sequence[int], results: Any, local: list[Any] | dict[int, Any]) -> None:
    if not isinstance(results, (tuple, list)):
        results = () if results is None else (results,)
    for place, value in zip(outputs, results):
        local[place] = value
