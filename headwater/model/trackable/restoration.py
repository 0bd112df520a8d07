"""Restoring of objects: an object of a checkpoint, and the Python object that it is bound to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from headwater.base import logging
from headwater.model.trackable.python_saveables import PythonStateSaveable
from headwater.model.trackable.saveable import SaveableObject

if TYPE_CHECKING:
    from headwater.graph import Operation
    from headwater.protos.trackable_object_graph_pb2 import TrackableObjectGraph

# The parts of keys in checkpoints.
VARIABLE_VALUE_KEY = "VARIABLE_VALUE"
OBJECT_GRAPH_PROTO_KEY = "_CHECKPOINTABLE_OBJECT_GRAPH"


class SlotRestoration(NamedTuple):
    """A slot of a checkpoint whose variable has not been made yet."""

    optimizer_id: int
    slot_variable_id: int
    slot_name: str


class DeferredSlotRestoration(NamedTuple):
    """A slot of a checkpoint whose optimizer has not been made yet."""

    original_variable: Any
    slot_variable_id: int
    slot_name: str


class CheckpointPosition:
    """An object of a checkpoint that is being restored.

    Args:
        checkpoint: the coordinator of the restore.
        proto_id: the number of the object in the TrackableObjectGraph.
    """

    def __init__(self, checkpoint: Any, proto_id: int) -> None:
        self._checkpoint = checkpoint
        self._proto_id = proto_id

    @property
    def checkpoint(self) -> Any:
        """The coordinator of the restore."""
        return self._checkpoint

    @property
    def trackable(self) -> Any:
        """The Python object that it is bound to."""
        return self._checkpoint.object_by_proto_id[self._proto_id]

    @property
    def object_proto(self) -> TrackableObjectGraph.TrackableObject:
        """Its node in the TrackableObjectGraph."""
        return self._checkpoint.object_graph_proto.nodes[self._proto_id]

    @property
    def restore_uid(self) -> int:
        """The number of the restore; later ones are larger."""
        return self._checkpoint.restore_uid

    def restore(self, trackable: Any) -> None:
        """Restores a Python object and what depends on it.

        Args:
            trackable: the object.
        """
        if self.bind_object(trackable):
            restore_ops = trackable._restore_from_checkpoint_position(self)
            if restore_ops:
                self._checkpoint.new_restore_ops(restore_ops)

    def bind_object(self, trackable: Any) -> bool:
        """Records which Python object it is.

        Args:
            trackable: the object.

        Returns:
            Whether it was not bound before. A second, different object is refused with a warning.
        """
        checkpoint = self._checkpoint
        checkpoint.all_python_objects.add(trackable)
        checkpoint.matched_proto_ids.add(self._proto_id)
        bound = checkpoint.object_by_proto_id.get(self._proto_id)
        if bound is not None:
            if bound is not trackable:
                logging.warning(
                    "Inconsistent references when loading the checkpoint into this object graph. "
                    "Either the Trackable object references in the Python program have changed in "
                    "an incompatible way, or the checkpoint was generated in an incompatible "
                    "program.\n\nTwo checkpoint references resolved to different objects (%s and "
                    "%s).",
                    bound,
                    trackable,
                )
            return False
        checkpoint.object_by_proto_id[self._proto_id] = trackable
        for deferred in checkpoint.deferred_slot_restorations.pop(self._proto_id, ()):
            self._restore_slot(trackable, deferred, deferred.original_variable)
        for slot in checkpoint.slot_restorations.pop(self._proto_id, ()):
            optimizer = checkpoint.object_by_proto_id.get(slot.optimizer_id)
            if optimizer is None:
                checkpoint.deferred_slot_restorations.setdefault(slot.optimizer_id, []).append(
                    DeferredSlotRestoration(trackable, slot.slot_variable_id, slot.slot_name)
                )
            else:
                self._restore_slot(optimizer, slot, trackable)
        return True

    def _restore_slot(
        self, optimizer: Any, slot: SlotRestoration | DeferredSlotRestoration, variable: Any
    ) -> None:
        optimizer._create_or_restore_slot_variable(
            slot_variable_position=CheckpointPosition(self._checkpoint, slot.slot_variable_id),
            variable=variable,
            slot_name=slot.slot_name,
        )

    def is_simple_variable(self) -> bool:
        """Whether it has nothing but the value of one variable."""
        attributes = self.object_proto.attributes
        return (
            len(attributes) == 1
            and attributes[0].name == VARIABLE_VALUE_KEY
            and not self.object_proto.children
        )

    def gather_ops_or_named_saveables(
        self,
    ) -> tuple[list[Operation], dict[str, Any], list[PythonStateSaveable]]:
        """What restores the values of the bound object itself.

        Returns:
            Existing restore ops, saveable objects by key that need new ones, and saveables of
            values in Python.
        """
        checkpoint = self._checkpoint
        factories = self.trackable._gather_saveables_for_checkpoint()
        restore_ops, named_saveables, python_saveables = [], {}, []
        for attribute in self.object_proto.attributes:
            key = attribute.checkpoint_key
            existing = checkpoint.restore_ops_by_name.get(key)
            if existing is not None:
                restore_ops.append(existing)
                continue
            factory = factories.get(attribute.name)
            if factory is None:
                if not attribute.optional_restore:
                    checkpoint.unused_attributes.setdefault(self.trackable, []).append(
                        attribute.name
                    )
                continue
            for saveable in checkpoint.graph_view.saveables_of(
                self.trackable, attribute.name, factory, key
            ):
                if isinstance(saveable, PythonStateSaveable):
                    python_saveables.append(saveable)
                else:
                    named_saveables[key] = saveable
        return restore_ops, named_saveables, python_saveables

    def restore_ops(self) -> list[Operation]:
        """The ops that restore the values of the bound object itself."""
        restore_ops, named, python = self.gather_ops_or_named_saveables()
        restore_ops.extend(self._checkpoint.restore_saveables(named, python))
        return restore_ops


def made_saveable(factory: Any, key: str | None = None) -> Any:
    """What an entry of `_gather_saveables_for_checkpoint` stands for.

    Args:
        factory: a saveable object, a variable, or a function of the name that makes one.
        key: the name in the checkpoint; None for the name that the function has as a default.

    Returns:
        A saveable object or a variable.
    """
    if isinstance(factory, SaveableObject) or not callable(factory):
        return factory
    return factory() if key is None else factory(name=key)
