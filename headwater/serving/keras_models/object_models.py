"""Models of tf.keras as SavedModels with objects: `Model.save(save_format="tf")`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from headwater.base import nest
from headwater.graph import Tensor
from headwater.graph.type_spec import TensorSpec
from headwater.io.files import join_path
from headwater.keras.backend.graph_state import get_session, learning_phase_scope
from headwater.keras.engine import saving
from headwater.keras.engine.hdf5 import ask_to_overwrite
from headwater.keras.engine.registry import deserialize
from headwater.model.function.polymorphic import function
from headwater.serving.saved_model.files import get_variables_path, parse_saved_model
from headwater.serving.saved_model.object_load import load_v2
from headwater.serving.saved_model.object_save import save
from headwater.train.objects.graph_view import ObjectGraphView
from headwater.train.objects.object_saver import TrackableSaver


def save_folder(
    model: Any,
    folder: str,
    overwrite: bool = True,
    include_optimizer: bool = True,
    signatures: Any = None,
) -> None:
    """Writes a model as a SavedModel with objects.

    Args:
        model: the model.
        folder: the folder.
        overwrite: whether an existing SavedModel is replaced without asking.
        include_optimizer: whether the state of the optimizer is saved.
        signatures: those of `tf.saved_model.save`; by default the call of the model.

    Raises:
        ValueError: if the shapes of the inputs are unknown.
    """
    if not model.inputs:
        raise ValueError(
            f"Model {model} cannot be saved because the input shapes have not been set. Usually, "
            "input shapes are automatically determined from calling .fit() or .predict(). To "
            "manually set the shapes, call model._set_inputs(inputs)."
        )
    path = join_path(folder, "saved_model.pb")
    if not overwrite and Path(path).exists() and not ask_to_overwrite(path):
        return
    with _without_optimizer(model, not include_optimizer), get_session().as_default():
        save(model, folder, serving_function(model) if signatures is None else signatures)


@contextmanager
def _without_optimizer(model: Any, left_out: bool) -> Iterator[None]:
    """Hides the optimizer from what is saved."""
    optimizer = model.optimizer
    references = list(model._unconditional_checkpoint_dependencies)
    if left_out and optimizer is not None:
        model.optimizer = None
        kept = [item for item in references if item.ref is not optimizer]
        model._unconditional_checkpoint_dependencies[:] = kept
    try:
        yield
    finally:
        if left_out and optimizer is not None:
            model.optimizer = optimizer
            model._unconditional_checkpoint_dependencies[:] = references


def serving_function(model: Any, input_signature: Any = None) -> Any:
    """The call of a model outside of training, with its inputs and outputs by their names.

    Args:
        model: the model.
        input_signature: TensorSpecs of the inputs; those of the model if None.

    Raises:
        TypeError: if `input_signature` is neither a tuple nor a list.
    """
    if input_signature is not None and not isinstance(input_signature, (tuple, list)):
        raise TypeError(
            f"input_signature must be either a tuple or a list, received {type(input_signature)}"
        )
    given = nest.flatten(list(input_signature or model.inputs))
    specs = [
        TensorSpec(each.shape, each.dtype, name=name)
        for each, name in zip(given, model.input_names)
    ]

    @function(input_signature=specs)
    def call_model(*inputs: Tensor) -> dict[str, Tensor]:
        with learning_phase_scope(0):
            outputs = model(inputs[0] if len(inputs) == 1 else list(inputs))
        return dict(zip(model.output_names, nest.flatten(outputs)))

    return call_model


def load_folder(folder: str, custom_objects: Any = None, compile: bool = True) -> Any:
    """Loads a SavedModel with objects as a model.

    Args:
        folder: the folder.
        custom_objects: {name: class or function} that the SavedModel names.
        compile: whether the model is compiled as the saved one was.

    Returns:
        A model; of a subclass, which has no configuration, the object that
        `tf.compat.v2.saved_model.load` returns.
    """
    proto = parse_saved_model(folder)
    meta_graph = proto.meta_graphs[0]
    nodes = meta_graph.object_graph_def.nodes
    text = nodes[0].user_object.metadata if len(proto.meta_graphs) == 1 and len(nodes) else ""
    metadata = json.loads(text) if text.startswith("{") else {}
    config = metadata.get("model_config", {})
    if "config" not in config:
        return load_v2(folder)
    model = deserialize(config, custom_objects)
    training = metadata.get("training_config")
    if compile and training is not None:
        saving.compile_as_saved(model, training, custom_objects)
        model._fetches("train")
    status = TrackableSaver(ObjectGraphView(model)).restore(get_variables_path(folder))
    status.initialize_or_restore(get_session())
    return model


saving.folder_format.update(save=save_folder, load=load_folder)
