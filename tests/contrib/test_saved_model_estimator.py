"""SavedModelEstimator; the numbers are those of TensorFlow 1.15.5."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import headwater as tf

_ESTIMATOR = tf.contrib.estimator
_MODES = tf.estimator.ModeKeys


def _model_fn(features: Any, labels: Any, mode: str) -> Any:
    ones = tf.ones_initializer()
    predictions = tf.layers.dense(features["x"], 1, name="d", kernel_initializer=ones)
    if mode == _MODES.PREDICT:
        return tf.estimator.EstimatorSpec(mode, predictions={"p": predictions})
    loss = tf.losses.mean_squared_error(labels, predictions)
    step = tf.train.get_global_step()
    return tf.estimator.EstimatorSpec(
        mode,
        loss=loss,
        predictions={"p": predictions},
        train_op=tf.train.GradientDescentOptimizer(0.05).minimize(loss, step),
        eval_metric_ops={"mean": tf.metrics.mean(predictions)},
    )


def _data() -> tuple[dict[str, tf.Tensor], tf.Tensor]:
    x = tf.constant([[1.0], [2.0]])
    return {"x": x}, 3 * x


def _supervised() -> Any:
    x, y = (tf.placeholder(tf.float32, [None, 1], name=name) for name in "xy")
    return _ESTIMATOR.build_raw_supervised_input_receiver_fn({"x": x}, y)()


def _serving() -> Any:
    x = tf.placeholder(tf.float32, [None, 1], name="x")
    return tf.estimator.export.build_raw_serving_input_receiver_fn({"x": x})()


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("saved_model")
    trained = tf.estimator.Estimator(_model_fn, str(folder / "model")).train(_data, steps=3)
    receivers = {_MODES.TRAIN: _supervised, _MODES.EVAL: _supervised, _MODES.PREDICT: _serving}
    path: bytes = trained.experimental_export_all_saved_models(str(folder / "export"), receivers)
    return path.decode()


def test_a_saved_model_is_trained_further(exported: str, tmp_path: Path) -> None:
    estimator = _ESTIMATOR.SavedModelEstimator(exported, str(tmp_path))
    result = estimator.evaluate(_data, steps=1)
    assert result["global_step"] == 3
    assert result["loss"] == pytest.approx(0.87710124, rel=1e-5)
    assert result["metrics/mean"] == pytest.approx(3.6933749, rel=1e-5)
    prediction = next(estimator.predict(lambda: _data()[0]))
    assert prediction["p"] == pytest.approx([2.66925], rel=1e-5)
    estimator.train(_data, steps=1)
    estimator.train(_data, steps=1)
    assert estimator.get_variable_value("d/kernel").item() == pytest.approx(2.2895, abs=1e-4)
    again = _ESTIMATOR.SavedModelEstimator(exported, str(tmp_path))
    result = again.evaluate(_data, steps=1)
    assert result["global_step"] == 5
    assert result["loss"] == pytest.approx(0.22426535, rel=1e-5)


def test_the_graph_of_training_names_its_train_op(exported: str) -> None:
    with tf.Session(graph=tf.Graph()) as session:
        graph = tf.saved_model.loader.load(session, ["train"], exported)
    assert graph.collection_def["saved_model_train_op"].node_list.value == ["GradientDescent"]
    with tf.Session(graph=tf.Graph()) as session:
        graph = tf.saved_model.loader.load(session, ["serve"], exported)
    assert "saved_model_train_op" not in graph.collection_def


@pytest.mark.parametrize(
    ("features", "labels", "text"),
    [
        ({"z": [[1.0]]}, [[1.0]], 'Key "x" not found in features or labels passed in to the model'),
        ({"x": [[1.0]]}, {"other": [[1.0]]}, 'Key "label" not found in features or labels'),
        ({"x": [[1]]}, [[1.0]], "Expected dtype: <dtype: 'float32'>, Got: <dtype: 'int32'>"),
        ({"x": [[1.0, 2.0]]}, [[1.0]], r"Expected shape: \(\?, 1\), Got: \(1, 2\)"),
    ],
)
def test_input_that_does_not_fit(exported: str, features: Any, labels: Any, text: str) -> None:
    def input_fn() -> Any:
        found = {name: tf.constant(value) for name, value in features.items()}
        if isinstance(labels, dict):
            return found, {name: tf.constant(value) for name, value in labels.items()}
        return found, tf.constant(labels)

    with pytest.raises(ValueError, match=text):
        _ESTIMATOR.SavedModelEstimator(exported).evaluate(input_fn, steps=1)


def test_modes_that_were_not_exported(exported: str, tmp_path: Path) -> None:
    trained = tf.estimator.Estimator(_model_fn, str(Path(exported).parents[1] / "model"))
    folder = trained.export_savedmodel(str(tmp_path), _serving)
    estimator = _ESTIMATOR.SavedModelEstimator(folder)
    with pytest.raises(RuntimeError, match="train mode is not available in the SavedModel"):
        estimator.train(_data, steps=1)
    with pytest.raises(ValueError, match="has an invalid SavedModel format: "):
        _ESTIMATOR.SavedModelEstimator(str(tmp_path))


def test_an_input_function_makes_no_global_step(exported: str) -> None:
    def input_fn() -> Any:
        tf.train.get_or_create_global_step()
        return _data()

    with pytest.raises(RuntimeError, match="Graph must not contain a global step tensor"):
        _ESTIMATOR.SavedModelEstimator(exported).evaluate(input_fn, steps=1)
