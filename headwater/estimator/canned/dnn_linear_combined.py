"""DNNLinearCombinedClassifier, ...Regressor and ...Estimator: wide and deep models."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from headwater.base.export import export
from headwater.estimator.canned.dnn import add_layer_summary, dnn_logit_fn_builder
from headwater.estimator.canned.heads import check_features, classifier_head
from headwater.estimator.canned.linear import default_learning_rate, linear_logit_fn_builder
from headwater.estimator.canned.optimizers import get_optimizer_instance
from headwater.estimator.estimator import Estimator
from headwater.estimator.head.regression import mean_squared_error_head
from headwater.estimator.model_fn import EstimatorSpec
from headwater.estimator.run_config import RunConfig
from headwater.graph import Tensor, control_dependencies, group
from headwater.graph.default_graph import get_collection
from headwater.graph.graph_keys import GraphKeys
from headwater.model.global_step import get_global_step
from headwater.model.losses.weighting import Reduction
from headwater.model.variables.partitioned_variable import min_max_variable_partitioner
from headwater.model.variables.variable_scope import variable_scope
from headwater.ops.nn.relu import relu
from headwater.ops.state.assign import assign_add
from headwater.train.optimizers.sync_replicas import SyncReplicasOptimizer

_DNN_LEARNING_RATE = 0.001
_LINEAR_LEARNING_RATE = 0.005
_INPUT_SLICE = 64 << 20


def check_no_sync_replicas(optimizer: Any) -> None:
    """Checks that an optimizer can work beside another one.

    Raises:
        ValueError: if it cannot.
    """
    if isinstance(optimizer, SyncReplicasOptimizer):
        raise ValueError(
            "SyncReplicasOptimizer does not support multi optimizers case. Therefore, it is not "
            "supported in DNNLinearCombined model. If you want to use this optimizer, please use "
            "either DNN or Linear model."
        )


def checked_columns(linear: Any, dnn: Any) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """The columns of both parts of a model as tuples.

    Raises:
        ValueError: if there are none.
    """
    linear, dnn = tuple(linear or ()), tuple(dnn or ())
    if not linear + dnn:
        raise ValueError("Either linear_feature_columns or dnn_feature_columns must be defined.")
    return linear, dnn


def dnn_linear_combined_model_fn(
    features: Any,
    labels: Any,
    mode: str,
    head: Any,
    linear_feature_columns: Sequence[Any] | None = None,
    linear_optimizer: Any = "Ftrl",
    dnn_feature_columns: Sequence[Any] | None = None,
    dnn_optimizer: Any = "Adagrad",
    dnn_hidden_units: Sequence[int] | None = None,
    dnn_activation_fn: Callable[..., Any] = relu,
    dnn_dropout: float | None = None,
    input_layer_partitioner: Callable[..., Any] | None = None,
    config: RunConfig | None = None,
    batch_norm: bool = False,
    linear_sparse_combiner: str = "sum",
) -> EstimatorSpec:
    """The model function of a wide and deep model.

    Args:
        features: the features by name.
        labels: the labels.
        mode: a value of ModeKeys.
        head: the head.
        linear_feature_columns: columns of the linear part; or None.
        linear_optimizer: its optimizer, a function that returns one, or a name.
        dnn_feature_columns: dense columns of the part of fully connected layers; or None.
        dnn_optimizer: its optimizer, a function that returns one, or a name.
        dnn_hidden_units: the numbers of units of its hidden layers.
        dnn_activation_fn: the activation of its hidden layers.
        dnn_dropout: which share of the activations is dropped in training; or None.
        input_layer_partitioner: the partitioner of the variables of columns; or None.
        config: the RunConfig.
        batch_norm: whether the hidden layers are followed by batch normalization.
        linear_sparse_combiner: how the weights of the ids of a column are combined.

    Returns:
        An EstimatorSpec.

    Raises:
        ValueError: if features are not by name, or columns or layers are missing.
    """
    check_features(features)
    linear_columns, dnn_columns = checked_columns(linear_feature_columns, dnn_feature_columns)
    servers = config.num_ps_replicas if config else 0
    input_layer_partitioner = input_layer_partitioner or min_max_variable_partitioner(
        max_partitions=servers, min_slice_size=_INPUT_SLICE
    )
    parts: list[tuple[Any, str]] = []
    logits = []
    if dnn_columns:
        if not dnn_hidden_units:
            raise ValueError(
                "dnn_hidden_units must be defined when dnn_feature_columns is specified."
            )
        dnn_optimizer = get_optimizer_instance(dnn_optimizer, learning_rate=_DNN_LEARNING_RATE)
        check_no_sync_replicas(dnn_optimizer)
        partitioner = min_max_variable_partitioner(max_partitions=servers)
        with variable_scope(
            "dnn", values=tuple(features.values()), partitioner=partitioner
        ) as scope:
            dnn_logit_fn = dnn_logit_fn_builder(
                units=head.logits_dimension,
                hidden_units=dnn_hidden_units,
                feature_columns=dnn_columns,
                activation_fn=dnn_activation_fn,
                dropout=dnn_dropout,
                batch_norm=batch_norm,
                input_layer_partitioner=input_layer_partitioner,
            )
            logits.append(dnn_logit_fn(features=features, mode=mode))
        parts.append((dnn_optimizer, scope.name))
    if linear_columns:
        linear_optimizer = get_optimizer_instance(
            linear_optimizer,
            learning_rate=default_learning_rate(_LINEAR_LEARNING_RATE, linear_columns),
        )
        check_no_sync_replicas(linear_optimizer)
        with variable_scope(
            "linear", values=tuple(features.values()), partitioner=input_layer_partitioner
        ) as scope:
            linear_logit_fn = linear_logit_fn_builder(
                units=head.logits_dimension,
                feature_columns=linear_columns,
                sparse_combiner=linear_sparse_combiner,
            )
            linear_logits = linear_logit_fn(features=features)
            add_layer_summary(linear_logits, scope.name)
        logits.append(linear_logits)
        parts.append((linear_optimizer, scope.name))
    return head.create_estimator_spec(
        features=features,
        mode=mode,
        labels=labels,
        train_op_fn=lambda loss: _train_op(loss, parts),
        logits=logits[0] + logits[1] if len(logits) == 2 else logits[0],
    )


def _train_op(loss: Tensor, parts: Sequence[tuple[Any, str]]) -> Any:
    """Trains the variables of each part by an optimizer of its own, then counts the step."""
    train_ops = [
        optimizer.minimize(
            loss, var_list=get_collection(GraphKeys.TRAINABLE_VARIABLES, scope=scope_name)
        )
        for optimizer, scope_name in parts
    ]
    step = get_global_step()
    with control_dependencies([group(*train_ops)]):
        return assign_add(step, 1).op


class _Combined(Estimator):
    """An Estimator whose model function is `dnn_linear_combined_model_fn` with given arguments."""

    def __init__(
        self, head: Any, model_dir: Any, config: Any, warm_start_from: Any, **arguments: Any
    ) -> None:
        linear, dnn = checked_columns(
            arguments["linear_feature_columns"], arguments["dnn_feature_columns"]
        )
        arguments = {**arguments, "linear_feature_columns": linear, "dnn_feature_columns": dnn}

        def _model_fn(features: Any, labels: Any, mode: str, config: Any) -> EstimatorSpec:
            return dnn_linear_combined_model_fn(
                features=features, labels=labels, mode=mode, head=head, config=config, **arguments
            )

        super().__init__(
            model_fn=_model_fn,
            model_dir=model_dir,
            config=config,
            warm_start_from=warm_start_from,
        )


@export("estimator.DNNLinearCombinedClassifier")
class DNNLinearCombinedClassifier(_Combined):
    """A classifier whose logits are those of a linear model and of fully connected layers, added.

    Args:
        model_dir: the folder of checkpoints and event files; or None.
        linear_feature_columns: columns of the linear part; or None.
        linear_optimizer: its optimizer, a function that returns one, or a name.
        dnn_feature_columns: dense columns of the part of fully connected layers; or None.
        dnn_optimizer: its optimizer, a function that returns one, or a name.
        dnn_hidden_units: the numbers of units of its hidden layers.
        dnn_activation_fn: the activation of its hidden layers.
        dnn_dropout: which share of the activations is dropped in training; or None.
        n_classes: the number of classes.
        weight_column: the name or column of the weights of examples; or None.
        label_vocabulary: the names of the classes, if labels are strings; or None.
        input_layer_partitioner: the partitioner of the variables of columns; or None.
        config: a RunConfig; or None.
        warm_start_from: WarmStartSettings, or the path of a checkpoint; or None.
        loss_reduction: how the losses of examples become one; a member of `tf.losses.Reduction`.
        batch_norm: whether the hidden layers are followed by batch normalization.
        linear_sparse_combiner: how the weights of the ids of a column are combined: "sum", "mean"
            or "sqrtn".

    Raises:
        ValueError: if there are no columns, or another argument is wrong.
    """

    def __init__(
        self,
        model_dir: str | None = None,
        linear_feature_columns: Iterable[Any] | None = None,
        linear_optimizer: Any = "Ftrl",
        dnn_feature_columns: Iterable[Any] | None = None,
        dnn_optimizer: Any = "Adagrad",
        dnn_hidden_units: Sequence[int] | None = None,
        dnn_activation_fn: Callable[..., Any] = relu,
        dnn_dropout: float | None = None,
        n_classes: int = 2,
        weight_column: Any = None,
        label_vocabulary: Sequence[str] | None = None,
        input_layer_partitioner: Callable[..., Any] | None = None,
        config: RunConfig | None = None,
        warm_start_from: Any = None,
        loss_reduction: str = Reduction.SUM,
        batch_norm: bool = False,
        linear_sparse_combiner: str = "sum",
    ) -> None:
        super().__init__(
            classifier_head(n_classes, weight_column, label_vocabulary, loss_reduction),
            model_dir,
            config,
            warm_start_from,
            linear_feature_columns=linear_feature_columns,
            linear_optimizer=linear_optimizer,
            dnn_feature_columns=dnn_feature_columns,
            dnn_optimizer=dnn_optimizer,
            dnn_hidden_units=dnn_hidden_units,
            dnn_activation_fn=dnn_activation_fn,
            dnn_dropout=dnn_dropout,
            input_layer_partitioner=input_layer_partitioner,
            batch_norm=batch_norm,
            linear_sparse_combiner=linear_sparse_combiner,
        )


@export("estimator.DNNLinearCombinedRegressor")
class DNNLinearCombinedRegressor(_Combined):
    """A regression whose logits are those of a linear model and of fully connected layers, added.

    Args:
        model_dir: the folder of checkpoints and event files; or None.
        linear_feature_columns: columns of the linear part; or None.
        linear_optimizer: its optimizer, a function that returns one, or a name.
        dnn_feature_columns: dense columns of the part of fully connected layers; or None.
        dnn_optimizer: its optimizer, a function that returns one, or a name.
        dnn_hidden_units: the numbers of units of its hidden layers.
        dnn_activation_fn: the activation of its hidden layers.
        dnn_dropout: which share of the activations is dropped in training; or None.
        label_dimension: how many numbers a label has.
        weight_column: the name or column of the weights of examples; or None.
        input_layer_partitioner: the partitioner of the variables of columns; or None.
        config: a RunConfig; or None.
        warm_start_from: WarmStartSettings, or the path of a checkpoint; or None.
        loss_reduction: how the losses of examples become one; a member of `tf.losses.Reduction`.
        batch_norm: whether the hidden layers are followed by batch normalization.
        linear_sparse_combiner: how the weights of the ids of a column are combined: "sum", "mean"
            or "sqrtn".

    Raises:
        ValueError: if there are no columns, or another argument is wrong.
    """

    def __init__(
        self,
        model_dir: str | None = None,
        linear_feature_columns: Iterable[Any] | None = None,
        linear_optimizer: Any = "Ftrl",
        dnn_feature_columns: Iterable[Any] | None = None,
        dnn_optimizer: Any = "Adagrad",
        dnn_hidden_units: Sequence[int] | None = None,
        dnn_activation_fn: Callable[..., Any] = relu,
        dnn_dropout: float | None = None,
        label_dimension: int = 1,
        weight_column: Any = None,
        input_layer_partitioner: Callable[..., Any] | None = None,
        config: RunConfig | None = None,
        warm_start_from: Any = None,
        loss_reduction: str = Reduction.SUM,
        batch_norm: bool = False,
        linear_sparse_combiner: str = "sum",
    ) -> None:
        super().__init__(
            mean_squared_error_head(
                label_dimension=label_dimension,
                weight_column=weight_column,
                loss_reduction=loss_reduction,
            ),
            model_dir,
            config,
            warm_start_from,
            linear_feature_columns=linear_feature_columns,
            linear_optimizer=linear_optimizer,
            dnn_feature_columns=dnn_feature_columns,
            dnn_optimizer=dnn_optimizer,
            dnn_hidden_units=dnn_hidden_units,
            dnn_activation_fn=dnn_activation_fn,
            dnn_dropout=dnn_dropout,
            input_layer_partitioner=input_layer_partitioner,
            batch_norm=batch_norm,
            linear_sparse_combiner=linear_sparse_combiner,
        )


@export("estimator.DNNLinearCombinedEstimator", "contrib.estimator.DNNLinearCombinedEstimator")
class DNNLinearCombinedEstimator(_Combined):
    """A linear model and fully connected layers, whose logits are added, with a given head.

    Args:
        head: the head.
        model_dir: the folder of checkpoints and event files; or None.
        linear_feature_columns: columns of the linear part; or None.
        linear_optimizer: its optimizer, a function that returns one, or a name.
        dnn_feature_columns: dense columns of the part of fully connected layers; or None.
        dnn_optimizer: its optimizer, a function that returns one, or a name.
        dnn_hidden_units: the numbers of units of its hidden layers.
        dnn_activation_fn: the activation of its hidden layers.
        dnn_dropout: which share of the activations is dropped in training; or None.
        input_layer_partitioner: the partitioner of the variables of columns; or None.
        config: a RunConfig; or None.
        linear_sparse_combiner: how the weights of the ids of a column are combined: "sum", "mean"
            or "sqrtn".

    Raises:
        ValueError: if there are no columns, or another argument is wrong.
    """

    def __init__(
        self,
        head: Any,
        model_dir: str | None = None,
        linear_feature_columns: Iterable[Any] | None = None,
        linear_optimizer: Any = "Ftrl",
        dnn_feature_columns: Iterable[Any] | None = None,
        dnn_optimizer: Any = "Adagrad",
        dnn_hidden_units: Sequence[int] | None = None,
        dnn_activation_fn: Callable[..., Any] = relu,
        dnn_dropout: float | None = None,
        input_layer_partitioner: Callable[..., Any] | None = None,
        config: RunConfig | None = None,
        linear_sparse_combiner: str = "sum",
    ) -> None:
        super().__init__(
            head,
            model_dir,
            config,
            None,
            linear_feature_columns=linear_feature_columns,
            linear_optimizer=linear_optimizer,
            dnn_feature_columns=dnn_feature_columns,
            dnn_optimizer=dnn_optimizer,
            dnn_hidden_units=dnn_hidden_units,
            dnn_activation_fn=dnn_activation_fn,
            dnn_dropout=dnn_dropout,
            input_layer_partitioner=input_layer_partitioner,
            linear_sparse_combiner=linear_sparse_combiner,
        )
