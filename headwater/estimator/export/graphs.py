"""The graphs of an exported model."""

from __future__ import annotations

import traceback
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from headwater.base import errors
from headwater.estimator.export.saved_models import signature_defs
from headwater.estimator.mode_keys import ModeKeys
from headwater.estimator.model_fn import EstimatorSpec, export_outputs_for_mode
from headwater.graph import get_default_graph
from headwater.graph.graph_keys import GraphKeys
from headwater.serving.saved_model.builder import SavedModelBuilder
from headwater.session.session import Session
from headwater.train.checkpoints.saver import Saver
from headwater.train.sessions.scaffold import Scaffold

if TYPE_CHECKING:
    from headwater.protos.meta_graph_pb2 import SignatureDef


def spec_signatures(spec: EstimatorSpec, receiver: Any, mode: str) -> dict[str, SignatureDef]:
    """The signatures of a model.

    Args:
        spec: what the model function has returned.
        receiver: an input receiver.
        mode: a value of ModeKeys.

    Returns:
        SignatureDefs by name.
    """
    outputs = export_outputs_for_mode(
        mode=spec.mode,
        serving_export_outputs=spec.export_outputs,
        predictions=spec.predictions,
        loss=spec.loss,
        metrics=spec.eval_metric_ops,
    )
    return signature_defs(
        receiver.receiver_tensors,
        outputs,
        getattr(receiver, "receiver_tensors_alternatives", None),
        serving_only=mode == ModeKeys.PREDICT,
    )


def add_graph(
    builder: SavedModelBuilder,
    session: Session,
    spec: EstimatorSpec,
    checkpoint_path: str | None,
    save_variables: bool,
    arguments: Mapping[str, Any],
) -> None:
    """Adds the default graph to a SavedModel.

    Args:
        builder: the builder of the SavedModel.
        session: a session of the graph.
        spec: what the model function has returned.
        checkpoint_path: the checkpoint to restore; None for a graph whose variables have been
            written with another one.
        save_variables: whether the variables are written.
        arguments: further arguments of the builder.

    Raises:
        ValueError: if variables are not in the checkpoint.
    """
    main_op = spec.scaffold.local_init_op
    if main_op is None:
        main_op = Scaffold.default_local_init_op()
    builder._add_train_op(spec.train_op)
    saver = spec.scaffold.saver or Saver(sharded=True)
    if checkpoint_path is not None:
        _restore(saver, session, checkpoint_path, spec.mode)
    all_arguments = {
        **arguments,
        "assets_collection": get_default_graph().get_collection(GraphKeys.ASSET_FILEPATHS),
        "main_op": main_op,
        "saver": saver,
    }
    if save_variables:
        builder.add_meta_graph_and_variables(session, **all_arguments)
    else:
        builder.add_meta_graph(**all_arguments)


def _restore(saver: Saver, session: Session, checkpoint_path: str, mode: str) -> None:
    try:
        saver.restore(session, checkpoint_path)
    except errors.NotFoundError as error:
        raise ValueError(
            "Could not load all requested variables from checkpoint. Please make sure your "
            "model_fn does not expect variables that were not saved in the checkpoint.\n\n"
            f"Encountered error with mode `{mode}` while restoring checkpoint from: "
            f"`{checkpoint_path}`. Full Traceback:\n\n{traceback.format_exc()}"
        ) from error
