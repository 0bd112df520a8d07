"""LinearClassifier, LinearRegressor and LinearEstimator."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from math import sqrt
from typing import Any

from headwater.base import dtypes
from headwater.base.export import export
from headwater.estimator.canned.heads import check_features, classifier_head
from headwater.estimator.canned.linear_sdca import LinearSDCA, loss_type_of, train_step
from headwater.estimator.canned.optimizers import get_optimizer_instance
from headwater.estimator.estimator import Estimator
from headwater.estimator.head.base import _Head
from headwater.estimator.head.regression import mean_squared_error_head
from headwater.estimator.mode_keys import ModeKeys
from headwater.estimator.model_fn import EstimatorSpec
from headwater.estimator.run_config import RunConfig
from headwater.graph import Tensor, name_scope
from headwater.model.feature_column.checks import is_feature_column_v2
from headwater.model.feature_column.linear_layer import LinearModel
from headwater.model.feature_column.linear_model import _LinearModel, expanded
from headwater.model.losses.weighting import Reduction
from headwater.model.nn.zero_fraction import zero_fraction
from headwater.model.variables.partitioned_variable import min_max_variable_partitioner
from headwater.model.variables.variable_scope import variable_scope
from headwater.ops.array.constant import constant
from headwater.ops.array.shape import size
from headwater.ops.control.cond import cond
from headwater.ops.control.identity import identity
from headwater.ops.math.add_n import add_n
from headwater.ops.math.cast import cast
from headwater.ops.math.comparison import equal
from headwater.ops.summary.histogram import histogram
from headwater.ops.summary.scalar import scalar

LogitFn = Callable[..., Tensor]

LEARNING_RATE = 0.2
_INPUT_SLICE = 64 << 20


def default_learning_rate(largest: float, columns: Sequence[Any]) -> float:
    """The learning rate of a linear model: the more columns, the smaller."""
    return min(largest, 1.0 / sqrt(len(columns)))


def fraction_of_zero(variables: Sequence[Any]) -> Tensor:
    """The share of zeros in variables.

    Args:
        variables: a list of variables, which may have parts.

    Returns:
        A float32 scalar, NaN if there are no elements.
    """
    parts = [part for variable in variables for part in expanded(variable)]
    with name_scope("zero_fraction"):
        with name_scope("total_size"):
            sizes = [size(part, out_type=dtypes.int64) for part in parts]
            total_size = add_n(sizes)
        with name_scope("total_zero"):
            total_zero = add_n(
                [_zeros_of(part, part_size) for part, part_size in zip(parts, sizes)]
            )
        with name_scope("compute"):
            total = cast(total_size, dtypes.float32, name="float32_size")
            fraction = total_zero / total
        return identity(fraction, name="zero_fraction_or_nan")


def _zeros_of(part: Any, part_size: Tensor) -> Tensor:
    """How many elements are zero; an empty variable has no fraction of them."""
    return cond(
        equal(part_size, constant(0, dtypes.int64)),
        true_fn=lambda: constant(0, dtypes.float32),
        false_fn=lambda: zero_fraction(part) * cast(part_size, dtypes.float32, name="ToFloat"),
        name="zero_count",
    )


@export(
    "estimator.experimental.linear_logit_fn_builder", "contrib.estimator.linear_logit_fn_builder"
)
def linear_logit_fn_builder(
    units: int, feature_columns: Iterable[Any], sparse_combiner: str = "sum"
) -> LogitFn:
    """Makes a function that computes logits by a linear model.

    Args:
        units: how many logits an example has.
        feature_columns: dense and categorical feature columns.
        sparse_combiner: how the weights of the ids of a column are combined: "sum", "mean" or
            "sqrtn".

    Returns:
        A function of features that returns the logits.
    """
    columns = list(feature_columns)

    def linear_logit_fn(features: Any) -> Tensor:
        model: Any
        if is_feature_column_v2(columns):
            model = LinearModel(
                columns, units=units, sparse_combiner=sparse_combiner, name="linear_model"
            )
        else:
            model = _LinearModel(
                columns, units=units, sparse_combiner=sparse_combiner, name="linear_model"
            )
        logits: Tensor = model(features)
        _write_summaries(model, units)
        return logits

    return linear_logit_fn


def _write_summaries(model: Any, units: int) -> None:
    bias = model.bias
    if units > 1:
        histogram("bias", bias)
    else:
        # The bias may have parts, of which there is one.
        scalar("bias", expanded(bias)[0][0])
    known = {id(part) for part in expanded(bias)}
    weights = [
        part for variable in model.variables for part in expanded(variable) if id(part) not in known
    ]
    scalar("fraction_of_zero_weights", fraction_of_zero(weights))


def linear_model_fn(
    features: Any,
    labels: Any,
    mode: str,
    head: _Head,
    feature_columns: Sequence[Any],
    optimizer: Any,
    partitioner: Callable[..., Any] | None,
    config: RunConfig | None,
    sparse_combiner: str = "sum",
) -> EstimatorSpec:
    """The model function of a linear model.

    Args:
        features: the features by name.
        labels: the labels.
        mode: a value of ModeKeys.
        head: the head.
        feature_columns: dense and categorical feature columns.
        optimizer: an Optimizer, a function that returns one, or a name.
        partitioner: the partitioner of the variables; or None.
        config: the RunConfig.
        sparse_combiner: how the weights of the ids of a column are combined.

    Returns:
        An EstimatorSpec.

    Raises:
        ValueError: if the features are not by name.
    """
    check_features(features)
    servers = config.num_ps_replicas if config else 0
    partitioner = partitioner or min_max_variable_partitioner(
        max_partitions=servers, min_slice_size=_INPUT_SLICE
    )
    if isinstance(optimizer, LinearSDCA):
        if sparse_combiner != "sum":
            raise ValueError('sparse_combiner must be "sum" when optimizer is a LinearSDCA object.')
    elif isinstance(optimizer, str):
        rate = default_learning_rate(LEARNING_RATE, feature_columns)
        optimizer = get_optimizer_instance(optimizer, learning_rate=rate)
    else:
        optimizer = get_optimizer_instance(optimizer)
    with variable_scope("linear", values=tuple(features.values()), partitioner=partitioner):
        if isinstance(optimizer, LinearSDCA):
            return _sdca_spec(features, labels, mode, head, feature_columns, optimizer)
        logit_fn = linear_logit_fn_builder(
            units=head.logits_dimension,
            feature_columns=feature_columns,
            sparse_combiner=sparse_combiner,
        )
        logits = logit_fn(features=features)
        return head.create_estimator_spec(
            features=features, mode=mode, labels=labels, optimizer=optimizer, logits=logits
        )


def _sdca_spec(
    features: Any,
    labels: Any,
    mode: str,
    head: _Head,
    feature_columns: Sequence[Any],
    optimizer: LinearSDCA,
) -> EstimatorSpec:
    """What the model function returns if the model is trained by dual coordinate ascent."""
    if not is_feature_column_v2(feature_columns):
        raise ValueError("LinearSDCA can only be used with columns of `tf.feature_column`.")
    loss_type_of(head)
    model = LinearModel(feature_columns, units=1, sparse_combiner="sum", name="linear_model")
    logits = model(features)
    _write_summaries(model, 1)
    if mode != ModeKeys.TRAIN:
        return head.create_estimator_spec(
            features=features, mode=mode, labels=labels, logits=logits
        )
    train_op, hook = train_step(
        optimizer, head, model.layer.state_manager, feature_columns, features, labels, model.bias
    )
    spec = head.create_estimator_spec(
        features=features,
        mode=mode,
        labels=labels,
        train_op_fn=lambda loss: train_op,
        logits=logits,
    )
    return spec._replace(training_hooks=(*spec.training_hooks, hook))


class _Linear(Estimator):
    """An Estimator whose model function is `linear_model_fn` with given arguments."""

    def __init__(
        self, head: Any, model_dir: Any, config: Any, warm_start_from: Any, **arguments: Any
    ) -> None:
        def _model_fn(features: Any, labels: Any, mode: str, config: Any) -> EstimatorSpec:
            return linear_model_fn(
                features=features, labels=labels, mode=mode, head=head, config=config, **arguments
            )

        super().__init__(
            model_fn=_model_fn,
            model_dir=model_dir,
            config=config,
            warm_start_from=warm_start_from,
        )


@export("estimator.LinearClassifier")
class LinearClassifier(_Linear):
    """A linear classifier.

    Args:
        feature_columns: dense and categorical feature columns.
        model_dir: the folder of checkpoints and event files; or None.
        n_classes: the number of classes.
        weight_column: the name or column of the weights of examples; or None.
        label_vocabulary: the names of the classes, if labels are strings; or None.
        optimizer: an Optimizer, a function that returns one, or a name: "Adagrad", "Adam", "Ftrl",
            "RMSProp" or "SGD".
        config: a RunConfig; or None.
        partitioner: the partitioner of the variables; or None.
        warm_start_from: WarmStartSettings, or the path of a checkpoint; or None.
        loss_reduction: how the losses of examples become one; a member of `tf.losses.Reduction`.
        sparse_combiner: how the weights of the ids of a column are combined: "sum", "mean" or
            "sqrtn".

    Raises:
        ValueError: if an argument is wrong.

    Example:
        >>> x = tf.feature_column.numeric_column("x")
        >>> classifier = tf.estimator.LinearClassifier([x], tempfile.mkdtemp())
        >>> data = lambda: tf.data.Dataset.from_tensors(({"x": [[-1.0], [1.0]]}, [0, 1])).repeat(9)
        >>> print(classifier.train(data).evaluate(data)["accuracy"])
        1.0
    """

    def __init__(
        self,
        feature_columns: Iterable[Any],
        model_dir: str | None = None,
        n_classes: int = 2,
        weight_column: Any = None,
        label_vocabulary: Sequence[str] | None = None,
        optimizer: Any = "Ftrl",
        config: RunConfig | None = None,
        partitioner: Callable[..., Any] | None = None,
        warm_start_from: Any = None,
        loss_reduction: str = Reduction.SUM,
        sparse_combiner: str = "sum",
    ) -> None:
        super().__init__(
            classifier_head(n_classes, weight_column, label_vocabulary, loss_reduction),
            model_dir,
            config,
            warm_start_from,
            feature_columns=tuple(feature_columns or []),
            optimizer=optimizer,
            partitioner=partitioner,
            sparse_combiner=sparse_combiner,
        )


@export("estimator.LinearRegressor")
class LinearRegressor(_Linear):
    """A linear regression.

    Args:
        feature_columns: dense and categorical feature columns.
        model_dir: the folder of checkpoints and event files; or None.
        label_dimension: how many numbers a label has.
        weight_column: the name or column of the weights of examples; or None.
        optimizer: an Optimizer, a function that returns one, or a name: "Adagrad", "Adam", "Ftrl",
            "RMSProp" or "SGD".
        config: a RunConfig; or None.
        partitioner: the partitioner of the variables; or None.
        warm_start_from: WarmStartSettings, or the path of a checkpoint; or None.
        loss_reduction: how the losses of examples become one; a member of `tf.losses.Reduction`.
        sparse_combiner: how the weights of the ids of a column are combined: "sum", "mean" or
            "sqrtn".

    Raises:
        ValueError: if an argument is wrong.
    """

    def __init__(
        self,
        feature_columns: Iterable[Any],
        model_dir: str | None = None,
        label_dimension: int = 1,
        weight_column: Any = None,
        optimizer: Any = "Ftrl",
        config: RunConfig | None = None,
        partitioner: Callable[..., Any] | None = None,
        warm_start_from: Any = None,
        loss_reduction: str = Reduction.SUM,
        sparse_combiner: str = "sum",
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
            feature_columns=tuple(feature_columns or []),
            optimizer=optimizer,
            partitioner=partitioner,
            sparse_combiner=sparse_combiner,
        )


@export("estimator.LinearEstimator", "contrib.estimator.LinearEstimator")
class LinearEstimator(_Linear):
    """A linear model with a given head.

    Args:
        head: the head.
        feature_columns: dense and categorical feature columns.
        model_dir: the folder of checkpoints and event files; or None.
        optimizer: an Optimizer, a function that returns one, or a name: "Adagrad", "Adam", "Ftrl",
            "RMSProp" or "SGD".
        config: a RunConfig; or None.
        partitioner: the partitioner of the variables; or None.
        sparse_combiner: how the weights of the ids of a column are combined: "sum", "mean" or
            "sqrtn".
    """

    def __init__(
        self,
        head: Any,
        feature_columns: Iterable[Any],
        model_dir: str | None = None,
        optimizer: Any = "Ftrl",
        config: RunConfig | None = None,
        partitioner: Callable[..., Any] | None = None,
        sparse_combiner: str = "sum",
    ) -> None:
        super().__init__(
            head,
            model_dir,
            config,
            None,
            feature_columns=tuple(feature_columns or []),
            optimizer=optimizer,
            partitioner=partitioner,
            sparse_combiner=sparse_combiner,
        )
