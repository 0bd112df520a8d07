"""`tf.saved_model.load` and `SavedModelLoader`: read SavedModels into a session."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from headwater.base import logging
from headwater.base.export import export
from headwater.graph import Graph, Operation, Tensor, get_default_graph
from headwater.graph.scope_names import prepend_name_scope
from headwater.serving.saved_model import constants
from headwater.serving.saved_model.assets import get_asset_tensors
from headwater.serving.saved_model.files import (
    get_variables_path,
    meta_graph_with_tags,
    parse_saved_model,
)
from headwater.serving.saved_model.signature_defs import load_op_from_signature_def
from headwater.session.session import Session
from headwater.train.checkpoints.saveables import all_saveables
from headwater.train.checkpoints.saver import Saver, import_meta_graph_with_elements

if TYPE_CHECKING:
    from headwater.protos.meta_graph_pb2 import MetaGraphDef
    from headwater.protos.saved_model_pb2 import SavedModel


@export("saved_model.load", "saved_model.loader.load")
def load(
    sess: Session,
    tags: Iterable[str],
    export_dir: Any,
    import_scope: str | None = None,
    **saver_kwargs: Any,
) -> MetaGraphDef:
    """Adds a graph of a SavedModel to a session's graph, restores its variables and runs its
    main operation with the paths of the assets.

    Args:
        sess: the session.
        tags: the tags of the graph, all of them.
        export_dir: the folder of the SavedModel.
        import_scope: a name scope for the nodes.
        **saver_kwargs: arguments of `tf.train.import_meta_graph`.

    Returns:
        The MetaGraphDef.

    Raises:
        OSError: if there is no SavedModel, or it cannot be parsed.
        RuntimeError: if it has no graph with these tags, or several main operations.
        ValueError: if its variables are missing.
    """
    return SavedModelLoader(export_dir).load(sess, tags, import_scope, **saver_kwargs)


class SavedModelLoader:
    """Reads a SavedModel, as a whole or step by step.

    Args:
        export_dir: the folder of the SavedModel.

    Raises:
        OSError: if there is no SavedModel, or it cannot be parsed.
    """

    def __init__(self, export_dir: Any) -> None:
        self._export_dir = export_dir
        self._variables_path = get_variables_path(export_dir)
        self._saved_model = parse_saved_model(export_dir)

    @property
    def export_dir(self) -> Any:
        """The folder of the SavedModel."""
        return self._export_dir

    @property
    def variables_path(self) -> str:
        """The path of the checkpoint of the variables."""
        return self._variables_path

    @property
    def saved_model(self) -> SavedModel:
        """The SavedModel proto."""
        return self._saved_model

    def get_meta_graph_def_from_tags(self, tags: Iterable[str]) -> MetaGraphDef:
        """Finds a graph.

        Args:
            tags: its tags, all of them.

        Returns:
            A MetaGraphDef.

        Raises:
            RuntimeError: if there is none.
        """
        # A string stands for its characters, and is named as such in the error.
        text = tags if isinstance(tags, str) else None
        tags = list(tags)
        found = meta_graph_with_tags(self._saved_model, tags)
        if found is None:
            named = text if text is not None else str(tags).strip("[]")
            available = [set(m.meta_info_def.tags) for m in self._saved_model.meta_graphs]
            raise RuntimeError(
                f"MetaGraphDef associated with tags {named} could not be found in SavedModel. To "
                "inspect available tag-sets in the SavedModel, please use the SavedModel CLI: "
                f"`saved_model_cli`\navailable_tags: {available}"
            )
        return found

    def load_graph(
        self,
        graph: Graph,
        tags: Iterable[str],
        import_scope: str | None = None,
        **saver_kwargs: Any,
    ) -> tuple[Saver | None, list[Any] | None]:
        """Adds the nodes and collections to a graph.

        Args:
            graph: the Graph.
            tags: the tags of the MetaGraphDef.
            import_scope: a name scope for the nodes.
            **saver_kwargs: arguments of `tf.train.import_meta_graph`; `return_elements` names
                nodes and tensors that are returned.

        Returns:
            The Saver of the variables, or None if there are none, and what `return_elements` names.

        Raises:
            RuntimeError: if there is no such MetaGraphDef.
        """
        meta_graph = self.get_meta_graph_def_from_tags(tags)
        # Both fail before a node is added if they cannot be found.
        with graph.as_default():
            return import_meta_graph_with_elements(
                meta_graph, import_scope=import_scope, **saver_kwargs
            )

    def restore_variables(
        self, sess: Session, saver: Saver | None, import_scope: str | None = None
    ) -> None:
        """Restores the variables.

        Args:
            sess: the session.
            saver: what `load_graph` has returned.
            import_scope: the name scope of the nodes.

        Raises:
            ValueError: if the variables are missing.
        """
        with sess.graph.as_default():
            if saver is None and not all_saveables(import_scope):
                logging.info(
                    "The specified SavedModel has no variables; no checkpoints were restored."
                )
            elif isinstance(saver, Saver):
                saver.restore(sess, self._variables_path)
            else:
                raise ValueError(
                    "No tf.train.Saver object was passed to the function "
                    "`SavedModelLoader.restore_variables`. Since there are variables in the "
                    "graph, a saver is required."
                )

    def run_init_ops(
        self, sess: Session, tags: Iterable[str], import_scope: str | None = None
    ) -> None:
        """Runs the main operation, if there is one, with the paths of the assets.

        Args:
            sess: the session.
            tags: the tags of the MetaGraphDef.
            import_scope: the name scope of the nodes.

        Raises:
            RuntimeError: if there are several.
        """
        meta_graph = self.get_meta_graph_def_from_tags(tags)
        with sess.graph.as_default():
            paths = get_asset_tensors(self._export_dir, meta_graph, import_scope=import_scope)
            init_op = get_init_op(meta_graph, import_scope)
            if init_op is not None:
                sess.run(fetches=[init_op], feed_dict=paths)

    def load(
        self,
        sess: Session,
        tags: Iterable[str],
        import_scope: str | None = None,
        **saver_kwargs: Any,
    ) -> MetaGraphDef:
        """Adds a graph, restores the variables and runs the main operation.

        Args:
            sess: the session.
            tags: the tags of the MetaGraphDef.
            import_scope: a name scope for the nodes.
            **saver_kwargs: arguments of `tf.train.import_meta_graph`.

        Returns:
            The MetaGraphDef.
        """
        tags = tags if isinstance(tags, str) else list(tags)
        with sess.graph.as_default():
            saver, _ = self.load_graph(sess.graph, tags, import_scope, **saver_kwargs)
            self.restore_variables(sess, saver, import_scope)
            self.run_init_ops(sess, tags, import_scope)
        return self.get_meta_graph_def_from_tags(tags)


def get_init_op(meta_graph_def: MetaGraphDef, import_scope: str | None = None) -> Any:
    """Returns the operation of the default graph that initializes a SavedModel, or None.

    Raises:
        RuntimeError: if a collection names several.
    """
    return (
        _op_of_signature(meta_graph_def, constants.INIT_OP_SIGNATURE_KEY, import_scope)
        or _op_of_collection(meta_graph_def, constants.MAIN_OP_KEY, import_scope)
        or _op_of_collection(meta_graph_def, constants.LEGACY_INIT_OP_KEY, import_scope)
    )


def get_train_op(meta_graph_def: MetaGraphDef, import_scope: str | None = None) -> Any:
    """Returns the operation or tensor of the default graph that trains a SavedModel, or None."""
    found = _op_of_signature(meta_graph_def, constants.TRAIN_OP_SIGNATURE_KEY, import_scope)
    if found is None:
        items = get_default_graph().get_collection(constants.TRAIN_OP_KEY)
        found = items[0] if items else None
    return found


def _op_of_signature(meta_graph: MetaGraphDef, key: str, import_scope: str | None) -> Any:
    if key not in meta_graph.signature_def:
        return None
    return load_op_from_signature_def(meta_graph.signature_def[key], key, import_scope)


def _op_of_collection(
    meta_graph: MetaGraphDef, key: str, import_scope: str | None
) -> Operation | Tensor | None:
    if key not in meta_graph.collection_def:
        return None
    names: Sequence[str] = meta_graph.collection_def[key].node_list.value
    if len(names) != 1:
        raise RuntimeError(f"Expected exactly one SavedModel init op. Found: {list(names)}")
    return get_default_graph().as_graph_element(prepend_name_scope(names[0], import_scope))
