"""`tf.keras.experimental.export_saved_model`: models as graphs for training and serving."""

from __future__ import annotations

from typing import Any

from headwater.base import logging
from headwater.base.export import export
from headwater.graph import Graph, control_dependencies
from headwater.graph.graph_keys import GraphKeys
from headwater.io.files import join_path, open_file, read_bytes
from headwater.keras.backend.graph_state import learning_phase_scope
from headwater.keras.engine.copies import copied_model, copied_optimizer, copy_compiled
from headwater.keras.engine.saving import model_from_json
from headwater.keras.engine.sequential import Sequential
from headwater.keras.utils.serialization import CustomObjectScope
from headwater.model.global_step import get_or_create_global_step
from headwater.model.variables.variable_lists import local_variables_initializer
from headwater.ops.array.constant import constant
from headwater.serving.keras_models.object_models import save_folder, serving_function
from headwater.serving.saved_model import constants
from headwater.serving.saved_model.builder import SignatureSavedModelBuilder
from headwater.serving.saved_model.files import (
    get_assets_dir,
    get_or_create_assets_dir,
    get_or_create_variables_dir,
    get_variables_path,
)
from headwater.serving.saved_model.object_save import keys_of_variables
from headwater.serving.saved_model.signature_defs import (
    predict_signature_def,
    supervised_eval_signature_def,
    supervised_train_signature_def,
)
from headwater.session.session import Session
from headwater.train.checkpoints.saver import Saver
from headwater.train.objects.graph_view import ObjectGraphView

_CONFIGURATION = "saved_model.json"


@export("keras.experimental.export_saved_model", "contrib.saved_model.save_keras_model")
def export_saved_model(
    model: Any,
    saved_model_path: str,
    custom_objects: dict[str, Any] | None = None,
    as_text: bool = False,
    input_signature: Any = None,
    serving_only: bool = False,
) -> None:
    """Writes a model as a SavedModel with graphs for training, evaluation and serving.

    Args:
        model: the model.
        saved_model_path: a folder that is new or empty.
        custom_objects: {name: class or function} that the model uses.
        as_text: whether the file has the text form.
        input_signature: TensorSpecs of the inputs of a subclass.
        serving_only: whether only the call of the model is written, as a function.

    Returns:
        None.

    Raises:
        AssertionError: if something is in the folder.
        NotImplementedError: if a subclass is to be written whole.
        ValueError: if a Sequential model has no weights yet.
    """
    if serving_only:
        save_folder(model, saved_model_path, signatures=serving_function(model, input_signature))
    else:
        _export_graphs(model, saved_model_path, custom_objects or {}, as_text)
    try:
        text = model.to_json()
    except NotImplementedError:
        logging.warning(
            "Skipped saving model JSON, subclassed model does not have get_config() defined."
        )
        return
    folder = get_or_create_assets_dir(saved_model_path)
    with open_file(join_path(folder, _CONFIGURATION), "wb") as file:
        file.write(text.encode())


@export("keras.experimental.load_from_saved_model", "contrib.saved_model.load_keras_model")
def load_from_saved_model(
    saved_model_path: str, custom_objects: dict[str, Any] | None = None
) -> Any:
    """Loads a model that `export_saved_model` has written.

    Args:
        saved_model_path: the folder.
        custom_objects: {name: class or function} that the model uses.

    Returns:
        The model, not compiled.

    Raises:
        NotFoundError: if the folder has no configuration of a model.
    """
    path = join_path(get_assets_dir(saved_model_path), _CONFIGURATION)
    model = model_from_json(read_bytes(path).decode(), custom_objects)
    model.load_weights(get_variables_path(saved_model_path))
    return model


def _export_graphs(model: Any, folder: str, custom_objects: dict[str, Any], as_text: bool) -> None:
    if not model._is_graph_network:
        if isinstance(model, Sequential):
            raise ValueError(
                "Weights for sequential model have not yet been created. Weights are created when "
                "the Model is first called on inputs or `build()` is called with an `input_shape`, "
                "or the first layer in the model has `input_shape` during construction."
            )
        raise NotImplementedError(
            "Subclassed models can only be exported for serving. Please set argument "
            "serving_only=True."
        )
    builder = SignatureSavedModelBuilder(folder)
    get_or_create_variables_dir(folder)
    model.save_weights(get_variables_path(folder), save_format="tf", overwrite=True)
    # The variables of all graphs are those of the checkpoint.
    builder._has_saved_variables = True
    modes = ["predict"]
    if model.optimizer is None:
        logging.warning(
            "Model was compiled with an optimizer, but the optimizer is not from `tf.train` (e.g. "
            "`tf.train.AdagradOptimizer`). Only the serving graph was exported. The train and "
            "evaluate graphs were not added to the SavedModel."
        )
    else:
        modes = ["train", "test", "predict"]
    for mode in modes:
        with CustomObjectScope(custom_objects):
            _add_graph(builder, model, mode)
    builder.save(as_text)


def _add_graph(builder: SignatureSavedModelBuilder, model: Any, mode: str) -> None:
    """Adds a copy of the model for "train", "test" or "predict"."""
    # Its hyperparameters have their values in the session of the model.
    optimizer = None if mode == "predict" else copied_optimizer(model.optimizer)
    with (
        Graph().as_default() as graph,
        Session(graph=graph),
        learning_phase_scope(int(mode == "train")),
    ):
        copy = copied_model(model, None)
        if optimizer is not None:
            step = get_or_create_global_step()
            copy_compiled(model, copy, step, optimizer=optimizer)
            optimizer._track_trackable(step, "iter", overwrite=True)
            for variable in (v for metric in copy.metrics for v in metric.variables):
                names = [GraphKeys.LOCAL_VARIABLES, GraphKeys.METRIC_VARIABLES]
                graph.add_to_collections(names, variable)
        _, updates = copy._fetches(mode)
        keys = keys_of_variables(ObjectGraphView(copy))
        by_key = {
            keys[id(variable)]: variable
            for variable in graph.get_collection(GraphKeys.GLOBAL_VARIABLES)
            if id(variable) in keys
        }
        builder.add_meta_graph(
            tags=[{"train": constants.TRAINING, "test": "eval"}.get(mode, constants.SERVING)],
            signature_def_map=_signatures(copy, mode),
            init_op=local_variables_initializer(),
            train_op=updates if mode == "train" else None,
            saver=Saver(by_key) if by_key else None,
        )


def _signatures(model: Any, mode: str) -> dict[str, Any]:
    inputs = dict(zip(model.input_names, model.inputs))
    outputs = dict(zip(model.output_names, model.outputs))
    if mode == "predict":
        key = constants.DEFAULT_SERVING_SIGNATURE_DEF_KEY
        return {key: predict_signature_def(inputs, outputs)}
    for endpoint in model._endpoints:
        inputs[f"{endpoint.name}_target"] = endpoint.target
    predictions = {f"predictions/{name}": tensor for name, tensor in outputs.items()}
    metrics = {}
    names = model.metrics_names[len(model.metrics_names) - len(model.metrics) :]
    for name, metric in zip(names, model.metrics):
        metrics[f"metrics/{name}/value"] = metric.result()
        with control_dependencies(list(metric.updates)):
            metrics[f"metrics/{name}/update_op"] = constant([], name="metric_op_wrapper")
    train = mode == "train"
    make = supervised_train_signature_def if train else supervised_eval_signature_def
    key = "train" if train else "eval"
    return {key: make(inputs, {"loss": model.total_loss}, predictions, metrics)}
