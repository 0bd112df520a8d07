"""tensorflow.python.util.lock_util: locks that are held by groups of threads."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


class GroupLock:
    """A lock that any number of threads of one group hold at a time, and no other group.

    Args:
      num_groups: the number of groups.

    Raises:
      ValueError: if there are none.
    """

    def __init__(self, num_groups: int = 2) -> None:
        if num_groups < 1:
            raise ValueError(f"num_groups must be a positive integer, got {num_groups}")
        self._changed = threading.Condition()
        self._members = [0] * num_groups

    def group(self, group_id: int) -> Any:
        """Returns a with block in which the lock is held for a group."""
        self._check(group_id)
        return self._held(group_id)

    @contextmanager
    def _held(self, group_id: int) -> Iterator[None]:
        self.acquire(group_id)
        try:
            yield
        finally:
            self.release(group_id)

    def acquire(self, group_id: int) -> None:
        """Acquires the lock; blocks while another group holds it."""
        self._check(group_id)
        with self._changed:
            self._changed.wait_for(lambda: sum(self._members) == self._members[group_id])
            self._members[group_id] += 1

    def release(self, group_id: int) -> None:
        """Releases the lock."""
        self._check(group_id)
        with self._changed:
            self._members[group_id] -= 1
            self._changed.notify_all()

    def _check(self, group_id: int) -> None:
        if not 0 <= group_id < len(self._members):
            raise ValueError(
                f"group_id={group_id} should be between 0 and num_groups={len(self._members)}"
            )
