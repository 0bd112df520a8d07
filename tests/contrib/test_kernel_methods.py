"""Kernel mappers and their classifier; the numbers are those of TensorFlow 1.15.5."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import pytest

import headwater as tf

_METHODS, _LAYERS = tf.contrib.kernel_methods, tf.contrib.layers


@pytest.fixture(autouse=True)
def _interpreted(monkeypatch: pytest.MonkeyPatch) -> None:
    """A few steps are not worth a compilation."""
    if "HEADWATER_JIT" not in os.environ:
        monkeypatch.setenv("HEADWATER_JIT", "never")


def _data() -> tuple[dict[str, Any], tf.Tensor]:
    features = {
        "a": tf.constant([[1.0, 2.0], [3, 1], [0, 0]]),
        "s": tf.SparseTensor([[0, 0], [1, 0], [2, 0]], ["a", "b", "a"], [3, 1]),
    }
    return features, tf.constant([[1], [0], [2]])


def test_random_fourier_features() -> None:
    mapper = _METHODS.RandomFourierFeatureMapper(3, 5, 2.0, seed=7, name="m")
    assert (mapper.name, mapper.input_dim, mapper.output_dim) == ("m", 3, 5)
    mapped = mapper.map(tf.constant([[1.0, 2, 3], [0, 1, 0]]))
    assert [op.name for op in tf.get_default_graph().get_operations()][3:] == [
        *("MatMul", "Add", "Cos", "mul/x", "mul")
    ]
    expected = [
        [0.5478927, 0.5973526, -0.5944151, 0.5500985, 0.17590521],
        [0.5745603, 0.6247753, -0.6134774, 0.6204097, -0.1110426],
    ]
    np.testing.assert_allclose(tf.Session().run(mapped), expected, rtol=1e-5)


@pytest.mark.parametrize(
    ("shape", "text"),
    [
        ([3], "The shape of the tensor should be 2. Got 1 instead."),
        ([2, 2], "Invalid dimension: expected 3 input features, got 2 instead."),
    ],
)
def test_shapes_that_a_mapper_does_not_take(shape: list[int], text: str) -> None:
    with pytest.raises(Exception, match=text) as error:
        _METHODS.RandomFourierFeatureMapper(3, 5).map(tf.ones(shape))
    assert type(error.value).__name__ == "InvalidShapeError"


def test_classifier_of_mapped_and_plain_columns() -> None:
    column = _LAYERS.real_valued_column("a", dimension=2)
    mappers = [
        _METHODS.RandomFourierFeatureMapper(2, 4, 1.0, name="r"),
        _METHODS.RandomFourierFeatureMapper(2, 3, 2.0, name="q"),
    ]
    classifier = _METHODS.KernelLinearClassifier(
        feature_columns={_LAYERS.sparse_column_with_keys("s", ["a", "b"])},
        n_classes=3,
        kernel_mappers={column: mappers},
    )
    classifier.fit(input_fn=_data, steps=5)
    weight = classifier.get_variable_value("linear/a_MAPPED/weight")
    assert weight.shape == (7, 3)
    np.testing.assert_allclose(weight[0], [0.20199655, -0.1945501, -0.00999791], rtol=1e-4)
    result = classifier.evaluate(input_fn=_data, steps=1)
    assert result["loss"] == pytest.approx(0.48380494, rel=1e-4)
    assert list(classifier.predict_classes(input_fn=_data)) == [1, 0, 2]
    np.testing.assert_allclose(
        next(iter(classifier.predict_proba(input_fn=_data))),
        [0.11837925, 0.5947716, 0.28684914],
        rtol=1e-4,
    )


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({}, "You should set at least one of feature_columns, kernel_mappers."),
        ({"kernel_mappers": {"a": ["x"]}}, "Invalid kernel mappers."),
        ({"feature_columns": ["a"], "n_classes": 1}, "n_classes must be > 1"),
    ],
)
def test_invalid_arguments(options: dict[str, Any], text: str) -> None:
    with pytest.raises(ValueError, match=text):
        _METHODS.KernelLinearClassifier(**options)
