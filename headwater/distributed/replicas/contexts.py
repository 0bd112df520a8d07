"""Which strategy is in force, and whether the code of a replica runs."""

from __future__ import annotations

from typing import Any

from headwater.base.export import export
from headwater.graph.replication import Mode, modes

# The mode outside of all strategies; `strategy` puts it here.
default_modes: list[Mode] = []


def current() -> Mode:
    """The mode of this thread."""
    stack = modes()
    return stack[-1] if stack else default_modes[0]


@export(
    "distribute.get_strategy",
    "contrib.distribute.get_strategy",
    "contrib.distribute.get_distribution_strategy",
)
def get_strategy() -> Any:
    """The strategy in whose scope the program is.

    Returns:
        A Strategy; outside of all scopes the default one, with one replica.
    """
    return current().strategy


@export(
    "distribute.has_strategy",
    "contrib.distribute.has_strategy",
    "contrib.distribute.has_distribution_strategy",
)
def has_strategy() -> bool:
    """Whether the program is in the scope of a strategy.

    Returns:
        False if it is the default one.
    """
    return current().strategy is not default_modes[0].strategy


@export("distribute.get_replica_context", "contrib.distribute.get_replica_context")
def get_replica_context() -> Any:
    """The replica whose code runs.

    Returns:
        A ReplicaContext; None where the program deals with all replicas, as in `strategy.scope()`.
    """
    return current().replica_context


@export("contrib.distribute.get_cross_replica_context")
def get_cross_replica_context() -> Any:
    """The strategy, if the program deals with all replicas.

    Returns:
        A Strategy; None in the code of one replica.
    """
    mode = current()
    return mode.strategy if mode.replica_context is None else None


@export("distribute.in_cross_replica_context", "contrib.distribute.in_cross_replica_context")
def in_cross_replica_context() -> bool:
    """Whether the program deals with all replicas.

    Returns:
        False in the code of one, and outside of all strategies.
    """
    return current().replica_context is None


def get_strategy_and_replica_context() -> tuple[Any, Any]:
    """The strategy and the replica."""
    mode = current()
    return mode.strategy, mode.replica_context


def get_update_device() -> str | None:
    """Where `strategy.extended.update` updates a variable; None elsewhere."""
    return current().update_device


@export("distribute.experimental_set_strategy")
def experimental_set_strategy(strategy: Any) -> None:
    """Puts a strategy in force for what follows.

    Args:
        strategy: a Strategy; None for the default one.

    Raises:
        RuntimeError: inside the scope of a strategy.
    """
    stack = modes()
    if len(stack) > 1:
        raise RuntimeError("Must not be called inside a `tf.distribute.Strategy` scope.")
    stack[:] = []
    if strategy is not None and strategy is not default_modes[0].strategy:
        stack.append(Mode(strategy, None))
