"""Monitors of contrib.learn, with values and lines of TensorFlow 1.15.5."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import headwater as tf

learn = tf.contrib.learn
monitors = learn.monitors


def model(features: Any, labels: Any, mode: str) -> Any:
    weight = tf.get_variable("w", initializer=2.0)
    predictions = features * weight
    loss = tf.reduce_mean(tf.square(predictions - labels), name="my_loss")
    optimizer = tf.train.GradientDescentOptimizer(0.1)
    return predictions, loss, optimizer.minimize(loss, tf.train.get_global_step())


def data() -> Any:
    return tf.constant([[1.0], [2.0]]), tf.constant([[3.0], [6.0]])


def estimator_in(folder: Path, **config: Any) -> Any:
    return learn.Estimator(model, str(folder), config=learn.RunConfig(**config))


class Recorder(monitors.EveryN):  # type: ignore[misc]
    """Records its calls."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.calls: list[Any] = []

    def every_n_step_begin(self, step: int) -> list[str]:
        self.calls.append(("begin", step))
        return ["w"]

    def every_n_step_end(self, step: int, outputs: Any) -> bool:
        self.calls.append(("end", step, float(outputs["w"])))
        return False

    def every_n_post_step(self, step: int, session: Any) -> None:
        self.calls.append(("post", step))


def lines(caplog: pytest.LogCaptureFixture, *beginnings: str) -> list[str]:
    texts = [record.getMessage() for record in caplog.records]
    return [text for text in texts if text.startswith(beginnings)]


def test_callbacks_of_steps(tmp_path: Path) -> None:
    recorder = Recorder(2, 1)
    values = monitors.CaptureVariable("w", every_n=2, first_n=2)
    estimator_in(tmp_path).fit(input_fn=data, steps=5, monitors=[recorder, values])
    assert recorder.calls == [
        *[("begin", 1), ("end", 1, 2.5), ("post", 1)],
        *[("begin", 3), ("end", 3, 2.875), ("post", 3)],
        *[("begin", 5), ("end", 5, 2.96875), ("post", 5)],
    ]
    assert values.values == {1: 2.5, 2: 2.75, 4: 2.9375}


def test_what_is_logged(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    tf.logging.set_verbosity(tf.logging.INFO)
    logged = [
        monitors.PrintTensor(["w:0"], every_n=2),
        monitors.PrintTensor({"L": "my_loss"}, every_n=3),
        monitors.LoggingTrainable(every_n=3),
    ]
    estimator_in(tmp_path).fit(input_fn=data, steps=5, monitors=logged)
    assert lines(caplog, "Step", "Logging Trainable") == [
        "Step 1: w:0 = 2.5",
        "Step 1: L = 2.5",
        "Logging Trainable: Step 1: w:0 = 2.5",
        "Step 3: w:0 = 2.875",
        "Step 4: L = 0.0390625",
        "Logging Trainable: Step 4: w:0 = 2.9375",
        "Step 5: w:0 = 2.96875",
    ]


def test_training_stops_when_the_metric_no_longer_improves(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    tf.logging.set_verbosity(tf.logging.INFO)
    estimator = estimator_in(tmp_path, save_checkpoints_steps=2)
    estimator.fit(input_fn=data, steps=5)
    monitor = monitors.ValidationMonitor(
        input_fn=data,
        eval_steps=1,
        every_n_steps=1,
        early_stopping_rounds=3,
        check_interval_secs=None,
        metrics={"m": learn.MetricSpec(tf.contrib.metrics.streaming_mean)},
    )
    estimator.fit(input_fn=data, steps=50, monitors=[monitor])
    assert monitor.early_stopped and monitor.best_step == 23
    assert monitor.best_metrics == {"m": 4.5, "loss": 0.0, "global_step": 23}
    assert estimator.get_variable_value("global_step") == 27
    found = lines(caplog, "Validation", "Stopping")
    assert found[0] == "Validation (step 6): m = 4.453125, loss = 0.0024414062, global_step = 5"
    assert found[-1] == "Stopping. Best step: 23 with loss = 0.0."


def test_validation_needs_the_metric(tmp_path: Path) -> None:
    monitor = monitors.ValidationMonitor(
        input_fn=data, eval_steps=1, every_n_steps=1, early_stopping_rounds=3,
        early_stopping_metric="auc",
    )  # fmt: skip
    estimator = estimator_in(tmp_path, save_checkpoints_steps=1)
    with pytest.raises(ValueError, match="Metric auc missing from outputs"):
        estimator.fit(input_fn=data, steps=3, monitors=[monitor])


def test_validation_of_an_estimator_of_the_core(tmp_path: Path) -> None:
    def core_model(features: Any, labels: Any, mode: str) -> Any:
        predictions, loss, train = model(features, labels, mode)
        return tf.estimator.EstimatorSpec(mode, predictions, loss, train)

    estimator = tf.estimator.Estimator(core_model, str(tmp_path))
    monitor = monitors.ValidationMonitor(input_fn=data, eval_steps=1, every_n_steps=1)
    hooks = monitors.replace_monitors_with_hooks([monitor], estimator)
    estimator.train(data, hooks=hooks, steps=2)
    monitor.x = np.zeros(3)
    with pytest.raises(ValueError, match="does not support following arguments: x, y"):
        monitor._evaluate_estimator()


def test_training_stops_at_a_step(tmp_path: Path) -> None:
    estimator = estimator_in(tmp_path).fit(
        input_fn=data, steps=50, monitors=[monitors.StopAtStep(num_steps=3)]
    )
    assert estimator.get_variable_value("global_step") == 3
    estimator.fit(input_fn=data, steps=50, monitors=[monitors.StopAtStep(last_step=5)])
    assert estimator.get_variable_value("global_step") == 5


def nan_model(features: Any, labels: Any, mode: str) -> Any:
    weight = tf.get_variable("w", initializer=2.0)
    loss = weight * float("nan")
    train = tf.train.GradientDescentOptimizer(0.1).minimize(loss, tf.train.get_global_step())
    return features, loss, train


def test_a_loss_that_is_nan(tmp_path: Path) -> None:
    estimator = learn.Estimator(nan_model, str(tmp_path))
    with pytest.raises(learn.NanLossDuringTrainingError, match="NaN loss during training"):
        estimator.fit(input_fn=data, steps=2)
    monitor = monitors.NanLoss("loss", fail_on_nan_loss=False)
    assert monitor.step_begin(1) == ["loss"]
    assert monitor.step_end(1, {"loss": float("nan")}) is True
    failing = monitors.NanLoss("loss")
    failing.step_begin(1)
    with pytest.raises(monitors.NanLossDuringTrainingError):
        failing.step_end(1, {"loss": float("nan")})


def test_steps_and_summaries_are_written(tmp_path: Path) -> None:
    counter = monitors.StepCounter(every_n_steps=2)
    estimator_in(tmp_path).fit(input_fn=data, steps=5, monitors=[counter])
    tf.summary.FileWriterCache.clear()
    (path,) = tmp_path.glob("events*")
    events = list(tf.train.summary_iterator(str(path)))
    tags = [(event.step, value.tag) for event in events for value in event.summary.value]
    assert (3, "global_step/sec") in tags and (5, "global_step/sec") in tags


def test_checkpoints(tmp_path: Path) -> None:
    tf.train.create_global_step()
    saver = tf.train.Saver()
    monitor = monitors.CheckpointSaver(str(tmp_path), save_steps=2, saver=saver)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        monitor.begin()
        for step in range(1, 5):
            monitor.step_begin(step)
            monitor.step_end(step, {})
            monitor.post_step(step, session)
        monitor.end(session)
    names = sorted(path.name for path in tmp_path.glob("*.index"))
    assert names == ["model.ckpt-1.index", "model.ckpt-3.index", "model.ckpt-4.index"]
    with pytest.raises(ValueError, match="Either save_steps or save_secs should be provided"):
        monitors.CheckpointSaver(str(tmp_path))


def test_exports_of_training(tmp_path: Path) -> None:
    def named(features: Any, labels: Any, mode: str) -> Any:
        if mode == "infer":
            return features["x"] * tf.get_variable("w", initializer=1.0), None, None
        return model(features["x"], labels, mode)

    def serving() -> Any:
        return {"x": tf.placeholder(tf.float32, [None, 1])}, None

    def no_signature(examples: Any, features: Any, predictions: Any) -> Any:
        return None, {}

    monitor = monitors.ExportMonitor(
        2, str(tmp_path / "exports"), input_fn=serving, signature_fn=no_signature
    )
    config = learn.RunConfig(save_checkpoints_steps=1)
    estimator = learn.Estimator(named, str(tmp_path / "model"), config=config)
    estimator.fit(
        input_fn=lambda: ({"x": tf.constant([[1.0]])}, tf.constant([[1.0]])),
        steps=3,
        monitors=[monitor],
    )
    assert monitor.last_export_dir.endswith(b"/00000003")


def test_graphs_are_compared() -> None:
    def dump(value: float) -> Any:
        monitor = monitors.GraphDump()
        with tf.Graph().as_default():
            tf.multiply(tf.placeholder(tf.float32, []), 2.0, name="q")
            tf.add(1.0, 2.0, name="s")
            monitor.begin()
            tensors = monitor.step_begin(0)
            monitor.step_end(0, {tensor.name: value for tensor in tensors})
        return monitor

    first, second = dump(2.0), dump(3.0)
    assert first.compare(dump(2.0), 0) == (["q:0", "s:0"], {})
    assert first.compare(second, 0) == ([], {"q:0": (2.0, 3.0), "s:0": (2.0, 3.0)})
    with pytest.raises(ValueError, match="missing at step"):
        first.compare(monitors.GraphDump(), 0)


def test_default_monitors(tmp_path: Path) -> None:
    loss = tf.constant(1.0, name="loss")
    summary = tf.summary.scalar("a", loss)
    made = monitors.get_default_monitors(loss, summary, output_dir=str(tmp_path))
    assert [type(monitor).__name__ for monitor in made] == ["PrintTensor", "SummarySaver"]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: monitors.StopAtStep(), "One of num_steps or last_step must be specified"),
        (lambda: monitors.StopAtStep(1, 2), "Only one of num_steps or last_step can be"),
        (lambda: monitors.ValidationMonitor(), "Either x or input_fn should be provided"),
        (lambda: monitors.BaseMonitor().end(), "end called without begin"),
        (lambda: monitors.BaseMonitor().step_begin(-1), "Invalid step -1"),
        (lambda: monitors.BaseMonitor().step_end(3, {}), "step_end expected"),
        (lambda: monitors.BaseMonitor().set_estimator(None), "Missing estimator"),
        (lambda: monitors.BaseMonitor().epoch_begin(-1), "Invalid epoch -1"),
        (lambda: monitors.BaseMonitor().epoch_end(1), "epoch_end expected"),
    ],
)
def test_errors(call: Callable[[], Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()
