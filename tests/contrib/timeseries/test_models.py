"""Models of time series: losses, gradients and predictions are those of TensorFlow 1.15.5."""

from __future__ import annotations

import gzip
import importlib.util
import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import headwater as tf
from headwater.contrib.timeseries import (
    anomaly_ar_model,
    ar_model,
    input_statistics,
    math_utils,
    prediction_models,
)
from headwater.contrib.timeseries.state_space_models import (
    configuration,
    filtering_postprocessor,
    level_trend,
    periodic,
    structural_ensemble,
    varma,
)

HERE = Path(__file__).parent
_spec = importlib.util.spec_from_file_location("timeseries_models", HERE / "models.py")
assert _spec is not None
assert _spec.loader is not None
models = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(models)

with gzip.open(HERE / "models.json.gz", "rt") as _file:
    GOLDEN = json.load(_file)

MODULES = SimpleNamespace(
    tf=tf,
    **{
        name: value
        for module in (
            anomaly_ar_model,
            ar_model,
            prediction_models,
            input_statistics,
            math_utils,
            configuration,
            filtering_postprocessor,
            level_trend,
            periodic,
            structural_ensemble,
            varma,
        )
        for name, value in vars(module).items()
        if not name.startswith("__")
    },
)


def compare(actual: Any, expected: Any, path: str, tolerance: float) -> None:
    if isinstance(expected, dict):
        assert sorted(actual) == sorted(expected), path
        for key in expected:
            compare(actual[key], expected[key], f"{path} {key}", tolerance)
        return
    if path.endswith("state"):
        for number, (part, other) in enumerate(zip(actual, expected, strict=True)):
            compare(part, other, f"{path}[{number}]", tolerance)
        return
    actual, expected = np.asarray(actual), np.asarray(expected)
    if not expected.size:  # JSON keeps no sizes after a size of zero
        assert not actual.size, path
        return
    np.testing.assert_allclose(actual, expected, rtol=tolerance, atol=tolerance, err_msg=path)


@pytest.mark.parametrize("name", sorted(models.MODELS))
# The scale of values is all that differs without statistics.
@pytest.mark.parametrize("with_statistics", [True, pytest.param(False, marks=pytest.mark.slow)])
def test_model(name: str, with_statistics: bool) -> None:
    values = models.outcome(MODULES, name, with_statistics)
    expected = GOLDEN[f"{name}, {with_statistics}"]
    assert values["variables"] == expected["variables"]
    tolerance = 1e-4 if name.startswith("autoregressive") else 1e-6
    compare(values, expected, name, tolerance)


def test_what_is_missing_in_the_last_window_of_a_prediction_is_zero(session: tf.Session) -> None:
    model, _ = models.MODELS["autoregressive, hidden layer"](MODULES)
    model.initialize_graph()
    state = math_utils.replicate_state(model.get_start_state(), 1)
    means = [
        model.predict({"times": tf.constant([times]), "start_tuple": state})["mean"]
        for times in ([4, 5, 6], [4, 5, 6, 0])
    ]
    session.run(tf.global_variables_initializer())
    short, long = session.run(means)
    np.testing.assert_allclose(short, long[:, :3], rtol=1e-6)
