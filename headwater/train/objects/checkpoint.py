"""`tf.train.Checkpoint`: saves and restores objects and what they depend on."""

from __future__ import annotations

import weakref
from typing import Any

from headwater.base import dtypes
from headwater.base.export import export
from headwater.graph import colocate_with
from headwater.graph.default_graph import device as on_device
from headwater.io.files import folder_of, path_text
from headwater.model.trackable.auto import AutoTrackable
from headwater.model.trackable.base import Trackable
from headwater.model.trackable.containers import NoDependency
from headwater.model.variables.dependencies import add_variable
from headwater.model.variables.variable import Variable
from headwater.session.implicit_session import get_session
from headwater.train.checkpoints.checkpoint_state import write_state
from headwater.train.objects.graph_view import ObjectGraphView
from headwater.train.objects.load_status import LoadStatus, NameBasedSaverStatus
from headwater.train.objects.object_saver import TrackableSaver


class ObjectCheckpoint(AutoTrackable):
    """What the checkpoints of both eras have in common: see `Checkpoint`."""

    _save_counter: Variable | None
    _save_assign_op: Any

    def __init__(self, **kwargs: Any) -> None:
        for name, value in sorted(kwargs.items()):
            if not isinstance(value, Trackable):
                raise ValueError(
                    "`Checkpoint` was expecting a trackable object (an object derived from "
                    f"`TrackableBase`), got {value}. If you believe this object should be "
                    "trackable (i.e. it is part of the TensorFlow Python API and manages state), "
                    "please open an issue."
                )
            setattr(self, name, value)
        # Made with the first save or restore.
        self._save_counter = None
        self._save_assign_op = None
        # A weak reference, so that the checkpoint is freed with its last use.
        self._saver = TrackableSaver(ObjectGraphView(weakref.ref(self)))

    def _maybe_create_save_counter(self) -> None:
        if self._save_counter is None:
            with on_device("/cpu:0"):
                counter = add_variable(
                    self,
                    name="save_counter",
                    initializer=0,
                    dtype=dtypes.int64,
                    trainable=False,
                )
            # It is a dependency as `save_counter`.
            self._save_counter = NoDependency(counter)  # type: ignore[assignment]

    @property
    def save_counter(self) -> Variable:
        """A variable with the number of calls of `save`."""
        self._maybe_create_save_counter()
        assert self._save_counter is not None
        return self._save_counter

    def _write(self, file_prefix: str, session: Any) -> str:
        return self._saver.save(file_prefix=file_prefix, session=session)

    def _save(self, file_prefix: str, session: Any) -> str:
        prefix = path_text(file_prefix)
        session = session or get_session()
        if self._save_counter is None:
            session.run(self.save_counter.initializer)
        if self._save_assign_op is None:
            counter = self.save_counter
            with colocate_with(counter):
                assigned = counter.assign_add(1, read_value=True)
            self._save_assign_op = NoDependency(assigned)
        number = session.run(self._save_assign_op)
        path = self._write(f"{prefix}-{number}", session)
        write_state(folder_of(prefix), path, [path], relative=True)
        return path

    def restore(self, save_path: str | None) -> LoadStatus:
        """Begins to restore a checkpoint.

        Variables get their values when the result is told so: by `initialize_or_restore()` or
        `run_restore_ops()`. Objects that are added to this one later are restored as well.

        Args:
            save_path: what `save` or `write` has returned, or `tf.train.latest_checkpoint`; None
                restores nothing, and `initialize_or_restore()` of the result initializes all.

        Returns:
            The state of the restore: `assert_consumed()` and others check it.

        Raises:
            NotFoundError: if there is no such checkpoint.
        """
        status = self._saver.restore(save_path=save_path)
        # Made now, so that it is initialized or restored with the other variables.
        self._maybe_create_save_counter()
        if isinstance(status, NameBasedSaverStatus):
            status.add_to_optionally_restored(self.save_counter)
        return status


@export("train.Checkpoint", "contrib.eager.Checkpoint")
class Checkpoint(ObjectCheckpoint):
    """Saves and restores objects: variables, layers, optimizers, iterators, and what they have.

    A value is found again by the names of attributes on the way to it, not by the name of its
    variable.

    Args:
        **kwargs: the objects, which become attributes.

    Raises:
        ValueError: if one cannot be saved.

    Example:
        >>> import tempfile
        >>> v = tf.Variable(1.0)
        >>> checkpoint = tf.train.Checkpoint(v=v)
        >>> session.run(v.initializer)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = checkpoint.save(folder + "/model", session)
        ...     session.run(v.assign(2.0))
        ...     checkpoint.restore(path).assert_consumed().run_restore_ops(session)
        2.0
        >>> print(session.run(v))
        1.0
    """

    def write(self, file_prefix: str, session: Any = None) -> str:
        """Writes a checkpoint under exactly this name.

        Args:
            file_prefix: the beginning of the names of the files.
            session: the session; the default session if None.

        Returns:
            The path for `restore`.
        """
        return self._write(file_prefix, session)

    def save(self, file_prefix: str, session: Any = None) -> str:
        """Writes a checkpoint under a new number, and the `checkpoint` file of the folder.

        Args:
            file_prefix: the beginning of the names of the files.
            session: the session; the default session if None.

        Returns:
            The path for `restore`.
        """
        return self._save(file_prefix, session)


class CheckpointV2(ObjectCheckpoint):
    """`tf.compat.v2.train.Checkpoint`: a Checkpoint that takes the default session.

    Args:
        **kwargs: the objects, which become attributes.
    """

    def write(self, file_prefix: str) -> str:
        """Writes a checkpoint under exactly this name; see `tf.train.Checkpoint.write`."""
        return self._write(file_prefix, None)

    def save(self, file_prefix: str) -> str:
        """Writes a checkpoint under a new number; see `tf.train.Checkpoint.save`."""
        return self._save(file_prefix, None)
