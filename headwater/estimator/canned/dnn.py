"""DNNClassifier, DNNRegressor and DNNEstimator: fully connected layers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from headwater.base.export import export
from headwater.estimator.canned.heads import check_features, check_units, classifier_head
from headwater.estimator.canned.optimizers import get_optimizer_instance
from headwater.estimator.estimator import Estimator
from headwater.estimator.head.base import _Head
from headwater.estimator.head.regression import mean_squared_error_head
from headwater.estimator.mode_keys import ModeKeys
from headwater.estimator.model_fn import EstimatorSpec
from headwater.estimator.run_config import RunConfig
from headwater.graph import Tensor, name_scope
from headwater.model.feature_column.checks import is_feature_column_v2
from headwater.model.feature_column.dense_features import DenseFeatures
from headwater.model.feature_column.input_layer import input_layer
from headwater.model.layers import core
from headwater.model.layers.normalization import batch_normalization
from headwater.model.losses.weighting import Reduction
from headwater.model.nn.zero_fraction import zero_fraction
from headwater.model.variables.partitioned_variable import min_max_variable_partitioner
from headwater.model.variables.random_initializers import GlorotUniform
from headwater.model.variables.variable_scope import (
    VariableScope,
    get_variable_scope,
    variable_scope,
)
from headwater.ops.nn.relu import relu
from headwater.ops.summary.histogram import histogram
from headwater.ops.summary.scalar import scalar

_LEARNING_RATE = 0.05
_INPUT_SLICE = 64 << 20

LogitFn = Callable[..., Tensor]


def add_layer_summary(value: Tensor, tag: str) -> None:
    """Makes summaries of the activations of a layer.

    Args:
        value: the activations.
        tag: the name of the layer.
    """
    scalar(f"{tag}/fraction_of_zero_values", zero_fraction(value))
    histogram(f"{tag}/activation", value)


@export("estimator.experimental.dnn_logit_fn_builder", "contrib.estimator.dnn_logit_fn_builder")
def dnn_logit_fn_builder(
    units: int,
    hidden_units: Iterable[int],
    feature_columns: Iterable[Any],
    activation_fn: Callable[..., Any],
    dropout: float | None,
    input_layer_partitioner: Callable[..., Any] | None,
    batch_norm: bool,
) -> LogitFn:
    """Makes a function that computes logits by fully connected layers.

    Args:
        units: how many logits an example has.
        hidden_units: the numbers of units of the hidden layers.
        feature_columns: dense feature columns.
        activation_fn: the activation of the hidden layers.
        dropout: which share of the activations is dropped in training; or None.
        input_layer_partitioner: the partitioner of the variables of columns; or None.
        batch_norm: whether the hidden layers are followed by batch normalization.

    Returns:
        A function of features and mode that returns the logits.

    Raises:
        ValueError: if `units` is not an int.
    """
    check_units(units)
    layers = _HiddenLayers(tuple(hidden_units), activation_fn, dropout, batch_norm)

    def dnn_logit_fn(features: Any, mode: str) -> Tensor:
        with variable_scope(get_variable_scope(), use_resource=True, auxiliary_name_scope=False):
            net = _input_tensor(features, feature_columns, input_layer_partitioner)
            return layers.logits(net, units, training=mode == ModeKeys.TRAIN)

    return dnn_logit_fn


def _input_tensor(features: Any, columns: Iterable[Any], partitioner: Any) -> Tensor:
    """The features side by side."""
    columns = list(columns)
    with variable_scope("input_from_feature_columns", partitioner=partitioner):
        if is_feature_column_v2(columns):
            result: Tensor = DenseFeatures(feature_columns=columns, name="input_layer")(features)
            return result
        return input_layer(features=features, feature_columns=columns)


def _dense(net: Tensor, units: int, activation: Any, scope: VariableScope) -> Tensor:
    """A fully connected layer whose variables and nodes are those of a scope."""
    layer = core.Dense(
        units, activation, kernel_initializer=GlorotUniform(), name=scope.name, _scope=scope
    )
    result: Tensor = layer(net)
    return result


class _HiddenLayers:
    """The hidden layers of a model."""

    def __init__(
        self, units: Sequence[int], activation_fn: Any, rate: float | None, batch_norm: bool
    ) -> None:
        self._units = units
        self._activation_fn = activation_fn
        self._rate = rate
        self._batch_norm = batch_norm

    def logits(self, net: Tensor, units: int, training: bool) -> Tensor:
        """The logits of the features."""
        for number, hidden_units in enumerate(self._units):
            net = self._hidden_layer(net, number, hidden_units, training)
        with variable_scope("logits", values=(net,)) as scope:
            logits = _dense(net, units, None, scope)
        add_layer_summary(logits, scope.name)
        return logits

    def _hidden_layer(self, net: Tensor, number: int, units: int, training: bool) -> Tensor:
        with variable_scope(f"hiddenlayer_{number}", values=(net,)) as scope:
            net = _dense(net, units, self._activation_fn, scope)
        if self._rate is not None and training:
            net = core.dropout(net, rate=self._rate, training=True)
        if self._batch_norm:
            same_names = name_scope(scope.original_name_scope)
            with variable_scope(scope, auxiliary_name_scope=False), same_names:
                net = batch_normalization(
                    net, momentum=0.999, training=training, name=f"batchnorm_{number}"
                )
        add_layer_summary(net, scope.name)
        return net


def dnn_model_fn(
    features: Any,
    labels: Any,
    mode: str,
    head: _Head,
    hidden_units: Sequence[int],
    feature_columns: Iterable[Any],
    optimizer: Any = "Adagrad",
    activation_fn: Callable[..., Any] = relu,
    dropout: float | None = None,
    input_layer_partitioner: Callable[..., Any] | None = None,
    config: RunConfig | None = None,
    use_tpu: bool = False,
    batch_norm: bool = False,
) -> EstimatorSpec:
    """The model function of fully connected layers.

    Args:
        features: the features by name.
        labels: the labels.
        mode: a value of ModeKeys.
        head: the head.
        hidden_units: the numbers of units of the hidden layers.
        feature_columns: dense feature columns.
        optimizer: an Optimizer, a function that returns one, or a name.
        activation_fn: the activation of the hidden layers.
        dropout: which share of the activations is dropped in training; or None.
        input_layer_partitioner: the partitioner of the variables of columns; or None.
        config: the RunConfig.
        use_tpu: not used.
        batch_norm: whether the hidden layers are followed by batch normalization.

    Returns:
        An EstimatorSpec.

    Raises:
        ValueError: if the features are not by name.
    """
    check_features(features)
    optimizer = get_optimizer_instance(optimizer, learning_rate=_LEARNING_RATE)
    servers = config.num_ps_replicas if config else 0
    partitioner = min_max_variable_partitioner(max_partitions=servers)
    with variable_scope("dnn", values=tuple(features.values()), partitioner=partitioner):
        logit_fn = dnn_logit_fn_builder(
            units=head.logits_dimension,
            hidden_units=hidden_units,
            feature_columns=feature_columns,
            activation_fn=activation_fn,
            dropout=dropout,
            input_layer_partitioner=input_layer_partitioner
            or min_max_variable_partitioner(max_partitions=servers, min_slice_size=_INPUT_SLICE),
            batch_norm=batch_norm,
        )
        logits = logit_fn(features=features, mode=mode)
        return head.create_estimator_spec(
            features=features, mode=mode, labels=labels, optimizer=optimizer, logits=logits
        )


class _DNN(Estimator):
    """An Estimator whose model function is `dnn_model_fn` with given arguments."""

    def __init__(
        self, head: _Head, model_dir: Any, config: Any, warm_start_from: Any, **arguments: Any
    ) -> None:
        def _model_fn(features: Any, labels: Any, mode: str, config: Any) -> EstimatorSpec:
            return dnn_model_fn(
                features=features, labels=labels, mode=mode, head=head, config=config, **arguments
            )

        super().__init__(
            model_fn=_model_fn,
            model_dir=model_dir,
            config=config,
            warm_start_from=warm_start_from,
        )


@export("estimator.DNNClassifier")
class DNNClassifier(_DNN):
    """A classifier of fully connected layers.

    Args:
        hidden_units: the numbers of units of the hidden layers.
        feature_columns: dense feature columns.
        model_dir: the folder of checkpoints and event files; or None.
        n_classes: the number of classes.
        weight_column: the name or column of the weights of examples; or None.
        label_vocabulary: the names of the classes, if labels are strings; or None.
        optimizer: an Optimizer, a function that returns one, or a name: "Adagrad", "Adam", "Ftrl",
            "RMSProp" or "SGD".
        activation_fn: the activation of the hidden layers.
        dropout: which share of the activations is dropped in training; or None.
        input_layer_partitioner: the partitioner of the variables of columns; or None.
        config: a RunConfig; or None.
        warm_start_from: WarmStartSettings, or the path of a checkpoint; or None.
        loss_reduction: how the losses of examples become one; a member of `tf.losses.Reduction`.
        batch_norm: whether the hidden layers are followed by batch normalization.

    Raises:
        ValueError: if an argument is wrong.

    Example:
        >>> x = tf.feature_column.numeric_column("x")
        >>> classifier = tf.estimator.DNNClassifier([4], [x], tempfile.mkdtemp())
        >>> data = lambda: tf.data.Dataset.from_tensors(({"x": [[0.0], [1.0]]}, [0, 1])).repeat()
        >>> _ = classifier.train(data, steps=1)
        >>> print(classifier.get_variable_value("dnn/hiddenlayer_0/kernel").shape)
        (1, 4)
    """

    def __init__(
        self,
        hidden_units: Sequence[int],
        feature_columns: Iterable[Any],
        model_dir: str | None = None,
        n_classes: int = 2,
        weight_column: Any = None,
        label_vocabulary: Sequence[str] | None = None,
        optimizer: Any = "Adagrad",
        activation_fn: Callable[..., Any] = relu,
        dropout: float | None = None,
        input_layer_partitioner: Callable[..., Any] | None = None,
        config: RunConfig | None = None,
        warm_start_from: Any = None,
        loss_reduction: str = Reduction.SUM,
        batch_norm: bool = False,
    ) -> None:
        super().__init__(
            classifier_head(n_classes, weight_column, label_vocabulary, loss_reduction),
            model_dir,
            config,
            warm_start_from,
            hidden_units=hidden_units,
            feature_columns=tuple(feature_columns or []),
            optimizer=optimizer,
            activation_fn=activation_fn,
            dropout=dropout,
            input_layer_partitioner=input_layer_partitioner,
            batch_norm=batch_norm,
        )


@export("estimator.DNNRegressor")
class DNNRegressor(_DNN):
    """A regression by fully connected layers.

    Args:
        hidden_units: the numbers of units of the hidden layers.
        feature_columns: dense feature columns.
        model_dir: the folder of checkpoints and event files; or None.
        label_dimension: how many numbers a label has.
        weight_column: the name or column of the weights of examples; or None.
        optimizer: an Optimizer, a function that returns one, or a name: "Adagrad", "Adam", "Ftrl",
            "RMSProp" or "SGD".
        activation_fn: the activation of the hidden layers.
        dropout: which share of the activations is dropped in training; or None.
        input_layer_partitioner: the partitioner of the variables of columns; or None.
        config: a RunConfig; or None.
        warm_start_from: WarmStartSettings, or the path of a checkpoint; or None.
        loss_reduction: how the losses of examples become one; a member of `tf.losses.Reduction`.
        batch_norm: whether the hidden layers are followed by batch normalization.

    Raises:
        ValueError: if an argument is wrong.
    """

    def __init__(
        self,
        hidden_units: Sequence[int],
        feature_columns: Iterable[Any],
        model_dir: str | None = None,
        label_dimension: int = 1,
        weight_column: Any = None,
        optimizer: Any = "Adagrad",
        activation_fn: Callable[..., Any] = relu,
        dropout: float | None = None,
        input_layer_partitioner: Callable[..., Any] | None = None,
        config: RunConfig | None = None,
        warm_start_from: Any = None,
        loss_reduction: str = Reduction.SUM,
        batch_norm: bool = False,
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
            hidden_units=hidden_units,
            feature_columns=tuple(feature_columns or []),
            optimizer=optimizer,
            activation_fn=activation_fn,
            dropout=dropout,
            input_layer_partitioner=input_layer_partitioner,
            batch_norm=batch_norm,
        )


@export("estimator.DNNEstimator", "contrib.estimator.DNNEstimator")
class DNNEstimator(_DNN):
    """Fully connected layers with a given head.

    Args:
        head: the head.
        hidden_units: the numbers of units of the hidden layers.
        feature_columns: dense feature columns.
        model_dir: the folder of checkpoints and event files; or None.
        optimizer: an Optimizer, a function that returns one, or a name: "Adagrad", "Adam", "Ftrl",
            "RMSProp" or "SGD".
        activation_fn: the activation of the hidden layers.
        dropout: which share of the activations is dropped in training; or None.
        input_layer_partitioner: the partitioner of the variables of columns; or None.
        config: a RunConfig; or None.
        warm_start_from: WarmStartSettings, or the path of a checkpoint; or None.
        batch_norm: whether the hidden layers are followed by batch normalization.
    """

    def __init__(
        self,
        head: Any,
        hidden_units: Sequence[int],
        feature_columns: Iterable[Any],
        model_dir: str | None = None,
        optimizer: Any = "Adagrad",
        activation_fn: Callable[..., Any] = relu,
        dropout: float | None = None,
        input_layer_partitioner: Callable[..., Any] | None = None,
        config: RunConfig | None = None,
        warm_start_from: Any = None,
        batch_norm: bool = False,
    ) -> None:
        super().__init__(
            head,
            model_dir,
            config,
            warm_start_from,
            hidden_units=hidden_units,
            feature_columns=tuple(feature_columns or []),
            optimizer=optimizer,
            activation_fn=activation_fn,
            dropout=dropout,
            input_layer_partitioner=input_layer_partitioner,
            batch_norm=batch_norm,
        )
