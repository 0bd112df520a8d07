"""The model function of linear models that SDCAOptimizer trains."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from headwater.base import dtypes
from headwater.contrib.layers.column_ops import (
    transform_features,
    weighted_sum_from_feature_columns,
)
from headwater.contrib.layers.feature_columns.real_valued import real_valued_column
from headwater.contrib.learn.canned import model_parts as parts
from headwater.contrib.learn.estimating.keys import ModeKeys
from headwater.contrib.learn.head_kinds.classification import BinaryLogisticHead, BinarySvmHead
from headwater.contrib.learn.head_kinds.regression import RegressionHead
from headwater.estimator.sdca.update_hook import SdcaUpdateWeightsHook
from headwater.graph import Operation, Tensor
from headwater.graph.sparse_tensor import SparseTensor
from headwater.model.global_step import get_global_step
from headwater.model.variables.variable_scope import variable_scope
from headwater.ops.array.fill import ones
from headwater.ops.array.shape import shape

_BIAS_COLUMN = "tf_virtual_bias_column"


def _loss_type(head: Any) -> str:
    """The loss of a head, as SdcaModel names it."""
    if isinstance(head, BinaryLogisticHead):
        return "logistic_loss"
    if isinstance(head, BinarySvmHead):
        return "hinge_loss"
    if isinstance(head, RegressionHead):
        assert head.logits_dimension == 1, "SDCA only applies for logits_dimension=1."
        return "squared_loss"
    raise NotImplementedError(f"SDCAOptimizer does not support head {type(head).__name__}.")


def _batch_size(tensors: Mapping[Any, Any]) -> Tensor:
    """The number of examples: the first dimension of any feature that has one."""
    for tensor in tensors.values():
        if isinstance(tensor, SparseTensor):
            return tensor.dense_shape[0]
        if tensor.get_shape().ndims != 0:
            return shape(tensor)[0]
    raise ValueError("Could not infer batch size from input features.")


def _add_bias_column(
    columns: Sequence[Any], features: dict[Any, Any], variables: dict[Any, Any], bias: Any
) -> None:
    """Adds the bias as the weight of a feature that is always 1."""
    if any(column.name == _BIAS_COLUMN for column in columns):
        raise ValueError(f"{_BIAS_COLUMN} is a reserved column name.")
    batch_size = _batch_size(features)
    column = real_valued_column(_BIAS_COLUMN)
    features[column] = ones([batch_size, 1], dtype=dtypes.float32)
    variables[column] = [bias]


def sdca_model_fn(
    features: Any, labels: Any, mode: str, params: Mapping[str, Any], config: Any = None
) -> Any:
    """The model function of linear models that SDCAOptimizer trains.

    Args:
        features: a tensor or a dict of tensors.
        labels: a tensor or a dict of tensors.
        mode: training, evaluation or inference.
        params: "head", "feature_columns", "optimizer" and "weight_column_name".
        config: unused.

    Returns:
        ModelFnOps.

    Raises:
        NotImplementedError: if the head is not one of two classes or of a regression.
        ValueError: if a column has the name of the bias.
    """
    head, columns, optimizer = params["head"], params["feature_columns"], params["optimizer"]
    loss_type = _loss_type(head)
    by_name = parts.feature_dict(features)
    with variable_scope(
        parts.LINEAR, values=tuple(by_name.values()), partitioner=optimizer.partitioner
    ) as scope:
        by_name = {**by_name, **transform_features(by_name, columns)}
        logits, variables, bias = weighted_sum_from_feature_columns(
            columns_to_tensors=by_name,
            feature_columns=columns,
            num_outputs=1,
            scope=scope,  # type: ignore[arg-type]
        )
        _add_bias_column(columns, by_name, variables, bias)
    trained: list[Any] = []

    def train_op_fn(unused_loss: Tensor) -> Operation:
        trained[:] = optimizer.get_train_step(
            variables, params["weight_column_name"], loss_type, by_name, labels, get_global_step()
        )
        train_op: Operation = trained[1]
        return train_op

    ops = head.create_model_fn_ops(
        features=by_name, labels=labels, mode=mode, train_op_fn=train_op_fn, logits=logits
    )
    if mode != ModeKeys.TRAIN:
        return ops
    hook = SdcaUpdateWeightsHook(*trained)
    return ops._replace(training_chief_hooks=[*ops.training_chief_hooks, hook])
