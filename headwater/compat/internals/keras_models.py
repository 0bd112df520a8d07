"""tensorflow.python.keras: models, callbacks and layers, as far as their names are not public."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from headwater.compat.internals import internal
from headwater.keras.callbacks.callback_list import BaseLogger, CallbackList, History, ProgbarLogger
from headwater.keras.engine import hdf5, op_layers
from headwater.keras.engine.cloning import clone_model
from headwater.keras.layers import convolution, pooling, separable_convolution
from headwater.keras.losses import classes, functions
from headwater.keras.metrics import base
from headwater.keras.optimizers import lookup
from headwater.keras.optimizers.wrapped import TFOptimizer
from headwater.keras.utils.serialization import CustomObjectScope
from headwater.model.layers import convolution as layers_convolution
from headwater.model.layers import separable_convolution as layers_separable
from headwater.model.layers.base import Layer
from headwater.model.layers.node import KerasHistory, Node

internal("keras.layers.convolutional.Conv")(convolution.Conv)
internal("keras.layers.convolutional.SeparableConv")(separable_convolution.SeparableConv)
for _rank in (1, 2, 3):
    for _name in (f"Pooling{_rank}D", f"GlobalPooling{_rank}D"):
        internal(f"keras.layers.pooling.{_name}")(getattr(pooling, _name))
for _name in ("AddLoss", "AddMetric", "TensorFlowOpLayer"):
    internal(f"keras.engine.base_layer.{_name}")(getattr(op_layers, _name))
internal("keras.engine.base_layer.KerasHistory")(KerasHistory)
internal("keras.engine.node.Node")(Node)
internal("keras.metrics.MeanMetricWrapper")(base.MeanMetricWrapper)
internal("keras.optimizers.TFOptimizer")(TFOptimizer)
internal("keras.callbacks.CallbackList")(CallbackList)
internal("keras.utils.io_utils.ask_to_proceed_with_overwrite")(hdf5.ask_to_overwrite)
internal("keras.saving.hdf5_format.preprocess_weights_for_loading")(hdf5.preprocessed_weights)
internal("keras.saving.hdf5_format.save_attributes_to_hdf5_group")(hdf5.set_names)
internal("keras.saving.hdf5_format.load_attributes_from_hdf5_group")(hdf5.names_of)


class _OfRank:
    """What takes the number of axes of its kernels before its other arguments.

    Args:
        rank: that number.
        *args: the arguments of `tf.layers.Conv2D` or `SeparableConv2D`.
        **kwargs: likewise.
    """

    def __init__(self, rank: int, *args: Any, **kwargs: Any) -> None:
        self.rank = rank
        super().__init__(*args, **kwargs)


class _Conv(_OfRank, layers_convolution.Convolution, Layer):
    """The base of the convolutions of tf.layers."""


class _SeparableConv(_OfRank, layers_separable.Separable, Layer):
    """The base of the separable convolutions of tf.layers."""


internal("layers.convolutional._Conv", "layers.convolutional.Conv")(_Conv)
internal("layers.convolutional._SeparableConv")(_SeparableConv)


@internal("keras.metrics.clone_metric")
def clone_metric(metric: Any) -> Any:
    """Returns a metric with variables of its own; anything but an object is returned as it is."""
    if isinstance(metric, base.Metric):
        return type(metric).from_config(metric.get_config())
    return metric


@internal("keras.metrics.clone_metrics")
def clone_metrics(metrics: Sequence[Any]) -> list[Any]:
    """Returns what `clone_metric` makes of each metric."""
    return [clone_metric(metric) for metric in metrics]


@internal("keras.losses.is_categorical_crossentropy")
def is_categorical_crossentropy(loss: Any) -> bool:
    """Tells whether a loss is the categorical cross-entropy: its name, function or object."""
    function = functions.categorical_crossentropy
    return (
        isinstance(loss, classes.CategoricalCrossentropy)
        or (isinstance(loss, classes.LossFunctionWrapper) and loss.fn is function)
        or getattr(loss, "__name__", None) == function.__name__
        or loss == function.__name__
    )


@internal("keras.callbacks.set_callback_parameters")
def set_callback_parameters(
    callback_list: Any,
    model: Any,
    do_validation: bool = False,
    batch_size: int | None = None,
    epochs: int | None = None,
    steps_per_epoch: int | None = None,
    samples: int | None = None,
    verbose: int = 1,
    mode: str = "train",
) -> None:
    """Sets the parameters of callbacks.

    Args:
        callback_list: a callback, or a list of them as `CallbackList`.
        model: a compiled model.
        do_validation: whether epochs are followed by validation.
        batch_size: the size of a batch.
        epochs: the number of epochs.
        steps_per_epoch: the number of batches of an epoch.
        samples: the number of examples.
        verbose: 0, 1 or 2.
        mode: "train", "test" or "predict".
    """
    metrics = [] if mode == "predict" else list(model.metrics_names)
    for callback in getattr(callback_list, "callbacks", [callback_list]):
        if isinstance(callback, (BaseLogger, ProgbarLogger)):
            callback.stateful_metrics = set(metrics[1:])
    if do_validation and mode != "predict":
        metrics += [f"val_{name}" for name in metrics]
    callback_list.set_params(
        {
            "batch_size": batch_size,
            "epochs": epochs,
            "steps": steps_per_epoch,
            "samples": samples,
            "verbose": verbose,
            "do_validation": do_validation,
            "metrics": metrics,
        }
    )


@internal("keras.callbacks.configure_callbacks")
def configure_callbacks(
    callbacks: Any,
    model: Any,
    do_validation: bool = False,
    batch_size: int | None = None,
    epochs: int | None = None,
    steps_per_epoch: int | None = None,
    samples: int | None = None,
    verbose: int = 1,
    count_mode: str = "steps",
    mode: str = "train",
) -> CallbackList:
    """Returns the callbacks of a loop over a model.

    Args:
        callbacks: the callbacks of the program, or None.
        model: a compiled model.
        do_validation: whether epochs are followed by validation.
        batch_size: the size of a batch.
        epochs: the number of epochs.
        steps_per_epoch: the number of batches of an epoch.
        samples: the number of examples.
        verbose: 0, 1 or 2; a bar is shown unless 0.
        count_mode: "samples" or "steps": what the bar counts.
        mode: "train", "test" or "predict".
    """
    if isinstance(callbacks, CallbackList):
        return callbacks
    chosen = list(callbacks or [])
    if mode == "train":
        model.history = History()
        chosen = [BaseLogger(), *chosen, model.history]
        if verbose:
            chosen.append(ProgbarLogger(count_mode))
    found = CallbackList(chosen)
    found.set_model(model)
    set_callback_parameters(
        found,
        model,
        do_validation=do_validation,
        batch_size=batch_size,
        epochs=epochs,
        steps_per_epoch=steps_per_epoch,
        samples=samples,
        verbose=verbose,
        mode=mode,
    )
    model.stop_training = False
    return found


@internal("keras.callbacks.make_logs")
def make_logs(
    model: Any, logs: dict[str, Any], outputs: Sequence[Any], mode: str, prefix: str = ""
) -> dict[str, Any]:
    """Adds results of a batch to its logs.

    Args:
        model: a compiled model.
        logs: the logs.
        outputs: the results.
        mode: "train", "test" or "predict".
        prefix: what stands before the names of losses and metrics.

    Returns:
        The logs.
    """
    if mode == "predict":
        logs["outputs"] = outputs
    elif model.metrics_names:
        logs.update({prefix + name: value for name, value in zip(model.metrics_names, outputs)})
    return logs


@internal("keras.models.clone_and_build_model")
def clone_and_build_model(
    model: Any,
    input_tensors: Any = None,
    target_tensors: Any = None,
    custom_objects: Mapping[str, Any] | None = None,
    compile_clone: bool = True,
    in_place_reset: bool = False,
    optimizer_iterations: Any = None,
    optimizer_config: Any = None,
) -> Any:
    """Returns a copy of a model with variables of its own, compiled as the model is.

    Args:
        model: a Sequential or functional model.
        input_tensors: tensors to be used as inputs; new ones if None.
        target_tensors: tensors to be used as targets; new ones if None.
        custom_objects: {name: class or function} that configurations name.
        compile_clone: whether the copy is compiled.
        in_place_reset: has no effect: models of subclasses are not copied.
        optimizer_iterations: the variable that counts the steps; a new one if None.
        optimizer_config: the configuration of the optimizer; that of the model if None.

    Raises:
        ValueError: if the copy is to be compiled and the model is not, or is of a subclass.
    """
    original = model.optimizer
    if compile_clone and not original and optimizer_config is None:
        raise ValueError(
            "Error when cloning model: compile_clone was set to True, but the original model has "
            "not been compiled."
        )
    with CustomObjectScope(dict(custom_objects or {})):
        clone = clone_model(model, input_tensors=input_tensors)
    if not compile_clone:
        return clone
    if isinstance(original, TFOptimizer) and optimizer_config is None:
        optimizer: Any = TFOptimizer(original.optimizer, optimizer_iterations)
    else:
        config = optimizer_config or {
            "class_name": type(original).__name__,
            "config": original.get_config(),
        }
        optimizer = lookup.deserialize(config, custom_objects)  # type: ignore[arg-type]
        if optimizer_iterations is not None:
            optimizer.iterations = optimizer_iterations
    arguments = dict(model._compile_arguments or {})
    metrics = arguments.get("metrics")
    weighted = arguments.get("weighted_metrics")
    clone.compile(
        optimizer,
        loss=model.loss,
        metrics=_cloned(metrics),
        weighted_metrics=_cloned(weighted),
        loss_weights=model.loss_weights,
        sample_weight_mode=model.sample_weight_mode,
        target_tensors=target_tensors,
    )
    return clone


def _cloned(metrics: Any) -> Any:
    if isinstance(metrics, Mapping):
        return {name: _cloned(each) for name, each in metrics.items()}
    if isinstance(metrics, (list, tuple)):
        return [_cloned(each) for each in metrics]
    return clone_metric(metrics)
