"""Metrics as objects, as heads of the second generation give them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class MetricObject:
    """A metric that is updated once per graph, from tensors.

    Args:
        make: a function that makes the value and the update op of `update_state`'s arguments.
        name: the name.
    """

    def __init__(self, make: Callable[..., tuple[Any, Any]], name: str) -> None:
        self._make = make
        self._pair: tuple[Any, Any] | None = None
        self.name = name

    @property
    def updates(self) -> list[Any]:
        """The op that updates the metric, once there is one."""
        return [] if self._pair is None else [self._pair[1]]

    @property
    def variables(self) -> list[Any]:
        """No variables that are not in the collection of local ones already."""
        return []

    def update_state(self, *args: Any, **kwargs: Any) -> Any:
        """Makes the op that updates the metric.

        Args:
            *args: the tensors.
            **kwargs: further ones by name.

        Returns:
            The op.

        Raises:
            ValueError: if there is one already.
        """
        if self._pair is not None:
            raise ValueError(f'The metric "{self.name}" has been updated in this graph already.')
        self._pair = self._make(*args, **kwargs)
        return self._pair[1]

    def result(self) -> Any:
        """The value.

        Raises:
            ValueError: if nothing updates the metric.
        """
        if self._pair is None:
            raise ValueError(f'Please call update_state(...) on the "{self.name}" metric')
        return self._pair[0]
