"""`tf.keras.models`: whole models in files, and models made of configurations."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from headwater.base import logging
from headwater.base.namespace import import_waiting
from headwater.graph import export
from headwater.keras.backend.values import batch_get_value, batch_set_value
from headwater.keras.engine import hdf5
from headwater.keras.engine.node_config import model_config
from headwater.keras.engine.registry import deserialize
from headwater.keras.optimizers import lookup as optimizers
from headwater.keras.optimizers.wrapped import TFOptimizer

# "save" and "load": the functions for SavedModels, which a later layer has.
folder_format: dict[str, Any] = {}


def _of_folders(name: str) -> Any:
    if name not in folder_format:
        # The package of that layer is loaded on demand.
        import_waiting("keras.experimental")
    return folder_format[name]


@export("keras.models.save_model")
def save_model(
    model: Any,
    filepath: str,
    overwrite: bool = True,
    include_optimizer: bool = True,
    save_format: str | None = None,
    signatures: Any = None,
) -> None:
    """Saves configuration, values and optimizer of a model in an HDF5 file or a SavedModel.

    Args:
        model: the model.
        filepath: the file, or the folder of the SavedModel.
        overwrite: whether what exists is replaced without asking.
        include_optimizer: whether the state of the optimizer is saved.
        save_format: "h5" or "tf"; "h5" if None.
        signatures: those of `tf.saved_model.save`, for SavedModels.

    Returns:
        None.

    Raises:
        NotImplementedError: if a subclass is saved as HDF5.
    """
    if save_format == "tf" and not os.fspath(filepath).endswith((".h5", ".keras", ".hdf5")):
        path = os.fspath(filepath)
        _of_folders("save")(model, path, overwrite, include_optimizer, signatures)
        return
    if not model._is_graph_network and type(model).__name__ != "Sequential":
        raise NotImplementedError(
            "Saving the model to HDF5 format requires the model to be a Functional model or a "
            "Sequential model. It does not work for subclassed models, because such models are "
            "defined via the body of a Python method, which isn't safely serializable. Consider "
            'saving to the Tensorflow SavedModel format (by setting save_format="tf") or using '
            "`save_weights`."
        )
    filepath = os.fspath(filepath)
    if not overwrite and Path(filepath).is_file() and not hdf5.ask_to_overwrite(filepath):
        return
    with hdf5.opened(filepath, "w") as file:
        config = model_config(model)
        file.attrs["keras_version"] = config["keras_version"].encode("utf8")
        file.attrs["backend"] = b"tensorflow"
        shown = {key: config[key] for key in ("class_name", "config")}
        file.attrs["model_config"] = hdf5.to_text(shown)
        hdf5.save_weights(file.create_group("model_weights"), model.layers)
        if include_optimizer and model.optimizer is not None:
            _save_optimizer(file, model)


def training_config(model: Any) -> dict[str, Any]:
    """How a model was compiled."""
    optimizer = model.optimizer
    return {
        "loss": model.loss,
        "metrics": model._compile_metrics,
        "weighted_metrics": (model._compile_arguments or {}).get("weighted_metrics"),
        "sample_weight_mode": model.sample_weight_mode,
        "loss_weights": model.loss_weights,
        "optimizer_config": {
            "class_name": type(optimizer).__name__,
            "config": optimizer.get_config(),
        },
    }


def _save_optimizer(file: Any, model: Any) -> None:
    optimizer = model.optimizer
    if isinstance(optimizer, TFOptimizer):
        logging.warning(
            "TensorFlow optimizers do not make it possible to access optimizer attributes or "
            "optimizer state after instantiation. As a result, we cannot save the optimizer as "
            "part of the model save file. You will have to compile your model again after loading "
            "it. Prefer using a Keras optimizer instead (see keras.io/optimizers)."
        )
        return
    training = training_config(model)
    file.attrs["training_config"] = hdf5.to_text(training)
    weights = list(optimizer.weights)
    if weights:
        group = file.create_group("optimizer_weights")
        names = [w.name.encode("utf8") for w in weights]
        hdf5.set_names(group, "weight_names", names)
        for name, value in zip(names, batch_get_value(weights)):
            group.create_dataset(name.decode("utf8"), data=value)


@export("keras.models.load_model")
def load_model(
    filepath: str, custom_objects: dict[str, Any] | None = None, compile: bool = True
) -> Any:
    """Loads a model that `save_model` has saved.

    Args:
        filepath: the file, or the folder of a SavedModel.
        custom_objects: {name: class or function} that the file names.
        compile: whether the model is compiled as the saved one was.

    Returns:
        The model.

    Raises:
        IOError: if the file does not exist.
        ValueError: if it has no configuration of a model.
    """
    filepath = os.fspath(filepath)
    if not Path(filepath).exists():
        raise OSError(
            f"SavedModel file does not exist at: {filepath}/{{saved_model.pbtxt|saved_model.pb}}"
        )
    if Path(filepath).is_dir():
        return _of_folders("load")(filepath, custom_objects, compile)
    with hdf5.opened(filepath, "r") as file:
        text = file.attrs.get("model_config")
        if text is None:
            raise ValueError("No model found in config file.")
        model = deserialize(json.loads(_text(text)), custom_objects)
        hdf5.load_weights(file["model_weights"], model.layers)
        if compile:
            training = file.attrs.get("training_config")
            if training is not None:
                compile_as_saved(model, json.loads(_text(training)), custom_objects)
                _load_optimizer(file, model)
        return model


def _text(value: Any) -> str:
    return value.decode("utf8") if hasattr(value, "decode") else value


def compile_as_saved(model: Any, training: dict[str, Any], custom_objects: Any) -> None:
    """Compiles a model as `training_config` of the saved one says."""

    def found(value: Any) -> Any:
        if isinstance(value, list):
            return [found(each) for each in value]
        if isinstance(value, dict) and "class_name" not in value:
            return {key: found(each) for key, each in value.items()}
        named = isinstance(value, str) and value in (custom_objects or {})
        return custom_objects[value] if named else value

    model.compile(
        optimizer=optimizers.deserialize(
            training["optimizer_config"], custom_objects=custom_objects
        ),
        loss=found(training["loss"]),
        metrics=found(training.get("metrics")),
        loss_weights=training.get("loss_weights"),
        sample_weight_mode=training.get("sample_weight_mode"),
        weighted_metrics=found(training.get("weighted_metrics")),
    )


def _load_optimizer(file: Any, model: Any) -> None:
    if "optimizer_weights" not in file:
        return
    model._fetches("train")
    values = hdf5.values_of(file["optimizer_weights"])
    batch_set_value(list(zip(model.optimizer.weights, values)))


@export("keras.models.model_from_config")
def model_from_config(config: Any, custom_objects: dict[str, Any] | None = None) -> Any:
    """Makes a model of its configuration.

    Args:
        config: {"class_name": ..., "config": ...}.
        custom_objects: {name: class or function} that the configuration names.

    Returns:
        A model without the values of the variables.

    Raises:
        TypeError: if the configuration is a list.
    """
    if isinstance(config, list):
        raise TypeError(
            "`model_from_config` expects a dictionary, not a list. Maybe you meant to use "
            "`Sequential.from_config(config)`?"
        )
    return deserialize(config, custom_objects)


@export("keras.models.model_from_json")
def model_from_json(json_string: str, custom_objects: dict[str, Any] | None = None) -> Any:
    """Makes a model of what `Model.to_json` has returned.

    Args:
        json_string: the configuration.
        custom_objects: {name: class or function} that the configuration names.

    Returns:
        A model without the values of the variables.
    """
    return deserialize(json.loads(json_string), custom_objects)


@export("keras.models.model_from_yaml")
def model_from_yaml(yaml_string: str, custom_objects: dict[str, Any] | None = None) -> Any:
    """Makes a model of what `Model.to_yaml` has returned.

    Args:
        yaml_string: the configuration.
        custom_objects: {name: class or function} that the configuration names.

    Returns:
        A model without the values of the variables.

    Raises:
        ImportError: if PyYAML is not installed.
    """
    try:
        # PyYAML is optional.
        import yaml
    except ImportError:
        raise ImportError("Requires yaml module installed (`pip install pyyaml`).") from None
    return deserialize(yaml.safe_load(yaml_string), custom_objects)
