"""One restore of a checkpoint of objects: which of its objects have been found, and its ops."""

from __future__ import annotations

import itertools
import weakref
from typing import TYPE_CHECKING, Any

from headwater.base import logging
from headwater.graph import Operation, Tensor
from headwater.model.trackable.identity import IdentityWeakDict, IdentityWeakSet
from headwater.model.trackable.restoration import DeferredSlotRestoration, SlotRestoration
from headwater.train.checkpoints.checkpoint_reader import CheckpointReader
from headwater.train.checkpoints.saveables import saveables_of
from headwater.train.checkpoints.saver_nodes import restore_each, shards_of
from headwater.train.objects.graph_view import ObjectGraphView

if TYPE_CHECKING:
    from headwater.protos.trackable_object_graph_pb2 import TrackableObjectGraph

_uids = itertools.count()


def next_uid() -> int:
    """The number of a new restore."""
    return next(_uids)


class RestoreCoordinator:
    """One restore of a checkpoint of objects.

    Args:
        object_graph_proto: the objects of the checkpoint.
        save_path: its path.
        save_path_tensor: a string tensor that is fed with the path.
        restore_op_cache: {key: op} of earlier restores by the same saver.
        graph_view: the objects of the program.

    Attributes:
        object_by_proto_id: the Python object of each object of the checkpoint that was found.
        unused_attributes: names of values that a found object does not take.
        restore_ops: the ops to run.
    """

    def __init__(
        self,
        object_graph_proto: TrackableObjectGraph,
        save_path: str,
        save_path_tensor: Tensor,
        restore_op_cache: dict[str, Operation],
        graph_view: ObjectGraphView,
    ) -> None:
        self.object_graph_proto = object_graph_proto
        self.restore_uid = next_uid()
        self.unused_attributes = IdentityWeakDict()
        self.object_by_proto_id: weakref.WeakValueDictionary[int, Any] = (
            weakref.WeakValueDictionary()
        )
        self.all_python_objects = IdentityWeakSet()
        # Objects of the checkpoint that were found, even if their Python objects are gone.
        self.matched_proto_ids: set[int] = set()
        self.save_path_tensor = save_path_tensor
        self.save_path_string = save_path
        self.restore_ops: list[Operation] = []
        self.restore_ops_by_name = restore_op_cache
        self.graph_view = graph_view
        # Called with ops that are added later, by a program that runs them at once.
        self.new_restore_ops_callback: Any = None
        # Slots by the number of their variable, and, once it is found, of their optimizer.
        self.slot_restorations: dict[int, list[SlotRestoration]] = {}
        self.deferred_slot_restorations: dict[int, list[DeferredSlotRestoration]] = {}
        self.expect_partial = False
        for number, node in enumerate(object_graph_proto.nodes):
            for slot in node.slot_variables:
                self.slot_restorations.setdefault(slot.original_variable_node_id, []).append(
                    SlotRestoration(number, slot.slot_variable_node_id, slot.slot_name)
                )

    def new_restore_ops(self, new_ops: list[Operation]) -> None:
        """Adds ops to run."""
        self.restore_ops.extend(new_ops)
        if self.new_restore_ops_callback is not None:
            self.new_restore_ops_callback(new_ops)

    def restore_op_of(self, obj: Any) -> Operation | None:
        """The op that restores the value of a variable, or None."""
        for number, node in enumerate(self.object_graph_proto.nodes):
            if self.object_by_proto_id.get(number) is obj:
                for attribute in node.attributes:
                    op = self.restore_ops_by_name.get(attribute.checkpoint_key)
                    if op is not None:
                        return op
        return None

    def restore_saveables(
        self, tensor_saveables: dict[str, Any], python_saveables: list[Any]
    ) -> list[Operation]:
        """Makes the ops that restore tensors, and restores values in Python.

        Args:
            tensor_saveables: what is restored by ops, by key.
            python_saveables: values in Python.

        Returns:
            The ops.
        """
        if python_saveables:
            reader = CheckpointReader(self.save_path_string)
            for saveable in python_saveables:
                saveable.python_restore([reader.get_tensor(spec.name) for spec in saveable.specs])
        made: list[Operation] = []
        if tensor_saveables:
            for _, saveables in shards_of(saveables_of(tensor_saveables)):
                ops = restore_each(self.save_path_tensor, saveables)
                self.restore_ops_by_name.update(zip((s.name for s in saveables), ops))
                made.extend(ops)
        return made

    def __del__(self) -> None:
        if self.expect_partial or logging is None:
            return
        try:
            unresolved = unresolved_in(self)
        except Exception:  # the interpreter is shutting down
            return
        for text in unresolved:
            logging.warning("%s", text)
        if unresolved:
            logging.warning(
                "A checkpoint was restored (e.g. tf.train.Checkpoint.restore or "
                "tf.keras.Model.load_weights) but not all checkpointed values were used. See above "
                "for specific issues. Use expect_partial() on the load status object, e.g. "
                "tf.train.Checkpoint.restore(...).expect_partial(), to silence these warnings, or "
                "use assert_consumed() to make the check explicit. See "
                "https://www.tensorflow.org/alpha/guide/checkpoints#loading_mechanics for details."
            )


def unresolved_in(checkpoint: RestoreCoordinator) -> list[str]:
    """What a checkpoint has that the program has not taken, a line each."""
    names = node_names(checkpoint.object_graph_proto)
    lines = [
        f"Unresolved object in checkpoint: {names[number]}"
        for number in range(len(checkpoint.object_graph_proto.nodes))
        if number not in checkpoint.matched_proto_ids
    ]
    for obj, attributes in checkpoint.unused_attributes.items():
        lines.append(f"Unused attributes in object {obj}: {attributes}")
    return lines


def node_names(proto: TrackableObjectGraph) -> dict[int, str]:
    """Names of the objects of a checkpoint as paths of attributes, by their numbers."""
    names = {0: "(root)"}
    queue = [0]
    for number in queue:
        for child in proto.nodes[number].children:
            if child.node_id not in names:
                names[child.node_id] = f"{names[number]}.{child.local_name}"
                queue.append(child.node_id)
    for node_id, node in enumerate(proto.nodes):
        for slot in node.slot_variables:
            names[slot.slot_variable_node_id] = (
                f"{names.get(node_id, '')}'s state '{slot.slot_name}' for "
                f"{names.get(slot.original_variable_node_id, '')}"
            )
    return {number: names.get(number, f"object {number}") for number in range(len(proto.nodes))}
