"""`tf.keras.estimator.model_to_estimator`: an Estimator of a compiled model of tf.keras."""

from __future__ import annotations

from typing import Any

from headwater.base import logging
from headwater.base.export import export
from headwater.estimator.estimator import Estimator
from headwater.estimator.estimator_checks import with_model_dir
from headwater.estimator.mode_keys import ModeKeys
from headwater.estimator.model_fn import EstimatorSpec
from headwater.estimator.run_config import RunConfig
from headwater.graph import Graph, get_default_graph, group, name_scope
from headwater.graph.graph_keys import GraphKeys
from headwater.graph.seeds import set_random_seed
from headwater.io.files import join_path, make_folders
from headwater.keras.backend.graph_state import set_learning_phase
from headwater.keras.engine.copies import copied_model, copy_compiled, io_tensors
from headwater.keras.engine.saving import load_model
from headwater.keras.utils.serialization import CustomObjectScope
from headwater.model.global_step import create_global_step, get_global_step
from headwater.model.variables.variable_lists import global_variables, variables_initializer
from headwater.session.session import Session
from headwater.train.checkpoints.checkpoint_state import latest_checkpoint
from headwater.train.checkpoints.saver import Saver
from headwater.train.objects.object_saver import frozen_saver
from headwater.train.sessions.scaffold import Scaffold


@export("keras.estimator.model_to_estimator")
def model_to_estimator(
    keras_model: Any = None,
    keras_model_path: str | None = None,
    custom_objects: dict[str, Any] | None = None,
    model_dir: str | None = None,
    config: RunConfig | None = None,
    checkpoint_format: str = "saver",
) -> Estimator:
    """Makes an Estimator of a compiled model.

    The features are the inputs of the model, by the names of its inputs if there are several, and
    the labels are the targets. Training starts from the weights of the model, unless it is a
    subclass, and leaves the model itself as it is.

    Args:
        keras_model: a compiled model; or None.
        keras_model_path: the HDF5 file of a compiled model instead; or None.
        custom_objects: {name: class or function} that the model uses.
        model_dir: the folder of checkpoints and event files; see Estimator.
        config: a RunConfig; or None.
        checkpoint_format: "saver" for checkpoints by the names of variables, "checkpoint" for
            checkpoints of objects, which `Model.load_weights` reads.

    Returns:
        An Estimator.

    Raises:
        ValueError: if none or both of the models are given, or the model has not been compiled.
    """
    if not (keras_model or keras_model_path):
        raise ValueError("Either `keras_model` or `keras_model_path` needs to be provided.")
    if keras_model and keras_model_path:
        raise ValueError("Please specity either `keras_model` or `keras_model_path`, but not both.")
    _check_format(checkpoint_format)
    config = with_model_dir(config, model_dir)
    if not keras_model_path:
        logging.info("Using the Keras model provided.")
        model = keras_model
    else:
        logging.info("Loading models from %s", keras_model_path)
        with CustomObjectScope(custom_objects or {}):
            model = load_model(keras_model_path, custom_objects)
    if getattr(model, "optimizer", None) is None:
        raise ValueError(
            "The given keras model has not been compiled yet. Please compile the model with "
            "`model.compile()` before calling `model_to_estimator()`."
        )
    start = None
    if model._is_graph_network:
        start = _first_checkpoint(model, custom_objects, config, checkpoint_format)
    if checkpoint_format == "checkpoint":
        return Estimator(_model_fn(model, custom_objects, True, start), config=config)
    return Estimator(_model_fn(model, custom_objects), config=config, warm_start_from=start)


def _check_format(checkpoint_format: str) -> None:
    if checkpoint_format not in ("checkpoint", "saver"):
        raise ValueError(
            f'Checkpoint format must be one of "checkpoint" or "saver". Got {checkpoint_format}'
        )


def _model_fn(
    model: Any, custom_objects: dict[str, Any] | None, by_object: bool = False, start: Any = None
) -> Any:
    """The model function of an Estimator for a model.

    Args:
        model: the model.
        custom_objects: {name: class or function} that the model uses.
        by_object: whether checkpoints are those of objects.
        start: the checkpoint of objects that training starts from; or None.
    """

    def model_fn(features: Any, labels: Any, mode: str) -> EstimatorSpec:
        set_learning_phase(int(mode == ModeKeys.TRAIN))
        with CustomObjectScope(custom_objects or {}):
            copy = _graph_copy(model, features, labels, mode)
        options: dict[str, Any] = {"predictions": dict(zip(copy.output_names, copy.outputs))}
        if mode != ModeKeys.PREDICT:
            options.update(loss=copy.total_loss, eval_metric_ops=_metric_ops(copy))
        if mode == ModeKeys.TRAIN:
            options["train_op"] = _train_op(copy)
        if by_object:
            options["scaffold"] = _scaffold(copy, start)
        return EstimatorSpec(mode, **options)

    return model_fn


def _saver_of_objects(model: Any) -> Saver:
    model._track_trackable(get_global_step(), "estimator_global_step", overwrite=True)
    return frozen_saver(model)


def _scaffold(model: Any, start: str | None) -> Scaffold:
    saver = _saver_of_objects(model)
    if start is None:
        return Scaffold(saver=saver)
    return Scaffold(saver=saver, init_fn=lambda _, session: saver.restore(session, start))


def _graph_copy(model: Any, features: Any, labels: Any, mode: str) -> Any:
    """The model in the default graph, on features; compiled with labels if there are some."""
    weights = None
    if isinstance(features, dict) and set(features) == {"features", "sample_weights"}:
        features, weights = features["features"], features["sample_weights"]
    names = model.input_names if model._is_graph_network else None
    inputs = io_tensors(features, names, "features", "inputs")
    copy = copied_model(model, inputs)
    if mode != ModeKeys.PREDICT:
        targets = None
        if labels is not None:
            targets = io_tensors(labels, copy.output_names, "labels", "outputs")
        copy_compiled(model, copy, get_global_step(), targets, weights)
    return copy


def _train_op(model: Any) -> Any:
    """One step of training, with the updates of layers."""
    with name_scope("training"):
        updates = model.optimizer.get_updates(params=model._made_trainable, loss=model.total_loss)
    return group(*updates, *model.updates, *model.state_updates)


def _metric_ops(model: Any) -> dict[str, Any]:
    """The metrics as pairs of a value and an op; their variables become local variables."""
    graph = get_default_graph()
    found = {}
    for variable in (v for metric in model.metrics for v in metric.variables):
        graph.add_to_collections([GraphKeys.LOCAL_VARIABLES, GraphKeys.METRIC_VARIABLES], variable)
    names = model.metrics_names[len(model.metrics_names) - len(model.metrics) :]
    for name, metric in zip(names, model.metrics):
        found[name] = (metric.result(), group(*metric.updates))
    return found


def _first_checkpoint(
    model: Any, custom_objects: Any, config: RunConfig, checkpoint_format: str
) -> str:
    """The checkpoint with the weights of the model, written unless the folder has it."""
    folder = join_path(config.model_dir, "keras")
    latest = latest_checkpoint(folder)
    if latest:
        return latest
    make_folders(folder)
    # Weights that no session has initialized get the initial values of the copy.
    started = any(getattr(weight, "_keras_initialized", False) for weight in model.weights)
    values = model.get_weights() if started else None
    with Graph().as_default() as graph:
        set_random_seed(config.tf_random_seed)
        step = create_global_step(graph)
        set_learning_phase(1)
        with CustomObjectScope(custom_objects or {}):
            copy = copied_model(model, None)
            copy_compiled(model, copy, step)
        _train_op(copy)
        with Session(config=config.session_config) as session:
            session.run(variables_initializer(global_variables()))
            if values is not None:
                copy.set_weights(values)
            by_object = checkpoint_format == "checkpoint"
            saver = _saver_of_objects(copy) if by_object else Saver()
            return str(saver.save(session, join_path(folder, "keras_model.ckpt")))
