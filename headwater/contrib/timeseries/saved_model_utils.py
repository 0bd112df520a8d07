"""Filtering and prediction with an exported model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from headwater.base.export import export
from headwater.base.typing import Array
from headwater.contrib.timeseries.feature_keys import (
    FilteringFeatures,
    FilteringResults,
    PredictionFeatures,
    PredictionResults,
    SavedModelLabels,
    State,
)
from headwater.contrib.timeseries.head import state_to_dictionary
from headwater.contrib.timeseries.input_pipeline import canonicalize_numpy_data
from headwater.contrib.timeseries.model_utils import canonicalize_times_or_steps_from_output
from headwater.session.session import Session


def _results(
    signature: Any,
    features: Mapping[str, Any],
    session: Session,
    continue_from: Mapping[str, Any] | None = None,
) -> dict[str, Array]:
    """Runs a signature.

    Args:
        signature: a SignatureDef.
        features: values by the name of the input.
        session: a session with the model.
        continue_from: what a filtering step has returned, for the inputs of the state.

    Returns:
        The outputs by name.
    """
    continue_from = continue_from or {}
    # An evaluation returns its state as a tuple.
    if FilteringResults.STATE_TUPLE in continue_from:
        continue_from = {
            **continue_from,
            **state_to_dictionary(continue_from[FilteringResults.STATE_TUPLE]),
        }
    graph = session.graph
    feeds = {}
    for name, info in signature.inputs.items():
        if name.startswith(State.STATE_PREFIX):
            if name in continue_from:
                feeds[graph.get_tensor_by_name(info.name)] = continue_from[name]
        elif name in features:
            feeds[graph.get_tensor_by_name(info.name)] = features[name]
    fetches = {
        name: graph.get_tensor_by_name(info.name) for name, info in signature.outputs.items()
    }
    return session.run(fetches, feed_dict=feeds)


def _with_batch(features: Mapping[str, Any]) -> dict[str, Any]:
    return canonicalize_numpy_data(data=features, require_single_batch=False)


@export("contrib.timeseries.saved_model_utils.predict_continuation")
def predict_continuation(
    continue_from: Mapping[str, Any],
    signatures: Any,
    session: Session,
    steps: int | None = None,
    times: Any = None,
    exogenous_features: Mapping[str, Any] | None = None,
) -> dict[str, Array]:
    """Predicts with an exported model.

    Args:
        continue_from: what `cold_start_filter`, `filter_continuation` or `evaluate` has returned.
        signatures: the MetaGraphDef that loading the model has returned.
        session: a session with the model.
        steps: the number of steps to predict, or None.
        times: the times to predict, or None.
        exogenous_features: exogenous features of these times.

    Returns:
        The predictions, and their times.
    """
    prediction_times = canonicalize_times_or_steps_from_output(
        times=times, steps=steps, previous_model_output=continue_from
    )
    features = dict(exogenous_features or {})
    features[PredictionFeatures.TIMES] = prediction_times
    output = _results(
        signatures.signature_def[SavedModelLabels.PREDICT], features, session, continue_from
    )
    output[PredictionResults.TIMES] = features[PredictionFeatures.TIMES]
    return output


@export("contrib.timeseries.saved_model_utils.cold_start_filter")
def cold_start_filter(
    signatures: Any, session: Session, features: Mapping[str, Any]
) -> dict[str, Array]:
    """Filters windows with an exported model, beginning before all observations.

    Args:
        signatures: the MetaGraphDef that loading the model has returned.
        session: a session with the model.
        features: times and values, with or without a batch dimension.

    Returns:
        The parts of the state, and the times.
    """
    features = _with_batch(features)
    output = _results(
        signatures.signature_def[SavedModelLabels.COLD_START_FILTER], features, session
    )
    output[FilteringResults.TIMES] = features[FilteringFeatures.TIMES]
    return output


@export("contrib.timeseries.saved_model_utils.filter_continuation")
def filter_continuation(
    continue_from: Mapping[str, Any],
    signatures: Any,
    session: Session,
    features: Mapping[str, Any],
) -> dict[str, Array]:
    """Filters windows with an exported model, beginning in the state of other ones.

    Args:
        continue_from: what `cold_start_filter`, this function or an evaluation has returned.
        signatures: the MetaGraphDef that loading the model has returned.
        session: a session with the model.
        features: times and values, with or without a batch dimension.

    Returns:
        The parts of the state, and the times.
    """
    features = _with_batch(features)
    output = _results(
        signatures.signature_def[SavedModelLabels.FILTER], features, session, continue_from
    )
    output[FilteringResults.TIMES] = features[FilteringFeatures.TIMES]
    return output
