"""Autoregressive models: a window of values predicts the one after it."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from headwater.base import dtypes
from headwater.base.export import export
from headwater.base.tensor_shape import TensorShape
from headwater.base.typing import Array
from headwater.contrib.timeseries.base_model import ModelOutputs, TimeSeriesModel
from headwater.contrib.timeseries.feature_keys import PredictionFeatures, TrainEvalFeatures
from headwater.contrib.timeseries.input_statistics import InputStatistics
from headwater.contrib.timeseries.math_utils import normal_log_prob
from headwater.contrib.timeseries.prediction_models import FlatPredictionModel
from headwater.estimator.mode_keys import ModeKeys
from headwater.graph import Tensor, convert_to_tensor
from headwater.graph.sparse_tensor import convert_to_tensor_or_sparse_tensor
from headwater.keras.engine.training import Model
from headwater.model.variables.variable_scope import get_variable_scope, variable_scope
from headwater.ops.array.concat import concat
from headwater.ops.array.constant import constant
from headwater.ops.array.fill import ones_like, zeros, zeros_like
from headwater.ops.array.pad import pad
from headwater.ops.array.reshape import reshape
from headwater.ops.array.shape import shape
from headwater.ops.array.slice import slice_
from headwater.ops.array.split import split
from headwater.ops.array.transpose import transpose
from headwater.ops.control.tensor_array_class import TensorArray
from headwater.ops.control.while_loop import while_loop
from headwater.ops.math.arithmetic import squared_difference
from headwater.ops.math.cast import cast
from headwater.ops.math.comparison import less
from headwater.ops.math.extrema import maximum
from headwater.ops.math.powers import sqrt, square
from headwater.ops.math.ranges import range_
from headwater.ops.math.reduce_functions import reduce_mean, reduce_prod, reduce_sum
from headwater.ops.math.select import where_v2
from headwater.ops.nn.relu import relu


@export("contrib.timeseries.ARModel")
class ARModel(TimeSeriesModel):
    """An autoregressive model: a network predicts a window from the window before it.

    The network also sees where in its periods each time lies.

    Args:
        periodicities: the periods, or one.
        input_window_size: the number of times that are seen.
        output_window_size: the number of times that are predicted at once.
        num_features: the number of values at each time.
        prediction_model_factory: makes the network, from the number of features and both sizes.
        num_time_buckets: into how many pieces each period is cut.
        loss: SQUARED_LOSS or NORMAL_LIKELIHOOD_LOSS.
        exogenous_feature_columns: feature columns of what is not predicted.
    """

    SQUARED_LOSS = "squared_loss"
    NORMAL_LIKELIHOOD_LOSS = "normal_likelihood_loss"

    def __init__(
        self,
        periodicities: int | Sequence[int],
        input_window_size: int,
        output_window_size: int,
        num_features: int,
        prediction_model_factory: Callable[..., Model] = FlatPredictionModel,
        num_time_buckets: int = 10,
        loss: str = NORMAL_LIKELIHOOD_LOSS,
        exogenous_feature_columns: Sequence[Any] | None = None,
    ) -> None:
        self._model_factory = prediction_model_factory
        self.input_window_size = input_window_size
        self.output_window_size = output_window_size
        self.window_size = input_window_size + output_window_size
        self.loss = loss
        super().__init__(
            num_features=num_features, exogenous_feature_columns=exogenous_feature_columns
        )
        assert num_time_buckets > 0
        self._buckets = int(num_time_buckets)
        periods: Any = [] if periodicities is None else periodicities
        self._periods = np.asarray(
            periods if isinstance(periods, (list, tuple, np.ndarray)) else [periods],
            dtype=np.int64,
        )
        assert (self._periods > 0).all()
        assert len(self._periods) or self.input_window_size
        assert output_window_size > 0
        self._prediction_model: Any = None

    def initialize_graph(self, input_statistics: InputStatistics | None = None) -> None:
        """Makes the network.

        Args:
            input_statistics: the statistics by which values are scaled.
        """
        super().initialize_graph(input_statistics=input_statistics)
        self._prediction_model = self._model_factory(
            num_features=self.num_features,
            input_window_size=self.input_window_size,
            output_window_size=self.output_window_size,
        )

    def get_start_state(self) -> tuple[Tensor, Tensor, Tensor]:
        """Returns times, values and exogenous regressors of an input window of zeros."""
        size = self._get_exogenous_embedding_shape()
        return (
            zeros([self.input_window_size], dtype=dtypes.int64),
            zeros([self.input_window_size, self.num_features], dtype=self.dtype),
            zeros([self.input_window_size, *size], dtype=self.dtype),
        )

    def random_model_parameters(self, seed: int | None = None) -> dict[Any, Any]:
        """Returns no parameters: this model does not generate series."""
        return {}

    def generate(
        self,
        number_of_series: int,
        series_length: int,
        model_parameters: Mapping[Any, Any] | None = None,
        seed: int | None = None,
    ) -> dict[str, Array]:
        """Raises NotImplementedError: this model does not generate series."""
        raise NotImplementedError("ARModel generation is not supported.")

    def _compute_time_features(self, time: Tensor) -> Tensor:
        """Returns the place of times [batch, window] in each bucket of each period.

        A feature goes from 0 to 1 while the time passes its bucket, and is 0 elsewhere.
        """
        batch_size = shape(time)[0]
        periods = constant(self._periods.reshape([1, 1, -1, 1]), dtype=time.dtype)
        time = reshape(time, [batch_size, -1, 1, 1])
        position = cast(time % periods, self.dtype) * self._buckets / cast(periods, self.dtype)
        buckets = reshape(range_(self._buckets, dtype=self.dtype), [1, 1, 1, -1])
        passed = relu(position - buckets)
        inside = where_v2(less(passed, 1.0), passed, zeros_like(passed))
        features = self._buckets * len(self._periods)
        return reshape(inside, [batch_size, shape(time)[1], features])

    def prediction_ops(
        self, times: Tensor, values: Tensor | None, exogenous_regressors: Tensor
    ) -> dict[str, Tensor]:
        """Returns mean and covariance of an output window.

        Args:
            times: the times of both windows, [batch, window].
            values: the values of the input window, [batch, input window, features]; None
                without an input window.
            exogenous_regressors: those of both windows, [batch, window, size].

        Returns:
            "mean" and "covariance", [batch, output window, features].
        """
        times.get_shape().assert_is_compatible_with([None, self.window_size])
        batch_size = shape(times)[0]
        sizes = [self.input_window_size, self.output_window_size]
        input_features, output_features = [], []
        if len(self._periods):
            time_features = self._compute_time_features(times)
            time_features.set_shape([None, self.window_size, self._buckets * len(self._periods)])
            before, after = split(time_features, sizes, axis=1)
            input_features.append(before)
            output_features.append(after)
        if self.input_window_size:
            assert values is not None
            seen = values[:, : self.input_window_size, :]
            input_features.append(
                reshape(seen, [batch_size, self.input_window_size, self.num_features])
            )
        if self._exogenous_feature_columns:
            before, after = split(exogenous_regressors, sizes, axis=1)
            input_features.append(before)
            output_features.append(after)
        if not output_features:
            # Without periods and exogenous features nothing is known of these times.
            output_features = [zeros([batch_size, self.output_window_size, 0], dtype=self.dtype)]
        return self._output_window_predictions(
            concat(input_features, axis=2), concat(output_features, axis=2)
        )

    def _output_window_predictions(
        self, input_window_features: Tensor, output_window_features: Tensor
    ) -> dict[str, Tensor]:
        # Names of variables of Keras follow name scopes, which differ from mode to mode. A slash at
        # the end makes a scope of the root.
        scope = get_variable_scope().name
        with variable_scope(f"{scope}/") if scope else contextlib.nullcontext():
            predictions = self._prediction_model(input_window_features, output_window_features)
        expected = [None, self.output_window_size, self.num_features]
        for prediction in predictions.values():
            prediction.set_shape(prediction.shape.merge_with(expected))
        return predictions

    def loss_op(self, targets: Tensor, prediction_ops: Mapping[str, Tensor]) -> Tensor:
        """Returns the loss of a window.

        Args:
            targets: the values of the output window.
            prediction_ops: what `prediction_ops` has returned.

        Returns:
            A scalar.
        """
        prediction = prediction_ops["mean"]
        if self.loss == ARModel.NORMAL_LIKELIHOOD_LOSS:
            sigma = sqrt(maximum(prediction_ops["covariance"], 1e-5))
            loss = -reduce_sum(normal_log_prob(targets, sigma, prediction))
        else:
            assert self.loss == ARModel.SQUARED_LOSS, self.loss
            loss = reduce_sum(square(prediction - targets))
        return loss / cast(reduce_prod(shape(targets)), loss.dtype)

    def predict(self, features: Mapping[str, Any]) -> dict[str, Tensor]:
        """Returns predictions of any number of times, one output window after the other.

        Args:
            features: times [batch, window], the state, and exogenous features.

        Returns:
            "mean" and "covariance", [batch, window, features].
        """
        times = cast(convert_to_tensor(features[PredictionFeatures.TIMES]), dtypes.int64)
        known = (PredictionFeatures.TIMES, PredictionFeatures.STATE_TUPLE)
        regressors = self._process_exogenous_features(
            times, {name: value for name, value in features.items() if name not in known}
        )
        wanted = shape(times)[1]
        count = (wanted + self.output_window_size - 1) // self.output_window_size
        # The last window may reach beyond what is wanted, where all is zero.
        missing = count * self.output_window_size - wanted
        times = pad(times, [[0, 0], [0, missing]])
        regressors = pad(regressors, [[0, 0], [0, missing], [0, 0]])
        means, covariances = self._predicted_windows(
            count, times, regressors, features[PredictionFeatures.STATE_TUPLE]
        )
        sizes = [shape(times)[0], -1, self.num_features]
        mean = reshape(transpose(means, [1, 0, 2, 3]), sizes)[:, :wanted]
        covariance = reshape(transpose(covariances, [1, 0, 2, 3]), sizes)[:, :wanted]
        if self.loss == ARModel.SQUARED_LOSS:
            # This loss does not train the covariance.
            covariance = ones_like(mean)
        return {
            "mean": self._scale_back_data(mean),
            "covariance": self._scale_back_variance(covariance),
        }

    def _predicted_windows(
        self, count: Tensor, times: Tensor, regressors: Tensor, state: Any
    ) -> tuple[Tensor, Tensor]:
        """Means and covariances of output windows: each sees the means of those before it."""
        size, step = self.input_window_size, self.output_window_size
        # What has been seen and what will be, side by side.
        before_times, before_values, before_regressors = state
        all_times = concat([cast(before_times, dtypes.int64)[:, -size:], times], 1)
        all_regressors = concat([before_regressors[:, -size:], regressors], 1)
        seen = cast(convert_to_tensor(before_values), self.dtype)[:, -size:]
        if size == 0:
            all_times, all_regressors, seen = times, regressors, before_values

        def predict_window(number: Tensor, seen: Tensor, *arrays: Any) -> tuple[Any, ...]:
            window = slice(number * step, number * step + self.window_size)
            predictions = self.prediction_ops(
                _with_window(all_times[:, window], self.window_size),
                seen if size else None,
                _with_window(all_regressors[:, window], self.window_size),
            )
            mean = predictions["mean"]
            if size:
                seen = _with_window(concat([seen, mean], 1)[:, -size:], size)
            written = (
                arrays[0].write(number, mean),
                arrays[1].write(number, predictions["covariance"]),
            )
            return (number + 1, seen, *written)

        seen = _with_window(seen, size)
        invariants = (
            TensorShape([]),
            TensorShape([None, size, self.num_features]),
            TensorShape(None),
            TensorShape(None),
        )
        arrays = [TensorArray(dtype=self.dtype, size=count) for _ in range(2)]
        _, _, means, covariances = while_loop(
            lambda number, *_: less(number, count),
            predict_window,
            (constant(0), seen, *arrays),
            shape_invariants=invariants,
        )
        return means.stack(), covariances.stack()

    def get_batch_loss(self, features: Mapping[str, Any], mode: str, state: Any) -> ModelOutputs:
        """Returns the loss of windows.

        A window of training has exactly the two sizes; one of evaluation may be longer, and is
        covered from its end by output windows that do not overlap.

        Args:
            features: times [batch, window], values [batch, window, features], exogenous features.
            mode: TRAIN or EVAL.
            state: the values before the window, which become part of the state after it.

        Returns:
            A ModelOutputs.
        """
        known = (TrainEvalFeatures.TIMES, TrainEvalFeatures.VALUES)
        features = {
            name: convert_to_tensor_or_sparse_tensor(value) for name, value in features.items()
        }
        times = features[TrainEvalFeatures.TIMES]
        regressors = self._process_exogenous_features(
            times, {name: value for name, value in features.items() if name not in known}
        )
        window = {name: features[name] for name in known}
        if mode == ModeKeys.TRAIN:
            return self._process_window(window, mode, regressors)
        if mode == ModeKeys.EVAL:
            return self._evaluate_windows(window, mode, regressors, state)
        raise ValueError(f"Unknown mode '{mode}' passed to get_batch_loss.")

    def _process_window(
        self, features: Mapping[str, Tensor], mode: str, exogenous_regressors: Tensor
    ) -> ModelOutputs:
        times = cast(features[TrainEvalFeatures.TIMES], dtypes.int64)
        values = cast(features[TrainEvalFeatures.VALUES], self.dtype)
        if not times.shape.is_compatible_with([None, self.window_size]):
            raise ValueError(
                f"ARModel with input_window_size={self.input_window_size} and output_window_size="
                f"{self.output_window_size} expects feature '{TrainEvalFeatures.TIMES}' to have "
                f"shape (batch_size, {self.window_size}) (for any batch_size), but got shape "
                f"{times.shape}. If you are using RandomWindowInputFn, set window_size="
                f"{self.window_size} or adjust the input_window_size and output_window_size "
                "arguments to ARModel."
            )
        scaled = self._scale_data(values)
        seen = scaled[:, : self.input_window_size, :] if self.input_window_size > 0 else None
        predictions = self.prediction_ops(times, seen, exogenous_regressors)
        targets = slice_(scaled, [0, self.input_window_size, 0], [-1, -1, -1])
        targets.shape.assert_is_compatible_with(predictions["mean"].shape)
        mean = self._scale_back_data(predictions["mean"])
        if mode == ModeKeys.EVAL and self.loss == ARModel.SQUARED_LOSS:
            # In the scale of the values, so that it can be compared with other models.
            loss = reduce_mean(squared_difference(mean, self._scale_back_data(targets)))
        else:
            loss = self.loss_op(targets, predictions)
        size = self.input_window_size
        return ModelOutputs(
            loss=loss,
            end_state=(times[:, -size:], scaled[:, -size:, :], exogenous_regressors[:, -size:, :]),
            predictions={
                "mean": mean,
                "covariance": self._scale_back_variance(predictions["covariance"]),
                "observed": values[:, -self.output_window_size :],
            },
            prediction_times=times[:, -self.output_window_size :],
        )

    def _evaluate_windows(
        self, features: Mapping[str, Tensor], mode: str, regressors: Tensor, state: Any
    ) -> ModelOutputs:
        times = features[TrainEvalFeatures.TIMES]
        times.shape.assert_has_rank(2)
        static_size = times.shape[1].value
        if static_size is not None and static_size < self.window_size:
            raise ValueError(
                "ARModel requires a window of at least input_window_size + output_window_size to "
                f"evaluate on (input_window_size={self.input_window_size}, output_window_size="
                f"{self.output_window_size}, and got shape {times.shape} for feature "
                f"'{TrainEvalFeatures.TIMES}' (batch size, window size))."
            )
        count = (shape(times)[1] - self.input_window_size) // self.output_window_size
        output_size = count * self.output_window_size
        crop = output_size + self.input_window_size
        times = times[:, -crop:]
        values = features[TrainEvalFeatures.VALUES][:, -crop:]
        regressors = regressors[:, -crop:]

        def evaluate_window(number: Tensor, *arrays: Any) -> tuple[Any, ...]:
            start = number * self.output_window_size
            window = slice(start, start + self.window_size)
            part = {
                TrainEvalFeatures.TIMES: _with_window(times[:, window], self.window_size),
                TrainEvalFeatures.VALUES: _with_window(values[:, window], self.window_size),
            }
            outputs = self._process_window(
                part, mode, _with_window(regressors[:, window], self.window_size)
            )
            results = (outputs.loss, outputs.predictions["mean"], outputs.predictions["covariance"])
            written = [array.write(number, value) for array, value in zip(arrays, results)]
            return (number + 1, *written)

        arrays = [TensorArray(dtype=self.dtype, size=count) for _ in range(3)]
        _, losses, means, covariances = while_loop(
            lambda number, *_: less(number, count), evaluate_window, (constant(0), *arrays)
        )
        prediction_shape = [shape(times)[0], output_size, self.num_features]
        return ModelOutputs(
            loss=reduce_mean(losses.stack(), axis=0),
            end_state=self._state_after(times, values, regressors, state),
            predictions={
                "mean": reshape(transpose(means.stack(), [1, 0, 2, 3]), prediction_shape),
                "covariance": reshape(
                    transpose(covariances.stack(), [1, 0, 2, 3]), prediction_shape
                ),
                "observed": values[:, -output_size:],
            },
            prediction_times=times[:, -output_size:],
        )

    def _state_after(self, times: Tensor, values: Tensor, regressors: Tensor, state: Any) -> Any:
        """The last input window of the state and of what comes after it."""
        if self.input_window_size <= 0:
            return state
        news = (cast(times, dtypes.int64), self._scale_data(cast(values, self.dtype)), regressors)
        parts = []
        for old, new in zip(state, news, strict=True):
            part = concat([old, new], axis=1)[:, -self.input_window_size :]
            parts.append(_with_window(part, self.input_window_size))
        return tuple(parts)


def _with_window(part: Tensor, window_size: int) -> Tensor:
    """Notes the length of a window."""
    part.set_shape(TensorShape([None, window_size]).concatenate(part.shape[2:]))
    return part
