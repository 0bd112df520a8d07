"""Estimators of gradient boosted trees."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from headwater.base.export import export
from headwater.contrib.boosted_trees.custom_loss_head import CustomLossHead
from headwater.contrib.boosted_trees.losses import (
    per_example_maxent_loss,
    per_example_quantile_regression_loss,
)
from headwater.contrib.boosted_trees.model import ModelBuilderOutputType, model_builder
from headwater.contrib.estimator import heads
from headwater.contrib.learn.estimating.custom_estimator import Estimator
from headwater.contrib.learn.head_kinds.classification import multi_class_head
from headwater.contrib.learn.head_kinds.regression import regression_head
from headwater.estimator.estimator import Estimator as CoreEstimator
from headwater.graph import Tensor
from headwater.model.losses.weighting import Reduction
from headwater.ops.array.fill import ones
from headwater.ops.array.shape import shape
from headwater.ops.control.identity import identity
from headwater.ops.math.reduce_functions import reduce_mean

_MODULE = "contrib.boosted_trees.estimator_batch.estimator"
Modifier = Callable[[Tensor, Any, str], Tensor]


def _params(head: Any, **given: Any) -> dict[str, Any]:
    """The parameters of the model function."""
    return {
        "weight_column_name": None,
        "logits_modifier_function": None,
        "use_core_libs": False,
        "override_global_step_value": None,
        **given,
        "head": head,
    }


def _loss_of_classes(n_classes: int) -> Callable[..., Tensor]:
    """The mean loss of examples, which can be differentiated twice."""

    def loss_fn(labels: Any, logits: Any, weights: Any = None) -> Tensor:
        weights = ones([shape(logits)[0], 1]) if weights is None else weights
        return reduce_mean(per_example_maxent_loss(labels, weights, logits, n_classes)[0])

    return loss_fn


@export(f"{_MODULE}.core_multiclass_head")
def core_multiclass_head(
    n_classes: int,
    weight_column: Any = None,
    loss_reduction: str = Reduction.SUM_OVER_NONZERO_WEIGHTS,
) -> Any:
    """Makes a head of tf.estimator for classes, whose loss can be differentiated twice.

    Args:
        n_classes: the number of classes.
        weight_column: the column of the weights of examples; or None.
        loss_reduction: how the loss of a batch is reduced.

    Returns:
        The head.
    """

    def loss_fn(labels: Any, logits: Any) -> Tensor:
        weights = ones([shape(logits)[0], 1])
        return per_example_maxent_loss(labels, weights, logits, n_classes)[0]

    if n_classes == 2:
        return heads.binary_classification_head(
            weight_column=weight_column, loss_reduction=loss_reduction
        )
    return heads.multi_class_head(
        n_classes=n_classes,
        weight_column=weight_column,
        loss_reduction=loss_reduction,
        loss_fn=loss_fn,
    )


@export(f"{_MODULE}.GradientBoostedDecisionTreeClassifier")
class GradientBoostedDecisionTreeClassifier(Estimator):
    """Gradient boosted trees for classes.

    Args:
        learner_config: a LearnerConfig message.
        examples_per_layer: how many examples a layer is grown from: a number, or a function of the
            index of the layer.
        n_classes: the number of classes.
        num_trees: after how many trees training stops; None for never.
        feature_columns: the columns to use; None for the features as they are.
        weight_column_name: the name of the feature with the weights of examples; or None.
        model_dir: the folder of checkpoints; or None.
        config: a RunConfig; or None.
        label_keys: the classes, if labels are strings; or None.
        feature_engineering_fn: a function of features and labels; or None.
        logits_modifier_function: a function of logits, features and mode that returns other
            logits; or None.
        center_bias: whether the first tree is the best constant.
        use_core_libs: whether columns and head are those of tf.feature_column and tf.estimator.
        output_leaf_index: whether predictions have the leaf of each tree.
        override_global_step_value: what the global step becomes when training stops; or None.
        num_quantiles: the number of thresholds of a numeric feature.

    Raises:
        ValueError: if the numbers of classes differ.
    """

    def __init__(
        self,
        learner_config: Any,
        examples_per_layer: Any,
        n_classes: int = 2,
        num_trees: int | None = None,
        feature_columns: Sequence[Any] | None = None,
        weight_column_name: str | None = None,
        model_dir: str | None = None,
        config: Any = None,
        label_keys: Sequence[str] | None = None,
        feature_engineering_fn: Any = None,
        logits_modifier_function: Modifier | None = None,
        center_bias: bool = True,
        use_core_libs: bool = False,
        output_leaf_index: bool = False,
        override_global_step_value: int | None = None,
        num_quantiles: int = 100,
    ) -> None:
        if use_core_libs:
            head = core_multiclass_head(n_classes, weight_column_name)
        else:
            head = multi_class_head(
                n_classes=n_classes,
                weight_column_name=weight_column_name,
                enable_centered_bias=False,
                loss_fn=_loss_of_classes(n_classes) if n_classes > 2 else None,
                label_keys=label_keys,
            )
        if learner_config.num_classes == 0:
            learner_config.num_classes = n_classes
        elif learner_config.num_classes != n_classes:
            raise ValueError(
                f"n_classes ({learner_config.num_classes}) doesn't match learner_config "
                f"({n_classes})."
            )
        super().__init__(
            model_fn=model_builder,
            params=_params(
                head,
                feature_columns=feature_columns,
                learner_config=learner_config,
                num_trees=num_trees,
                weight_column_name=weight_column_name,
                examples_per_layer=examples_per_layer,
                center_bias=center_bias,
                logits_modifier_function=logits_modifier_function,
                use_core_libs=use_core_libs,
                output_leaf_index=output_leaf_index,
                override_global_step_value=override_global_step_value,
                num_quantiles=num_quantiles,
            ),
            model_dir=model_dir,
            config=config,
            feature_engineering_fn=feature_engineering_fn,
        )


@export(f"{_MODULE}.GradientBoostedDecisionTreeRegressor")
class GradientBoostedDecisionTreeRegressor(Estimator):
    """Gradient boosted trees for numbers.

    Args:
        learner_config: a LearnerConfig message.
        examples_per_layer: how many examples a layer is grown from.
        label_dimension: the number of labels of an example.
        num_trees: after how many trees training stops; None for never.
        feature_columns: the columns to use; None for the features as they are.
        label_name: the name of the labels; None if they are a tensor.
        kwargs: the other arguments of GradientBoostedDecisionTreeClassifier.
    """

    def __init__(
        self,
        learner_config: Any,
        examples_per_layer: Any,
        label_dimension: int = 1,
        num_trees: int | None = None,
        feature_columns: Sequence[Any] | None = None,
        label_name: str | None = None,
        weight_column_name: str | None = None,
        model_dir: str | None = None,
        config: Any = None,
        feature_engineering_fn: Any = None,
        logits_modifier_function: Modifier | None = None,
        center_bias: bool = True,
        use_core_libs: bool = False,
        output_leaf_index: bool = False,
        override_global_step_value: int | None = None,
        num_quantiles: int = 100,
    ) -> None:
        head = regression_head(
            label_name=label_name,
            label_dimension=label_dimension,
            weight_column_name=weight_column_name,
            enable_centered_bias=False,
        )
        learner_config.num_classes = max(2, label_dimension)
        super().__init__(
            model_fn=model_builder,
            params=_params(
                head,
                feature_columns=feature_columns,
                learner_config=learner_config,
                num_trees=num_trees,
                weight_column_name=weight_column_name,
                examples_per_layer=examples_per_layer,
                logits_modifier_function=logits_modifier_function,
                center_bias=center_bias,
                use_core_libs=use_core_libs,
                output_leaf_index=output_leaf_index,
                override_global_step_value=override_global_step_value,
                num_quantiles=num_quantiles,
            ),
            model_dir=model_dir,
            config=config,
            feature_engineering_fn=feature_engineering_fn,
        )


@export(f"{_MODULE}.GradientBoostedDecisionTreeEstimator")
class GradientBoostedDecisionTreeEstimator(Estimator):
    """Gradient boosted trees with a head.

    Args:
        learner_config: a LearnerConfig message.
        examples_per_layer: how many examples a layer is grown from.
        head: the head.
        kwargs: the other arguments of GradientBoostedDecisionTreeClassifier.
    """

    def __init__(
        self,
        learner_config: Any,
        examples_per_layer: Any,
        head: Any,
        num_trees: int | None = None,
        feature_columns: Sequence[Any] | None = None,
        weight_column_name: str | None = None,
        model_dir: str | None = None,
        config: Any = None,
        feature_engineering_fn: Any = None,
        logits_modifier_function: Modifier | None = None,
        center_bias: bool = True,
        use_core_libs: bool = False,
        output_leaf_index: bool = False,
        override_global_step_value: int | None = None,
        num_quantiles: int = 100,
    ) -> None:
        super().__init__(
            model_fn=model_builder,
            params=_params(
                head,
                feature_columns=feature_columns,
                learner_config=learner_config,
                num_trees=num_trees,
                weight_column_name=weight_column_name,
                examples_per_layer=examples_per_layer,
                logits_modifier_function=logits_modifier_function,
                center_bias=center_bias,
                use_core_libs=use_core_libs,
                output_leaf_index=output_leaf_index,
                override_global_step_value=override_global_step_value,
                num_quantiles=num_quantiles,
            ),
            model_dir=model_dir,
            config=config,
            feature_engineering_fn=feature_engineering_fn,
        )


@export(f"{_MODULE}.GradientBoostedDecisionTreeQuantileRegressor")
class GradientBoostedDecisionTreeQuantileRegressor(GradientBoostedDecisionTreeEstimator):
    """Gradient boosted trees for a quantile.

    Args:
        learner_config: a LearnerConfig message.
        examples_per_layer: how many examples a layer is grown from.
        quantiles: a list of one quantile, in [0, 1].
        label_dimension: the number of labels of an example.
        kwargs: the other arguments of GradientBoostedDecisionTreeClassifier.

    Raises:
        ValueError: if there are several quantiles.
    """

    def __init__(
        self,
        learner_config: Any,
        examples_per_layer: Any,
        quantiles: Sequence[float],
        label_dimension: int = 1,
        num_trees: int | None = None,
        feature_columns: Sequence[Any] | None = None,
        weight_column_name: str | None = None,
        model_dir: str | None = None,
        config: Any = None,
        feature_engineering_fn: Any = None,
        logits_modifier_function: Modifier | None = None,
        center_bias: bool = True,
        use_core_libs: bool = False,
        output_leaf_index: bool = False,
        override_global_step_value: int | None = None,
        num_quantiles: int = 100,
    ) -> None:
        if len(quantiles) > 1:
            raise ValueError("For now, just one quantile per estimator is supported")
        head = CustomLossHead(
            functools.partial(per_example_quantile_regression_loss, quantile=quantiles[0]),
            identity,
            label_dimension,
            weight_column_name=weight_column_name,
        )
        learner_config.num_classes = max(2, label_dimension)
        super().__init__(
            learner_config,
            examples_per_layer,
            head,
            num_trees,
            feature_columns,
            weight_column_name,
            model_dir,
            config,
            feature_engineering_fn,
            logits_modifier_function,
            center_bias,
            use_core_libs,
            output_leaf_index,
            override_global_step_value,
            num_quantiles,
        )


@export(f"{_MODULE}.CoreGradientBoostedDecisionTreeEstimator")
class CoreGradientBoostedDecisionTreeEstimator(CoreEstimator):
    """Gradient boosted trees as an estimator of tf.estimator.

    Args:
        learner_config: a LearnerConfig message.
        examples_per_layer: how many examples a layer is grown from.
        head: a head of tf.estimator.
        num_trees: after how many trees training stops; None for never.
        feature_columns: columns of tf.feature_column; None for the features as they are.
        kwargs: the other arguments of GradientBoostedDecisionTreeClassifier.
    """

    def __init__(
        self,
        learner_config: Any,
        examples_per_layer: Any,
        head: Any,
        num_trees: int | None = None,
        feature_columns: Sequence[Any] | None = None,
        weight_column_name: str | None = None,
        model_dir: str | None = None,
        config: Any = None,
        label_keys: Sequence[str] | None = None,
        feature_engineering_fn: Any = None,
        logits_modifier_function: Modifier | None = None,
        center_bias: bool = True,
        output_leaf_index: bool = False,
        num_quantiles: int = 100,
    ) -> None:
        params = _params(
            head,
            feature_columns=feature_columns,
            learner_config=learner_config,
            num_trees=num_trees,
            weight_column_name=weight_column_name,
            examples_per_layer=examples_per_layer,
            center_bias=center_bias,
            logits_modifier_function=logits_modifier_function,
            use_core_libs=True,
            output_leaf_index=output_leaf_index,
            num_quantiles=num_quantiles,
        )

        def model_fn(features: Any, labels: Any, mode: str, config: Any) -> Any:
            return model_builder(
                features, labels, mode, params, config, ModelBuilderOutputType.ESTIMATOR_SPEC
            )

        super().__init__(model_fn=model_fn, model_dir=model_dir, config=config)
