"""tensorflow.contrib.predictor: classes without public names."""

from __future__ import annotations

from headwater.compat.internals import internal
from headwater.contrib.predictor import predictor, saved_model_predictor

_PREDICTOR = "tensorflow.contrib.predictor"
internal(f"{_PREDICTOR}.predictor.Predictor")(predictor.Predictor)
internal(f"{_PREDICTOR}.saved_model_predictor.SavedModelPredictor")(
    saved_model_predictor.SavedModelPredictor
)
internal(f"{_PREDICTOR}.predictor_factories.from_saved_model")(
    saved_model_predictor.from_saved_model
)
