"""What a restore returns: its state, checks of it, and the ops that it needs."""

from __future__ import annotations

import abc
from typing import Any

from headwater.base.deprecated_api import deprecated
from headwater.graph.default_graph import device as on_device
from headwater.model.trackable.base import Trackable
from headwater.model.trackable.containers import TrackableDataStructure
from headwater.session.implicit_session import get_session
from headwater.train.checkpoints.checkpoint_reader import CheckpointReader
from headwater.train.checkpoints.saveables import saveables_of
from headwater.train.checkpoints.saver import Saver
from headwater.train.objects.coordinator import RestoreCoordinator, next_uid, node_names
from headwater.train.objects.graph_view import ObjectGraphView
from headwater.train.objects.python_state import PythonState


class LoadStatus(abc.ABC):
    """The result of a restore."""

    @abc.abstractmethod
    def assert_consumed(self) -> LoadStatus:
        """Checks that everything in the checkpoint and in the program was matched."""

    @abc.abstractmethod
    def assert_existing_objects_matched(self) -> LoadStatus:
        """Checks that all objects that the program has made were matched."""

    @abc.abstractmethod
    def assert_nontrivial_match(self) -> LoadStatus:
        """Checks that something besides the root was matched."""

    @abc.abstractmethod
    def run_restore_ops(self, session: Any = None) -> None:
        """Runs the ops that assign restored values."""

    @abc.abstractmethod
    def initialize_or_restore(self, session: Any = None) -> None:
        """Runs the restore ops, and the initializers of all other variables."""

    def expect_partial(self) -> LoadStatus:
        """Silences the warnings of values that are not used."""
        return self


class CheckpointLoadStatus(LoadStatus):
    """The result of a restore from a checkpoint of objects.

    Args:
        checkpoint: the coordinator of the restore.
        feed_dict: the path, by the tensor that it is fed for.
        graph_view: the objects of the program.
    """

    def __init__(
        self,
        checkpoint: RestoreCoordinator,
        feed_dict: dict[Any, Any],
        graph_view: ObjectGraphView,
    ) -> None:
        self._checkpoint = checkpoint
        self._feed_dict = feed_dict
        self._graph_view = graph_view
        # The view may have but a weak reference.
        self._root = graph_view.root

    def assert_consumed(self) -> CheckpointLoadStatus:
        """Checks that everything in the checkpoint and in the program was matched.

        Returns:
            This object.

        Raises:
            AssertionError: if something was not.
        """
        self.assert_existing_objects_matched()
        checkpoint = self._checkpoint
        names = node_names(checkpoint.object_graph_proto)
        for number, node in enumerate(checkpoint.object_graph_proto.nodes):
            if checkpoint.object_by_proto_id.get(number) is None:
                raise AssertionError(f"Unresolved object in checkpoint {names[number]}: {node}")
        if checkpoint.slot_restorations:
            raise AssertionError(f"Unresolved slot restorations: {checkpoint.slot_restorations}")
        if checkpoint.unused_attributes:
            lines = [f"{obj}: {names}" for obj, names in checkpoint.unused_attributes.items()]
            raise AssertionError(
                "Unused attributes in these objects (the attributes exist in the checkpoint but "
                "were not restored):\n" + "\n".join(lines)
            )
        return self

    def assert_existing_objects_matched(self) -> CheckpointLoadStatus:
        """Checks that all objects that the program has made were matched.

        Returns:
            This object.

        Raises:
            AssertionError: if one was not.
        """
        checkpoint = self._checkpoint
        for number, node in enumerate(checkpoint.object_graph_proto.nodes):
            obj = checkpoint.object_by_proto_id.get(number)
            if obj is not None and obj._update_uid < checkpoint.restore_uid:
                raise AssertionError(f"Object not assigned a value from checkpoint: {node}")
        unmatched = self._unmatched()
        if unmatched:
            raise AssertionError(
                "Some Python objects were not bound to checkpointed values, likely due to changes "
                f"in the Python program: {unmatched}"
            )
        return self

    def _unmatched(self) -> list[Any]:
        for obj in self._graph_view.list_objects():
            # A container without variables need not be in the checkpoint.
            if not isinstance(obj, TrackableDataStructure) or obj._checkpoint_dependencies:
                self._checkpoint.all_python_objects.add(obj)
        bound = {id(obj) for obj in self._checkpoint.object_by_proto_id.values()}
        return [obj for obj in self._checkpoint.all_python_objects if id(obj) not in bound]

    def assert_nontrivial_match(self) -> CheckpointLoadStatus:
        """Checks that something besides the root was matched.

        Returns:
            This object.

        Raises:
            AssertionError: if nothing was.
        """
        unmatched = self._unmatched()
        if len(self._checkpoint.object_by_proto_id) > 1:
            return self
        if unmatched:
            raise AssertionError(
                "Nothing except the root object matched a checkpointed value. Typically this means "
                "that the checkpoint does not match the Python program. The following objects have "
                f"no matching checkpointed value: {unmatched}"
            )
        raise AssertionError(
            f"Nothing to load. No dependencies have been added to {self._graph_view.root} yet."
        )

    def restore_op_of(self, obj: Any) -> Any:
        """The op that restores the value of a variable.

        Args:
            obj: the variable.

        Returns:
            An Operation, or None if the checkpoint does not have the variable.
        """
        return self._checkpoint.restore_op_of(obj)

    def run_restore_ops(self, session: Any = None) -> None:
        """Runs the ops that assign restored values.

        Args:
            session: the session; the default session if None.
        """
        session = session or get_session()
        session.run(self._checkpoint.restore_ops, feed_dict=self._feed_dict)

    def initialize_or_restore(self, session: Any = None) -> None:
        """Runs the restore ops, and the initializers of all other variables.

        Args:
            session: the session; the default session if None.
        """
        session = session or get_session()
        bound = {id(obj) for obj in self._checkpoint.object_by_proto_id.values()}
        initializers = [
            obj.initializer
            for obj in self._graph_view.list_objects()
            if id(obj) not in bound
            and getattr(obj, "initializer", None) is not None
            and getattr(obj, "_update_uid", -1) < self._checkpoint.restore_uid
        ]
        self.run_restore_ops(session)
        session.run(initializers)

    def expect_partial(self) -> CheckpointLoadStatus:
        """Silences the warnings of values that are not used.

        Returns:
            This object.
        """
        self._checkpoint.expect_partial = True
        return self


class InitializationOnlyStatus(LoadStatus):
    """The result of a restore from no checkpoint.

    Args:
        graph_view: the objects of the program.
        restore_uid: the number of the restore.
    """

    def __init__(self, graph_view: ObjectGraphView, restore_uid: int) -> None:
        self._graph_view = graph_view
        self._root = graph_view.root
        self._restore_uid = restore_uid

    def _assert(self) -> Any:
        raise AssertionError("No checkpoint specified (save_path=None); nothing is being restored.")

    def assert_consumed(self) -> LoadStatus:
        """Raises an AssertionError: there is no checkpoint."""
        return self._assert()

    def assert_existing_objects_matched(self) -> LoadStatus:
        """Raises an AssertionError: there is no checkpoint."""
        return self._assert()

    def assert_nontrivial_match(self) -> LoadStatus:
        """Raises an AssertionError: there is no checkpoint."""
        return self._assert()

    def run_restore_ops(self, session: Any = None) -> None:
        """Raises an AssertionError: there is no checkpoint."""
        raise AssertionError(
            "No checkpoint specified, so no restore ops are available (save_path=None to "
            "Saver.restore)."
        )

    def initialize_or_restore(self, session: Any = None) -> None:
        """Runs the initializers of all variables that no later restore has found.

        Args:
            session: the session; the default session if None.
        """
        session = session or get_session()
        session.run(
            [
                obj.initializer
                for obj in self._graph_view.list_objects()
                if getattr(obj, "initializer", None) is not None
                and getattr(obj, "_update_uid", -1) < self._restore_uid
            ]
        )


class NameBasedCheckpoint:
    """One restore of a checkpoint that has variables by name.

    Args:
        save_path: its path.
    """

    def __init__(self, save_path: str) -> None:
        self.save_path = save_path
        self.restore_uid = next_uid()
        self.names = CheckpointReader(save_path).get_variable_to_shape_map()
        # What may be missing in the checkpoint.
        self.optional: list[Any] = []


class NameBasedSaverStatus(LoadStatus):
    """The result of a restore from a checkpoint that has variables by name.

    Args:
        checkpoint: the restore.
        graph_view: the objects of the program.
    """

    @deprecated(
        None,
        "Restoring a name-based tf.train.Saver checkpoint using the object-based restore API. This "
        "mode uses global names to match variables, and so is somewhat fragile. It also adds new "
        "restore ops to the graph each time it is called when graph building. Prefer re-encoding "
        "training checkpoints in the object-based format: run save() on the object-based saver "
        "(the same one this message is coming from) and use that checkpoint in the future.",
    )
    def __init__(self, checkpoint: NameBasedCheckpoint, graph_view: ObjectGraphView) -> None:
        self._checkpoint = checkpoint
        self._graph_view = graph_view
        self._root = graph_view.root

    def add_to_optionally_restored(self, variable: Any) -> None:
        """Notes a variable that may be missing in the checkpoint.

        Args:
            variable: the variable.
        """
        self._checkpoint.optional.append(variable)

    def assert_consumed(self) -> NameBasedSaverStatus:
        """Checks that all objects of the program were restored.

        Returns:
            This object.

        Raises:
            AssertionError: if one was not.
        """
        for obj in self._graph_view.list_objects():
            obj._maybe_initialize_trackable()
            if obj._update_uid < self._checkpoint.restore_uid:
                raise AssertionError(f"Object not restored: {obj}")
        return self

    def assert_existing_objects_matched(self) -> NameBasedSaverStatus:
        """Checks that all objects of the program were restored; see `assert_consumed`."""
        return self.assert_consumed()

    def assert_nontrivial_match(self) -> NameBasedSaverStatus:
        """Checks that all objects of the program were restored; see `assert_consumed`."""
        return self.assert_consumed()

    def _gather_saveable_objects(self) -> tuple[list[Any], list[Any]]:
        """The saveable objects of the program, and the initializers of variables it may lack."""
        saveables, initializers = [], []
        for obj in self._graph_view.list_objects():
            obj._maybe_initialize_trackable()
            if obj._update_uid >= self._checkpoint.restore_uid:
                continue
            obj._update_uid = self._checkpoint.restore_uid
            found = _globally_named(obj)
            optional = any(obj is item for item in self._checkpoint.optional)
            if optional and any(item.name not in self._checkpoint.names for item in found):
                initializers.append(obj.initializer)
            else:
                saveables.extend(found)
        return saveables, initializers

    def run_restore_ops(self, session: Any = None) -> None:
        """Reads the values of all variables by their names.

        Args:
            session: the session; the default session if None.
        """
        session = session or get_session()
        with on_device("/cpu:0"):
            saveables, initializers = self._gather_saveable_objects()
            if saveables:
                Saver(saveables).restore(session, self._checkpoint.save_path)
        session.run(initializers)

    def initialize_or_restore(self, session: Any = None) -> None:
        """Reads the values of all variables by their names; see `run_restore_ops`."""
        self.run_restore_ops(session)


def _globally_named(obj: Trackable) -> list[Any]:
    """The saveable objects of an object, by the names that a Saver gives them."""
    if isinstance(obj, PythonState):
        return []
    return saveables_of([obj])
