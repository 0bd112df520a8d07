"""The per-thread stacks of default graphs and default sessions."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from headwater.base.thread_state import inherited


class DefaultStack(threading.local):
    """A stack per thread whose top is the default object."""

    def __init__(self) -> None:
        self.items: list[Any] = []
        self.enforce_nesting = True
        # Entries that may leave out of order, such as interactive sessions.
        self.lenient: list[Any] = []

    def top(self) -> Any:
        return self.items[-1] if self.items else None

    get_default = top

    def reset(self) -> None:
        """Forgets all entries."""
        self.items.clear()
        self.lenient.clear()

    @contextmanager
    def entered(self, item: Any) -> Iterator[Any]:
        """Makes `item` the default inside a with block."""
        self.items.append(item)
        try:
            yield item
        finally:
            self.leave(item)

    def leave(self, item: Any) -> None:
        """Takes the last entry of `item` out.

        Raises:
            AssertionError: if it is not the top, and may not leave out of order.
        """
        for i in range(len(self.items) - 1, -1, -1):
            if self.items[i] is item:
                break
        else:
            return
        above = self.items[i + 1 :]
        late = self._is_lenient(item) or all(self._is_lenient(other) for other in above)
        if self.enforce_nesting and not late:
            raise AssertionError(f"Nesting violated for default stack of {type(item)} objects")
        del self.items[i]
        if not any(other is item for other in self.items):
            self.lenient = [other for other in self.lenient if other is not item]

    def _is_lenient(self, item: Any) -> bool:
        return any(other is item for other in self.lenient)


graphs: DefaultStack = inherited(DefaultStack())
sessions: DefaultStack = inherited(DefaultStack())


def session_for(graph: Any, session: Any, purpose: str) -> Any:
    """The session that `eval` and `run` use; raises TensorFlow's ValueErrors where none fits.

    Args:
        graph: the Graph of the tensor or op.
        session: a session given by the user, or None for the default one.
        purpose: ``"evaluate tensor"`` or ``"execute operation"``.
    """
    evaluates = purpose == "evaluate tensor"
    call = "eval(session=sess)" if evaluates else "run(session=sess)"
    if session is None:
        session = sessions.top()
        if session is None:
            with_block = "`with sess.as_default()`" if evaluates else "`with sess.as_default():`"
            raise ValueError(
                f"Cannot {purpose} using `{call.split('(')[0]}()`: No default session is "
                f"registered. Use {with_block} or pass an explicit session to `{call}`"
            )
        if session.graph is not graph:
            raise ValueError(
                f"Cannot use the default session to {purpose}: the "
                f"{'tensor' if 'tensor' in purpose else 'operation'}'s graph is different from "
                f"the session's graph. Pass an explicit session to `{call}`."
            )
    elif session.graph is not graph:
        raise ValueError(
            f"Cannot use the given session to {purpose}: the "
            f"{'tensor' if 'tensor' in purpose else 'operation'}'s graph is different from the "
            "session's graph."
        )
    return session
