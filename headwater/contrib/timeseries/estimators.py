"""Estimators of time series."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from headwater.base import dtypes, nest
from headwater.base.export import export
from headwater.base.typing import Array, DTypeLike, TensorLike
from headwater.contrib.timeseries.anomaly_ar_model import AnomalyMixtureARModel
from headwater.contrib.timeseries.ar_model import ARModel
from headwater.contrib.timeseries.base_model import TimeSeriesModel
from headwater.contrib.timeseries.feature_keys import TrainEvalFeatures
from headwater.contrib.timeseries.head import TimeSeriesRegressionHead, state_to_dictionary
from headwater.contrib.timeseries.input_statistics import InputStatisticsFromMiniBatch
from headwater.contrib.timeseries.math_utils import replicate_state
from headwater.contrib.timeseries.prediction_models import FlatPredictionModel, LSTMPredictionModel
from headwater.contrib.timeseries.state_management import (
    ChainingStateManager,
    FilteringOnlyStateManager,
    PassthroughStateManager,
)
from headwater.contrib.timeseries.state_space_models.configuration import (
    StateSpaceModelConfiguration,
)
from headwater.contrib.timeseries.state_space_models.filtering_postprocessor import (
    StateInterpolatingAnomalyDetector,
)
from headwater.contrib.timeseries.state_space_models.state_space_model import StateSpaceModel
from headwater.contrib.timeseries.state_space_models.structural_ensemble import (
    MultiResolutionStructuralEnsemble,
)
from headwater.estimator.canned.optimizers import get_optimizer_instance
from headwater.estimator.estimator import Estimator
from headwater.estimator.export.receivers import ServingInputReceiver
from headwater.estimator.run_config import RunConfig
from headwater.graph import Graph, Tensor, convert_to_tensor
from headwater.model.feature_column.parse_spec import make_parse_example_spec
from headwater.ops.array.constant import constant, placeholder, placeholder_with_default
from headwater.ops.array.fill import zeros
from headwater.ops.array.reshape import squeeze
from headwater.ops.array.shape import shape
from headwater.ops.math.cast import cast
from headwater.ops.parsing.example_functions import parse_example
from headwater.ops.parsing.features import FixedLenFeature
from headwater.train.optimizers.adagrad import AdagradOptimizer
from headwater.train.optimizers.adam import AdamOptimizer
from headwater.train.optimizers.optimizer import Optimizer

_OPTIMIZERS = ("Adagrad", "Adam", "Ftrl", "RMSProp", "SGD")


@export("contrib.timeseries.TimeSeriesRegressor")
class TimeSeriesRegressor(Estimator):
    """An estimator of any time series model.

    Args:
        model: a TimeSeriesModel.
        state_manager: where the state of a window comes from; by default from the features.
        optimizer: trains the model; Adam with the rate 0.02 by default.
        model_dir: the folder of checkpoints.
        config: a RunConfig.
        head_type: the class of the head.
    """

    def __init__(
        self,
        model: TimeSeriesModel,
        state_manager: PassthroughStateManager | None = None,
        optimizer: Optimizer | None = None,
        model_dir: str | None = None,
        config: RunConfig | None = None,
        head_type: type[TimeSeriesRegressionHead] = TimeSeriesRegressionHead,
    ) -> None:
        statistics = InputStatisticsFromMiniBatch(
            dtype=model.dtype, num_features=model.num_features
        )
        self._model = model
        head = head_type(
            model=model,
            state_manager=PassthroughStateManager() if state_manager is None else state_manager,
            optimizer=AdamOptimizer(0.02) if optimizer is None else optimizer,
            input_statistics_generator=statistics,
        )
        super().__init__(model_fn=head.create_estimator_spec, model_dir=model_dir, config=config)

    def _start_state_values(self) -> list[Array]:
        """The start state as zeros: what it is follows from the checkpoint."""
        with Graph().as_default():
            self._model.initialize_graph()
            flat = [convert_to_tensor(part) for part in nest.flatten(self._model.get_start_state())]
        return [
            np.zeros([size or 0 for size in part.shape.as_list()], part.dtype.as_numpy_dtype)
            for part in flat
        ]

    def _model_start_state_placeholders(
        self, batch_size_tensor: TensorLike, static_batch_size: int | None = None
    ) -> dict[str, Tensor]:
        """Placeholders of the parts of a state, which need not be fed."""
        parts = self._start_state_values()
        replicated = [replicate_state(constant(part), batch_size_tensor) for part in parts]
        named = zip(state_to_dictionary(parts), replicated, parts, strict=True)
        return {
            name: placeholder_with_default(value, name=name, shape=(static_batch_size, *part.shape))
            for name, value, part in named
        }

    def build_one_shot_parsing_serving_input_receiver_fn(
        self,
        filtering_length: int,
        prediction_length: int,
        default_batch_size: int | None = None,
        values_input_dtype: DTypeLike | None = None,
        truncate_values: bool = False,
    ) -> Callable[[], ServingInputReceiver]:
        """Returns a receiver of serialized examples that each have a whole series.

        Args:
            filtering_length: the number of times with values.
            prediction_length: the number of times to be predicted.
            default_batch_size: the batch size, if it is fixed.
            values_input_dtype: the type of values in the examples; by default that of the model.
            truncate_values: whether the examples have values also for the times to be predicted,
                which are ignored.

        Returns:
            A function for `export_savedmodel`; the head must be a OneShotPredictionHead.
        """
        total = filtering_length + prediction_length
        values_dtype = self._model.dtype if values_input_dtype is None else values_input_dtype
        values_length = total if truncate_values else filtering_length

        def serving_input_receiver_fn() -> ServingInputReceiver:
            spec = {
                TrainEvalFeatures.TIMES: FixedLenFeature([total, 1], dtypes.int64),
                TrainEvalFeatures.VALUES: FixedLenFeature(
                    [values_length, self._model.num_features], dtype=values_dtype
                ),
            }
            for name, feature in self._exogenous_placeholders([total]).items():
                spec[name] = FixedLenFeature(
                    [size for size in feature.shape.as_list() if size is not None],
                    dtype=feature.dtype,
                )
            examples = placeholder(shape=[default_batch_size], dtype=dtypes.string, name="input")
            features = parse_example(serialized=examples, features=spec)
            features[TrainEvalFeatures.TIMES] = squeeze(
                features[TrainEvalFeatures.TIMES], axis=[-1]
            )
            values = cast(features[TrainEvalFeatures.VALUES], self._model.dtype)
            features[TrainEvalFeatures.VALUES] = values[:, :filtering_length]
            features.update(
                self._model_start_state_placeholders(
                    batch_size_tensor=shape(features[TrainEvalFeatures.TIMES])[0],
                    static_batch_size=default_batch_size,
                )
            )
            return ServingInputReceiver(features, {"examples": examples})

        return serving_input_receiver_fn

    def _exogenous_placeholders(self, leading: list[int | None]) -> dict[str, Tensor]:
        """A placeholder for each raw exogenous feature, with given dimensions first."""
        columns = self._model.exogenous_feature_columns
        with Graph().as_default():
            parsed = (
                parse_example(
                    serialized=placeholder(shape=[None], dtype=dtypes.string),
                    features=make_parse_example_spec(columns),
                )
                if columns
                else {}
            )
            kinds = {
                name: (value.dtype, leading + value.shape.as_list()[1:])
                for name, value in parsed.items()
            }
        return {
            name: placeholder(dtype=dtype, name=name, shape=sizes)
            for name, (dtype, sizes) in kinds.items()
        }

    def build_raw_serving_input_receiver_fn(
        self, default_batch_size: int | None = None, default_series_length: int | None = None
    ) -> Callable[[], ServingInputReceiver]:
        """Returns a receiver of times, values, exogenous features and the parts of a state.

        Args:
            default_batch_size: the batch size, if it is fixed.
            default_series_length: the length of the windows, if it is fixed.

        Returns:
            A function for `export_savedmodel`.
        """

        def serving_input_receiver_fn() -> ServingInputReceiver:
            window = [default_batch_size, default_series_length]
            times = placeholder(shape=window, dtype=dtypes.int64, name=TrainEvalFeatures.TIMES)
            # A prediction needs no values.
            no_values = zeros(
                [size or 0 for size in window] + [self._model.num_features],
                dtype=self._model.dtype,
            )
            values = placeholder_with_default(
                no_values,
                name=TrainEvalFeatures.VALUES,
                shape=(*window, self._model.num_features),
            )
            placeholders = {TrainEvalFeatures.TIMES: times, TrainEvalFeatures.VALUES: values}
            placeholders.update(self._exogenous_placeholders(window))
            batch_size = shape(times)[0] if default_batch_size is None else default_batch_size
            placeholders.update(
                self._model_start_state_placeholders(
                    batch_size, static_batch_size=default_batch_size
                )
            )
            return ServingInputReceiver(placeholders, placeholders)

        return serving_input_receiver_fn


@export("contrib.timeseries.ARRegressor")
class ARRegressor(TimeSeriesRegressor):
    """An estimator of an autoregressive model with a window of fixed size.

    Args:
        periodicities: the periods, or one.
        input_window_size: the number of times that are seen.
        output_window_size: the number of times that are predicted at once.
        num_features: the number of values at each time.
        exogenous_feature_columns: feature columns of what is not predicted.
        num_time_buckets: into how many pieces each period is cut.
        loss: a loss of ARModel.
        hidden_layer_sizes: the sizes of hidden layers; none by default.
        anomaly_prior_probability: how probable an anomaly is, for a model with anomalies.
        anomaly_distribution: the distribution of anomalies.
        optimizer: trains the model; Adagrad with the rate 0.1 by default.
        model_dir: the folder of checkpoints.
        config: a RunConfig.
    """

    def __init__(
        self,
        periodicities: int | Sequence[int],
        input_window_size: int,
        output_window_size: int,
        num_features: int,
        exogenous_feature_columns: Sequence[Any] | None = None,
        num_time_buckets: int = 10,
        loss: str = ARModel.NORMAL_LIKELIHOOD_LOSS,
        hidden_layer_sizes: Sequence[int] | None = None,
        anomaly_prior_probability: float | None = None,
        anomaly_distribution: str | None = None,
        optimizer: Optimizer | None = None,
        model_dir: str | None = None,
        config: RunConfig | None = None,
    ) -> None:
        common: dict[str, Any] = {
            "periodicities": periodicities,
            "num_features": num_features,
            "prediction_model_factory": partial(
                FlatPredictionModel, hidden_layer_sizes=hidden_layer_sizes
            ),
            "exogenous_feature_columns": exogenous_feature_columns,
            "num_time_buckets": num_time_buckets,
            "input_window_size": input_window_size,
            "output_window_size": output_window_size,
        }
        if anomaly_prior_probability is None:
            model = ARModel(loss=loss, **common)
        else:
            if loss != ARModel.NORMAL_LIKELIHOOD_LOSS:
                raise ValueError(
                    "AnomalyMixtureARModel only supports ar_model.ARModel.NORMAL_LIKELIHOOD_LOSS "
                    "for its loss argument."
                )
            model = AnomalyMixtureARModel(
                anomaly_prior_probability=anomaly_prior_probability,
                anomaly_distribution=anomaly_distribution,
                **common,
            )
        super().__init__(
            model=model,
            state_manager=FilteringOnlyStateManager(),
            optimizer=AdagradOptimizer(0.1) if optimizer is None else optimizer,
            model_dir=model_dir,
            config=config,
        )


class LSTMAutoRegressor(TimeSeriesRegressor):
    """An estimator of an autoregressive model with an LSTM.

    Args:
        periodicities: the periods, or one.
        input_window_size: the number of times that are seen.
        output_window_size: the number of times that are predicted at once.
        model_dir: the folder of checkpoints.
        num_features: the number of values at each time.
        extra_feature_columns: feature columns of what is not predicted.
        num_timesteps: into how many pieces each period is cut.
        loss: a loss of ARModel.
        num_units: the size of the LSTM.
        optimizer: an optimizer or the name of one.
        config: a RunConfig.
    """

    def __init__(
        self,
        periodicities: int | Sequence[int],
        input_window_size: int,
        output_window_size: int,
        model_dir: str | None = None,
        num_features: int = 1,
        extra_feature_columns: Sequence[Any] | None = None,
        num_timesteps: int = 10,
        loss: str = ARModel.NORMAL_LIKELIHOOD_LOSS,
        num_units: int = 128,
        optimizer: Any = "Adam",
        config: RunConfig | None = None,
    ) -> None:
        model = ARModel(
            periodicities=periodicities,
            input_window_size=input_window_size,
            output_window_size=output_window_size,
            num_features=num_features,
            exogenous_feature_columns=extra_feature_columns,
            num_time_buckets=num_timesteps,
            loss=loss,
            prediction_model_factory=partial(LSTMPredictionModel, num_units=num_units),
        )
        super().__init__(
            model=model,
            state_manager=FilteringOnlyStateManager(),
            optimizer=get_optimizer_instance(optimizer, learning_rate=0.01),
            model_dir=model_dir,
            config=config,
        )


class StateSpaceRegressor(TimeSeriesRegressor):
    """An estimator of a state space model, whose windows begin where others have ended.

    Args:
        model: a StateSpaceModel.
        state_manager: where the state of a window comes from.
        optimizer: trains the model; Adam with the rate 0.02 by default.
        model_dir: the folder of checkpoints.
        config: a RunConfig.
        head_type: the class of the head.
    """

    def __init__(
        self,
        model: StateSpaceModel,
        state_manager: PassthroughStateManager | None = None,
        optimizer: Optimizer | None = None,
        model_dir: str | None = None,
        config: RunConfig | None = None,
        head_type: type[TimeSeriesRegressionHead] = TimeSeriesRegressionHead,
    ) -> None:
        super().__init__(
            model=model,
            state_manager=ChainingStateManager() if state_manager is None else state_manager,
            optimizer=optimizer,
            model_dir=model_dir,
            config=config,
            head_type=head_type,
        )


@export("contrib.timeseries.StructuralEnsembleRegressor")
class StructuralEnsembleRegressor(StateSpaceRegressor):
    """An estimator of a structural model: level, trend, cycles and a moving average.

    Args:
        periodicities: the periods, or one.
        num_features: the number of values at each time.
        cycle_num_latent_values: the number of latent values of each cycle, odd.
        moving_average_order: the order of the moving average.
        autoregressive_order: the order of the autoregressive part.
        exogenous_feature_columns: feature columns of what is not predicted.
        exogenous_update_condition: a function of times and exogenous features that says whose state
            is updated.
        dtype: the type of values.
        anomaly_prior_probability: how probable an anomaly is; by default there are none.
        optimizer: trains the model; Adam with the rate 0.02 by default.
        model_dir: the folder of checkpoints.
        config: a RunConfig.
        head_type: the class of the head.
    """

    def __init__(
        self,
        periodicities: Any,
        num_features: int,
        cycle_num_latent_values: Any = 11,
        moving_average_order: int = 4,
        autoregressive_order: int = 0,
        exogenous_feature_columns: Sequence[Any] | None = None,
        exogenous_update_condition: Callable[..., Tensor] | None = None,
        dtype: DTypeLike = dtypes.float64,
        anomaly_prior_probability: float | None = None,
        optimizer: Optimizer | None = None,
        model_dir: str | None = None,
        config: RunConfig | None = None,
        head_type: type[TimeSeriesRegressionHead] = TimeSeriesRegressionHead,
    ) -> None:
        detector = None
        if anomaly_prior_probability is not None:
            detector = StateInterpolatingAnomalyDetector(
                anomaly_prior_probability=anomaly_prior_probability
            )
        model = MultiResolutionStructuralEnsemble(
            cycle_num_latent_values=cycle_num_latent_values,
            moving_average_order=moving_average_order,
            autoregressive_order=autoregressive_order,
            periodicities=periodicities,
            configuration=StateSpaceModelConfiguration(
                num_features=num_features,
                dtype=dtype,
                filtering_postprocessor=detector,
                exogenous_feature_columns=exogenous_feature_columns,
                exogenous_update_condition=exogenous_update_condition,
            ),
        )
        super().__init__(
            model=model,
            optimizer=optimizer,
            model_dir=model_dir,
            config=config,
            head_type=head_type,
        )
