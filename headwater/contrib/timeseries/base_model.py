"""The bases of all models: what they learn from windows, and how they go through steps of time."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from headwater.base import dtypes
from headwater.base.tensor_shape import TensorShape
from headwater.base.typing import Array, DTypeLike
from headwater.contrib.timeseries.feature_keys import TrainEvalFeatures
from headwater.contrib.timeseries.input_statistics import InputStatistics
from headwater.contrib.timeseries.math_utils import replicate_state
from headwater.graph import Graph, Tensor
from headwater.graph.sparse_tensor import SparseTensor
from headwater.model.feature_column.input_layer import input_layer
from headwater.model.feature_column.parse_spec import make_parse_example_spec
from headwater.ops.array.concat import concat
from headwater.ops.array.constant import placeholder
from headwater.ops.array.fill import zeros
from headwater.ops.array.reshape import expand_dims, reshape
from headwater.ops.array.shape import shape
from headwater.ops.math.cast import cast
from headwater.ops.math.powers import sqrt
from headwater.ops.math.reduce_functions import reduce_prod
from headwater.ops.parsing.example_functions import parse_example
from headwater.ops.sparse.reshape import sparse_reshape


class ModelOutputs(
    NamedTuple(
        "ModelOutputs",
        [("loss", Any), ("end_state", Any), ("predictions", Any), ("prediction_times", Any)],
    )
):
    """The loss, the state at the end, predictions by name, and their times."""

    __slots__ = ()


class TimeSeriesModel(ABC):
    """A model of windows of a series."""

    def __init__(
        self,
        num_features: int,
        exogenous_feature_columns: Sequence[Any] | None = None,
        dtype: DTypeLike = dtypes.float32,
    ) -> None:
        """Args:
        num_features: the number of values at each time.
        exogenous_feature_columns: feature columns of what the model may use but does not predict.
        dtype: the type of values.
        """
        self.num_features = num_features
        self.dtype = dtypes.as_dtype(dtype)
        self._input_statistics: InputStatistics | None = None
        self._graph_initialized = False
        self._stats_means: Any = None
        self._stats_sigmas: Any = None
        self._exogenous_feature_columns = list(exogenous_feature_columns or [])

    @property
    def exogenous_feature_columns(self) -> list[Any]:
        """The feature columns of exogenous features."""
        return self._exogenous_feature_columns

    def generate(
        self,
        number_of_series: int,
        series_length: int,
        model_parameters: Mapping[Any, Any] | None = None,
        seed: int | None = None,
    ) -> dict[str, Array]:
        """Samples series from the model.

        Args:
            number_of_series: how many.
            series_length: their length.
            model_parameters: values that replace parameters.
            seed: a seed of NumPy.

        Returns:
            Times and values.
        """
        raise NotImplementedError("This model does not support generation.")

    def initialize_graph(self, input_statistics: InputStatistics | None = None) -> None:
        """Makes what the model needs in the default graph.

        Args:
            input_statistics: the statistics by which values are scaled.
        """
        self._graph_initialized = True
        self._input_statistics = input_statistics
        if input_statistics:
            self._stats_means, variances = input_statistics.overall_feature_moments
            self._stats_sigmas = sqrt(variances)

    def _check_graph_initialized(self) -> None:
        if not self._graph_initialized:
            raise ValueError(
                "TimeSeriesModels require initialize_graph() to be called before use. This "
                "defines variables and ops in the default graph, and allows Tensor-valued input "
                "statistics to be specified."
            )

    def _scale_data(self, data: Tensor) -> Tensor:
        """Values with mean 0 and variance 1, as far as the statistics are known."""
        if self._stats_means is None:
            return data
        return (data - self._stats_means) / self._stats_sigmas

    def _scale_variance(self, variance: Tensor) -> Tensor:
        if self._input_statistics is None:
            return variance
        return variance / self._input_statistics.overall_feature_moments.variance

    def _scale_back_data(self, data: Tensor) -> Tensor:
        if self._stats_means is None:
            return data
        return data * self._stats_sigmas + self._stats_means

    def _scale_back_variance(self, variance: Tensor) -> Tensor:
        if self._input_statistics is None:
            return variance
        return variance * self._input_statistics.overall_feature_moments.variance

    def define_loss(self, features: Mapping[str, Tensor], mode: str) -> ModelOutputs:
        """Returns the loss of windows that begin in the state before all observations.

        Args:
            features: times [batch, window], values [batch, window, features], exogenous features.
            mode: TRAIN or EVAL.
        """
        self._check_graph_initialized()
        batch_size = shape(features[TrainEvalFeatures.TIMES])[0]
        start_state = replicate_state(start_state=self.get_start_state(), batch_size=batch_size)
        return self.get_batch_loss(features=features, mode=mode, state=start_state)

    @abstractmethod
    def get_start_state(self) -> Any:
        """Returns the state before all observations, without a batch dimension."""

    @abstractmethod
    def get_batch_loss(self, features: Mapping[str, Tensor], mode: str, state: Any) -> ModelOutputs:
        """Returns the loss of windows that begin in given states.

        Args:
            features: times [batch, window], values [batch, window, features], exogenous features.
            mode: TRAIN or EVAL.
            state: a structure like that of `get_start_state`, with a batch dimension.
        """

    @abstractmethod
    def predict(self, features: Mapping[str, Any]) -> dict[str, Tensor]:
        """Returns predictions by name.

        Args:
            features: times [batch, window], the state, and exogenous features.
        """

    def _get_exogenous_embedding_shape(self) -> list[int | None]:
        """The shape of the exogenous regressors of one time."""
        if not self._exogenous_feature_columns:
            return [0]
        with Graph().as_default():
            parsed = parse_example(
                serialized=placeholder(shape=[None], dtype=dtypes.string),
                features=make_parse_example_spec(self._exogenous_feature_columns),
            )
            embedded = input_layer(features=parsed, feature_columns=self._exogenous_feature_columns)
            return embedded.shape.as_list()[1:]

    def _process_exogenous_features(self, times: Tensor, features: Mapping[str, Any]) -> Tensor:
        """Returns the exogenous regressors [batch, window, size]."""
        window = shape(times)
        if not self._exogenous_feature_columns:
            regressors = zeros(concat([window, [0]], 0), dtype=self.dtype)
            regressors.set_shape(times.shape.concatenate([0]))
            return regressors
        rows = {name: _merged_rows(feature) for name, feature in features.items()}
        embedded = input_layer(features=rows, feature_columns=self._exogenous_feature_columns)
        size = embedded.shape.as_list()[-1]
        regressors = reshape(embedded, concat([window, [size]], 0))
        regressors.set_shape(times.shape.concatenate([size]))
        return cast(regressors, self.dtype)


def _merged_rows(feature: Any) -> Any:
    """A feature [batch, window, ...] as [batch * window, ...]."""
    if isinstance(feature, SparseTensor):
        dense_shape = feature.dense_shape
        rows = expand_dims(reduce_prod(dense_shape[:2]), 0)
        return sparse_reshape(feature, concat([rows, dense_shape[2:]], 0))
    rest = feature.shape[2:]
    merged = reshape(feature, concat([[-1], shape(feature)[2:]], 0))
    merged.set_shape(TensorShape([None]).concatenate(rest))
    return merged
