"""The object graph of a checkpoint, read without a graph of TensorFlow."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headwater.base import errors
from headwater.base.export import export
from headwater.model.trackable.restoration import OBJECT_GRAPH_PROTO_KEY
from headwater.protos.lazy import trackable_object_graph_pb2
from headwater.train.checkpoints.checkpoint_reader import CheckpointReader

if TYPE_CHECKING:
    from headwater.protos.trackable_object_graph_pb2 import TrackableObjectGraph


@export("contrib.checkpoint.object_metadata")
def object_metadata(save_path: str) -> TrackableObjectGraph:
    """Reads the object graph of a checkpoint.

    Args:
        save_path: the path as `tf.train.Checkpoint.save` returns it.

    Returns:
        A TrackableObjectGraph.

    Raises:
        ValueError: if it is a checkpoint of variables by name.
    """
    reader = CheckpointReader(save_path)
    try:
        serialized = reader.get_tensor(OBJECT_GRAPH_PROTO_KEY)
    except errors.NotFoundError:
        raise ValueError(
            f'The specified checkpoint "{save_path}" does not appear to be object-based (it is '
            f'missing the key "{OBJECT_GRAPH_PROTO_KEY}"). Likely it was created with a name-based '
            "saver and does not contain an object dependency graph."
        ) from None
    return parsed_object_graph(serialized)


def parsed_object_graph(serialized: bytes) -> TrackableObjectGraph:
    """The object graph that a checkpoint has under its key.

    Raises:
        DataLossError: if it is not one.
    """
    proto = trackable_object_graph_pb2.TrackableObjectGraph()
    try:
        proto.ParseFromString(serialized)
    except ValueError as error:  # protobuf's DecodeError is one
        raise errors.DataLossError(
            None, None, f"The object graph cannot be read: {error}"
        ) from None
    count = len(proto.nodes)
    for node in proto.nodes:
        numbers = [child.node_id for child in node.children]
        for slot in node.slot_variables:
            numbers += [slot.original_variable_node_id, slot.slot_variable_node_id]
        if any(not 0 <= number < count for number in numbers):
            raise errors.DataLossError(None, None, "The object graph has a reference to no node.")
    return proto


def names_to_keys(save_path: str) -> dict[str, str]:
    """The keys of a checkpoint of objects, by the names of the variables that were saved.

    Args:
        save_path: the path.

    Raises:
        NotFoundError: if it is not a checkpoint of objects.
    """
    serialized = CheckpointReader(save_path).get_tensor(OBJECT_GRAPH_PROTO_KEY)
    return {
        attribute.full_name: attribute.checkpoint_key
        for node in parsed_object_graph(serialized).nodes
        for attribute in node.attributes
    }


def items_by_key(items: dict[str, Any], keys: dict[str, str]) -> dict[str, Any]:
    """Puts what is saved by name under the keys of a checkpoint of objects.

    Args:
        items: {name: variable or saveable object}.
        keys: what `names_to_keys` returns.

    Raises:
        NotFoundError: if a variable is not in the checkpoint.
    """
    missing = sorted(set(items) - set(keys))
    if missing:
        extra = sorted(set(keys) - set(items))
        raise errors.NotFoundError(
            None,
            None,
            f"\n\nExisting variables not in the checkpoint: {', '.join(missing)}\n\n"
            "Variables names when this checkpoint was written which don't exist now: "
            f"{', '.join(extra)}\n\n({len(set(items) & set(keys))} variable name(s) did match)\n\n"
            "Could not find some variables in the checkpoint (see names above). Saver was "
            "attempting to load an object-based checkpoint (saved using tf.train.Checkpoint or "
            "tf.keras.Model.save_weights) using variable names. If the checkpoint was written with "
            "eager execution enabled, it's possible that variable names have changed (for example "
            "missing a '_1' suffix). It's also possible that there are new variables which did not "
            "exist when the checkpoint was written. You can construct a Saver(var_list=...) with "
            "only the variables which previously existed, and if variable names have changed you "
            "may need to make this a dictionary with the old names as keys. If you're using an "
            "Estimator, you'll need to return a tf.train.Saver inside a tf.train.Scaffold from "
            "your model_fn.",
        )
    return {keys[name]: item for name, item in items.items()}
