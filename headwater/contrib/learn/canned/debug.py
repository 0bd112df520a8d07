"""DebugClassifier and DebugRegressor: models that predict from a bias alone.

They ignore the features, so they show whether the input, labels and metrics of a program work, and
what a model reaches that knows only the frequencies of labels.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from headwater.contrib.layers.optimizers import optimize_loss
from headwater.contrib.learn.canned.predictions import CannedEstimator
from headwater.contrib.learn.estimating.keys import PredictionKey
from headwater.contrib.learn.estimating.model_fn_ops import ModelFnOps
from headwater.contrib.learn.head_kinds.classification import multi_class_head
from headwater.contrib.learn.head_kinds.regression import regression_head
from headwater.graph import Operation, Tensor
from headwater.graph.sparse_tensor import SparseTensor
from headwater.model.global_step import get_global_step
from headwater.ops.array.fill import zeros
from headwater.ops.array.shape import shape

_LEARNING_RATE = 0.3


def debug_model_fn(
    features: Any, labels: Any, mode: str, params: Mapping[str, Any], config: Any = None
) -> ModelFnOps:
    """A model whose logits are zeros, so that only the centered bias of the head learns.

    Args:
        features: tensors by name, or one tensor; only their number of rows counts.
        labels: the labels.
        mode: a value of ModeKeys.
        params: {"head": the head}.
        config: unused.

    Returns:
        What the head returns.

    Raises:
        ValueError: if there are no features.
    """
    head = params["head"]
    logits = zeros([_batch_size(features), head.logits_dimension])

    def train_op_fn(loss: Tensor) -> Tensor | Operation:
        return optimize_loss(
            loss, global_step=get_global_step(), learning_rate=_LEARNING_RATE, optimizer="Adagrad"
        )

    return head.create_model_fn_ops(
        features=features, labels=labels, mode=mode, train_op_fn=train_op_fn, logits=logits
    )


def _batch_size(features: Any) -> Tensor:
    """The number of rows of the first feature."""
    by_name = features if isinstance(features, dict) else {"": features}
    if not by_name:
        raise ValueError("Features cannot be empty.")
    first = next(iter(by_name.values()))
    return first.dense_shape[0] if isinstance(first, SparseTensor) else shape(first)[0]


class DebugClassifier(CannedEstimator):
    """A classifier that learns the frequencies of the classes.

    Args:
        model_dir: the folder of checkpoints; or None.
        n_classes: the number of classes.
        weight_column_name: the name of the feature with the weights of examples; or None.
        config: a RunConfig; or None.
        feature_engineering_fn: a function of features and labels; or None.
        label_keys: the names of the classes, if labels are strings; or None.

    Raises:
        ValueError: if there are fewer than 2 classes.
    """

    def __init__(
        self,
        model_dir: str | None = None,
        n_classes: int | None = 2,
        weight_column_name: str | None = None,
        config: Any = None,
        feature_engineering_fn: Any = None,
        label_keys: Sequence[str] | None = None,
    ) -> None:
        if n_classes is None or n_classes <= 1:
            raise ValueError(f"n_classes must be > 1 for classification: {n_classes}.")
        head = multi_class_head(
            n_classes=n_classes,
            weight_column_name=weight_column_name,
            enable_centered_bias=True,
            label_keys=label_keys,
        )
        super().__init__(
            model_fn=debug_model_fn,
            model_dir=model_dir,
            config=config,
            params={"head": head},
            feature_engineering_fn=feature_engineering_fn,
        )

    def predict_classes(self, input_fn: Any = None, batch_size: int | None = None) -> Any:
        """Returns the most frequent class for each example.

        Args:
            input_fn: a function that returns features.
            batch_size: must be None.

        Returns:
            An iterator of classes.
        """
        return self._predicted(PredictionKey.CLASSES, None, input_fn, batch_size, True)

    def predict_proba(self, input_fn: Any = None, batch_size: int | None = None) -> Any:
        """Returns the frequencies of the classes for each example.

        Args:
            input_fn: a function that returns features.
            batch_size: must be None.

        Returns:
            An iterator of vectors.
        """
        return self._predicted(PredictionKey.PROBABILITIES, None, input_fn, batch_size, True)


class DebugRegressor(CannedEstimator):
    """A regressor that learns the mean of the labels.

    Args:
        model_dir: the folder of checkpoints; or None.
        label_dimension: the number of values of a label.
        weight_column_name: the name of the feature with the weights of examples; or None.
        config: a RunConfig; or None.
        feature_engineering_fn: a function of features and labels; or None.
    """

    def __init__(
        self,
        model_dir: str | None = None,
        label_dimension: int = 1,
        weight_column_name: str | None = None,
        config: Any = None,
        feature_engineering_fn: Any = None,
    ) -> None:
        head = regression_head(
            weight_column_name=weight_column_name,
            label_dimension=label_dimension,
            enable_centered_bias=True,
        )
        super().__init__(
            model_fn=debug_model_fn,
            model_dir=model_dir,
            config=config,
            params={"head": head},
            feature_engineering_fn=feature_engineering_fn,
        )

    def predict_scores(self, input_fn: Any = None, batch_size: int | None = None) -> Any:
        """Returns the mean for each example.

        Args:
            input_fn: a function that returns features.
            batch_size: must be None.

        Returns:
            An iterator of values.
        """
        return self._predicted(PredictionKey.SCORES, None, input_fn, batch_size, True)
