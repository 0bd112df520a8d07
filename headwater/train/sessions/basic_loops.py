"""basic_train_loop: the simplest loop with a Supervisor."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from headwater.base import errors
from headwater.base.export import export
from headwater.train.sessions.supervisor import Supervisor


@export("train.basic_train_loop")
def basic_train_loop(
    supervisor: Supervisor,
    train_step_fn: Callable[..., Any],
    args: Sequence[Any] | None = None,
    kwargs: dict[str, Any] | None = None,
    master: str = "",
) -> None:
    """Calls a training step until the Supervisor stops; begins again after an AbortedError.

    Args:
        supervisor: the Supervisor.
        train_step_fn: a function of the session and of further arguments.
        args: its further arguments.
        kwargs: its keyword arguments.
        master: where the graph runs; "" is this process.
    """
    while True:
        try:
            with supervisor.managed_session(master) as sess:
                while not supervisor.should_stop():
                    train_step_fn(sess, *(args or ()), **(kwargs or {}))
            return
        except errors.AbortedError:
            # A worker has gone; the next session restores the last checkpoint.
            continue
