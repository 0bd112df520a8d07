"""Registered statistics of op types, such as the number of floating-point operations."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from headwater.base import declarations

_functions: dict[tuple[str, str], Callable[..., Any]] = {}


class OpStats:
    """A statistic of a node.

    Args:
        statistic_type: what is counted, such as "flops".
        value: the count; None if it is unknown.
    """

    def __init__(self, statistic_type: str, value: Any = None) -> None:
        self.statistic_type = statistic_type
        self.value = value

    def __iadd__(self, other: OpStats) -> OpStats:
        if other.statistic_type != self.statistic_type:
            raise ValueError(
                f"Can't add an OpStat of type {self.statistic_type} to one of "
                f"{other.statistic_type}."
            )
        if self.value is None:
            self.value = other.value
        elif other.value is not None:
            self.value += other.value
        return self


class RegisterStatistics:
    """Decorator that registers a function which computes a statistic of nodes of an op type.

    Args:
        op_type: the op type.
        statistic_type: what is counted, such as "flops".

    Raises:
        TypeError: if `op_type` is not a string, or has a comma.
    """

    def __init__(self, op_type: str, statistic_type: str) -> None:
        if not isinstance(op_type, str):
            raise TypeError("op_type must be a string.")
        if "," in op_type:
            raise TypeError("op_type must not contain a comma.")
        self._key = (op_type, statistic_type)

    def __call__(self, f: Callable[..., Any]) -> Callable[..., Any]:
        name = ",".join(self._key)
        declarations.load(declarations.STATISTIC, name)
        if self._key in _functions:
            raise KeyError(f"Registering two statistic functions with name '{name}'!")
        _functions[self._key] = f
        declarations.declare(declarations.STATISTIC, name)
        return f


def get_stats_for_node_def(graph: Any, node: Any, statistic_type: str) -> OpStats:
    """Computes a statistic of a node.

    Args:
        graph: the Graph of the node.
        node: its NodeDef.
        statistic_type: what is counted, such as "flops".

    Returns:
        An OpStats, with value None if nothing is registered for the op type.
    """
    declarations.load(declarations.STATISTIC, f"{node.op},{statistic_type}")
    function = _functions.get((node.op, statistic_type))
    return OpStats(statistic_type) if function is None else function(graph, node)


def register_flops(op_type: str, count: Callable[[Any], float]) -> None:
    """Registers the number of floating-point operations of an op type.

    Args:
        op_type: the op type.
        count: computes the number of an Operation; may raise ValueError if a shape is unknown.
    """

    @RegisterStatistics(op_type, "flops")
    def statistics(graph: Any, node: Any) -> OpStats:
        return OpStats("flops", count(graph.get_operation_by_name(node.name)))


def static_shape(tensor: Any) -> tuple[int, ...]:
    """Returns the static shape of a tensor.

    Raises:
        ValueError: if it is not known completely.
    """
    shape = tensor.get_shape()
    shape.assert_is_fully_defined()
    return tuple(shape.as_list())


def elements(tensor: Any) -> int:
    """Returns the number of elements of a tensor of known static shape.

    Raises:
        ValueError: if the shape is not known completely.
    """
    return math.prod(static_shape(tensor))
