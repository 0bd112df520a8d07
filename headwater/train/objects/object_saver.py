"""Writes and reads checkpoints of all objects below a root."""

from __future__ import annotations

import uuid
from typing import Any

from headwater.base import errors
from headwater.base.dtypes import string
from headwater.base.export import export
from headwater.graph import Operation, Tensor, build, constant_node, control_dependencies
from headwater.graph.default_graph import device as on_device
from headwater.io.files import folder_of, make_folders, path_text
from headwater.model.trackable.base import Trackable
from headwater.model.trackable.python_saveables import NoRestoreSaveable
from headwater.model.trackable.restoration import OBJECT_GRAPH_PROTO_KEY, CheckpointPosition
from headwater.model.trackable.saveable import SaveableObject
from headwater.train.checkpoints.checkpoint_reader import CheckpointReader
from headwater.train.checkpoints.object_graphs import parsed_object_graph
from headwater.train.checkpoints.saver import Saver
from headwater.train.checkpoints.saver_nodes import cpu_of, save_op, shards_of
from headwater.train.objects.coordinator import RestoreCoordinator, next_uid
from headwater.train.objects.graph_view import ObjectGraphView
from headwater.train.objects.load_status import (
    CheckpointLoadStatus,
    InitializationOnlyStatus,
    LoadStatus,
    NameBasedCheckpoint,
    NameBasedSaverStatus,
    get_session,
)


class TrackableSaver:
    """Writes and reads checkpoints of all objects below a root.

    Args:
        graph_view: the objects.
        restored_path: the tensor of the path of restores; one that is fed if None.
    """

    def __init__(self, graph_view: ObjectGraphView, restored_path: Tensor | None = None) -> None:
        self._graph_view = graph_view
        # Tensors that are fed, made with the first save or restore.
        self._saved_prefix: Tensor | None = None
        self._restored_prefix = restored_path
        self._object_graph: Tensor | None = None
        self._save_op: Tensor | None = None
        self._saved_graph: Any = None
        self._restore_op_cache: dict[str, Operation] = {}

    def save(
        self, file_prefix: str, checkpoint_number: int | None = None, session: Any = None
    ) -> str:
        """Writes a checkpoint.

        Args:
            file_prefix: the beginning of the names of the files.
            checkpoint_number: a number that is added to the names.
            session: the session; the default session if None.

        Returns:
            The path for `restore`.
        """
        prefix = path_text(file_prefix)
        if checkpoint_number:
            prefix = f"{prefix}-{checkpoint_number}"
        if self._object_graph is None or self._saved_prefix is None:
            self._object_graph = _fed_constant("")
            self._saved_prefix = _fed_constant("")
        saveables, proto, feeds = self._graph_view.serialize_object_graph()
        if self._save_op is None or proto != self._saved_graph:
            saveables = [
                *saveables,
                NoRestoreSaveable(self._object_graph, OBJECT_GRAPH_PROTO_KEY, dtype=string),
            ]
            self._save_op = _save_all(self._saved_prefix, saveables)
            self._saved_graph = proto
        feeds[self._object_graph] = proto.SerializeToString()
        feeds[self._saved_prefix] = prefix
        make_folders(folder_of(prefix))
        path: bytes = (session or get_session()).run(self._save_op, feed_dict=feeds)
        return path.decode()

    def restore(self, save_path: str | None) -> LoadStatus:
        """Begins to restore a checkpoint.

        Objects that are there are bound now, others as soon as they become dependencies. Values in
        Python are restored at once, those of variables by the ops of the result.

        Args:
            save_path: the path as `save` returns it; None to restore nothing.

        Returns:
            The state of the restore.

        Raises:
            NotFoundError: if there is no such checkpoint.
        """
        if save_path is None:
            return InitializationOnlyStatus(self._graph_view, next_uid())
        path = path_text(save_path)
        try:
            serialized = CheckpointReader(path).get_tensor(OBJECT_GRAPH_PROTO_KEY)
        except errors.NotFoundError:
            # Without such a checkpoint, this raises the error of the missing file.
            return NameBasedSaverStatus(NameBasedCheckpoint(path), self._graph_view)
        if self._restored_prefix is None:
            self._restored_prefix = _fed_constant("model")
        checkpoint = RestoreCoordinator(
            parsed_object_graph(serialized),
            path,
            self._restored_prefix,
            self._restore_op_cache,
            self._graph_view,
        )
        CheckpointPosition(checkpoint, 0).restore(self._graph_view.root)
        return CheckpointLoadStatus(checkpoint, {self._restored_prefix: path}, self._graph_view)


def _fed_constant(value: str) -> Tensor:
    with on_device("/cpu:0"):
        return constant_node(value)


def _save_all(path: Tensor, saveables: list[SaveableObject]) -> Tensor:
    """Each device writes its own files under temporary names; they are then renamed."""
    with on_device("/cpu:0"):
        folder = constant_node(f"_temp_{uuid.uuid4().hex}/part", name="StringJoin/inputs_1")
        draft = build.StringJoin([path, folder])
    shards = shards_of(saveables)
    count = constant_node(len(shards), name="num_shards")
    files, saved = [], []
    for number, (device, own) in enumerate(shards):
        with on_device(cpu_of(device)):
            files.append(build.ShardedFilename(draft, number, count))
            saved.append(save_op(files[-1], own))
    with on_device(cpu_of(shards[-1][0])):
        with control_dependencies(saved):
            merge = build.MergeV2Checkpoints(files, path, delete_old_dirs=True)
        with control_dependencies([merge]):
            return build.Identity(path)


def saver_with_op_caching(obj: Trackable) -> TrackableSaver:
    """A saver of an object and what it depends on.

    Args:
        obj: the object.
    """
    return TrackableSaver(ObjectGraphView(obj))


def frozen_saver(root_trackable: Trackable) -> Saver:
    """A Saver of the objects that a root has now, under the keys of a checkpoint of objects.

    Args:
        root_trackable: the root.
    """
    view = ObjectGraphView(root_trackable)
    saveables = view.frozen_saveable_objects()
    proto = view.serialize_object_graph()[1]
    with on_device("/cpu:0"):
        graph = constant_node(proto.SerializeToString())
    return Saver([*saveables, NoRestoreSaveable(graph, OBJECT_GRAPH_PROTO_KEY, dtype=string)])


def streaming_restore(status: LoadStatus, session: Any = None) -> None:
    """Restores what has been found, and everything else as soon as it is made.

    Args:
        status: what `restore` has returned.
        session: the session; the default session if None.

    Raises:
        NotImplementedError: for a checkpoint of variables by name.
    """
    session = session or get_session()
    if isinstance(status, InitializationOnlyStatus):
        return
    if not isinstance(status, CheckpointLoadStatus):
        raise NotImplementedError(
            "Streaming restore not supported from name-based checkpoints. File a feature request "
            "if this limitation bothers you."
        )
    status.run_restore_ops(session)
    feeds = status._feed_dict
    status._checkpoint.new_restore_ops_callback = lambda ops: session.run(ops, feed_dict=feeds)


@export("contrib.checkpoint.list_objects")
def list_objects(root_trackable: Trackable) -> list[Any]:
    """All objects below a root: the root, what it depends on, and slots of optimizers.

    Args:
        root_trackable: the root.

    Returns:
        A list.
    """
    return ObjectGraphView(root_trackable).list_objects()


def gather_initializers(root_trackable: Trackable) -> list[Any]:
    """The initializers of all objects below a root.

    Args:
        root_trackable: the root.
    """
    return [
        obj.initializer
        for obj in ObjectGraphView(root_trackable).list_objects()
        if getattr(obj, "initializer", None) is not None
    ]
