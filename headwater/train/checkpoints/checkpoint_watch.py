"""Waiting for checkpoints that another program writes."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

from headwater.base import logging
from headwater.base.export import export
from headwater.train.checkpoints.checkpoint_state import latest_checkpoint


@export("contrib.training.wait_for_new_checkpoint")
def wait_for_new_checkpoint(
    checkpoint_dir: str,
    last_checkpoint: str | None = None,
    seconds_to_sleep: float = 1,
    timeout: float | None = None,
) -> str | None:
    """Waits until a folder has a newer checkpoint.

    Args:
        checkpoint_dir: the folder.
        last_checkpoint: the path of the checkpoint that is known; None if any is new.
        seconds_to_sleep: how long to wait between two checks.
        timeout: how many seconds to wait at most; None for no limit.

    Returns:
        The path of the new checkpoint, or None if the time is over.
    """
    logging.info("Waiting for new checkpoint at %s", checkpoint_dir)
    end = None if timeout is None else time.time() + timeout
    while True:
        path = latest_checkpoint(checkpoint_dir)
        if path is not None and path != last_checkpoint:
            logging.info("Found new checkpoint at %s", path)
            return path
        if end is not None and time.time() + seconds_to_sleep > end:
            return None
        time.sleep(seconds_to_sleep)


@export("train.checkpoints_iterator", "contrib.training.checkpoints_iterator")
def checkpoints_iterator(
    checkpoint_dir: str,
    min_interval_secs: float = 0,
    timeout: float | None = None,
    timeout_fn: Callable[[], bool] | None = None,
) -> Iterator[str]:
    """Yields the paths of new checkpoints of a folder as they appear.

    Args:
        checkpoint_dir: the folder.
        min_interval_secs: the least number of seconds between two checkpoints.
        timeout: how many seconds to wait for one; None for no limit.
        timeout_fn: called when the time is over; the iteration ends if it returns a true value.
            None ends it in any case.

    Yields:
        Paths of checkpoints.
    """
    path = None
    while True:
        new_path = wait_for_new_checkpoint(checkpoint_dir, path, timeout=timeout)
        if new_path is None:
            if timeout_fn is None:
                logging.info("Timed-out waiting for a checkpoint.")
                return
            if timeout_fn():
                return
            continue
        start = time.time()
        path = new_path
        yield path
        rest = start + min_interval_secs - time.time()
        if rest > 0:
            time.sleep(rest)
