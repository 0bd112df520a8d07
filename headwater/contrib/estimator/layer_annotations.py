"""DNNClassifierWithLayerAnnotations and DNNRegressorWithLayerAnnotations.

In TensorFlow 1.15.5 the graphs of these models have no annotations: the function that would note
them is no longer the one that builds input layers. So they are `DNNClassifier` and `DNNRegressor`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from headwater.estimator.canned.dnn import DNNClassifier, DNNRegressor
from headwater.graph import export
from headwater.model.losses.weighting import Reduction
from headwater.ops.nn.relu import relu


@export("contrib.estimator.DNNClassifierWithLayerAnnotations")
def DNNClassifierWithLayerAnnotations(
    hidden_units: Sequence[int],
    feature_columns: Iterable[Any],
    model_dir: str | None = None,
    n_classes: int = 2,
    weight_column: Any = None,
    label_vocabulary: Sequence[str] | None = None,
    optimizer: Any = "Adagrad",
    activation_fn: Any = relu,
    dropout: float | None = None,
    input_layer_partitioner: Any = None,
    config: Any = None,
    warm_start_from: Any = None,
    loss_reduction: str = Reduction.SUM,
) -> DNNClassifier:
    """Makes a DNNClassifier; for the arguments see `tf.estimator.DNNClassifier`.

    Args:
        hidden_units: the number of units of each hidden layer.
        feature_columns: the columns.
        model_dir: the folder of checkpoints; or None.
        n_classes: the number of classes.
        weight_column: the name or column of the weights of examples; or None.
        label_vocabulary: the classes, if labels are strings; or None.
        optimizer: an optimizer, its name, or a function that makes it.
        activation_fn: the activation of the hidden layers.
        dropout: how probably an output of a hidden layer is dropped in training; or None.
        input_layer_partitioner: the partitioner of the input layer; or None.
        config: a RunConfig; or None.
        warm_start_from: a checkpoint or WarmStartSettings; or None.
        loss_reduction: how the losses of examples are added.

    Returns:
        The estimator.
    """
    return DNNClassifier(
        hidden_units=hidden_units,
        feature_columns=feature_columns,
        model_dir=model_dir,
        n_classes=n_classes,
        weight_column=weight_column,
        label_vocabulary=label_vocabulary,
        optimizer=optimizer,
        activation_fn=activation_fn,
        dropout=dropout,
        input_layer_partitioner=input_layer_partitioner,
        config=config,
        warm_start_from=warm_start_from,
        loss_reduction=loss_reduction,
    )


@export("contrib.estimator.DNNRegressorWithLayerAnnotations")
def DNNRegressorWithLayerAnnotations(
    hidden_units: Sequence[int],
    feature_columns: Iterable[Any],
    model_dir: str | None = None,
    label_dimension: int = 1,
    weight_column: Any = None,
    optimizer: Any = "Adagrad",
    activation_fn: Any = relu,
    dropout: float | None = None,
    input_layer_partitioner: Any = None,
    config: Any = None,
    warm_start_from: Any = None,
    loss_reduction: str = Reduction.SUM,
) -> DNNRegressor:
    """Makes a DNNRegressor; for the arguments see `tf.estimator.DNNRegressor`.

    Args:
        hidden_units: the number of units of each hidden layer.
        feature_columns: the columns.
        model_dir: the folder of checkpoints; or None.
        label_dimension: the number of values of a label.
        weight_column: the name or column of the weights of examples; or None.
        optimizer: an optimizer, its name, or a function that makes it.
        activation_fn: the activation of the hidden layers.
        dropout: how probably an output of a hidden layer is dropped in training; or None.
        input_layer_partitioner: the partitioner of the input layer; or None.
        config: a RunConfig; or None.
        warm_start_from: a checkpoint or WarmStartSettings; or None.
        loss_reduction: how the losses of examples are added.

    Returns:
        The estimator.
    """
    return DNNRegressor(
        hidden_units=hidden_units,
        feature_columns=feature_columns,
        model_dir=model_dir,
        label_dimension=label_dimension,
        weight_column=weight_column,
        optimizer=optimizer,
        activation_fn=activation_fn,
        dropout=dropout,
        input_layer_partitioner=input_layer_partitioner,
        config=config,
        warm_start_from=warm_start_from,
        loss_reduction=loss_reduction,
    )
