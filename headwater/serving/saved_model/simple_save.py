"""`tf.saved_model.simple_save`: a SavedModel with one graph for serving, in one call."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from headwater.base.export import export
from headwater.base.typing import TensorLike
from headwater.graph import Operation, get_default_graph
from headwater.graph.graph_keys import GraphKeys
from headwater.serving.saved_model import constants
from headwater.serving.saved_model.builder import SavedModelBuilder
from headwater.serving.saved_model.signature_defs import predict_signature_def
from headwater.session.session import BaseSession


@export("saved_model.simple_save")
def simple_save(
    session: BaseSession,
    export_dir: Any,
    inputs: Mapping[str, TensorLike],
    outputs: Mapping[str, TensorLike],
    legacy_init_op: Operation | None = None,
) -> None:
    """Writes the default graph and its variables as a SavedModel with one signature.

    Args:
        session: the session that holds the values.
        export_dir: the folder of the SavedModel, which must be new or empty.
        inputs: Tensors by their keys in the signature.
        outputs: Tensors by their keys in the signature.
        legacy_init_op: an operation that the loader runs.

    Raises:
        AssertionError: if something is in the folder.
        ValueError: if `inputs` or `outputs` are empty.
    """
    signature = predict_signature_def(inputs, outputs)
    builder = SavedModelBuilder(export_dir)
    builder.add_meta_graph_and_variables(
        session,
        tags=[constants.SERVING],
        signature_def_map={constants.DEFAULT_SERVING_SIGNATURE_DEF_KEY: signature},
        assets_collection=get_default_graph().get_collection(GraphKeys.ASSET_FILEPATHS),
        main_op=legacy_init_op,
        clear_devices=True,
    )
    builder.save()
