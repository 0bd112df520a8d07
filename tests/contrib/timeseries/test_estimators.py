"""Estimators of time series: training, evaluation, prediction and exports."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import headwater as tf
from headwater.contrib.timeseries import input_pipeline
from headwater.contrib.timeseries.model import SequentialTimeSeriesModel
from headwater.contrib.timeseries.saved_model_utils import (
    cold_start_filter,
    filter_continuation,
    predict_continuation,
)

ts = tf.contrib.timeseries

TIMES = np.arange(60)
VALUES = np.sin(TIMES / 3.0) + 0.05 * TIMES
DATA = {"times": TIMES, "values": VALUES}


def windows(size: int, batch_size: int = 4) -> Any:
    return ts.RandomWindowInputFn(
        ts.NumpyReader(DATA), window_size=size, batch_size=batch_size, num_threads=1, shuffle_seed=2
    )


def features(input_fn: Any, batches: int = 1) -> list[dict[str, Any]]:
    with tf.Graph().as_default(), tf.Session() as session:
        tensors, labels = input_fn()
        assert labels is None
        session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
        coordinator = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(coord=coordinator)
        try:
            return [session.run(tensors) for _ in range(batches)]
        finally:
            coordinator.request_stop()
            coordinator.join(threads)


def test_the_whole_series_is_one_window() -> None:
    (batch,) = features(ts.WholeDatasetInputFn(ts.NumpyReader(DATA)))
    np.testing.assert_array_equal(batch["times"], TIMES[None])
    np.testing.assert_array_equal(batch["values"], VALUES[None, :, None])


def test_random_windows_are_parts_of_the_series() -> None:
    batches = features(windows(10), 5)
    starts = set()
    for batch in batches:
        assert batch["times"].shape == (4, 10)
        assert batch["values"].shape == (4, 10, 1)
        np.testing.assert_array_equal(batch["values"][..., 0], VALUES[batch["times"]])
        assert (np.diff(batch["times"], axis=1) == 1).all()
        starts.update(batch["times"][:, 0].tolist())
    assert len(starts) > 5


def test_a_file_of_columns_is_read(tmp_path: Path) -> None:
    path = tmp_path / "series.csv"
    path.write_text("time,a,b\n" + "".join(f"{n},{n / 2},{n * n}\n" for n in range(40)))
    reader = ts.CSVReader(
        str(path), column_names=("times", "values", "values"), skip_header_lines=1
    )
    for _ in range(2):
        (batch,) = features(ts.WholeDatasetInputFn(reader))
        np.testing.assert_array_equal(batch["times"], np.arange(40)[None])
        np.testing.assert_array_equal(batch["values"][0, :, 1], np.arange(40.0) ** 2)
    random = ts.RandomWindowInputFn(reader, window_size=7, batch_size=3, num_threads=1)
    for batch in features(random, 3):
        np.testing.assert_allclose(batch["values"][..., 0], batch["times"] / 2)


@pytest.mark.parametrize(
    ("data", "text"),
    [
        ({"times": TIMES}, "times and values are required features."),
        (
            {"times": np.arange(5), "values": np.arange(4.0)},
            r"All features must have their shapes prefixed by the shape of the times feature. Got "
            r"shape \(4,\) for feature 'values', but shape \(5,\) for 'times'",
        ),
        (
            {"times": np.arange(5), "values": np.zeros([5, 2, 2])},
            "Got an unexpected number of dimensions for the 'values' feature.",
        ),
        (
            {"times": np.zeros([2, 3]), "values": np.zeros([2, 3])},
            "Got batch input, was expecting unbatched input.",
        ),
    ],
)
def test_arrays_that_do_not_fit(data: dict[str, Any], text: str) -> None:
    with pytest.raises(ValueError, match=text):
        ts.NumpyReader(data)


def test_a_series_shorter_than_its_windows() -> None:
    with pytest.raises(ValueError, match="windows of size 61, but only 60 records were available"):
        windows(61)


def test_columns_are_required() -> None:
    with pytest.raises(ValueError, match=r"'times' is a required column\."):
        ts.CSVReader("file", column_names=("a", "values"))
    with pytest.raises(ValueError, match=r"'values' is a required column\."):
        input_pipeline.TFExampleReader("file", {"times": None})


def test_times_after_an_evaluation() -> None:
    evaluation = {"times": np.arange(5)[None], "start_tuple": (np.ones([1, 2]),)}
    input_fn = ts.predict_continuation_input_fn(evaluation, steps=3)
    with tf.Graph().as_default(), tf.Session() as session:
        tensors, _ = input_fn()
        session.run(tf.local_variables_initializer())
        assert session.run(tensors["times"]).tolist() == [[5, 6, 7]]
        with pytest.raises(tf.errors.OutOfRangeError):
            session.run(tensors)
    with pytest.raises(ValueError, match=r"One of `steps` and `times` must be specified\."):
        ts.predict_continuation_input_fn(evaluation)
    with pytest.raises(ValueError, match="Prediction times must be after"):
        ts.predict_continuation_input_fn(evaluation, times=[3, 4])


def trained(estimator: Any, window: int, steps: int) -> dict[str, Any]:
    before = None
    whole = ts.WholeDatasetInputFn(ts.NumpyReader(DATA))
    estimator.train(windows(window), steps=1)
    before = estimator.evaluate(whole, steps=1)
    estimator.train(windows(window), steps=steps)
    after = estimator.evaluate(whole, steps=1)
    assert after["loss"] < before["loss"]
    assert after["global_step"] == steps + 1
    return after


def exported(estimator: Any, evaluation: dict[str, Any], folder: Path) -> None:
    """The export predicts what the estimator does, and filters."""
    predicted = next(iter(estimator.predict(ts.predict_continuation_input_fn(evaluation, steps=8))))
    assert predicted["times"].tolist() == list(range(60, 68))
    path = estimator.export_savedmodel(str(folder), estimator.build_raw_serving_input_receiver_fn())
    with tf.Graph().as_default(), tf.Session() as session:
        signatures = tf.saved_model.loader.load(session, ["serve"], path)
        assert sorted(signatures.signature_def) == [
            "cold_start_filter",
            "filter",
            "serving_default",
        ]
        output = predict_continuation(evaluation, signatures, session, steps=8)
        np.testing.assert_allclose(output["mean"][0], predicted["mean"], rtol=1e-4, atol=1e-4)
        first = {"times": TIMES[:40], "values": VALUES[:40]}
        state = cold_start_filter(signatures, session, first)
        rest = {"times": TIMES[40:], "values": VALUES[40:]}
        state = filter_continuation(state, signatures, session, rest)
        output = predict_continuation(state, signatures, session, times=[61, 65])
        assert output["mean"].shape == (1, 2, 1)
        np.testing.assert_allclose(output["mean"][0, 0], predicted["mean"][1], rtol=0.2, atol=0.2)


def test_an_autoregressive_model_is_trained_and_exported(tmp_path: Path) -> None:
    estimator = ts.ARRegressor(
        periodicities=19,
        input_window_size=12,
        output_window_size=4,
        num_features=1,
        model_dir=str(tmp_path / "model"),
        config=tf.estimator.RunConfig(tf_random_seed=3),
    )
    evaluation = trained(estimator, 16, 60)
    assert evaluation["mean"].shape == (1, 48, 1)
    assert [part.shape for part in evaluation["start_tuple"]] == [(1, 12), (1, 12, 1), (1, 12, 0)]
    exported(estimator, evaluation, tmp_path / "export")


# The next tests but one and test_models.py check the same on less.
@pytest.mark.slow
def test_a_structural_model_is_trained_and_exported(tmp_path: Path) -> None:
    estimator = ts.StructuralEnsembleRegressor(
        periodicities=[],
        num_features=1,
        moving_average_order=1,
        model_dir=str(tmp_path / "model"),
        config=tf.estimator.RunConfig(tf_random_seed=3),
    )
    evaluation = trained(estimator, 12, 6)
    assert evaluation["log_likelihood"].shape == (1, 60)
    assert evaluation["times"].tolist() == [TIMES.tolist()]
    exported(estimator, evaluation, tmp_path / "export")


class _Recurrent(SequentialTimeSeriesModel):
    """A cell whose state takes each observation in: a model of a user."""

    def __init__(self) -> None:
        super().__init__(
            train_output_names=["mean"],
            predict_output_names=["mean"],
            num_features=1,
            normalize_features=True,
            dtype=tf.float32,
        )

    def initialize_graph(self, input_statistics: Any = None) -> None:
        super().initialize_graph(input_statistics=input_statistics)
        with tf.variable_scope("", use_resource=True):
            self._cell = tf.nn.rnn_cell.LSTMCell(num_units=8)
            self._run_cell = tf.make_template("cell", self._cell, create_scope_now_=True)
            self._mean_of = tf.make_template(
                "mean", lambda output: tf.layers.dense(output, 1), create_scope_now_=True
            )

    def get_start_state(self) -> Any:
        zero = [tf.squeeze(part, axis=0) for part in self._cell.zero_state(1, tf.float32)]
        return tf.zeros([], tf.int64), tf.zeros([1]), tuple(zero)

    def _filtering_step(
        self, current_times: Any, current_values: Any, state: Any, predictions: Any
    ) -> Any:
        _, prediction, cell_state = state
        loss = tf.reduce_mean((prediction - current_values) ** 2, axis=-1)
        return (current_times, current_values, cell_state), {**predictions, "loss": loss}

    def _prediction_step(self, current_times: Any, state: Any) -> Any:
        _, value, cell_state = state
        cell_state = tf.nn.rnn_cell.LSTMStateTuple(*cell_state)
        output, cell_state = self._run_cell(value, cell_state)
        mean = self._mean_of(output)
        return (current_times, mean, tuple(cell_state)), {"mean": mean}

    def _exogenous_input_step(self, *_: Any) -> Any:
        raise NotImplementedError("This model has no exogenous features.")


def test_a_model_of_a_user_is_trained(tmp_path: Path) -> None:
    estimator = ts.TimeSeriesRegressor(
        model=_Recurrent(),
        optimizer=tf.train.AdamOptimizer(0.02),
        model_dir=str(tmp_path),
        config=tf.estimator.RunConfig(tf_random_seed=4),
    )
    evaluation = trained(estimator, 12, 30)
    (predicted,) = estimator.predict(ts.predict_continuation_input_fn(evaluation, steps=5))
    assert predicted["mean"].shape == (5, 1)


def test_one_shot_predictions_of_serialized_series(tmp_path: Path) -> None:
    estimator = ts.StructuralEnsembleRegressor(
        periodicities=[],
        num_features=1,
        moving_average_order=1,
        model_dir=str(tmp_path / "model"),
        head_type=ts.OneShotPredictionHead,
        config=tf.estimator.RunConfig(tf_random_seed=3),
    )
    estimator.train(windows(12), steps=1)
    receiver = estimator.build_one_shot_parsing_serving_input_receiver_fn(
        filtering_length=20, prediction_length=5, values_input_dtype=tf.float32
    )
    path = estimator.export_savedmodel(str(tmp_path / "export"), receiver)
    example = tf.train.Example()
    example.features.feature["times"].int64_list.value.extend(range(25))
    example.features.feature["values"].float_list.value.extend(VALUES[:20])
    with tf.Graph().as_default(), tf.Session() as session:
        signatures = tf.saved_model.loader.load(session, ["serve"], path).signature_def
        assert list(signatures) == ["serving_default"]
        signature = signatures["serving_default"]
        mean = session.run(
            signature.outputs["mean"].name,
            {signature.inputs["examples"].name: [example.SerializeToString()] * 2},
        )
    assert mean.shape == (2, 5, 1)


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ({"times": [2, 16]}, "Expected a 'values' feature for training/evaluation."),
        (
            {"times": [2, 16], "values": [2, 15, 1]},
            r"got shape \(2, 15, 1\) for feature 'values' but shape \(2, 16\) for feature 'times'",
        ),
        (
            {"times": [2, 15], "values": [2, 15, 1]},
            r"expects feature 'times' to have shape \(batch_size, 16\) \(for any batch_size\), but "
            r"got shape \(2, 15\). If you are using RandomWindowInputFn, set window_size=16",
        ),
    ],
)
def test_features_that_do_not_fit(given: dict[str, list[int]], text: str) -> None:
    estimator = ts.ARRegressor(
        periodicities=5, input_window_size=12, output_window_size=4, num_features=1
    )
    dtypes = {"times": tf.int64, "values": tf.float32}
    tensors = {name: tf.placeholder(dtypes[name], sizes) for name, sizes in given.items()}
    with pytest.raises(ValueError, match=text):
        estimator._model_fn(tensors, labels=None, mode="train")
