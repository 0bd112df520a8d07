"""The parts of canned models: a linear model, a deep network, and how they are trained."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from headwater.contrib.layers.column_ops import (
    infer_real_valued_columns,
    input_from_feature_columns,
    joint_weighted_sum_from_feature_columns,
    weighted_sum_from_feature_columns,
)
from headwater.contrib.layers.dropout import dropout as dropout_layer
from headwater.contrib.layers.feature_columns.base import _FeatureColumn
from headwater.contrib.layers.feature_columns.embedding import _EmbeddingColumn
from headwater.contrib.layers.fully_connected import fully_connected
from headwater.contrib.learn.estimating.keys import ModeKeys
from headwater.graph import Tensor
from headwater.graph.default_graph import get_collection
from headwater.model.feature_column.input_layer import input_layer
from headwater.model.feature_column.linear_model import linear_model
from headwater.model.nn.zero_fraction import zero_fraction
from headwater.model.variables.partitioned_variable import min_max_variable_partitioner
from headwater.model.variables.variable_scope import variable_scope
from headwater.ops.summary.histogram import histogram
from headwater.ops.summary.scalar import scalar

# The names of variable scopes and of the collections of weights.
LINEAR = "linear"
DNN = "dnn"
DNN_LEARNING_RATE = 0.05
_LINEAR_LEARNING_RATE = 0.2
_LARGE_SLICE = 64 << 20


def linear_learning_rate(columns: Sequence[Any]) -> float:
    """The learning rate of a linear model: the smaller, the more columns it has."""
    return min(_LINEAR_LEARNING_RATE, 1.0 / math.sqrt(len(columns)))


def feature_dict(features: Any) -> dict[Any, Any]:
    """Features by name; a tensor alone is named ""."""
    return features if isinstance(features, dict) else {"": features}


def made_optimizer(optimizer: Any) -> Any:
    """An optimizer, or the name of one, of it or of a function that makes it."""
    return optimizer() if callable(optimizer) else optimizer


def add_layer_summary(value: Tensor, tag: str) -> None:
    """Summarizes the zeros and the values of a layer."""
    scalar(f"{tag}:fraction_of_zero_values", zero_fraction(value))
    histogram(f"{tag}:activation", value)


def _of_contrib(columns: Iterable[Any]) -> bool:
    """Whether columns are those of tf.contrib.layers, not of tf.feature_column."""
    return all(isinstance(column, _FeatureColumn) for column in columns)


def _partitioner(config: Any, min_slice_size: int | None = None) -> Any:
    """Spreads large variables over the parameter servers."""
    servers = config.num_ps_replicas if config else 0
    options = {} if min_slice_size is None else {"min_slice_size": min_slice_size}
    return min_max_variable_partitioner(max_partitions=max(1, servers), **options)


def linear_scope(features: Mapping[Any, Any], config: Any, name: str = LINEAR) -> Any:
    """The variable scope of a linear model, a context manager."""
    return variable_scope(
        name, values=tuple(features.values()), partitioner=_partitioner(config, _LARGE_SLICE)
    )


def linear_logits(
    features: Mapping[Any, Any],
    columns: Sequence[Any],
    size: int,
    joint: bool,
    scope: Any,
    collection: str = LINEAR,
    trainable: bool = True,
) -> Tensor:
    """The logits of a linear model.

    Args:
        features: tensors by name.
        columns: the feature columns.
        size: the number of logits.
        joint: whether the weights of all columns are one variable.
        scope: the variable scope that `linear_scope` has entered.
        collection: the collection of the weights.
        trainable: whether optimizers change the weights by default.

    Returns:
        A tensor ``[batch, size]``.
    """
    if not _of_contrib(columns):
        return linear_model(
            features=features,
            feature_columns=columns,
            units=size,
            weight_collections=[collection],
            trainable=trainable,
        )
    weighted_sum = (
        joint_weighted_sum_from_feature_columns if joint else weighted_sum_from_feature_columns
    )
    logits: Tensor
    logits, _, _ = weighted_sum(
        columns_to_tensors=features,
        feature_columns=columns,
        num_outputs=size,
        weight_collections=[collection],
        trainable=trainable,
        scope=scope,
    )
    return logits


def dnn_scope(features: Mapping[Any, Any], config: Any, name: str = DNN) -> Any:
    """The variable scope of a deep network, a context manager."""
    return variable_scope(name, values=tuple(features.values()), partitioner=_partitioner(config))


def dnn_logits(
    features: Mapping[Any, Any],
    size: int,
    mode: str,
    params: Mapping[str, Any],
    config: Any,
    collection: str = DNN,
) -> tuple[Tensor, str]:
    """The logits of a deep network, in the scope that `dnn_scope` has entered.

    Args:
        features: tensors by name.
        size: the number of logits.
        mode: a mode; dropout is for training.
        params: the hyperparameters "feature_columns", "hidden_units", "activation_fn", "dropout"
            and "input_layer_min_slice_size" or "input_layer_partitioner"; and "trainable", whether
            optimizers change the weights by default.
        config: a RunConfig or None.
        collection: the collection of the weights.

    Returns:
        A tensor ``[batch, size]`` and the name of the scope of the input.
    """
    trainable = params.get("trainable", True)
    columns = params["feature_columns"] or infer_real_valued_columns(features)
    slice_size = params.get("input_layer_min_slice_size") or _LARGE_SLICE
    with variable_scope(
        "input_from_feature_columns",
        values=tuple(features.values()),
        partitioner=params.get("input_layer_partitioner") or _partitioner(config, slice_size),
    ) as input_scope:
        if _of_contrib(columns):
            net = input_from_feature_columns(
                columns_to_tensors=features,
                feature_columns=columns,
                weight_collections=[collection],
                trainable=trainable,
                scope=input_scope,  # type: ignore[arg-type]
            )
        else:
            net = input_layer(
                features=features,
                feature_columns=columns,
                weight_collections=[collection],
                trainable=trainable,
            )
    keep_out = params.get("dropout")
    for index, units in enumerate(params["hidden_units"]):
        with variable_scope(f"hiddenlayer_{index}", values=(net,)) as scope:
            net = fully_connected(
                net,
                units,
                activation_fn=params.get("activation_fn"),
                variables_collections=[collection],
                trainable=trainable,
                scope=scope,
            )
            if keep_out is not None and mode == ModeKeys.TRAIN:
                net = dropout_layer(net, keep_prob=1.0 - keep_out)
        add_layer_summary(net, scope.name)
    with variable_scope("logits", values=(net,)) as scope:
        logits = fully_connected(
            net,
            size,
            activation_fn=None,
            variables_collections=[collection],
            trainable=trainable,
            scope=scope,
        )
    add_layer_summary(logits, scope.name)
    return logits, input_scope.name


def embedding_multipliers(multipliers: Any, collection: str, scope: str) -> dict[Any, float] | None:
    """Factors of the gradients of embeddings.

    Args:
        multipliers: factors by embedding column, or None.
        collection: the collection of the weights.
        scope: the name of the scope of the input.

    Returns:
        Factors by variable, or None.

    Raises:
        ValueError: if a column is not an embedding column.
    """
    if not multipliers:
        return None
    result: dict[Any, float] = {}
    variables = get_collection(collection)
    for column, factor in multipliers.items():
        if not isinstance(column, _EmbeddingColumn):
            raise ValueError(
                "learning rate multipler can only be defined for embedding columns. It is defined "
                f"for {column}"
            )
        prefix = f"{scope}/{column.name}"
        result.update({v: factor for v in variables if v.name.startswith(prefix)})
    return result
