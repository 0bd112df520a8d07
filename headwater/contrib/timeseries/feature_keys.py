"""The names of features, of results and of signatures."""

from __future__ import annotations

from headwater.base.export import export


class Times:
    """Features with times: integers, [batch, window]."""

    TIMES = "times"


class Values:
    """Features with values: floats, [batch, window, number of features]."""

    VALUES = "values"


class State:
    """Features with the state of a model: a tuple, or its parts one by one with a prefix."""

    STATE_TUPLE = "start_tuple"
    STATE_PREFIX = "model_state"


@export("contrib.timeseries.TrainEvalFeatures")
class TrainEvalFeatures(Times, Values):
    """The features of training and evaluation."""


class PredictionFeatures(Times, State):
    """The features of predictions."""


class FilteringFeatures(Times, Values, State):
    """The features of filtering in an exported model."""


class PredictionResults(Times):
    """What a prediction returns besides the outputs of the model."""


@export("contrib.timeseries.FilteringResults")
class FilteringResults(Times, State):
    """What an evaluation and a filtering step return besides the outputs of the model."""


class SavedModelLabels:
    """The names of the signatures of an exported model."""

    PREDICT = "serving_default"
    FILTER = "filter"
    COLD_START_FILTER = "cold_start_filter"
