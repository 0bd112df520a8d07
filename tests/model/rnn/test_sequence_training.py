"""Models of sequences train as in TensorFlow 1.15.5, from the same initial values."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path

import numpy as np
import pytest

import headwater as tf

GOLDEN = Path(__file__).parents[2] / "golden"
_spec = importlib.util.spec_from_file_location("sequence_models", GOLDEN / "sequence_models.py")
sequence_models = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(sequence_models)
EXPECTED = json.loads((GOLDEN / "sequence_training.json").read_text(encoding="utf-8"))


# With HEADWATER_JIT=always, sampled softmax is recompiled for each number of accidental hits.
@pytest.mark.timeout(600)
@pytest.mark.slow
@pytest.mark.parametrize("name", sequence_models.MODELS)
def test_losses_and_gradients_of_20_steps_agree(name):
    with tf.Graph().as_default():
        figures = sequence_models.MODELS[name](tf)
    assert len(figures) == len(EXPECTED[name])
    for found, expected in zip(figures, EXPECTED[name], strict=True):
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-4)
