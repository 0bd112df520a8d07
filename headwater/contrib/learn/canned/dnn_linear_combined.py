"""DNNLinearCombinedClassifier, ...Regressor, ...Estimator: wide and deep models."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from headwater.base.export import export
from headwater.base.typing import Array
from headwater.contrib.layers.optimizers import optimize_loss
from headwater.contrib.learn.canned import model_parts as parts
from headwater.contrib.learn.canned.learned_variables import (
    deep_biases,
    deep_weights,
    linear_bias,
    linear_weights,
)
from headwater.contrib.learn.canned.predictions import CannedClassifier, CannedRegressor
from headwater.contrib.learn.estimating.custom_estimator import Estimator
from headwater.contrib.learn.head_kinds.classification import multi_class_head
from headwater.contrib.learn.head_kinds.regression import regression_head
from headwater.graph import (
    Operation,
    Tensor,
    colocate_with,
    control_dependencies,
    group,
)
from headwater.graph.default_graph import get_collection
from headwater.model.global_step import get_global_step
from headwater.ops.nn.relu import relu
from headwater.ops.state.assign import assign_add


def combined_model_fn(
    features: Any, labels: Any, mode: str, params: Mapping[str, Any], config: Any = None
) -> Any:
    """The model function of a linear model and a deep network whose logits are added.

    Args:
        features: a tensor or a dict of tensors.
        labels: a tensor or a dict of tensors.
        mode: training, evaluation or inference.
        params: "head", "linear_feature_columns", "linear_optimizer", "joint_linear_weights",
            "dnn_optimizer", "gradient_clip_norm", "embedding_lr_multipliers",
            "fix_global_step_increment_bug", and for the deep network what `dnn_logits` reads.
        config: a RunConfig or None.

    Returns:
        ModelFnOps.

    Raises:
        ValueError: if there are no columns, or deep columns without hidden units.
    """
    head = params["head"]
    size = head.logits_dimension
    linear_columns = params.get("linear_feature_columns")
    if not linear_columns and not params["feature_columns"]:
        raise ValueError("Either linear_feature_columns or dnn_feature_columns must be defined.")
    by_name = parts.feature_dict(features)
    deep = linear = None
    input_scope = ""
    if params["feature_columns"]:
        if not params["hidden_units"]:
            raise ValueError(
                "dnn_hidden_units must be defined when dnn_feature_columns is specified."
            )
        with parts.dnn_scope(by_name, config):
            deep, input_scope = parts.dnn_logits(by_name, size, mode, params, config)
    if linear_columns:
        joint = params.get("joint_linear_weights", False)
        with parts.linear_scope(by_name, config) as scope:
            linear = parts.linear_logits(by_name, linear_columns, size, joint, scope)
            parts.add_layer_summary(linear, scope.name)
    logits = deep + linear if deep is not None and linear is not None else deep
    if logits is None:
        logits = linear

    def train_op_fn(loss: Tensor) -> Operation:
        once = params.get("fix_global_step_increment_bug", False)
        options: dict[str, Any] = {
            "loss": loss,
            "global_step": get_global_step(),
            "clip_gradients": params.get("gradient_clip_norm"),
            # The head summarizes the loss.
            "summaries": [],
            "increment_global_step": not once,
        }
        train_ops = []
        if deep is not None:
            train_ops.append(
                optimize_loss(
                    learning_rate=parts.DNN_LEARNING_RATE,
                    optimizer=parts.made_optimizer(params.get("dnn_optimizer") or "Adagrad"),
                    gradient_multipliers=parts.embedding_multipliers(
                        params.get("embedding_lr_multipliers"), parts.DNN, input_scope
                    ),
                    variables=get_collection(parts.DNN),
                    name=parts.DNN,
                    **options,
                )
            )
        if linear is not None and linear_columns:
            train_ops.append(
                optimize_loss(
                    learning_rate=parts.linear_learning_rate(linear_columns),
                    optimizer=parts.made_optimizer(params.get("linear_optimizer") or "Ftrl"),
                    variables=get_collection(parts.LINEAR),
                    name=parts.LINEAR,
                    **options,
                )
            )
        train_op = group(*train_ops)
        if not once:
            return train_op
        step = options["global_step"]
        with control_dependencies([train_op]), colocate_with(step):
            incremented: Operation = assign_add(step, 1).op
            return incremented

    return head.create_model_fn_ops(
        features=by_name, mode=mode, labels=labels, train_op_fn=train_op_fn, logits=logits
    )


class _CombinedModel:
    """What the classifier and the regressor have in common."""

    params: Mapping[str, Any]

    def _columns(self) -> Sequence[Any]:
        return (
            *(self.params["linear_feature_columns"] or ()),
            *(self.params["feature_columns"] or ()),
        )

    @property
    def linear_weights_(self) -> Any:
        """The linear weights by the name of their variable; alone if there is only one."""
        return linear_weights(self)

    @property
    def linear_bias_(self) -> Array:
        """The linear bias, a vector."""
        return linear_bias(self)

    @property
    def dnn_weights_(self) -> list[Array]:
        """The weights of the hidden layers and of the logits."""
        return deep_weights(self)

    @property
    def dnn_bias_(self) -> list[Array]:
        """The biases of the hidden layers and of the logits; then the centered bias if any."""
        return deep_biases(self)


@export(
    "contrib.learn.DNNLinearCombinedClassifier",
    "contrib.learn.estimators.DNNLinearCombinedClassifier",
)
class DNNLinearCombinedClassifier(_CombinedModel, CannedClassifier):
    """A classifier whose logits are those of a linear model and of a deep network, added.

    Args:
        model_dir: the folder of checkpoints; or None.
        n_classes: the number of classes.
        weight_column_name: the name of the feature with the weights of examples; or None.
        linear_feature_columns: the columns of the linear model; or None.
        linear_optimizer: an optimizer, its name, or a function that makes it; FTRL by default.
        _joint_linear_weights: whether the weights of all linear columns are one variable.
        dnn_feature_columns: the columns of the deep network; or None.
        dnn_optimizer: an optimizer, its name, or a function that makes it; Adagrad by default.
        dnn_hidden_units: the number of units of each hidden layer.
        dnn_activation_fn: the activation of hidden layers.
        dnn_dropout: the probability that a unit is dropped in training; or None.
        gradient_clip_norm: the largest global norm of gradients; or None.
        enable_centered_bias: whether a bias is learned that makes up for the mean of the labels.
        config: a RunConfig; or None.
        feature_engineering_fn: a function of features and labels; or None.
        embedding_lr_multipliers: factors of the learning rate by embedding column; or None.
        input_layer_min_slice_size: the smallest size in bytes of a part of an embedding that is
            spread over parameter servers; 64 MiB if None.
        label_keys: the labels, if they are strings; or None.
        fix_global_step_increment_bug: whether a training step counts once, not once for each of
            the two optimizers.

    Raises:
        ValueError: if there are fewer than two classes, or no columns.
    """

    def __init__(
        self,
        model_dir: str | None = None,
        n_classes: int = 2,
        weight_column_name: str | None = None,
        linear_feature_columns: Iterable[Any] | None = None,
        linear_optimizer: Any = None,
        _joint_linear_weights: bool = False,
        dnn_feature_columns: Iterable[Any] | None = None,
        dnn_optimizer: Any = None,
        dnn_hidden_units: Sequence[int] | None = None,
        dnn_activation_fn: Callable[[Any], Tensor] = relu,
        dnn_dropout: float | None = None,
        gradient_clip_norm: float | None = None,
        enable_centered_bias: bool = False,
        config: Any = None,
        feature_engineering_fn: Any = None,
        embedding_lr_multipliers: Mapping[Any, float] | None = None,
        input_layer_min_slice_size: int | None = None,
        label_keys: Any = None,
        fix_global_step_increment_bug: bool = False,
    ) -> None:
        head = multi_class_head(
            n_classes=n_classes,
            weight_column_name=weight_column_name,
            enable_centered_bias=enable_centered_bias,
            label_keys=label_keys,
        )
        linear_columns = tuple(linear_feature_columns or ())
        dnn_columns = tuple(dnn_feature_columns or ())
        _check_columns(linear_columns, dnn_columns)
        super().__init__(
            model_fn=combined_model_fn,
            model_dir=model_dir,
            config=config,
            params={
                "head": head,
                "linear_feature_columns": linear_columns,
                "linear_optimizer": linear_optimizer,
                "joint_linear_weights": _joint_linear_weights,
                "feature_columns": dnn_columns,
                "dnn_optimizer": dnn_optimizer,
                "hidden_units": dnn_hidden_units,
                "activation_fn": dnn_activation_fn,
                "dropout": dnn_dropout,
                "gradient_clip_norm": gradient_clip_norm,
                "embedding_lr_multipliers": embedding_lr_multipliers,
                "input_layer_min_slice_size": input_layer_min_slice_size,
                "fix_global_step_increment_bug": fix_global_step_increment_bug,
            },
            feature_engineering_fn=feature_engineering_fn,
        )


def _check_columns(linear_columns: Sequence[Any], dnn_columns: Sequence[Any]) -> None:
    if not linear_columns and not dnn_columns:
        raise ValueError("Either linear_feature_columns or dnn_feature_columns must be defined.")


@export(
    "contrib.learn.DNNLinearCombinedRegressor",
    "contrib.learn.estimators.DNNLinearCombinedRegressor",
)
class DNNLinearCombinedRegressor(_CombinedModel, CannedRegressor):
    """A regressor whose scores are those of a linear model and of a deep network, added.

    Args:
        model_dir: the folder of checkpoints; or None.
        weight_column_name: the name of the feature with the weights of examples; or None.
        linear_feature_columns: the columns of the linear model; or None.
        linear_optimizer: an optimizer, its name, or a function that makes it; FTRL by default.
        _joint_linear_weights: whether the weights of all linear columns are one variable.
        dnn_feature_columns: the columns of the deep network; or None.
        dnn_optimizer: an optimizer, its name, or a function that makes it; Adagrad by default.
        dnn_hidden_units: the number of units of each hidden layer.
        dnn_activation_fn: the activation of hidden layers.
        dnn_dropout: the probability that a unit is dropped in training; or None.
        gradient_clip_norm: the largest global norm of gradients; or None.
        enable_centered_bias: whether a bias is learned that makes up for the mean of the labels.
        label_dimension: the number of values of a label.
        config: a RunConfig; or None.
        feature_engineering_fn: a function of features and labels; or None.
        embedding_lr_multipliers: factors of the learning rate by embedding column; or None.
        input_layer_min_slice_size: the smallest size in bytes of a part of an embedding that is
            spread over parameter servers; 64 MiB if None.
        fix_global_step_increment_bug: whether a training step counts once, not once for each of
            the two optimizers.

    Raises:
        ValueError: if there are no columns.
    """

    def __init__(
        self,
        model_dir: str | None = None,
        weight_column_name: str | None = None,
        linear_feature_columns: Iterable[Any] | None = None,
        linear_optimizer: Any = None,
        _joint_linear_weights: bool = False,
        dnn_feature_columns: Iterable[Any] | None = None,
        dnn_optimizer: Any = None,
        dnn_hidden_units: Sequence[int] | None = None,
        dnn_activation_fn: Callable[[Any], Tensor] = relu,
        dnn_dropout: float | None = None,
        gradient_clip_norm: float | None = None,
        enable_centered_bias: bool = False,
        label_dimension: int = 1,
        config: Any = None,
        feature_engineering_fn: Any = None,
        embedding_lr_multipliers: Mapping[Any, float] | None = None,
        input_layer_min_slice_size: int | None = None,
        fix_global_step_increment_bug: bool = False,
    ) -> None:
        linear_columns = tuple(linear_feature_columns or ())
        dnn_columns = tuple(dnn_feature_columns or ())
        _check_columns(linear_columns, dnn_columns)
        head = regression_head(
            weight_column_name=weight_column_name,
            label_dimension=label_dimension,
            enable_centered_bias=enable_centered_bias,
        )
        super().__init__(
            model_fn=combined_model_fn,
            model_dir=model_dir,
            config=config,
            params={
                "head": head,
                "linear_feature_columns": linear_columns,
                "linear_optimizer": linear_optimizer,
                "joint_linear_weights": _joint_linear_weights,
                "feature_columns": dnn_columns,
                "dnn_optimizer": dnn_optimizer,
                "hidden_units": dnn_hidden_units,
                "activation_fn": dnn_activation_fn,
                "dropout": dnn_dropout,
                "gradient_clip_norm": gradient_clip_norm,
                "embedding_lr_multipliers": embedding_lr_multipliers,
                "input_layer_min_slice_size": input_layer_min_slice_size,
                "fix_global_step_increment_bug": fix_global_step_increment_bug,
            },
            feature_engineering_fn=feature_engineering_fn,
        )


@export("contrib.learn.DNNLinearCombinedEstimator")
class DNNLinearCombinedEstimator(Estimator):
    """A linear model and a deep network with a head of one's own.

    Args:
        head: a Head.
        model_dir: the folder of checkpoints; or None.
        linear_feature_columns: the columns of the linear model; or None.
        linear_optimizer: an optimizer, its name, or a function that makes it; FTRL by default.
        _joint_linear_weights: whether the weights of all linear columns are one variable.
        dnn_feature_columns: the columns of the deep network; or None.
        dnn_optimizer: an optimizer, its name, or a function that makes it; Adagrad by default.
        dnn_hidden_units: the number of units of each hidden layer.
        dnn_activation_fn: the activation of hidden layers; ReLU if None.
        dnn_dropout: the probability that a unit is dropped in training; or None.
        gradient_clip_norm: the largest global norm of gradients; or None.
        config: a RunConfig; or None.
        feature_engineering_fn: a function of features and labels; or None.
        embedding_lr_multipliers: factors of the learning rate by embedding column; or None.
        fix_global_step_increment_bug: whether a training step counts once, not once for each of
            the two optimizers.
        input_layer_partitioner: how the variables of the input are partitioned; or None.

    Raises:
        ValueError: if there are no columns.
    """

    def __init__(
        self,
        head: Any,
        model_dir: str | None = None,
        linear_feature_columns: Iterable[Any] | None = None,
        linear_optimizer: Any = None,
        _joint_linear_weights: bool = False,
        dnn_feature_columns: Iterable[Any] | None = None,
        dnn_optimizer: Any = None,
        dnn_hidden_units: Sequence[int] | None = None,
        dnn_activation_fn: Callable[[Any], Tensor] | None = None,
        dnn_dropout: float | None = None,
        gradient_clip_norm: float | None = None,
        config: Any = None,
        feature_engineering_fn: Any = None,
        embedding_lr_multipliers: Mapping[Any, float] | None = None,
        fix_global_step_increment_bug: bool = False,
        input_layer_partitioner: Any = None,
    ) -> None:
        linear_columns = tuple(linear_feature_columns or ())
        dnn_columns = tuple(dnn_feature_columns or ())
        _check_columns(linear_columns, dnn_columns)
        super().__init__(
            model_fn=combined_model_fn,
            model_dir=model_dir,
            config=config,
            params={
                "head": head,
                "linear_feature_columns": linear_columns,
                "linear_optimizer": linear_optimizer,
                "joint_linear_weights": _joint_linear_weights,
                "feature_columns": dnn_columns,
                "dnn_optimizer": dnn_optimizer,
                "hidden_units": dnn_hidden_units,
                "activation_fn": dnn_activation_fn or relu,
                "dropout": dnn_dropout,
                "gradient_clip_norm": gradient_clip_norm,
                "embedding_lr_multipliers": embedding_lr_multipliers,
                "fix_global_step_increment_bug": fix_global_step_increment_bug,
                "input_layer_partitioner": input_layer_partitioner,
            },
            feature_engineering_fn=feature_engineering_fn,
        )
