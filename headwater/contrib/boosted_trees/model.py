"""The model function of gradient boosted trees."""

from __future__ import annotations

from typing import Any

from headwater.base.export import export
from headwater.contrib.boosted_trees.ensemble_variable import tree_ensemble_variable
from headwater.contrib.boosted_trees.gbdt_batch import (
    LEAF_INDEX,
    PREDICTIONS,
    GradientBoostedDecisionTreeModel,
)
from headwater.contrib.boosted_trees.trainer_hooks import StopAfterNTrees
from headwater.contrib.learn.estimating.keys import ModeKeys
from headwater.contrib.learn.estimating.model_fn_ops import ModelFnOps
from headwater.estimator.model_fn import EstimatorSpec
from headwater.graph import Tensor, name_scope
from headwater.graph.default_graph import control_dependencies, device
from headwater.model.global_step import get_global_step
from headwater.model.losses.weighting import Reduction
from headwater.ops.state.assign import assign_add

_MODULE = "contrib.boosted_trees.estimator_batch.model"


@export(f"{_MODULE}.ModelBuilderOutputType")
class ModelBuilderOutputType:
    """What the model function returns."""

    MODEL_FN_OPS = 0
    ESTIMATOR_SPEC = 1


def spec_to_ops(spec: EstimatorSpec, mode: str) -> ModelFnOps:
    """What a head of tf.estimator returned, for an estimator of tf.contrib.learn."""
    return ModelFnOps(
        mode=mode,
        predictions=spec.predictions,
        loss=spec.loss,
        train_op=spec.train_op,
        eval_metric_ops=spec.eval_metric_ops,
        training_chief_hooks=list(spec.training_chief_hooks or ()),
        training_hooks=list(spec.training_hooks or ()),
        scaffold=spec.scaffold,
    )


@export(f"{_MODULE}.model_builder")
def model_builder(
    features: Any,
    labels: Any,
    mode: str,
    params: Any,
    config: Any,
    output_type: int = ModelBuilderOutputType.MODEL_FN_OPS,
) -> Any:
    """The model function of gradient boosted trees.

    Args:
        features: {name: a tensor or SparseTensor}.
        labels: the labels.
        mode: a mode of tf.contrib.learn.ModeKeys.
        params: the arguments of the estimators by name.
        config: the configuration of the run.
        output_type: what is returned, a number of ModelBuilderOutputType.

    Returns:
        ModelFnOps, or an EstimatorSpec.

    Raises:
        ValueError: if there are no features.
    """
    head = params["head"]
    weight_column = params["weight_column_name"]
    if features is None:
        raise ValueError("At least one feature must be specified.")
    if config is None:
        raise ValueError("Missing estimator RunConfig.")
    center_bias = params["center_bias"]
    used = {name: value for name, value in features.items() if name != weight_column}
    step = get_global_step()
    with device(step.device):
        handle = tree_ensemble_variable(0, "", "ensemble_model")
    reduction = getattr(head, "_loss_reduction", Reduction.SUM_BY_NONZERO_WEIGHTS)
    model = GradientBoostedDecisionTreeModel(
        is_chief=config.is_chief,
        num_ps_replicas=config.num_ps_replicas,
        ensemble_handle=handle,
        center_bias=center_bias,
        examples_per_layer=params["examples_per_layer"],
        learner_config=params["learner_config"],
        features=used,
        feature_columns=params["feature_columns"],
        logits_dimension=head.logits_dimension,
        loss_reduction=reduction,
        use_core_columns=params["use_core_libs"],
        output_leaf_index=params["output_leaf_index"],
        num_quantiles=params["num_quantiles"],
    )
    with name_scope("gbdt"):
        predicted = model.predict(mode)
        logits = predicted[PREDICTIONS]
        modifier = params["logits_modifier_function"]
        if modifier is not None:
            logits = modifier(logits, features, mode)

    def train_op_fn(loss: Tensor) -> Tensor:
        update = model.train(loss, predicted, labels)
        with control_dependencies([update]):
            return assign_add(step, 1)

    arguments = {
        "features": features,
        "mode": mode,
        "labels": labels,
        "train_op_fn": train_op_fn,
        "logits": logits,
    }
    hooks = _hooks(model, params) if mode == ModeKeys.TRAIN else []
    if output_type == ModelBuilderOutputType.ESTIMATOR_SPEC or params["use_core_libs"]:
        spec = head.create_estimator_spec(**arguments)
        spec = spec._replace(training_hooks=(*(spec.training_hooks or ()), *hooks))
        spec = spec._replace(predictions=_with_leaves(spec.predictions, predicted, mode))
        is_spec = output_type == ModelBuilderOutputType.ESTIMATOR_SPEC
        return spec if is_spec else spec_to_ops(spec, mode)
    ops = head.create_model_fn_ops(**arguments)
    return ops._replace(
        predictions=_with_leaves(ops.predictions, predicted, mode),
        training_hooks=[*(ops.training_hooks or ()), *hooks],
    )


def _hooks(model: GradientBoostedDecisionTreeModel, params: Any) -> list[Any]:
    """The hook that stops after the wanted number of trees; the bias is one more."""
    if not params["num_trees"]:
        return []
    finalized, attempted = model.get_number_of_trees_tensor()
    trees = params["num_trees"] + (1 if params["center_bias"] else 0)
    return [StopAfterNTrees(trees, attempted, finalized, params["override_global_step_value"])]


def _with_leaves(predictions: Any, predicted: dict[str, Tensor], mode: str) -> Any:
    """Adds the leaves of examples to predictions."""
    if mode != ModeKeys.INFER or LEAF_INDEX not in predicted:
        return predictions
    return {**predictions, LEAF_INDEX: predicted[LEAF_INDEX]}
