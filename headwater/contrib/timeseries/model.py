"""Models that go through a window step by step."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from headwater.base import dtypes, nest
from headwater.base.dtypes import DType
from headwater.base.typing import DTypeLike, TensorLike
from headwater.contrib.timeseries.base_model import ModelOutputs, TimeSeriesModel
from headwater.contrib.timeseries.feature_keys import PredictionFeatures, TrainEvalFeatures
from headwater.graph import Tensor, convert_to_tensor
from headwater.graph.sparse_tensor import SparseTensor
from headwater.model.variables.variable_scope import variable_scope
from headwater.model.variables.variable_store import AUTO_REUSE
from headwater.ops.array.concat import concat
from headwater.ops.array.constant import constant
from headwater.ops.array.fill import zeros_like
from headwater.ops.array.reshape import expand_dims
from headwater.ops.array.shape import rank, shape
from headwater.ops.array.stack import stack
from headwater.ops.array.transpose import transpose
from headwater.ops.control.tensor_array_class import TensorArray
from headwater.ops.control.while_loop import while_loop
from headwater.ops.math.cast import cast
from headwater.ops.math.comparison import less
from headwater.ops.math.ranges import range_
from headwater.ops.math.reduce_functions import reduce_prod, reduce_sum
from headwater.ops.math.select import where
from headwater.ops.sparse.reshape import sparse_reshape
from headwater.ops.sparse.slice import sparse_slice

__all__ = ["ModelOutputs", "SequentialTimeSeriesModel", "TimeSeriesModel"]

StepFunction = Callable[[Tensor, Tensor, Any], tuple[Any, dict[str, Tensor]]]


class SequentialTimeSeriesModel(TimeSeriesModel):
    """A model defined by what one step does with its state.

    A step of training predicts, then filters: the state takes in the observation. A step of a
    prediction only predicts.

    Args:
        train_output_names: what a filtering step returns besides the loss.
        predict_output_names: what a prediction step returns.
        num_features: the number of values at each time.
        normalize_features: whether the model sees values with mean 0 and variance 1.
        dtype: the type of values.
        exogenous_feature_columns: feature columns of what is not predicted.
        exogenous_update_condition: a function of times and exogenous features of one step that says
            whose state is updated; always all by default.
        static_unrolling_window_size_threshold: windows of at most this length become as many copies
            of a step; by default all are loops.
    """

    def __init__(
        self,
        train_output_names: Sequence[str],
        predict_output_names: Sequence[str],
        num_features: int,
        normalize_features: bool = False,
        dtype: DTypeLike = dtypes.float32,
        exogenous_feature_columns: Sequence[Any] | None = None,
        exogenous_update_condition: Callable[[Tensor, dict[str, Tensor]], Tensor] | None = None,
        static_unrolling_window_size_threshold: int | None = None,
    ) -> None:
        super().__init__(
            num_features=num_features,
            dtype=dtype,
            exogenous_feature_columns=exogenous_feature_columns,
        )
        self._exogenous_update_condition = exogenous_update_condition
        self._train_output_names = list(train_output_names)
        self._predict_output_names = list(predict_output_names)
        self._normalize_features = normalize_features
        self._static_unrolling_window_size_threshold = static_unrolling_window_size_threshold

    @abstractmethod
    def _filtering_step(
        self, current_times: Tensor, current_values: Tensor, state: Any, predictions: Any
    ) -> tuple[Any, dict[str, Tensor]]:
        """Takes an observation in.

        Args:
            current_times: times [batch].
            current_values: values [batch, features].
            state: the state after the prediction of this step.
            predictions: what the prediction step has returned.

        Returns:
            The new state, and outputs; among them "loss", [batch].
        """

    @abstractmethod
    def _prediction_step(self, current_times: Tensor, state: Any) -> tuple[Any, dict[str, Tensor]]:
        """Predicts.

        Args:
            current_times: times [batch].
            state: the state after the step before.

        Returns:
            The state at this time, and predictions by name.
        """

    @abstractmethod
    def _exogenous_input_step(
        self, current_times: Tensor, current_exogenous_regressors: Tensor, state: Any
    ) -> Any:
        """Returns the state that has taken exogenous regressors [batch, size] in."""

    def _imputation_step(self, current_times: Tensor, state: Any) -> Any:
        """Returns the state after times without observations, before a prediction."""
        return state

    def _loss_additions(self, times: Tensor, values: Tensor, mode: str) -> TensorLike:
        """Returns what is added to the loss of a window."""
        return 0.0

    def _window_initializer(self, times: Tensor, state: Any) -> None:
        """Prepares what all steps of a window use."""

    def _scale_back_predictions(self, predictions: dict[str, Tensor]) -> dict[str, Tensor]:
        """Returns predictions in the scale of the values."""
        predictions["mean"] = self._scale_back_data(predictions["mean"])
        return predictions

    def get_batch_loss(self, features: Mapping[str, Tensor], mode: str, state: Any) -> ModelOutputs:
        """Returns the loss of windows that begin in given states.

        Args:
            features: times [batch, window], values [batch, window, features], exogenous features.
            mode: TRAIN or EVAL.
            state: the states, with a batch dimension.

        Returns:
            A ModelOutputs with the state after the last step.
        """
        loss, states, outputs = self.per_step_batch_loss(features, mode, state)
        end_state = nest.map_structure(lambda steps: steps[:, -1], states)
        return ModelOutputs(
            loss=loss,
            end_state=end_state,
            predictions=outputs,
            prediction_times=features[TrainEvalFeatures.TIMES],
        )

    def per_step_batch_loss(
        self, features: Mapping[str, Tensor], mode: str, state: Any
    ) -> tuple[Tensor, Any, dict[str, Tensor]]:
        """Returns loss, states of all steps, and outputs; see `get_batch_loss`."""
        self._check_graph_initialized()
        times = cast(features[TrainEvalFeatures.TIMES], dtypes.int64)
        values = cast(features[TrainEvalFeatures.VALUES], self.dtype)
        if self._normalize_features:
            values = self._scale_data(values)
        known = (TrainEvalFeatures.TIMES, TrainEvalFeatures.VALUES)
        exogenous = {name: value for name, value in features.items() if name not in known}
        regressors = self._process_exogenous_features(times, exogenous)

        def filter_step(
            step_number: Tensor, current_times: Tensor, state: Any
        ) -> tuple[Any, dict[str, Tensor]]:
            state = self._apply_exogenous_update(
                current_times, step_number, state, exogenous, regressors
            )
            predicted_state, predictions = self._prediction_step(current_times, state)
            return self._filtering_step(
                current_times, values[:, step_number], predicted_state, predictions
            )

        states, outputs = self._state_update_loop(
            times, state, filter_step, ["loss", *self._train_output_names]
        )
        # A mean over windows: the additions are those of a window.
        losses = outputs.pop("loss")
        losses.set_shape(times.shape)
        loss = reduce_sum(losses) / cast(reduce_prod(shape(times)), self.dtype)
        loss = loss + self._loss_additions(times, values, mode)
        if self._normalize_features:
            outputs = self._scale_back_predictions(outputs)
        # For plots of both.
        outputs["observed"] = features[TrainEvalFeatures.VALUES]
        return loss, states, outputs

    def predict(self, features: Mapping[str, Any]) -> dict[str, Tensor]:
        """Returns predictions by name.

        Args:
            features: times [batch, window], the state, and exogenous features.

        Returns:
            Predictions with dimensions [batch, window, ...].
        """
        times = convert_to_tensor(features[PredictionFeatures.TIMES], dtypes.int64)
        known = (PredictionFeatures.TIMES, PredictionFeatures.STATE_TUPLE)
        exogenous = {name: value for name, value in features.items() if name not in known}
        regressors = self._process_exogenous_features(times, exogenous)

        def predict_step(
            step_number: Tensor, current_times: Tensor, state: Any
        ) -> tuple[Any, dict[str, Tensor]]:
            state = self._apply_exogenous_update(
                current_times, step_number, state, exogenous, regressors
            )
            return self._prediction_step(current_times, state)

        _, predictions = self._state_update_loop(
            times,
            features[PredictionFeatures.STATE_TUPLE],
            predict_step,
            self._predict_output_names,
        )
        if self._normalize_features:
            predictions = self._scale_back_predictions(predictions)
        return predictions

    def _apply_exogenous_update(
        self,
        current_times: Tensor,
        step_number: Tensor,
        state: Any,
        raw_features: Mapping[str, Any],
        embedded_exogenous_regressors: Tensor,
    ) -> Any:
        """Returns the state after the exogenous features of a step."""
        if not self._exogenous_feature_columns:
            return state
        current = {
            name: _rows_of_step(feature, step_number) for name, feature in raw_features.items()
        }
        updated = self._exogenous_input_step(
            current_times, embedded_exogenous_regressors[:, step_number, :], state
        )
        if self._exogenous_update_condition is None:
            return updated
        condition = self._exogenous_update_condition(current_times, current)
        return nest.map_structure(partial(where, condition), updated, state)

    def _state_update_loop(
        self, times: Tensor, state: Any, state_update_fn: StepFunction, outputs: Sequence[str]
    ) -> tuple[Any, dict[str, Tensor]]:
        """Goes through a window.

        Args:
            times: [batch, window].
            state: the state before the window.
            state_update_fn: a step: a function of its number, its times and the state before it.
            outputs: the names of the outputs that are kept.

        Returns:
            The states after each step and the outputs, with dimensions [batch, window, ...].
        """
        times = convert_to_tensor(times, dtypes.int64)
        window = times.shape[1].value
        self._window_initializer(times, state)

        def step(number: Any, state: Any) -> tuple[Any, list[Tensor]]:
            # One set of variables, also for steps that are copies.
            with variable_scope("state_update_step", reuse=AUTO_REUSE):
                current_times = times[:, number]
                state = self._imputation_step(current_times, state)
                new_state, results = state_update_fn(number, current_times, state)
                return new_state, [results[name] for name in outputs]

        limit = self._static_unrolling_window_size_threshold
        if limit is not None and window is not None and window <= limit:
            states, values = _unrolled(step, window, state)
        else:
            states, values = _looped(step, shape(times)[1], state, len(outputs), self.dtype)
        return states, dict(zip(outputs, values, strict=True))


def _rows_of_step(feature: Any, step_number: Tensor) -> Any:
    if isinstance(feature, SparseTensor):
        size = expand_dims(feature.dense_shape[0], 0)
        rest = feature.dense_shape[2:]
        start = concat([[0], expand_dims(cast(step_number, dtypes.int64), 0), zeros_like(rest)], 0)
        return sparse_reshape(
            sparse_slice(feature, start, concat([size, [1], rest], 0)), concat([size, rest], 0)
        )
    return feature[:, step_number]


def _unrolled(
    step: Callable[[Any, Any], tuple[Any, list[Tensor]]], count: int, state: Any
) -> tuple[Any, list[Tensor]]:
    states, outputs = [], []
    for number in range(count):
        state, values = step(number, state)
        states.append(nest.flatten(state))
        outputs.append(values)
    flat = [stack(list(parts), axis=1) for parts in zip(*states, strict=True)]
    values = [stack(list(parts), axis=1) for parts in zip(*outputs, strict=True)]
    return nest.pack_sequence_as(state, flat), values


def _looped(
    step: Callable[[Any, Any], tuple[Any, list[Tensor]]],
    count: Tensor,
    state: Any,
    number_of_outputs: int,
    dtype: DType,
) -> tuple[Any, list[Tensor]]:
    flat_state = [convert_to_tensor(part) for part in nest.flatten(state)]
    arrays = [
        TensorArray(dtype=kind, size=count)
        for kind in [*[part.dtype for part in flat_state], *[dtype] * number_of_outputs]
    ]

    def body(number: Tensor, parts: list[Tensor], arrays: list[Any]) -> tuple[Any, ...]:
        new_state, values = step(number, nest.pack_sequence_as(state, parts))
        new_parts = nest.flatten(new_state)
        for part, old in zip(new_parts, flat_state, strict=True):
            part.set_shape(old.shape)
        written = [
            array.write(number, value)
            for array, value in zip(arrays, [*new_parts, *values], strict=True)
        ]
        return number + 1, new_parts, written

    _, _, arrays = while_loop(
        lambda number, *_: less(number, count), body, (constant(0), flat_state, arrays)
    )
    stacked = [_batch_major(array.stack()) for array in arrays]
    states = nest.pack_sequence_as(state, stacked[: len(flat_state)])
    return states, stacked[len(flat_state) :]


def _batch_major(steps: Tensor) -> Tensor:
    """Exchanges the first two dimensions."""
    rest = range_(2, rank(steps))
    exchanged = transpose(steps, concat([[1, 0], rest], 0))
    if steps.shape.ndims is not None:
        known = steps.shape.as_list()
        exchanged.set_shape([known[1], known[0], *known[2:]])
    return exchanged
