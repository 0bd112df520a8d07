"""TensorForestEstimator: a forest as an estimator of tf.contrib.learn, or of tf.estimator."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from headwater.base import logging
from headwater.base.export import export, export_value
from headwater.contrib.layers.feature_column_ops import transform_features
from headwater.contrib.learn.estimating.custom_estimator import Estimator
from headwater.contrib.learn.estimating.keys import ModeKeys
from headwater.contrib.learn.estimating.model_fn_ops import ModelFnOps
from headwater.contrib.learn.head_kinds.classification import multi_class_head
from headwater.contrib.learn.head_kinds.regression import regression_head
from headwater.contrib.tensor_forest.graphs import RandomForestGraphs
from headwater.contrib.tensor_forest.params import ForestHParams
from headwater.estimator.estimator import Estimator as CoreEstimator
from headwater.graph import Operation, Tensor, group
from headwater.model.global_step import get_global_step
from headwater.ops.array.slice import slice_
from headwater.ops.control.identity import identity
from headwater.ops.math.exponential import log
from headwater.ops.math.extrema import maximum
from headwater.ops.state.assign import assign_add
from headwater.train.hooks.session_run_hook import (
    SessionRunArgs,
    SessionRunContext,
    SessionRunHook,
    SessionRunValues,
)

_MODULE = "contrib.tensor_forest.random_forest"
_CLIENT = "contrib.tensor_forest.client.random_forest"
KEYS_NAME = "keys"
LOSS_NAME = "rf_training_loss"
TREE_PATHS_PREDICTION_KEY = "tree_paths"
VARIANCE_PREDICTION_KEY = "prediction_variance"
ALL_SERVING_KEY = "tensorforest_all"
EPSILON = 0.000001
for _name in (
    "KEYS_NAME",
    "LOSS_NAME",
    "TREE_PATHS_PREDICTION_KEY",
    "VARIANCE_PREDICTION_KEY",
    "ALL_SERVING_KEY",
    "EPSILON",
):
    export_value(f"{_MODULE}.{_name}", globals()[_name])
    export_value(f"{_CLIENT}.{_name}", globals()[_name])


@export(f"{_MODULE}.ModelBuilderOutputType", f"{_CLIENT}.ModelBuilderOutputType")
class ModelBuilderOutputType:
    """What a model function of a forest returns."""

    MODEL_FN_OPS = 0
    ESTIMATOR_SPEC = 1


@export(f"{_MODULE}.TensorForestRunOpAtEndHook", f"{_CLIENT}.TensorForestRunOpAtEndHook")
class TensorForestRunOpAtEndHook(SessionRunHook):
    """Logs the values of tensors at the end of a session.

    Args:
        op_dict: the tensors by name.
    """

    def __init__(self, op_dict: Mapping[str, Any]) -> None:
        self._ops = op_dict

    def end(self, session: Any) -> None:
        """Runs the tensors and logs them.

        Args:
            session: the session.
        """
        for name in sorted(self._ops):
            logging.info("%s: %s", name, session.run(self._ops[name]))


@export(f"{_MODULE}.TensorForestLossHook", f"{_CLIENT}.TensorForestLossHook")
class TensorForestLossHook(SessionRunHook):
    """Stops training when the loss has not improved for a while.

    Args:
        early_stopping_rounds: for how many steps the loss may stay the same.
        early_stopping_loss_threshold: by which share the loss must improve; or None.
        loss_op: the loss; that of the collection "rf_training_loss" of the graph by default.
    """

    def __init__(
        self,
        early_stopping_rounds: int,
        early_stopping_loss_threshold: float | None = None,
        loss_op: Tensor | None = None,
    ) -> None:
        self.early_stopping_rounds = early_stopping_rounds
        self.early_stopping_loss_threshold = early_stopping_loss_threshold
        self.loss_op = loss_op
        self.min_loss: float | None = None
        self.last_step = -1
        self.steps = 0

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        """Asks for the step and the loss.

        Args:
            run_context: the context of the run.
        """
        loss = self.loss_op
        if loss is None:
            loss = run_context.session.graph.get_operation_by_name(LOSS_NAME).outputs[0]
        return SessionRunArgs({"global_step": get_global_step(), "current_loss": loss})

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        """Stops if the loss is the best no more.

        Args:
            run_context: the context of the run.
            run_values: the step and the loss.
        """
        step = run_values.results["global_step"]
        loss = float(run_values.results["current_loss"])
        if loss == 0.0 and self.last_step == -1:
            # No tree has a node yet.
            return
        if self.last_step == -1 or step < self.last_step:
            self.last_step = step
        self.steps += int(step - self.last_step)
        self.last_step = step
        share = self.early_stopping_loss_threshold or 0.0
        if self.min_loss is None or loss < self.min_loss - share * abs(self.min_loss):
            self.min_loss = loss
            self.steps = 0
        if self.steps > self.early_stopping_rounds:
            logging.info("TensorForestLossHook requesting stop.")
            run_context.request_stop()


def _default_head(params: ForestHParams, weights_name: str | None) -> Any:
    if params.regression:
        return regression_head(
            weight_column_name=weights_name,
            label_dimension=params.num_outputs,
            enable_centered_bias=False,
        )
    return multi_class_head(
        params.num_classes, weight_column_name=weights_name, enable_centered_bias=False
    )


def _logits(params: ForestHParams, probabilities: Tensor) -> Tensor:
    """What a head takes: for two classes the logit of the second, which has to be finite."""
    if params.regression or params.num_classes != 2:
        return probabilities
    second = slice_(probabilities, [0, 1], [-1, 1])
    return log(maximum(second / maximum(1.0 - second, EPSILON), EPSILON))


@export(f"{_MODULE}.get_model_fn", f"{_CLIENT}.get_model_fn")
def get_model_fn(
    params: ForestHParams,
    graph_builder_class: Any,
    device_assigner: Any,
    feature_columns: Any = None,
    weights_name: str | None = None,
    model_head: Any = None,
    keys_name: str | None = None,
    early_stopping_rounds: int = 100,
    early_stopping_loss_threshold: float | None = 0.001,
    num_trainers: int = 1,
    trainer_id: int = 0,
    report_feature_importances: bool = False,
    local_eval: bool = False,
    head_scope: str | None = None,
    include_all_in_serving: bool = False,
    output_type: int = ModelBuilderOutputType.MODEL_FN_OPS,
) -> Callable[..., Any]:
    """Makes the model function of a forest.

    Args:
        params: the parameters, filled.
        graph_builder_class: RandomForestGraphs or a class like it.
        device_assigner: a function that places the variables; or None.
        feature_columns: columns of `tf.contrib.layers` that the features go through; or None.
        weights_name: the name of the feature with the weights of examples; or None.
        model_head: the head; one for the classes or the regression by default.
        keys_name: the name of the feature with the keys of examples; or None.
        early_stopping_rounds: after how many steps without a better loss training ends; 0 or None
            for never.
        early_stopping_loss_threshold: by which share the loss must improve.
        num_trainers: how many workers train.
        trainer_id: the number of this worker.
        report_feature_importances: whether the share of splits of each feature is logged.
        local_eval: ignored: the graph of a session is on its own machine.
        head_scope: ignored.
        include_all_in_serving: ignored for heads of `tf.contrib.learn`.
        output_type: what the function returns; see ModelBuilderOutputType.

    Returns:
        The model function.
    """
    head = model_head or _default_head(params, weights_name)

    def model_fn(features: Any, labels: Any, mode: str) -> Any:
        weights = keys = None
        inputs = features
        if isinstance(features, dict):
            weights = features[weights_name] if weights_name else None
            keys = features[keys_name] if keys_name else None
            others = {weights_name, keys_name} - {None}
            inputs = {key: value for key, value in features.items() if key not in others}
            if feature_columns:
                inputs = transform_features(inputs, feature_columns)
        graph = graph_builder_class(
            params, device_assigner=device_assigner, training=mode == ModeKeys.TRAIN
        )
        probabilities, paths, variance = graph.inference_graph(inputs)
        hooks: list[SessionRunHook] = []
        train_ops: list[Operation] = []
        if mode == ModeKeys.TRAIN:
            grown = graph.training_graph(
                inputs,
                labels,
                input_weights=weights,
                num_trainers=num_trainers,
                trainer_id=trainer_id,
            )
            train_ops.append(group(grown, assign_add(get_global_step(), 1)))
            loss = identity(graph.training_loss(inputs, labels), name=LOSS_NAME)
            if early_stopping_rounds:
                hooks.append(
                    TensorForestLossHook(early_stopping_rounds, early_stopping_loss_threshold, loss)
                )
            if report_feature_importances:
                hooks.append(
                    TensorForestRunOpAtEndHook({"feature_importances": graph.feature_importances()})
                )
        extra: dict[str, Any] = {VARIANCE_PREDICTION_KEY: variance}
        if params.inference_tree_paths:
            extra[TREE_PATHS_PREDICTION_KEY] = paths
        if keys is not None:
            extra[keys_name or KEYS_NAME] = keys
        arguments: dict[str, Any] = {
            "features": features if isinstance(features, dict) else {},
            "mode": mode,
            "labels": labels,
            "logits": _logits(params, probabilities),
            "train_op_fn": (lambda loss: train_ops[0]) if train_ops else None,
        }
        if output_type == ModelBuilderOutputType.ESTIMATOR_SPEC:
            spec = head.create_estimator_spec(**arguments)
            if spec.predictions is not None:
                spec = spec._replace(predictions={**spec.predictions, **extra})
            return spec._replace(training_hooks=(*spec.training_hooks, *hooks))
        arguments["train_op_fn"] = arguments["train_op_fn"] or (lambda loss: None)
        ops: ModelFnOps = head.create_model_fn_ops(**arguments)
        predictions = {**ops.predictions, **extra} if ops.predictions is not None else None
        return ops._replace(
            predictions=predictions, training_hooks=[*(ops.training_hooks or ()), *hooks]
        )

    return model_fn


@export(f"{_MODULE}.TensorForestEstimator", f"{_CLIENT}.TensorForestEstimator")
class TensorForestEstimator(Estimator):
    """A random forest as an estimator of `tf.contrib.learn`.

    Args:
        params: the ForestHParams.
        device_assigner: a function that places the variables; or None.
        model_dir: the folder of checkpoints; or None.
        feature_columns: columns of `tf.contrib.layers` that the features go through; or None.
        graph_builder_class: RandomForestGraphs or a class like it.
        config: a RunConfig; or None.
        weight_column: the name of the feature with the weights of examples; or None.
        keys_column: the name of the feature with the keys of examples; or None.
        feature_engineering_fn: a function of features and labels; or None.
        early_stopping_rounds: after how many steps without a better loss training ends.
        early_stopping_loss_threshold: by which share the loss must improve.
        num_trainers: how many workers train.
        trainer_id: the number of this worker.
        report_feature_importances: whether the share of splits of each feature is logged.
        local_eval: has no effect.
        version: ignored.
        head: the head; one for the classes or the regression by default.
        include_all_in_serving: has no effect.

    Example:
        >>> forest = tf.contrib.tensor_forest
        >>> params = forest.tensor_forest.ForestHParams(
        ...     num_classes=2, num_features=1, num_trees=3, split_after_samples=10)
        >>> estimator = forest.random_forest.TensorForestEstimator(params.fill())
        >>> x, y = [[i / 20] for i in range(20)], [i // 10 for i in range(20)]
        >>> data = lambda: (tf.constant(x), tf.constant(y))
        >>> evaluated = estimator.fit(input_fn=data, steps=20).evaluate(input_fn=data, steps=1)
        >>> print(evaluated["accuracy"] > 0.8)
        True
    """

    def __init__(
        self,
        params: ForestHParams,
        device_assigner: Any = None,
        model_dir: str | None = None,
        feature_columns: Any = None,
        graph_builder_class: Any = RandomForestGraphs,
        config: Any = None,
        weight_column: str | None = None,
        keys_column: str | None = None,
        feature_engineering_fn: Any = None,
        early_stopping_rounds: int = 100,
        early_stopping_loss_threshold: float = 0.001,
        num_trainers: int = 1,
        trainer_id: int = 0,
        report_feature_importances: bool = False,
        local_eval: bool = False,
        version: Any = None,
        head: Any = None,
        include_all_in_serving: bool = False,
    ) -> None:
        super().__init__(
            model_fn=get_model_fn(
                params.fill(),
                graph_builder_class,
                device_assigner,
                feature_columns=feature_columns,
                weights_name=weight_column,
                model_head=head,
                keys_name=keys_column,
                early_stopping_rounds=early_stopping_rounds,
                early_stopping_loss_threshold=early_stopping_loss_threshold,
                num_trainers=num_trainers,
                trainer_id=trainer_id,
                report_feature_importances=report_feature_importances,
            ),
            model_dir=model_dir,
            config=config,
            feature_engineering_fn=feature_engineering_fn,
        )


@export(f"{_MODULE}.CoreTensorForestEstimator", f"{_CLIENT}.CoreTensorForestEstimator")
class CoreTensorForestEstimator(CoreEstimator):
    """A random forest as an estimator of `tf.estimator`; see TensorForestEstimator.

    Args:
        params: the ForestHParams.
        device_assigner: a function that places the variables; or None.
        model_dir: the folder of checkpoints; or None.
        feature_columns: columns of `tf.contrib.layers` that the features go through; or None.
        graph_builder_class: RandomForestGraphs or a class like it.
        config: a RunConfig; or None.
        weight_column: the name of the feature with the weights of examples; or None.
        keys_column: the name of the feature with the keys of examples; or None.
        feature_engineering_fn: a function of features and labels; or None.
        early_stopping_rounds: after how many steps without a better loss training ends.
        early_stopping_loss_threshold: by which share the loss must improve.
        num_trainers: how many workers train.
        trainer_id: the number of this worker.
        report_feature_importances: whether the share of splits of each feature is logged.
        local_eval: has no effect.
        version: ignored.
        head: the head, which is required.
        include_all_in_serving: has no effect.
    """

    def __init__(
        self,
        params: ForestHParams,
        device_assigner: Any = None,
        model_dir: str | None = None,
        feature_columns: Any = None,
        graph_builder_class: Any = RandomForestGraphs,
        config: Any = None,
        weight_column: str | None = None,
        keys_column: str | None = None,
        feature_engineering_fn: Any = None,
        early_stopping_rounds: int = 100,
        early_stopping_loss_threshold: float = 0.001,
        num_trainers: int = 1,
        trainer_id: int = 0,
        report_feature_importances: bool = False,
        local_eval: bool = False,
        version: Any = None,
        head: Any = None,
        include_all_in_serving: bool = False,
    ) -> None:
        super().__init__(
            model_fn=get_model_fn(
                params.fill(),
                graph_builder_class,
                device_assigner,
                feature_columns=feature_columns,
                weights_name=weight_column,
                model_head=head,
                keys_name=keys_column,
                early_stopping_rounds=early_stopping_rounds,
                early_stopping_loss_threshold=early_stopping_loss_threshold,
                num_trainers=num_trainers,
                trainer_id=trainer_id,
                report_feature_importances=report_feature_importances,
                output_type=ModelBuilderOutputType.ESTIMATOR_SPEC,
            ),
            model_dir=model_dir,
            config=config,
        )
