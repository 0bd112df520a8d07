"""`tf.train.Saver`: writes variables to checkpoints and reads them back."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from headwater.base import errors, logging
from headwater.base.export import export
from headwater.base.typing import TensorLike
from headwater.graph import Graph, get_default_graph
from headwater.graph.collection_protos import register_proto_function
from headwater.graph.graph_keys import GraphKeys
from headwater.io.checkpoint_shards import save_shards
from headwater.io.files import folder_of, is_folder, path_text
from headwater.model.global_step import global_step as value_of_step
from headwater.protos.lazy import LazyMessage, meta_graph_pb2, saver_pb2
from headwater.session.session import BaseSession, Session
from headwater.train.checkpoints import checkpoint_state, meta_graph
from headwater.train.checkpoints.object_graphs import items_by_key, names_to_keys
from headwater.train.checkpoints.saveables import all_saveables, items_by_name, saveables_of
from headwater.train.checkpoints.saver_nodes import build_nodes

if TYPE_CHECKING:
    from headwater.protos.meta_graph_pb2 import MetaGraphDef
    from headwater.protos.saver_pb2 import SaverDef

_V2 = 2
# Keyword arguments of `import_meta_graph`, and those of `add_meta_graph` that take them.
_IMPORT_ARGUMENTS = {
    "input_map": "input_map",
    "restore_collections_predicate": "takes_collection",
    "return_elements": "return_elements",
    "unbound_inputs_col_name": "unbound_key",
}


@export("train.Saver")
class Saver:
    """Writes variables to checkpoints and reads them back.

    Args:
        var_list: variables (or other saveable objects) as a list, or as a dict by their names in
            the checkpoint; None for all global variables.
        reshape: whether restored values take the shape of the variable.
        sharded: whether a checkpoint has a file for each device.
        max_to_keep: how many checkpoints are kept; None or 0 for all.
        keep_checkpoint_every_n_hours: of how many hours one checkpoint is kept for good.
        name: the name scope of the nodes; "save" by default.
        restore_sequentially: what a `builder` is told; it has no other effect.
        saver_def: a SaverDef whose nodes are in the graph, instead of new nodes.
        builder: makes the nodes that write and read (`save_op`, `bulk_restore`); None for the usual
            ones.
        defer_build: whether the nodes are made by a call of `build`.
        allow_empty: whether there may be no variables.
        write_version: the format, V1 or V2 of SaverDef.
        pad_step_number: whether steps in names have 8 digits.
        save_relative_paths: whether the `checkpoint` file names checkpoints relative to itself.
        filename: the default path.

    Raises:
        TypeError: if `var_list` is of another type.
        ValueError: if there is nothing to save, or names are not unique.
    """

    def __init__(
        self,
        var_list: Any = None,
        reshape: bool = False,
        sharded: bool = False,
        max_to_keep: int | None = 5,
        keep_checkpoint_every_n_hours: float = 10000.0,
        name: str | None = None,
        restore_sequentially: bool = False,
        saver_def: SaverDef | None = None,
        builder: Any = None,
        defer_build: bool = False,
        allow_empty: bool = False,
        write_version: int = _V2,
        pad_step_number: bool = False,
        save_relative_paths: bool = False,
        filename: str | None = None,
    ) -> None:
        if defer_build and var_list:
            raise ValueError(
                "If `var_list` is provided then build cannot be deferred. Either set "
                "defer_build=False or var_list=None."
            )
        self._var_list = var_list
        self._reshape = reshape
        self._sharded = sharded
        self._max_to_keep = max_to_keep or 0
        self._keep_hours = keep_checkpoint_every_n_hours
        self._name = name
        self._restore_sequentially = restore_sequentially
        self._builder = builder
        self.saver_def: Any = saver_def
        self._allow_empty = allow_empty
        self._write_version = write_version
        self._pad_step_number = pad_step_number
        self._save_relative_paths = save_relative_paths
        self._filename = filename
        self._is_empty = False
        self._is_built = False
        # The keys of a checkpoint of objects, and a saver that reads such checkpoints.
        self._object_saver: tuple[dict[str, str], Saver] | None = None
        self._reads_objects = False
        self._last_checkpoints: list[tuple[str, float]] = []
        self._to_delete: list[tuple[str, float]] = []
        if not defer_build:
            self.build()

    def build(self) -> None:
        """Makes the nodes, if the saver was made without them.

        Raises:
            ValueError: if there is nothing to save.
        """
        if self._is_built:
            return
        self._is_built = True
        if self.saver_def is None:
            items = all_saveables() if self._var_list is None else self._var_list
            if not isinstance(items, (dict, list, tuple, set)):
                raise TypeError(f"Variables to save should be passed in a dict or a list: {items}")
            if not items:
                if not self._allow_empty:
                    raise ValueError("No variables to save")
                self._is_empty = True
                return
            self.saver_def = build_nodes(
                saveables_of(items),
                name=self._name,
                reshape=self._reshape,
                sharded=self._sharded,
                filename=self._filename or "model",
                max_to_keep=self._max_to_keep,
                keep_hours=self._keep_hours,
                version=self._write_version,
                builder=self._builder,
                sequentially=self._restore_sequentially,
            )
        elif self._name:
            # The nodes were imported into a scope.
            scoped = saver_pb2.SaverDef()
            scoped.CopyFrom(self.saver_def)
            for field in ("filename_tensor_name", "save_tensor_name", "restore_op_name"):
                setattr(scoped, field, f"{self._name}/{getattr(scoped, field)}")
            self.saver_def = scoped
        self._max_to_keep = self.saver_def.max_to_keep
        self._keep_hours = self.saver_def.keep_checkpoint_every_n_hours
        self._sharded = self.saver_def.sharded
        self._next_kept = time.time() + self._keep_hours * 3600

    def as_saver_def(self) -> SaverDef:
        """The SaverDef that names the nodes."""
        return self.saver_def

    def to_proto(self, export_scope: str | None = None) -> SaverDef | None:
        """The saver as a proto.

        Args:
            export_scope: only nodes in this name scope, which is left out of the names.

        Returns:
            A SaverDef, or None if the saver is not in the scope.
        """
        if export_scope is None:
            return self.saver_def
        prefix = export_scope.rstrip("/") + "/"
        if not (
            self.saver_def.filename_tensor_name.startswith(prefix)
            and self.saver_def.save_tensor_name.startswith(prefix)
            and self.saver_def.restore_op_name.startswith(prefix)
        ):
            return None
        proto = saver_pb2.SaverDef()
        proto.CopyFrom(self.saver_def)
        for field in ("filename_tensor_name", "save_tensor_name", "restore_op_name"):
            setattr(proto, field, getattr(proto, field)[len(prefix) :])
        return proto

    @staticmethod
    def from_proto(saver_def: Any, import_scope: str | None = None) -> Saver:
        """A saver whose nodes are in the graph.

        Args:
            saver_def: a SaverDef.
            import_scope: the name scope of the nodes.

        Returns:
            A Saver.
        """
        return Saver(saver_def=saver_def, name=import_scope)

    # Written checkpoints

    @property
    def last_checkpoints(self) -> list[str]:
        """The paths of the checkpoints that are not deleted, the oldest first."""
        return [path for path, _ in self._last_checkpoints]

    def set_last_checkpoints(self, last_checkpoints: list[str]) -> None:
        """Sets the paths of earlier checkpoints.

        Args:
            last_checkpoints: the paths, the oldest first.

        Raises:
            AssertionError: if it is not a list.
        """
        if not isinstance(last_checkpoints, list):
            raise AssertionError
        self._last_checkpoints = [(path, np.inf) for path in last_checkpoints]

    def set_last_checkpoints_with_time(
        self, last_checkpoints_with_time: list[tuple[str, float]]
    ) -> None:
        """Sets the paths and times of earlier checkpoints.

        Args:
            last_checkpoints_with_time: pairs of path and seconds since 1970, the oldest first.

        Raises:
            AssertionError: if it is not a list.
        """
        if not isinstance(last_checkpoints_with_time, list):
            raise AssertionError
        self._last_checkpoints = last_checkpoints_with_time

    def recover_last_checkpoints(self, checkpoint_paths: list[str]) -> None:
        """Takes over those of earlier checkpoints that still exist.

        Args:
            checkpoint_paths: the paths, the oldest first.
        """
        self._last_checkpoints = [
            (path, checkpoint_state.get_checkpoint_mtimes([path])[0])
            for path in checkpoint_paths
            if checkpoint_state.checkpoint_exists(path)
        ]

    def _record(self, path: str) -> None:
        if self._max_to_keep <= 0:
            return
        self._last_checkpoints = [item for item in self._last_checkpoints if item[0] != path]
        self._last_checkpoints.append((path, time.time()))
        if len(self._last_checkpoints) > self._max_to_keep:
            self._to_delete.append(self._last_checkpoints.pop(0))

    def _delete_old(self, meta_graph_suffix: str) -> None:
        if not self._to_delete:
            return
        path, written = self._to_delete.pop(0)
        if written > self._next_kept:
            self._next_kept += self._keep_hours * 3600
            return
        try:
            checkpoint_state.remove_checkpoint(path, self.saver_def.version, meta_graph_suffix)
        except errors.OpError as error:
            logging.warning("Ignoring: %s", error)

    # Saving and restoring

    def save(
        self,
        sess: BaseSession,
        save_path: str,
        global_step: TensorLike | None = None,
        latest_filename: str | None = None,
        meta_graph_suffix: str = "meta",
        write_meta_graph: bool = True,
        write_state: bool = True,
        strip_default_attrs: bool = False,
        save_debug_info: bool = False,
    ) -> str | None:
        """Writes a checkpoint.

        Args:
            sess: the session that holds the values.
            save_path: the beginning of the names of the files.
            global_step: a number that is added to the names: an int, a tensor or its name.
            latest_filename: the name of the state file; "checkpoint" by default.
            meta_graph_suffix: the end of the name of the MetaGraphDef.
            write_meta_graph: whether the graph is written too.
            write_state: whether the state file is written.
            strip_default_attrs: whether attrs with default values are left out of the graph.
            save_debug_info: has no effect.

        Returns:
            The path for `restore`; None if there is nothing to save.

        Raises:
            TypeError: if `sess` is not a session.
            ValueError: if `latest_filename` is a path or collides with `save_path`.
            RuntimeError: if the nodes have not been made.
        """
        if not self._is_built:
            raise RuntimeError("`build()` should be called before save if defer_build==True")
        latest_filename = latest_filename or checkpoint_state.DEFAULT_NAME
        if "/" in latest_filename:
            raise ValueError("'latest_filename' must not contain path components")
        save_path = path_text(save_path)
        path = save_path
        if global_step is not None:
            if not isinstance(global_step, (int, np.integer)):
                global_step = value_of_step(sess, global_step)
            path += f"-{global_step:08d}" if self._pad_step_number else f"-{global_step}"
        if not self._sharded and save_path.rpartition("/")[2] == latest_filename:
            raise ValueError(
                f"'latest_filename' collides with 'save_path': '{latest_filename}' and "
                f"'{save_path}'"
            )
        if not isinstance(sess, BaseSession):
            raise TypeError(f"'sess' must be a Session; {sess}")
        if not self._is_empty:
            if self.saver_def.version != saver_pb2.SaverDef.V2:
                checkpoint_state.advise_v2()
            try:
                path = self._write(sess, path)
            except (errors.FailedPreconditionError, errors.NotFoundError) as error:
                if is_folder(folder_of(save_path) or "."):
                    raise
                raise ValueError(
                    f"Parent directory of {save_path} doesn't exist, can't save."
                ) from error
            if write_state:
                self._record(path)
                checkpoint_state.write_state(
                    path.rpartition("/")[0] or ("/" if path.startswith("/") else ""),
                    path,
                    self.last_checkpoints,
                    latest_filename,
                    self._save_relative_paths,
                )
                self._delete_old(meta_graph_suffix)
        if write_meta_graph:
            with sess.graph.as_default():
                self.export_meta_graph(
                    checkpoint_state.meta_graph_path(path, meta_graph_suffix),
                    strip_default_attrs=strip_default_attrs,
                )
        return None if self._is_empty else path

    def _write(self, sess: BaseSession, path: str) -> str:
        definition = self.saver_def

        def run(prefix: str) -> str:
            feeds = {definition.filename_tensor_name: prefix}
            result = sess.run(definition.save_tensor_name, feeds)
            return result.decode() if isinstance(result, bytes) else str(result)

        in_shards = definition.sharded and definition.version != saver_pb2.SaverDef.V2
        return save_shards(path, run) if in_shards else run(path)

    def restore(self, sess: Session, save_path: str | None) -> None:
        """Gives variables the values of a checkpoint; they need not be initialized.

        Args:
            sess: the session that holds the values.
            save_path: what `save` has returned, or `tf.train.latest_checkpoint`.

        Raises:
            ValueError: if there is no such checkpoint.
            NotFoundError: if a variable is not in it.
            InvalidArgumentError: if a shape or type does not fit.
        """
        if self._is_empty:
            return
        if save_path is None:
            raise ValueError("Can't load save_path when it is None.")
        path = path_text(save_path)
        if not checkpoint_state.checkpoint_exists(path):
            raise ValueError(f"The passed save_path is not a valid checkpoint: {path}")
        logging.info("Restoring parameters from %s", path)
        try:
            self._read(sess, path)
        except errors.NotFoundError as error:
            if self._reads_objects:
                raise
            self._read_objects(sess, path, error)
        except errors.InvalidArgumentError as error:
            text = checkpoint_state.mismatch(error)
            raise errors.InvalidArgumentError(error.node_def, error.op, text) from None

    def _read(self, sess: Session, path: str) -> None:
        definition = self.saver_def
        sess.run(definition.restore_op_name, {definition.filename_tensor_name: path})

    def _read_objects(self, sess: Session, path: str, error: errors.NotFoundError) -> None:
        """Reads a checkpoint of objects, or raises the error of variables that are missing."""
        try:
            keys = names_to_keys(path)
        except errors.NotFoundError:
            text = checkpoint_state.missing(error)
            raise errors.NotFoundError(error.node_def, error.op, text) from None
        logging.warning(
            "Restoring an object-based checkpoint using a name-based saver. This may be somewhat "
            "fragile, and will re-build the Saver. Instead, consider loading object-based "
            "checkpoints using tf.train.Checkpoint()."
        )
        if self._object_saver is None or self._object_saver[0] != keys:
            items = all_saveables() if self._var_list is None else self._var_list
            by_key = items_by_key(items_by_name(items), keys)
            saver = Saver(by_key)
            saver._reads_objects = True
            self._object_saver = keys, saver
        self._object_saver[1].restore(sess, path)

    def export_meta_graph(
        self,
        filename: str | None = None,
        collection_list: Sequence[str] | None = None,
        as_text: bool = False,
        export_scope: str | None = None,
        clear_devices: bool = False,
        clear_extraneous_savers: bool = False,
        strip_default_attrs: bool = False,
        save_debug_info: bool = False,
    ) -> MetaGraphDef:
        """Writes the default graph with its collections and this saver.

        Args:
            filename: the path of a file, or None.
            collection_list: the keys of the collections; None for all.
            as_text: whether the file is in text form.
            export_scope: the only name scope that is written; names are then without it, and inputs
            from outside get the prefix ``$unbound_inputs_``.
            clear_devices: whether devices are left out.
            clear_extraneous_savers: has no effect.
            strip_default_attrs: whether attrs with default values are left out.
            save_debug_info: has no effect.

        Returns:
            A MetaGraphDef.
        """
        return export_meta_graph(
            filename,
            saver_def=self.saver_def,
            collection_list=collection_list,
            as_text=as_text,
            export_scope=export_scope,
            clear_devices=clear_devices,
            strip_default_attrs=strip_default_attrs,
        )


register_proto_function(
    GraphKeys.SAVERS,
    proto_type=LazyMessage(saver_pb2, "SaverDef"),
    to_proto=Saver.to_proto,
    from_proto=Saver.from_proto,
)


def default_saver() -> Saver:
    """The saver of the default graph, made if there is none.

    Returns:
        The only Saver of the collection SAVERS.

    Raises:
        RuntimeError: if there are several.
    """
    graph = get_default_graph()
    savers = graph.get_collection(GraphKeys.SAVERS)
    if len(savers) > 1:
        raise RuntimeError(
            f"More than one item in collection {GraphKeys.SAVERS}. Please indicate which one to "
            "use by passing it to the constructor."
        )
    if savers:
        return savers[0]
    saver = Saver(sharded=True, allow_empty=True)
    graph.add_to_collection(GraphKeys.SAVERS, saver)
    return saver


@export("train.export_meta_graph")
def export_meta_graph(
    filename: str | None = None,
    meta_info_def: MetaGraphDef.MetaInfoDef | None = None,
    graph_def: Any = None,
    saver_def: SaverDef | None = None,
    collection_list: Sequence[str] | None = None,
    as_text: bool = False,
    graph: Graph | None = None,
    export_scope: str | None = None,
    clear_devices: bool = False,
    clear_extraneous_savers: bool = False,
    strip_default_attrs: bool = False,
    save_debug_info: bool = False,
    **kwargs: Any,
) -> MetaGraphDef:
    """Writes a graph with its collections.

    Args:
        filename: the path of a file, or None.
        meta_info_def: a MetaInfoDef to begin with.
        graph_def: the nodes, if not those of the graph.
        saver_def: a SaverDef of the graph.
        collection_list: the keys of the collections; None for all.
        as_text: whether the file is in text form.
        graph: the Graph; the default graph by default.
        export_scope: None; parts of graphs are not written.
        clear_devices: whether devices are left out.
        clear_extraneous_savers: has no effect.
        strip_default_attrs: whether attrs with default values are left out.
        save_debug_info: has no effect.
        **kwargs: have no effect.

    Returns:
        A MetaGraphDef.
    """
    graph = graph or get_default_graph()
    proto = meta_graph.make_meta_graph(
        graph.as_graph_def(add_shapes=True) if graph_def is None else graph_def,
        graph,
        saver_def,
        collection_list,
        meta_info_def,
        strip_default_attrs,
        export_scope,
    )
    if clear_devices:
        for node in proto.graph_def.node:
            node.device = ""
    if filename:
        meta_graph.write_proto(proto, filename, as_text)
    return proto


@export("train.import_meta_graph")
def import_meta_graph(
    meta_graph_or_file: MetaGraphDef | str,
    clear_devices: bool = False,
    import_scope: str | None = None,
    **kwargs: Any,
) -> Saver | None:
    """Adds the nodes and collections of a MetaGraphDef to the default graph.

    Args:
        meta_graph_or_file: a MetaGraphDef or the path of a file.
        clear_devices: whether devices are left out.
        import_scope: a name scope for the nodes.
        **kwargs: ``input_map``, ``unbound_inputs_col_name``, ``restore_collections_predicate`` and
            ``return_elements``, as for `import_scoped_meta_graph_with_return_elements`.

    Returns:
        A Saver for its variables, or None if it has none.

    Raises:
        ValueError: if inputs from outside an exported scope are not in ``input_map``.
        TypeError: if there is another argument.
        OSError: if there is no such file, or it is not a MetaGraphDef.
    """
    return import_meta_graph_with_elements(
        meta_graph_or_file, clear_devices, import_scope, **kwargs
    )[0]


def import_meta_graph_with_elements(
    meta_graph_or_file: MetaGraphDef | str,
    clear_devices: bool = False,
    import_scope: str | None = None,
    **kwargs: Any,
) -> tuple[Saver | None, list[Any] | None]:
    """Like `import_meta_graph`; also returns what the argument `return_elements` names."""
    unknown = [name for name in kwargs if name not in _IMPORT_ARGUMENTS]
    if unknown:
        raise TypeError(
            "import_scoped_meta_graph_with_return_elements() got an unexpected keyword argument "
            f"{unknown[0]!r}"
        )
    proto = (
        meta_graph_or_file
        if isinstance(meta_graph_or_file, meta_graph_pb2.MetaGraphDef)
        else meta_graph.read_meta_graph(meta_graph_or_file)
    )
    scope, elements = meta_graph.add_meta_graph(
        proto,
        clear_devices,
        import_scope,
        **{_IMPORT_ARGUMENTS[name]: value for name, value in kwargs.items()},
    )
    saver = None
    if proto.HasField("saver_def"):
        saver = Saver(saver_def=proto.saver_def, name=scope or None)
    elif all_saveables(scope or None):
        saver = Saver()
    else:
        logging.info("Saver not created because there are no variables in the graph to restore")
    return saver, elements
