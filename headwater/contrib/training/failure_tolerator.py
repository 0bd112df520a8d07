"""FailureTolerator: errors that may happen some times before they count."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from headwater.base import logging
from headwater.base.errors import AbortedError, OpError
from headwater.base.export import export


@export("contrib.training.FailureTolerator")
class FailureTolerator:
    """Suppresses errors of the runtime until there are too many; pauses before the next try.

    Args:
        limit: how many errors within `forgive_after_seconds` are one too many.
        init_delay: the seconds of the first pause.
        backoff_factor: how much longer each pause is than the one before.
        forgive_after_seconds: for how many seconds an error counts.
        handled_exceptions: the classes of the errors; None for AbortedError, which a restarted
            task causes.
    """

    def __init__(
        self,
        limit: int = 5,
        init_delay: float = 5.0,
        backoff_factor: float = 2.0,
        forgive_after_seconds: float = 6000,
        handled_exceptions: Iterable[type[OpError]] | None = None,
    ) -> None:
        self.limit = limit
        self.backoff = backoff_factor
        self.delay = init_delay
        self.forgive_after = forgive_after_seconds
        self.exceptions: list[float] = []
        self.time_in_delay = 0.0
        self.handled = tuple(handled_exceptions or (AbortedError,))

    @contextmanager
    def forgive(self) -> Iterator[None]:
        """A context whose errors are suppressed while they are few.

        Raises:
            OpError: the error of the context, when it is one too many.
        """
        self._forget_old()
        if self.exceptions:
            self._pause()
        try:
            yield
        except self.handled as error:
            self._forget_old()
            self.exceptions.append(self._now())
            if len(self.exceptions) >= self.limit:
                raise
            logging.warning("Forgiving an exception: %s", error)

    def _now(self) -> float:
        # Time spent in pauses does not make an error older.
        return time.time() - self.time_in_delay

    def _forget_old(self) -> None:
        now = self._now()
        self.exceptions = [t for t in self.exceptions if now - t < self.forgive_after]

    def _pause(self) -> None:
        seconds = self.delay * self.backoff ** (len(self.exceptions) - 1)
        logging.warning("Sleeping for %f seconds before resuming", seconds)
        time.sleep(seconds)
        self.time_in_delay += seconds
