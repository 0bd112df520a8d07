"""tensorflow.contrib.predictor: classes without public names."""

from __future__ import annotations

from headwater.compat.internals import internal
from headwater.contrib.predictor import estimator_predictors, predictor, saved_model_predictor

_PREDICTOR = "tensorflow.contrib.predictor"
internal(f"{_PREDICTOR}.predictor.Predictor")(predictor.Predictor)
internal(f"{_PREDICTOR}.saved_model_predictor.SavedModelPredictor")(
    saved_model_predictor.SavedModelPredictor
)
internal(f"{_PREDICTOR}.predictor_factories.from_saved_model")(
    saved_model_predictor.from_saved_model
)
internal(f"{_PREDICTOR}.core_estimator_predictor.CoreEstimatorPredictor")(
    estimator_predictors.CoreEstimatorPredictor
)
internal(f"{_PREDICTOR}.contrib_estimator_predictor.ContribEstimatorPredictor")(
    estimator_predictors.ContribEstimatorPredictor
)
internal(f"{_PREDICTOR}.predictor_factories.from_estimator")(estimator_predictors.from_estimator)
internal(f"{_PREDICTOR}.predictor_factories.from_contrib_estimator")(
    estimator_predictors.from_contrib_estimator
)
