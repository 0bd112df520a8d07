"""tensorflow.contrib.timeseries.python.timeseries: names that stand in other files here."""

from __future__ import annotations

from typing import Any

from headwater.compat.internals import internal
from headwater.contrib.timeseries import (
    anomaly_ar_model,
    input_pipeline,
    input_statistics,
    prediction_models,
    tuple_tables,
)
from headwater.contrib.timeseries.state_space_models import configuration, ensembles

_ROOT = "tensorflow.contrib.timeseries.python.timeseries"
_MODELS = f"{_ROOT}.state_space_models"

_INTERNALS: dict[str, Any] = {
    f"{_ROOT}.ar_model.AnomalyMixtureARModel": anomaly_ar_model.AnomalyMixtureARModel,
    f"{_ROOT}.ar_model.LSTMPredictionModel": prediction_models.LSTMPredictionModel,
    f"{_ROOT}.input_pipeline._canonicalize_numpy_data": input_pipeline.canonicalize_numpy_data,
    f"{_ROOT}.math_utils.InputStatistics": input_statistics.InputStatistics,
    f"{_ROOT}.math_utils.InputStatisticsFromMiniBatch": (
        input_statistics.InputStatisticsFromMiniBatch
    ),
    f"{_ROOT}.math_utils.Moments": input_statistics.Moments,
    f"{_ROOT}.math_utils.TensorValuedMutableDenseHashTable": (
        tuple_tables.TensorValuedMutableDenseHashTable
    ),
    f"{_ROOT}.math_utils.TupleOfTensorsLookup": tuple_tables.TupleOfTensorsLookup,
    f"{_MODELS}.state_space_model.StateSpaceCorrelatedFeaturesEnsemble": (
        ensembles.StateSpaceCorrelatedFeaturesEnsemble
    ),
    f"{_MODELS}.state_space_model.StateSpaceEnsemble": ensembles.StateSpaceEnsemble,
    f"{_MODELS}.state_space_model.StateSpaceIndependentEnsemble": (
        ensembles.StateSpaceIndependentEnsemble
    ),
    f"{_MODELS}.state_space_model.StateSpaceModelConfiguration": (
        configuration.StateSpaceModelConfiguration
    ),
}
for _path, _target in _INTERNALS.items():
    internal(_path)(_target)
