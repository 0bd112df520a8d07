"""`tf.train.CheckpointManager`: keeps the latest checkpoints of a folder."""

from __future__ import annotations

import time
from typing import Any

from headwater.base import errors, logging
from headwater.base.export import export
from headwater.graph import Tensor
from headwater.io.files import join_path, path_text
from headwater.model.variables.variable import Variable
from headwater.session.implicit_session import get_session
from headwater.train.checkpoints.checkpoint_state import (
    checkpoint_exists,
    get_checkpoint_state,
    remove_checkpoint,
    write_state,
)


@export("train.CheckpointManager", "contrib.checkpoint.CheckpointManager")
class CheckpointManager:
    """Writes checkpoints into a folder and deletes old ones.

    Args:
        checkpoint: the `tf.train.Checkpoint`.
        directory: the folder. Checkpoints that its `checkpoint` file names are taken over.
        max_to_keep: how many checkpoints are kept; None for all.
        keep_checkpoint_every_n_hours: of how many hours one checkpoint is kept for good; None for
            none.
        checkpoint_name: the beginning of the names of the files.

    Raises:
        ValueError: if `max_to_keep` is not positive.
    """

    def __init__(
        self,
        checkpoint: Any,
        directory: str,
        max_to_keep: int | None,
        keep_checkpoint_every_n_hours: float | None = None,
        checkpoint_name: str = "ckpt",
    ) -> None:
        self._checkpoint = checkpoint
        self._save_counter_assign: Any = None
        if max_to_keep is not None and max_to_keep <= 0:
            raise ValueError(
                "Expected a positive integer or `None` for `max_to_max_to_keep`, got "
                f"{max_to_keep}."
            )
        self._max_to_keep = max_to_keep
        self._keep_hours = keep_checkpoint_every_n_hours
        self._directory = path_text(directory)
        self._checkpoint_prefix = join_path(self._directory, checkpoint_name)
        # path -> when it was written, in seconds; the oldest first
        self._maybe_delete: dict[str, float] = {}
        now = time.time()
        state = get_checkpoint_state(self._directory)
        if state is None:
            self._latest_checkpoint: str | None = None
            # The first checkpoint is not kept for good.
            self._last_preserved_timestamp = now
            return
        self._latest_checkpoint = state.model_checkpoint_path
        self._last_preserved_timestamp = state.last_preserved_timestamp
        # A clock that was wrong must not keep checkpoints from being preserved.
        if now < self._last_preserved_timestamp:
            logging.warning(
                "time.time() returned a value %f seconds behind the last preserved checkpoint "
                "timestamp.",
                self._last_preserved_timestamp - now,
            )
            self._last_preserved_timestamp = now
        times = list(state.all_model_checkpoint_timestamps)
        paths = list(state.all_model_checkpoint_paths)
        if times and len(times) != len(paths):
            logging.warning(
                "Inconsistent timestamps and checkpoint paths. Old checkpoints may not be deleted."
            )
        # As in TensorFlow, checkpoints without a time are kept, and so are those that are not
        # newer than the last one that was preserved.
        for path, written in zip(paths, times):
            if written > self._last_preserved_timestamp:
                self._maybe_delete[path] = written

    @property
    def latest_checkpoint(self) -> str | None:
        """The path of the latest checkpoint, or None."""
        return self._latest_checkpoint

    @property
    def checkpoints(self) -> list[str]:
        """The paths of the checkpoints that may be deleted later, the oldest first."""
        return list(self._maybe_delete)

    @property
    def directory(self) -> str:
        """The folder."""
        return self._directory

    def _sweep(self) -> None:
        """Deletes old checkpoints."""
        if not self._max_to_keep:
            return
        while len(self._maybe_delete) > self._max_to_keep:
            path = next(iter(self._maybe_delete))
            written = self._maybe_delete.pop(path)
            if (
                self._keep_hours
                and written - self._keep_hours * 3600 >= self._last_preserved_timestamp
            ):
                self._last_preserved_timestamp = written
                continue
            self._delete(path)

    def _delete(self, path: str) -> None:
        if not checkpoint_exists(path):
            return
        try:
            remove_checkpoint(path)
        except errors.OpError as error:
            logging.warning("Ignoring: %s", error)

    def _record_state(self) -> None:
        write_state(
            self._directory,
            self._latest_checkpoint or "",
            list(self._maybe_delete),
            relative=True,
            times=list(self._maybe_delete.values()),
            preserved=self._last_preserved_timestamp,
        )

    def save(self, checkpoint_number: int | Tensor | Variable | None = None) -> str:
        """Writes a checkpoint and deletes old ones.

        Args:
            checkpoint_number: the number in the names, an int, variable or tensor; by default the
                number of calls.

        Returns:
            The path of the checkpoint.
        """
        session = get_session()
        if self._save_counter_assign is None:
            counter = self._checkpoint.save_counter
            self._save_counter_assign = counter.assign_add(1, read_value=True)
            if not session.run(counter.is_initialized()):
                session.run(counter.initializer)
        # The counter counts the calls with a number, too.
        number: Any = session.run(self._save_counter_assign)
        if isinstance(checkpoint_number, (Tensor, Variable)):
            number = session.run(checkpoint_number)
        elif checkpoint_number is not None:
            number = checkpoint_number
        path = self._checkpoint.write(f"{self._checkpoint_prefix}-{int(number)}")
        self._latest_checkpoint = path
        # Saving again under one number makes the checkpoint the newest.
        self._maybe_delete.pop(path, None)
        self._maybe_delete[path] = time.time()
        # If this stops in between, the state must name only checkpoints that exist.
        self._record_state()
        self._sweep()
        self._record_state()
        return path
