"""The input of predictions that go on after an evaluation."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from headwater.base import nest
from headwater.base.export import export
from headwater.contrib.timeseries.feature_keys import FilteringResults, PredictionFeatures
from headwater.contrib.timeseries.model_utils import canonicalize_times_or_steps_from_output
from headwater.data.input_queues.producers import limit_epochs
from headwater.graph import convert_to_tensor


@export("contrib.timeseries.predict_continuation_input_fn")
def predict_continuation_input_fn(
    evaluation: Mapping[str, Any],
    steps: int | None = None,
    times: Any = None,
    exogenous_features: Mapping[str, Any] | None = None,
) -> Callable[[], tuple[dict[str, Any], None]]:
    """Returns the input function of a prediction.

    Args:
        evaluation: what `evaluate` has returned.
        steps: the number of steps to predict, or None.
        times: the times to predict, or None.
        exogenous_features: exogenous features of these times, [batch, window, ...].

    Returns:
        An input function for `predict`.
    """
    times = canonicalize_times_or_steps_from_output(
        times=times, steps=steps, previous_model_output=evaluation
    )
    features = {
        **(exogenous_features or {}),
        PredictionFeatures.STATE_TUPLE: evaluation[FilteringResults.STATE_TUPLE],
        PredictionFeatures.TIMES: times,
    }

    def predict_input_fn() -> tuple[dict[str, Any], None]:
        tensors = nest.map_structure(convert_to_tensor, features)
        return nest.map_structure(lambda tensor: limit_epochs(tensor, num_epochs=1), tensors), None

    return predict_input_fn
