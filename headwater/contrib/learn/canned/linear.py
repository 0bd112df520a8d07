"""LinearClassifier, LinearRegressor, LinearEstimator."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from headwater.base.export import export
from headwater.contrib.layers.optimizers import OPTIMIZER_CLS_NAMES
from headwater.contrib.learn.canned import model_parts as parts
from headwater.contrib.learn.canned.learned_variables import LinearVariables
from headwater.contrib.learn.canned.predictions import CannedClassifier, CannedRegressor
from headwater.contrib.learn.canned.sdca import sdca_model_fn
from headwater.contrib.learn.estimating.custom_estimator import Estimator
from headwater.contrib.learn.head_kinds.classification import multi_class_head
from headwater.contrib.learn.head_kinds.regression import regression_head
from headwater.contrib.linear_optimizer.optimizer import SDCAOptimizer
from headwater.graph import Operation, Tensor
from headwater.graph.default_graph import get_collection
from headwater.graph.gradients import gradients
from headwater.model.global_step import get_global_step
from headwater.ops.math.clip_by_norm import clip_by_global_norm
from headwater.train.optimizers.ftrl import FtrlOptimizer

_LEARNING_RATE = 0.2


def _optimizer(optimizer: Any) -> Any:
    if isinstance(optimizer, str):
        return OPTIMIZER_CLS_NAMES[optimizer](learning_rate=_LEARNING_RATE)
    return parts.made_optimizer(optimizer)


def linear_model_fn(
    features: Any, labels: Any, mode: str, params: Mapping[str, Any], config: Any = None
) -> Any:
    """The model function of linear models.

    Args:
        features: a tensor or a dict of tensors.
        labels: a tensor or a dict of tensors.
        mode: training, evaluation or inference.
        params: "head", "feature_columns", "optimizer", "gradient_clip_norm", "joint_weights".
        config: a RunConfig or None.

    Returns:
        ModelFnOps.
    """
    head, columns = params["head"], params["feature_columns"]
    optimizer = params.get("optimizer")
    clip_norm = params.get("gradient_clip_norm")
    by_name = parts.feature_dict(features)
    with parts.linear_scope(by_name, config) as scope:
        logits = parts.linear_logits(
            by_name, columns, head.logits_dimension, params.get("joint_weights", False), scope
        )

        def train_op_fn(loss: Tensor) -> Operation:
            variables = get_collection(parts.LINEAR)
            grads = gradients(loss, variables)
            if clip_norm:
                grads, _ = clip_by_global_norm(grads, clip_norm)
            chosen = (
                _optimizer(optimizer)
                if optimizer
                else FtrlOptimizer(learning_rate=parts.linear_learning_rate(columns))
            )
            return chosen.apply_gradients(zip(grads, variables), global_step=get_global_step())

        return head.create_model_fn_ops(
            features=by_name, mode=mode, labels=labels, train_op_fn=train_op_fn, logits=logits
        )


def _model_fn(optimizer: Any, joint_weights: bool, message: str) -> Callable[..., Any]:
    """The model function for an optimizer; SDCAOptimizer takes no joint weights."""
    if not isinstance(optimizer, SDCAOptimizer):
        return linear_model_fn
    assert not joint_weights, message
    return sdca_model_fn


@export("contrib.learn.LinearClassifier", "contrib.learn.estimators.LinearClassifier")
class LinearClassifier(LinearVariables, CannedClassifier):
    """A linear classifier.

    The logits are weighted sums of feature columns; the loss is the logistic loss for two classes,
    the cross entropy of a softmax for more.

    Args:
        feature_columns: feature columns, of either kind.
        model_dir: the folder of checkpoints; or None.
        n_classes: the number of classes.
        weight_column_name: the name of the feature with the weights of examples; or None.
        optimizer: an optimizer, its name, or a function that makes it; FTRL by default.
        gradient_clip_norm: the largest global norm of gradients; or None.
        enable_centered_bias: whether a bias is learned that makes up for the mean of the labels.
        _joint_weight: whether the weights of all columns are one variable.
        config: a RunConfig; or None.
        feature_engineering_fn: a function of features and labels; or None.
        label_keys: the labels, if they are strings; or None.

    Raises:
        ValueError: if there are fewer than two classes.

    Example:
        >>> x = tf.contrib.layers.real_valued_column("x")
        >>> data = lambda: ({"x": tf.constant([[1.0], [-1.0]])}, tf.constant([[1], [0]]))
        >>> estimator = tf.contrib.learn.LinearClassifier([x])
        >>> print(*estimator.fit(input_fn=data, steps=5).predict(input_fn=data))
        1 0
    """

    def __init__(
        self,
        feature_columns: Iterable[Any],
        model_dir: str | None = None,
        n_classes: int = 2,
        weight_column_name: str | None = None,
        optimizer: Any = None,
        gradient_clip_norm: float | None = None,
        enable_centered_bias: bool = False,
        _joint_weight: bool = False,
        config: Any = None,
        feature_engineering_fn: Any = None,
        label_keys: Any = None,
    ) -> None:
        columns = tuple(feature_columns or ())
        assert columns
        if isinstance(optimizer, SDCAOptimizer):
            assert n_classes == 2, "SDCA only applies to binary classification."
        head = multi_class_head(
            n_classes,
            weight_column_name=weight_column_name,
            enable_centered_bias=enable_centered_bias,
            label_keys=label_keys,
        )
        super().__init__(
            model_fn=_model_fn(
                optimizer, _joint_weight, "_joint_weight is incompatible with the SDCAOptimizer"
            ),
            model_dir=model_dir,
            config=config,
            params={
                "head": head,
                "feature_columns": columns,
                "optimizer": optimizer,
                "gradient_clip_norm": gradient_clip_norm,
                "joint_weights": _joint_weight,
                "weight_column_name": weight_column_name,
            },
            feature_engineering_fn=feature_engineering_fn,
        )


@export("contrib.learn.LinearRegressor", "contrib.learn.estimators.LinearRegressor")
class LinearRegressor(LinearVariables, CannedRegressor):
    """A linear regressor: weighted sums of feature columns, with the squared error as loss.

    Args:
        feature_columns: feature columns, of either kind.
        model_dir: the folder of checkpoints; or None.
        weight_column_name: the name of the feature with the weights of examples; or None.
        optimizer: an optimizer, its name, or a function that makes it; FTRL by default.
        gradient_clip_norm: the largest global norm of gradients; or None.
        enable_centered_bias: whether a bias is learned that makes up for the mean of the labels.
        label_dimension: the number of values of a label.
        _joint_weights: whether the weights of all columns are one variable.
        config: a RunConfig; or None.
        feature_engineering_fn: a function of features and labels; or None.
    """

    def __init__(
        self,
        feature_columns: Iterable[Any],
        model_dir: str | None = None,
        weight_column_name: str | None = None,
        optimizer: Any = None,
        gradient_clip_norm: float | None = None,
        enable_centered_bias: bool = False,
        label_dimension: int = 1,
        _joint_weights: bool = False,
        config: Any = None,
        feature_engineering_fn: Any = None,
    ) -> None:
        columns = tuple(feature_columns or ())
        assert columns
        if isinstance(optimizer, SDCAOptimizer):
            assert label_dimension == 1, "SDCA only applies for label_dimension=1."
        head = regression_head(
            weight_column_name=weight_column_name,
            label_dimension=label_dimension,
            enable_centered_bias=enable_centered_bias,
        )
        super().__init__(
            model_fn=_model_fn(
                optimizer, _joint_weights, "_joint_weights is incompatible with SDCAOptimizer."
            ),
            model_dir=model_dir,
            config=config,
            params={
                "head": head,
                "feature_columns": columns,
                "optimizer": optimizer,
                "gradient_clip_norm": gradient_clip_norm,
                "joint_weights": _joint_weights,
                "weight_column_name": weight_column_name,
            },
            feature_engineering_fn=feature_engineering_fn,
        )


@export("contrib.learn.LinearEstimator")
class LinearEstimator(Estimator):
    """A linear model with a head of one's own.

    Args:
        feature_columns: feature columns, of either kind.
        head: a Head.
        model_dir: the folder of checkpoints; or None.
        weight_column_name: the name of the feature with the weights of examples; the head uses it.
        optimizer: an optimizer, its name, or a function that makes it; FTRL by default.
        gradient_clip_norm: the largest global norm of gradients; or None.
        _joint_weights: whether the weights of all columns are one variable.
        config: a RunConfig; or None.
        feature_engineering_fn: a function of features and labels; or None.

    Raises:
        ValueError: if the optimizer is a SDCAOptimizer.
    """

    def __init__(
        self,
        feature_columns: Iterable[Any],
        head: Any,
        model_dir: str | None = None,
        weight_column_name: str | None = None,
        optimizer: Any = None,
        gradient_clip_norm: float | None = None,
        _joint_weights: bool = False,
        config: Any = None,
        feature_engineering_fn: Any = None,
    ) -> None:
        assert feature_columns
        if isinstance(optimizer, SDCAOptimizer):
            raise ValueError("LinearEstimator does not support SDCA optimizer.")
        super().__init__(
            model_fn=linear_model_fn,
            model_dir=model_dir,
            config=config,
            params={
                "head": head,
                "feature_columns": feature_columns,
                "optimizer": optimizer,
                "gradient_clip_norm": gradient_clip_norm,
                "joint_weights": _joint_weights,
            },
            feature_engineering_fn=feature_engineering_fn,
        )
