"""Progress of long work, shown on a terminal and nowhere else."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

# Checkpoints of so many bytes take long enough.
LARGE_BYTES: Final = 1 << 30

# A terminal shows one display at a time.
_shown: Final = threading.Lock()


def _ignore(count: int) -> None:
    """Takes notice of nothing."""


@contextmanager
def bytes_progress(
    description: str, total: int | None, done: int = 0, least: int = 0
) -> Iterator[Callable[[int], None]]:
    """A with block that shows how many bytes are done, if stderr is a terminal.

    Args:
        description: what is done.
        total: the number of bytes; None if it is unknown.
        done: how many were done before.
        least: nothing is shown for fewer bytes in all.

    Yields:
        A function that takes the number of bytes that have been done since its last call.
    """
    is_short = total is not None and total < least
    if is_short or not _is_terminal() or not _shown.acquire(blocking=False):
        yield _ignore
        return
    try:
        # rich takes 0.1 s to load and is needed for long work only.
        from rich.console import Console
        from rich.progress import (
            BarColumn,
            DownloadColumn,
            Progress,
            TextColumn,
            TimeRemainingColumn,
        )

        columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn())
        console = Console(stderr=True)
        with Progress(*columns, TimeRemainingColumn(), console=console) as progress:
            task = progress.add_task(description, total=total, completed=done)
            yield lambda count: progress.advance(task, count)
    finally:
        _shown.release()


def _is_terminal() -> bool:
    return sys.stderr is not None and sys.stderr.isatty()
