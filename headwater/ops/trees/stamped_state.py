"""State of ops on trees with a stamp, by which they notice that it has changed."""

from __future__ import annotations

import threading
from typing import TypeVar

from headwater.base import errors

_State = TypeVar("_State", bound="StampedState")


class StampedState:
    """What a session keeps of a resource between runs.

    Args:
        name: the shared name, for errors.

    Attributes:
        stamp: a number that changes with the state; None before the resource is created.
        lock: held while the state is used.
    """

    def __init__(self, name: str = "") -> None:
        self._name = name
        self.stamp: int | None = None
        self.lock = threading.RLock()

    def created(self: _State) -> _State:
        """This state, if the resource was created.

        Raises:
            NotFoundError: if not.
        """
        if self.stamp is None:
            raise errors.NotFoundError(
                None,
                None,
                "Container localhost does not exist. "
                f"(Could not find resource: localhost/{self._name})",
                hint="Run the initializers of shared resources first.",
            )
        return self
