"""BaselineClassifier, BaselineRegressor and BaselineEstimator: a bias and nothing else."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from headwater.base.export import export
from headwater.estimator.canned.heads import classifier_head
from headwater.estimator.canned.optimizers import get_optimizer_instance
from headwater.estimator.estimator import Estimator
from headwater.estimator.head.base import _Head
from headwater.estimator.head.regression import mean_squared_error_head
from headwater.estimator.model_fn import EstimatorSpec
from headwater.estimator.run_config import RunConfig
from headwater.graph import Operation, Tensor, control_dependencies
from headwater.graph.sparse_tensor import SparseTensor
from headwater.model.feature_column.numeric import NumericColumn
from headwater.model.global_step import get_global_step
from headwater.model.losses.weighting import Reduction
from headwater.model.variables.initializers import Zeros
from headwater.model.variables.variable_scope import get_variable, variable_scope
from headwater.ops.array.fill import ones
from headwater.ops.array.shape import shape
from headwater.ops.control.value_checks import assert_equal
from headwater.ops.math.arithmetic import multiply

_LEARNING_RATE = 0.3


def _weight_key(weight_column: Any) -> str | None:
    if weight_column is None or isinstance(weight_column, str):
        return weight_column
    if not isinstance(weight_column, NumericColumn):
        raise TypeError(
            "Weight column must be either a string or _NumericColumn. Given type: "
            f"{type(weight_column)}."
        )
    key: str = weight_column.key
    return key


def _batch_size(features: Mapping[str, Any], weight_key: str | None) -> tuple[Any, list[Operation]]:
    """The batch size, and checks that all features have the same one."""
    size: Any = None
    checks = []
    for key, feature in features.items():
        # The head checks the weights.
        if key == weight_key:
            continue
        first = feature.dense_shape[0] if isinstance(feature, SparseTensor) else shape(feature)[0]
        if size is None:
            size = first
        else:
            checks.append(assert_equal(size, first))
    return size, checks


def baseline_logit_fn_builder(num_outputs: int, weight_column: Any = None) -> Callable[..., Any]:
    """Makes a function whose logits are the bias, for each example.

    Args:
        num_outputs: how many logits an example has.
        weight_column: the name or column of the weights of examples; or None.

    Returns:
        A function of features that returns the logits.
    """

    def baseline_logit_fn(features: Any) -> Tensor:
        batch_size, checks = _batch_size(features, _weight_key(weight_column))
        with control_dependencies(checks), variable_scope("baseline"):
            bias = get_variable("bias", shape=[num_outputs], initializer=Zeros)
            return multiply(bias, ones(shape=[batch_size, num_outputs]))

    return baseline_logit_fn


def baseline_model_fn(
    features: Any,
    labels: Any,
    mode: str,
    head: _Head,
    optimizer: Any,
    weight_column: Any = None,
    config: RunConfig | None = None,
) -> EstimatorSpec:
    """The model function of a bias.

    Args:
        features: the features by name.
        labels: the labels.
        mode: a value of ModeKeys.
        head: the head.
        optimizer: an Optimizer, a function that returns one, or a name.
        weight_column: the name or column of the weights of examples; or None.
        config: not used.

    Returns:
        An EstimatorSpec.
    """
    logits = baseline_logit_fn_builder(head.logits_dimension, weight_column)(features)

    def train_op_fn(loss: Tensor) -> Any:
        instance = get_optimizer_instance(optimizer, learning_rate=_LEARNING_RATE)
        return instance.minimize(loss, global_step=get_global_step())

    return head.create_estimator_spec(
        features=features, mode=mode, logits=logits, labels=labels, train_op_fn=train_op_fn
    )


class _Baseline(Estimator):
    """An Estimator whose model function is `baseline_model_fn` with given arguments."""

    def __init__(
        self, head: Any, model_dir: Any, config: Any, optimizer: Any, weight_column: Any = None
    ) -> None:
        def _model_fn(features: Any, labels: Any, mode: str, config: Any) -> EstimatorSpec:
            return baseline_model_fn(features, labels, mode, head, optimizer, weight_column, config)

        super().__init__(model_fn=_model_fn, model_dir=model_dir, config=config)


@export("estimator.BaselineClassifier")
class BaselineClassifier(_Baseline):
    """A classifier that learns how frequent the classes are, and ignores the features.

    Args:
        model_dir: the folder of checkpoints and event files; or None.
        n_classes: the number of classes.
        weight_column: the name or column of the weights of examples; or None.
        label_vocabulary: the names of the classes, if labels are strings; or None.
        optimizer: an Optimizer, a function that returns one, or a name: "Adagrad", "Adam", "Ftrl",
            "RMSProp" or "SGD".
        config: a RunConfig; or None.
        loss_reduction: how the losses of examples become one; a member of `tf.losses.Reduction`.

    Raises:
        ValueError: if an argument is wrong.
    """

    def __init__(
        self,
        model_dir: str | None = None,
        n_classes: int = 2,
        weight_column: Any = None,
        label_vocabulary: Sequence[str] | None = None,
        optimizer: Any = "Ftrl",
        config: RunConfig | None = None,
        loss_reduction: str = Reduction.SUM,
    ) -> None:
        super().__init__(
            classifier_head(n_classes, weight_column, label_vocabulary, loss_reduction),
            model_dir,
            config,
            optimizer,
            weight_column,
        )


@export("estimator.BaselineRegressor")
class BaselineRegressor(_Baseline):
    """A regression that learns the mean label, and ignores the features.

    Args:
        model_dir: the folder of checkpoints and event files; or None.
        label_dimension: how many numbers a label has.
        weight_column: the name or column of the weights of examples; or None.
        optimizer: an Optimizer, a function that returns one, or a name: "Adagrad", "Adam", "Ftrl",
            "RMSProp" or "SGD".
        config: a RunConfig; or None.
        loss_reduction: how the losses of examples become one; a member of `tf.losses.Reduction`.

    Raises:
        ValueError: if an argument is wrong.
    """

    def __init__(
        self,
        model_dir: str | None = None,
        label_dimension: int = 1,
        weight_column: Any = None,
        optimizer: Any = "Ftrl",
        config: RunConfig | None = None,
        loss_reduction: str = Reduction.SUM,
    ) -> None:
        head = mean_squared_error_head(
            label_dimension=label_dimension,
            weight_column=weight_column,
            loss_reduction=loss_reduction,
        )
        super().__init__(head, model_dir, config, optimizer, weight_column)


@export("estimator.BaselineEstimator", "contrib.estimator.BaselineEstimator")
class BaselineEstimator(_Baseline):
    """A bias with a given head.

    Args:
        head: the head.
        model_dir: the folder of checkpoints and event files; or None.
        optimizer: an Optimizer, a function that returns one, or a name: "Adagrad", "Adam", "Ftrl",
            "RMSProp" or "SGD".
        config: a RunConfig; or None.
    """

    def __init__(
        self,
        head: Any,
        model_dir: str | None = None,
        optimizer: Any = "Ftrl",
        config: RunConfig | None = None,
    ) -> None:
        super().__init__(head, model_dir, config, optimizer)
