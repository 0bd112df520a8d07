"""Where the state comes from in which a window of training or evaluation begins."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from headwater.base import dtypes, nest
from headwater.contrib.timeseries.base_model import ModelOutputs, TimeSeriesModel
from headwater.contrib.timeseries.feature_keys import State, TrainEvalFeatures
from headwater.contrib.timeseries.input_statistics import InputStatistics
from headwater.contrib.timeseries.math_utils import replicate_state
from headwater.contrib.timeseries.tuple_tables import TupleOfTensorsLookup
from headwater.graph import Tensor
from headwater.graph.default_graph import control_dependencies
from headwater.ops.array.concat import concat
from headwater.ops.array.shape import shape
from headwater.ops.control.identity import identity
from headwater.ops.math.comparison import equal
from headwater.ops.math.extrema import maximum
from headwater.ops.math.select import where


class PassthroughStateManager:
    """Begins with the state that the features have, or with that of the start of the series."""

    def __init__(self) -> None:
        self._input_statistics: InputStatistics | None = None
        self._graph_initialized = False

    def initialize_graph(
        self, model: TimeSeriesModel, input_statistics: InputStatistics | None = None
    ) -> None:
        """Makes what the manager needs.

        Args:
            model: an initialized model.
            input_statistics: the statistics of the series.
        """
        self._graph_initialized = True
        self._input_statistics = input_statistics

    def define_loss(
        self, model: TimeSeriesModel, features: Mapping[str, Any], mode: str
    ) -> ModelOutputs:
        """Returns the loss of windows.

        Args:
            model: an initialized model.
            features: times and values, perhaps a state and exogenous features.
            mode: TRAIN or EVAL.

        Returns:
            A ModelOutputs.
        """
        state = features.get(State.STATE_TUPLE, None)
        if state is None:
            return model.define_loss(features, mode)
        others = {name: value for name, value in features.items() if name != State.STATE_TUPLE}
        return model.get_batch_loss(features=others, mode=mode, state=state)


class _OverridableStateManager(PassthroughStateManager):
    """Leaves a state that the features have as it is, and knows another one without it."""

    def _define_loss_with_saved_state(
        self, model: TimeSeriesModel, features: Mapping[str, Any], mode: str
    ) -> ModelOutputs:
        raise NotImplementedError("A state manager defines the loss of features without a state.")

    def define_loss(
        self, model: TimeSeriesModel, features: Mapping[str, Any], mode: str
    ) -> ModelOutputs:
        """Returns the loss of windows; see PassthroughStateManager."""
        if State.STATE_TUPLE in features:
            return super().define_loss(model=model, features=features, mode=mode)
        return self._define_loss_with_saved_state(model=model, features=features, mode=mode)


class FilteringOnlyStateManager(_OverridableStateManager):
    """Begins with the start of the series if the features have no state."""

    def _define_loss_with_saved_state(
        self, model: TimeSeriesModel, features: Mapping[str, Any], mode: str
    ) -> ModelOutputs:
        return model.define_loss(features, mode)


class ChainingStateManager(_OverridableStateManager):
    """Begins with the state that another window has left behind near this time.

    Times are cut into chunks; the state at the end of a window is kept for its next chunk.

    Args:
        state_saving_interval: the length of a chunk.
        checkpoint_state: whether checkpoints have the kept states.
    """

    def __init__(self, state_saving_interval: int = 20, checkpoint_state: bool = False) -> None:
        super().__init__()
        self._checkpoint_state = checkpoint_state
        self._state_saving_interval = state_saving_interval
        self._start_state: Any = None
        self._cached_states: Any = None

    def initialize_graph(
        self, model: TimeSeriesModel, input_statistics: InputStatistics | None = None
    ) -> None:
        """Makes the tables of states; see PassthroughStateManager."""
        super().initialize_graph(model=model, input_statistics=input_statistics)
        self._start_state = model.get_start_state()
        self._cached_states = TupleOfTensorsLookup(
            key_dtype=dtypes.int64,
            default_values=self._start_state,
            empty_key=-1,
            deleted_key=-2,
            name="cached_states",
            checkpoint=self._checkpoint_state,
        )

    def _define_loss_with_saved_state(
        self, model: TimeSeriesModel, features: Mapping[str, Any], mode: str
    ) -> ModelOutputs:
        return self._update_cached_states(model=model, features=features, mode=mode)

    def _get_chunk_number(self, time: Any) -> Any:
        return time // self._state_saving_interval

    def _get_cached_states(self, times: Tensor) -> Any:
        """The states in which windows with these first times begin."""
        chunks = self._get_chunk_number(times)
        cached = self._cached_states.lookup(chunks)
        if self._input_statistics is None:
            return cached
        # The first chunk of the series begins with its start, which is trained.
        is_first = equal(chunks, self._get_chunk_number(self._input_statistics.start_time))
        start = replicate_state(self._start_state, shape(times)[0])
        return nest.map_structure(partial(where, is_first), start, cached)

    def _update_cached_states(
        self, model: Any, features: Mapping[str, Any], mode: str
    ) -> ModelOutputs:
        """Reads states, computes the loss, and keeps the states of all steps."""
        times = features[TrainEvalFeatures.TIMES]
        cached = self._get_cached_states(times[:, 0])
        loss, states, outputs = model.per_step_batch_loss(
            features=features, mode=mode, state=cached
        )
        # The chunk of the next time, but not that of the time itself.
        next_times = concat([times[:, 1:], times[:, -1:] + 1], axis=1)
        chunks = maximum(self._get_chunk_number(next_times), self._get_chunk_number(times) + 1)
        keep = self._cached_states.insert(chunks, states)
        with control_dependencies([keep]):
            loss = identity(loss)
        # The state of the last window of the batch.
        end_state = nest.map_structure(lambda steps: steps[:, -1][-1][None], states)
        return ModelOutputs(
            loss=loss, end_state=end_state, predictions=outputs, prediction_times=times
        )
