"""The head of an estimator of time series: from features and a mode to an EstimatorSpec."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from headwater.base import dtypes, nest
from headwater.base.export import export
from headwater.contrib.timeseries.base_model import ModelOutputs, TimeSeriesModel
from headwater.contrib.timeseries.feature_keys import (
    FilteringResults,
    PredictionFeatures,
    PredictionResults,
    SavedModelLabels,
    State,
    TrainEvalFeatures,
)
from headwater.contrib.timeseries.input_statistics import InputStatisticsFromMiniBatch
from headwater.contrib.timeseries.state_management import PassthroughStateManager
from headwater.estimator.export.outputs import PredictOutput
from headwater.estimator.mode_keys import ModeKeys
from headwater.estimator.model_fn import EstimatorSpec
from headwater.graph import Operation, Tensor, group, name_scope
from headwater.graph.graph_keys import GraphKeys
from headwater.graph.sparse_tensor import convert_to_tensor_or_sparse_tensor
from headwater.model.global_step import get_global_step
from headwater.model.metrics.means import mean
from headwater.model.variables.variable import Variable
from headwater.model.variables.variable_scope import variable_scope
from headwater.ops.array.fill import zeros
from headwater.ops.array.shape import shape
from headwater.ops.math.cast import cast
from headwater.ops.state.assign import assign
from headwater.ops.summary.scalar import scalar
from headwater.train.optimizers.optimizer import Optimizer


class _NoStatePredictOutput(PredictOutput):
    """Outputs of a signature that has no state among its inputs."""

    def as_signature_def(self, receiver_tensors: Mapping[str, Tensor]) -> Any:
        inputs = {
            name: tensor
            for name, tensor in receiver_tensors.items()
            if not name.startswith(State.STATE_PREFIX)
        }
        return super().as_signature_def(inputs)


class TimeSeriesRegressionHead:
    """Makes the ops of training, evaluation and prediction of a model.

    Args:
        model: a TimeSeriesModel.
        state_manager: where the state of a window comes from.
        optimizer: trains the model.
        input_statistics_generator: gathers the statistics by which values are scaled.
        name: the scope of the ops, "head" by default.
    """

    def __init__(
        self,
        model: TimeSeriesModel,
        state_manager: PassthroughStateManager,
        optimizer: Optimizer,
        input_statistics_generator: InputStatisticsFromMiniBatch | None = None,
        name: str | None = None,
    ) -> None:
        self.model = model
        self.state_manager = state_manager
        self.optimizer = optimizer
        self.input_statistics_generator = input_statistics_generator
        self._name = name

    @property
    def name(self) -> str | None:
        """The name of the head."""
        return self._name

    @property
    def logits_dimension(self) -> None:
        """None: there are no logits."""
        return None

    def create_loss(
        self, features: Mapping[str, Any], mode: str, logits: Any = None, labels: Any = None
    ) -> ModelOutputs:
        """Returns the loss and what comes with it.

        Args:
            features: times, values and exogenous features.
            mode: TRAIN or EVAL.
            logits: unused.
            labels: unused.
        """
        outputs = self.state_manager.define_loss(self.model, features, mode)
        scalar("loss", outputs.loss)
        return outputs

    def _train_ops(self, features: Mapping[str, Any]) -> EstimatorSpec:
        with variable_scope("model", use_resource=True):
            outputs = self.create_loss(features, ModeKeys.TRAIN)
        train_op = self.optimizer.minimize(outputs.loss, global_step=get_global_step())
        return EstimatorSpec(loss=outputs.loss, mode=ModeKeys.TRAIN, train_op=train_op)

    def _evaluate_ops(self, features: Mapping[str, Any]) -> EstimatorSpec:
        """The metrics of an evaluation: all outputs of its last batch, and the mean loss."""
        with variable_scope("model", use_resource=True):
            outputs = self.create_loss(features, ModeKeys.EVAL)
        metrics: dict[str, Any] = {
            name: _identity_metric_single(name, value)
            for name, value in outputs.predictions.items()
        }
        metrics[FilteringResults.TIMES] = _identity_metric_single(
            FilteringResults.TIMES, outputs.prediction_times
        )
        metrics[FilteringResults.STATE_TUPLE] = _identity_metric_nested(
            FilteringResults.STATE_TUPLE, outputs.end_state
        )
        metrics["average_loss"] = mean(outputs.loss, name="average_loss")
        return EstimatorSpec(
            loss=outputs.loss,
            mode=ModeKeys.EVAL,
            eval_metric_ops=metrics,
            predictions=outputs.predictions,
        )

    def _predict_ops(self, features: Mapping[str, Any]) -> EstimatorSpec:
        with variable_scope("model", use_resource=True):
            prediction = self.model.predict(features=features)
        prediction[PredictionResults.TIMES] = features[PredictionFeatures.TIMES]
        return EstimatorSpec(predictions=prediction, mode=ModeKeys.PREDICT)

    def _serving_ops(self, features: Mapping[str, Any]) -> EstimatorSpec:
        """Signatures that predict from a state, filter from a state, and filter from the start."""
        with variable_scope("model", use_resource=True):
            predictions = self.model.predict(features=features)
        with variable_scope("model", reuse=True):
            filtered = self.create_loss(features, ModeKeys.EVAL)
        with variable_scope("model", reuse=True):
            without_state = {
                name: value
                for name, value in features.items()
                if name != State.STATE_TUPLE and not name.startswith(State.STATE_PREFIX)
            }
            cold = self.model.define_loss(features=without_state, mode=ModeKeys.EVAL)
        return EstimatorSpec(
            mode=ModeKeys.PREDICT,
            export_outputs={
                SavedModelLabels.PREDICT: PredictOutput(predictions),
                SavedModelLabels.FILTER: PredictOutput(state_to_dictionary(filtered.end_state)),
                SavedModelLabels.COLD_START_FILTER: _NoStatePredictOutput(
                    state_to_dictionary(cold.end_state)
                ),
            },
            predictions={},
        )

    def _convert_feature_to_tensor(self, name: str, value: Any) -> Any:
        if name == TrainEvalFeatures.TIMES:
            return cast(value, dtypes.int64)
        if name == TrainEvalFeatures.VALUES:
            return cast(value, self.model.dtype)
        if name == PredictionFeatures.STATE_TUPLE:
            return value
        return convert_to_tensor_or_sparse_tensor(value)

    def _gather_state(self, features: Mapping[str, Any]) -> tuple[dict[str, Any], bool]:
        """Puts the parts of a state together again.

        Returns:
            Features, and whether they had a state in parts.
        """
        prefix = State.STATE_PREFIX + "_"
        parts = {
            int(name.removeprefix(prefix)): value
            for name, value in features.items()
            if name.startswith(prefix)
        }
        if not parts:
            return dict(features), False
        others = {name: value for name, value in features.items() if not name.startswith(prefix)}
        others[State.STATE_TUPLE] = nest.pack_sequence_as(
            self.model.get_start_state(), [parts[number] for number in sorted(parts)]
        )
        return others, True

    def _check_predict_features(self, features: Mapping[str, Any]) -> None:
        if PredictionFeatures.TIMES not in features:
            raise ValueError(f"Expected a '{PredictionFeatures.TIMES}' feature for prediction.")
        if PredictionFeatures.STATE_TUPLE not in features:
            raise ValueError(
                f"Expected a '{PredictionFeatures.STATE_TUPLE}' feature for prediction."
            )
        times = features[PredictionFeatures.TIMES].shape
        times.assert_has_rank(2)
        _check_feature_shapes_compatible_with(
            features=features,
            compatible_with_name=PredictionFeatures.TIMES,
            compatible_with_value=features[PredictionFeatures.TIMES],
            ignore={PredictionFeatures.STATE_TUPLE},
        )

    def create_estimator_spec(
        self, features: Mapping[str, Any], mode: str, labels: Any = None
    ) -> EstimatorSpec:
        """Returns the ops of a mode: the model function of the estimator.

        Args:
            features: times, values, perhaps a state and exogenous features.
            mode: a key of `tf.estimator.ModeKeys`.
            labels: none: values are features.

        Returns:
            An EstimatorSpec.

        Raises:
            ValueError: if there are labels, the mode is unknown, or features are wrong.
        """
        if labels:
            raise ValueError(
                f"The model received a `labels`, which is not supported. Pass "
                f"'{TrainEvalFeatures.TIMES}' and '{TrainEvalFeatures.VALUES}' as features."
            )
        with name_scope(self._name, "head"):
            features = {
                name: self._convert_feature_to_tensor(name, value)
                for name, value in features.items()
            }
            statistics = None
            if self.input_statistics_generator is not None:
                statistics = self.input_statistics_generator.initialize_graph(
                    features, update_statistics=mode == ModeKeys.TRAIN
                )
            self.model.initialize_graph(input_statistics=statistics)
            features, state_in_parts = self._gather_state(features)
            if mode in (ModeKeys.TRAIN, ModeKeys.EVAL):
                _check_train_eval_features(features, self.model)
            elif mode == ModeKeys.PREDICT:
                self._check_predict_features(features)
            else:
                raise ValueError(f"Unknown mode '{mode}' passed to model_fn.")
            self.state_manager.initialize_graph(model=self.model, input_statistics=statistics)
            if mode == ModeKeys.TRAIN:
                return self._train_ops(features)
            if mode == ModeKeys.EVAL:
                return self._evaluate_ops(features)
            # A state in parts is that of an exported model, whose signatures also filter.
            return self._serving_ops(features) if state_in_parts else self._predict_ops(features)


@export("contrib.timeseries.OneShotPredictionHead")
class OneShotPredictionHead(TimeSeriesRegressionHead):
    """A head whose export filters and predicts in one signature, without any state."""

    def _check_predict_features(self, features: Mapping[str, Any]) -> None:
        for name in (TrainEvalFeatures.TIMES, TrainEvalFeatures.VALUES):
            if name not in features:
                raise ValueError(f"Expected a '{name}' feature for prediction.")
        times = features[TrainEvalFeatures.TIMES]
        times.shape.assert_has_rank(2)
        _check_feature_shapes_compatible_with(
            features=features,
            compatible_with_name=TrainEvalFeatures.TIMES,
            compatible_with_value=times,
            ignore={State.STATE_TUPLE, TrainEvalFeatures.VALUES},
        )

    def _evaluate_ops(self, features: Mapping[str, Any]) -> EstimatorSpec:
        spec = super()._evaluate_ops(features)
        del spec.eval_metric_ops[State.STATE_TUPLE]
        return spec

    def _serving_ops(self, features: Mapping[str, Any]) -> EstimatorSpec:
        """A signature that filters the times with values and predicts the others."""
        known = shape(features[TrainEvalFeatures.VALUES])[1]
        past, future = {}, {}
        for name, value in features.items():
            if name == TrainEvalFeatures.VALUES:
                past[name] = value
            elif name != State.STATE_TUPLE:
                past[name] = value[:, :known]
                future[name] = value[:, known:]
        with variable_scope("model", use_resource=True):
            filtered = self.model.define_loss(features=past, mode=ModeKeys.EVAL)
            future[State.STATE_TUPLE] = filtered.end_state
        with variable_scope("model", reuse=True):
            predictions = self.model.predict(features=future)
        return EstimatorSpec(
            mode=ModeKeys.PREDICT,
            export_outputs={SavedModelLabels.PREDICT: PredictOutput(predictions)},
            predictions={},
        )


def _check_feature_shapes_compatible_with(
    features: Mapping[str, Any],
    compatible_with_name: str,
    compatible_with_value: Tensor,
    ignore: set[str] | None = None,
) -> None:
    """Checks that all features have the batch and window dimensions of one of them."""
    expected = compatible_with_value.shape
    for name, value in features.items():
        if name in (ignore or set()):
            continue
        if not value.shape[:2].is_compatible_with(expected):
            raise ValueError(
                "Features must have shape (batch dimension, window size, ...) where batch "
                "dimension and window size match the "
                f"'{compatible_with_name}' feature (got shape {value.shape} for feature '{name}' "
                f"but shape {expected} for feature '{compatible_with_name}')"
            )


def _check_train_eval_features(features: Mapping[str, Any], model: TimeSeriesModel) -> None:
    for name in (TrainEvalFeatures.TIMES, TrainEvalFeatures.VALUES):
        if name not in features:
            raise ValueError(f"Expected a '{name}' feature for training/evaluation.")
    times = features[TrainEvalFeatures.TIMES]
    times.shape.assert_has_rank(2)
    values = features[TrainEvalFeatures.VALUES].shape
    values.assert_has_rank(3)
    values.assert_is_compatible_with([None, None, model.num_features])
    # The state has no window dimension.
    _check_feature_shapes_compatible_with(
        features=features,
        compatible_with_name=TrainEvalFeatures.TIMES,
        compatible_with_value=times,
        ignore={State.STATE_TUPLE},
    )


def _identity_metric_single(name: str, input_tensor: Tensor) -> tuple[Tensor, Tensor]:
    """A metric whose value is that of a tensor in the last batch."""
    metric = Variable(
        name=f"{name}_identity_metric",
        initial_value=zeros([], dtype=input_tensor.dtype),
        collections=[GraphKeys.LOCAL_VARIABLES],
        trainable=False,
        validate_shape=False,
    )
    update = assign(metric, input_tensor, validate_shape=False)
    # The shape is known although the first value is a scalar.
    metric.set_shape(input_tensor.shape)
    return metric.value(), update


def _identity_metric_nested(name: str, input_tensors: Any) -> tuple[Any, Operation]:
    """A metric whose value is that of a structure of tensors in the last batch."""
    values, updates = [], []
    for number, tensor in enumerate(nest.flatten(input_tensors)):
        value, update = _identity_metric_single(f"{name}_{number}", tensor)
        values.append(value)
        updates.append(update)
    return nest.pack_sequence_as(input_tensors, values), group(*updates)


def state_to_dictionary(state_tuple: Any) -> dict[str, Tensor]:
    """Returns the parts of a state by name.

    Args:
        state_tuple: a structure of tensors.

    Returns:
        Tensors by names with the prefix `State.STATE_PREFIX` and a number.
    """
    return {
        f"{State.STATE_PREFIX}_{number:02d}": value
        for number, value in enumerate(nest.flatten(state_tuple))
    }
