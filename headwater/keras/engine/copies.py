"""Copies of models of tf.keras in the graphs of an Estimator."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

from headwater.base.dtypes import as_dtype
from headwater.graph import convert_to_tensor
from headwater.keras.backend.graph_state import learning_phase
from headwater.keras.backend.settings import floatx
from headwater.keras.engine.cloning import clone_model
from headwater.keras.engine.sequential import Sequential
from headwater.keras.metrics.base import Metric
from headwater.keras.optimizers.wrapped import TFOptimizer
from headwater.model.layers.layer import Layer
from headwater.ops.math.cast import cast


def io_tensors(given: Any, names: Sequence[str] | None, what: str, side: str) -> list[Any]:
    """Features or labels as tensors in the order of the inputs or outputs of a model.

    Args:
        given: a tensor, a sequence, or a dict by name.
        names: the names of the inputs or outputs; None if the model has none yet.
        what: "features" or "labels", for errors.
        side: "inputs" or "outputs", for errors.

    Raises:
        KeyError: if the names of a dict are others.
    """
    if isinstance(given, dict):
        if names and set(given) != set(names):
            raise KeyError(
                f"The dictionary passed into {what} does not have the expected {side} keys "
                f"defined in the keras model.\n\tExpected keys: {set(names)}\n\t{what} keys: "
                f"{set(given)}\n\tDifference: {set(given) ^ set(names)}"
            )
        flat = [given[name] for name in names or given]
    else:
        flat = list(given) if isinstance(given, (list, tuple)) else [given]
    return [_as_floatx(x) for x in flat]


def _as_floatx(x: Any) -> Any:
    """A tensor; other floating-point types become that of models."""
    x = x if hasattr(x, "dtype") and hasattr(x, "op") else convert_to_tensor(x)
    wanted = as_dtype(floatx())
    return cast(x, wanted) if x.dtype.is_floating and x.dtype.base_dtype != wanted else x


def copied_model(model: Any, inputs: list[Any] | None) -> Any:
    """A copy of a model in the default graph, with new variables.

    Args:
        model: the model.
        inputs: tensors for its inputs; new placeholders if None.

    Raises:
        ValueError: if a subclass keeps layers in lists.
    """
    if model._is_graph_network or isinstance(model, Sequential):
        return clone_model(model, inputs)
    made = _fresh_subclass(model)
    assert inputs is not None
    arguments = {"training": learning_phase()} if made._call_takes("training") else {}
    given = inputs[0] if len(inputs) == 1 else inputs
    made._set_inputs(given, made(given, **arguments))
    return made


def _fresh_subclass(model: Any) -> Any:
    """A model of a subclass with new layers in the attributes of the old ones."""
    made = copy.copy(model)
    layers = {}
    for name, value in vars(model).items():
        if isinstance(value, Metric):
            continue
        if isinstance(value, Layer):
            layers[name] = type(value).from_config(value.get_config())
        elif not name.startswith("_") and _is_layers(value):
            raise ValueError(
                "We do not support the use of list-of-layers attributes in subclassed models used "
                f"with `model_to_estimator` at this time. Found list model: {name}"
            )
    made._init_empty(name=model.name)
    for name, layer in layers.items():
        setattr(made, name, layer)
    return made


def _is_layers(value: Any) -> bool:
    return (
        isinstance(value, (list, tuple))
        and bool(value)
        and all(isinstance(each, Layer) for each in value)
    )


def copy_compiled(
    model: Any,
    made: Any,
    step: Any,
    targets: Sequence[Any] | None = None,
    weights: Any = None,
    optimizer: Any = None,
) -> None:
    """Compiles a copy of a model as the model.

    Args:
        model: the model.
        made: its copy.
        step: the global step, which the optimizer counts.
        targets: the targets of the outputs; placeholders if None.
        weights: the weights of examples; or None.
        optimizer: what `copied_optimizer` has returned; a new copy if None.
    """
    optimizer = optimizer or copied_optimizer(model.optimizer)
    optimizer.iterations = step
    arguments = dict(model._compile_arguments)
    arguments["metrics"] = _new_metrics(arguments["metrics"])
    arguments["weighted_metrics"] = _new_metrics(arguments["weighted_metrics"])
    arguments["target_tensors"] = None if targets is None else list(targets)
    made.compile(
        optimizer,
        sample_weight_mode=model.sample_weight_mode,
        **arguments,
    )
    if weights is not None:
        made._use_weights(list(weights) if isinstance(weights, (list, tuple)) else [weights])


def copied_optimizer(optimizer: Any) -> Any:
    """An optimizer of the same configuration, whose steps have not been counted yet."""
    if isinstance(optimizer, TFOptimizer):
        return TFOptimizer(optimizer.optimizer, iterations=optimizer.iterations)
    return type(optimizer).from_config(optimizer.get_config())


def _new_metrics(given: Any) -> Any:
    """The argument `metrics` with new objects in place of Metrics."""
    if isinstance(given, Metric):
        return type(given).from_config(given.get_config())
    if isinstance(given, (list, tuple)):
        return [_new_metrics(each) for each in given]
    if isinstance(given, dict):
        return {name: _new_metrics(each) for name, each in given.items()}
    return given
