"""DNNClassifier, DNNRegressor, DNNEstimator."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from headwater.base.export import export
from headwater.base.typing import Array
from headwater.contrib.layers.optimizers import optimize_loss
from headwater.contrib.learn.canned import model_parts as parts
from headwater.contrib.learn.canned.learned_variables import deep_biases, deep_weights
from headwater.contrib.learn.canned.predictions import CannedClassifier, CannedRegressor
from headwater.contrib.learn.estimating.custom_estimator import Estimator
from headwater.contrib.learn.head_kinds.classification import multi_class_head
from headwater.contrib.learn.head_kinds.regression import regression_head
from headwater.graph import Tensor
from headwater.model.global_step import get_global_step
from headwater.ops.nn.relu import relu


def dnn_model_fn(
    features: Any, labels: Any, mode: str, params: Mapping[str, Any], config: Any = None
) -> Any:
    """The model function of deep networks.

    Args:
        features: a tensor or a dict of tensors.
        labels: a tensor or a dict of tensors.
        mode: training, evaluation or inference.
        params: "head", "optimizer", "gradient_clip_norm", "embedding_lr_multipliers" and what
            `dnn_logits` reads.
        config: a RunConfig or None.

    Returns:
        ModelFnOps.
    """
    head = params["head"]
    by_name = parts.feature_dict(features)
    with parts.dnn_scope(by_name, config):
        logits, input_scope = parts.dnn_logits(by_name, head.logits_dimension, mode, params, config)

        def train_op_fn(loss: Tensor) -> Tensor:
            return optimize_loss(
                loss=loss,
                global_step=get_global_step(),
                learning_rate=parts.DNN_LEARNING_RATE,
                optimizer=parts.made_optimizer(params.get("optimizer") or "Adagrad"),
                gradient_multipliers=parts.embedding_multipliers(
                    params.get("embedding_lr_multipliers"), parts.DNN, input_scope
                ),
                clip_gradients=params.get("gradient_clip_norm"),
                name=parts.DNN,
                # The head summarizes the loss.
                summaries=[],
            )

        return head.create_model_fn_ops(
            features=by_name, mode=mode, labels=labels, train_op_fn=train_op_fn, logits=logits
        )


class _DeepModel:
    """The properties of release 1.0."""

    @property
    def weights_(self) -> list[Array]:
        """The weights of the hidden layers and of the logits."""
        return deep_weights(self)

    @property
    def bias_(self) -> list[Array]:
        """The biases of the hidden layers and of the logits; then the centered bias if any."""
        return deep_biases(self)


@export("contrib.learn.DNNClassifier", "contrib.learn.estimators.DNNClassifier")
class DNNClassifier(_DeepModel, CannedClassifier):
    """A classifier that is a deep network.

    Args:
        hidden_units: the number of units of each hidden layer.
        feature_columns: feature columns, of either kind; None for real values of all features, as
            before release 0.11.
        model_dir: the folder of checkpoints; or None.
        n_classes: the number of classes.
        weight_column_name: the name of the feature with the weights of examples; or None.
        optimizer: an optimizer, its name, or a function that makes it; Adagrad by default.
        activation_fn: the activation of hidden layers.
        dropout: the probability that a unit is dropped in training; or None.
        gradient_clip_norm: the largest global norm of gradients; or None.
        enable_centered_bias: whether a bias is learned that makes up for the mean of the labels.
        config: a RunConfig; or None.
        feature_engineering_fn: a function of features and labels; or None.
        embedding_lr_multipliers: factors of the learning rate by embedding column; or None.
        input_layer_min_slice_size: the smallest size in bytes of a part of an embedding that is
            spread over parameter servers; 64 MiB if None.
        label_keys: the labels, if they are strings; or None.

    Raises:
        ValueError: if there are fewer than two classes.

    Example:
        >>> x = tf.contrib.layers.real_valued_column("x")
        >>> data = lambda: ({"x": tf.constant([[1.0], [-1.0]])}, tf.constant([[1], [0]]))
        >>> estimator = tf.contrib.learn.DNNClassifier([4], [x])
        >>> estimator.fit(input_fn=data, steps=2).get_variable_value("dnn/logits/weights").shape
        (4, 1)
    """

    def __init__(
        self,
        hidden_units: Sequence[int],
        feature_columns: Iterable[Any] | None = None,
        model_dir: str | None = None,
        n_classes: int = 2,
        weight_column_name: str | None = None,
        optimizer: Any = None,
        activation_fn: Callable[[Any], Tensor] = relu,
        dropout: float | None = None,
        gradient_clip_norm: float | None = None,
        enable_centered_bias: bool = False,
        config: Any = None,
        feature_engineering_fn: Any = None,
        embedding_lr_multipliers: Mapping[Any, float] | None = None,
        input_layer_min_slice_size: int | None = None,
        label_keys: Any = None,
    ) -> None:
        head = multi_class_head(
            n_classes,
            weight_column_name=weight_column_name,
            enable_centered_bias=enable_centered_bias,
            label_keys=label_keys,
        )
        super().__init__(
            model_fn=dnn_model_fn,
            model_dir=model_dir,
            config=config,
            params={
                "head": head,
                "hidden_units": hidden_units,
                "feature_columns": tuple(feature_columns or ()),
                "optimizer": optimizer,
                "activation_fn": activation_fn,
                "dropout": dropout,
                "gradient_clip_norm": gradient_clip_norm,
                "embedding_lr_multipliers": embedding_lr_multipliers,
                "input_layer_min_slice_size": input_layer_min_slice_size,
            },
            feature_engineering_fn=feature_engineering_fn,
        )


@export("contrib.learn.DNNRegressor", "contrib.learn.estimators.DNNRegressor")
class DNNRegressor(_DeepModel, CannedRegressor):
    """A regressor that is a deep network, with the squared error as loss.

    Args:
        hidden_units: the number of units of each hidden layer.
        feature_columns: feature columns, of either kind; None for real values of all features, as
            before release 0.11.
        model_dir: the folder of checkpoints; or None.
        weight_column_name: the name of the feature with the weights of examples; or None.
        optimizer: an optimizer, its name, or a function that makes it; Adagrad by default.
        activation_fn: the activation of hidden layers.
        dropout: the probability that a unit is dropped in training; or None.
        gradient_clip_norm: the largest global norm of gradients; or None.
        enable_centered_bias: whether a bias is learned that makes up for the mean of the labels.
        config: a RunConfig; or None.
        feature_engineering_fn: a function of features and labels; or None.
        label_dimension: the number of values of a label.
        embedding_lr_multipliers: factors of the learning rate by embedding column; or None.
        input_layer_min_slice_size: the smallest size in bytes of a part of an embedding that is
            spread over parameter servers; 64 MiB if None.
    """

    def __init__(
        self,
        hidden_units: Sequence[int],
        feature_columns: Iterable[Any] | None = None,
        model_dir: str | None = None,
        weight_column_name: str | None = None,
        optimizer: Any = None,
        activation_fn: Callable[[Any], Tensor] = relu,
        dropout: float | None = None,
        gradient_clip_norm: float | None = None,
        enable_centered_bias: bool = False,
        config: Any = None,
        feature_engineering_fn: Any = None,
        label_dimension: int = 1,
        embedding_lr_multipliers: Mapping[Any, float] | None = None,
        input_layer_min_slice_size: int | None = None,
    ) -> None:
        head = regression_head(
            label_dimension=label_dimension,
            weight_column_name=weight_column_name,
            enable_centered_bias=enable_centered_bias,
        )
        super().__init__(
            model_fn=dnn_model_fn,
            model_dir=model_dir,
            config=config,
            params={
                "head": head,
                "hidden_units": hidden_units,
                "feature_columns": tuple(feature_columns or ()),
                "optimizer": optimizer,
                "activation_fn": activation_fn,
                "dropout": dropout,
                "gradient_clip_norm": gradient_clip_norm,
                "embedding_lr_multipliers": embedding_lr_multipliers,
                "input_layer_min_slice_size": input_layer_min_slice_size,
            },
            feature_engineering_fn=feature_engineering_fn,
        )


@export("contrib.learn.DNNEstimator")
class DNNEstimator(Estimator):
    """A deep network with a head of one's own.

    Args:
        head: a Head.
        hidden_units: the number of units of each hidden layer.
        feature_columns: feature columns, of either kind.
        model_dir: the folder of checkpoints; or None.
        optimizer: an optimizer, its name, or a function that makes it; Adagrad by default.
        activation_fn: the activation of hidden layers.
        dropout: the probability that a unit is dropped in training; or None.
        gradient_clip_norm: the largest global norm of gradients; or None.
        config: a RunConfig; or None.
        feature_engineering_fn: a function of features and labels; or None.
        embedding_lr_multipliers: factors of the learning rate by embedding column; or None.
        input_layer_min_slice_size: the smallest size in bytes of a part of an embedding that is
            spread over parameter servers; 64 MiB if None.
    """

    def __init__(
        self,
        head: Any,
        hidden_units: Sequence[int],
        feature_columns: Iterable[Any],
        model_dir: str | None = None,
        optimizer: Any = None,
        activation_fn: Callable[[Any], Tensor] = relu,
        dropout: float | None = None,
        gradient_clip_norm: float | None = None,
        config: Any = None,
        feature_engineering_fn: Any = None,
        embedding_lr_multipliers: Mapping[Any, float] | None = None,
        input_layer_min_slice_size: int | None = None,
    ) -> None:
        super().__init__(
            model_fn=dnn_model_fn,
            model_dir=model_dir,
            config=config,
            params={
                "head": head,
                "hidden_units": hidden_units,
                "feature_columns": feature_columns,
                "optimizer": optimizer,
                "activation_fn": activation_fn,
                "dropout": dropout,
                "gradient_clip_norm": gradient_clip_norm,
                "embedding_lr_multipliers": embedding_lr_multipliers,
                "input_layer_min_slice_size": input_layer_min_slice_size,
            },
            feature_engineering_fn=feature_engineering_fn,
        )
