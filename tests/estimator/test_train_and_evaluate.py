"""train_and_evaluate with exporters, and the hooks that evaluate or stop early."""

from __future__ import annotations

import itertools
import json
import threading
import time
import types
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import headwater as tf
from headwater.distributed.local_cluster import free_ports

ROWS = np.random.RandomState(0).randn(64, 3).astype(np.float32)
LABELS = (ROWS.sum(1) > 0).astype(np.int32)


def training_data() -> Any:
    return tf.data.Dataset.from_tensor_slices(({"x": ROWS}, LABELS)).repeat().batch(8)


def evaluation_data() -> Any:
    return tf.data.Dataset.from_tensor_slices(({"x": ROWS}, LABELS)).batch(10)


def model_fn(features: Any, labels: Any, mode: str) -> Any:
    logits = tf.layers.dense(features["x"], 2)
    classes = tf.argmax(logits, 1)
    if mode == tf.estimator.ModeKeys.PREDICT:
        return tf.estimator.EstimatorSpec(mode, predictions={"c": classes})
    loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
    train = tf.train.GradientDescentOptimizer(0.1).minimize(loss, tf.train.get_global_step())
    metrics = {"accuracy": tf.metrics.accuracy(labels, classes)}
    return tf.estimator.EstimatorSpec(mode, {"c": classes}, loss, train, metrics)


def receiver() -> Any:
    features = {"x": tf.placeholder(tf.float32, [None, 3], name="x")}
    return tf.estimator.export.ServingInputReceiver(features, features)


def made(folder: Path, **config: Any) -> Any:
    config.setdefault("save_checkpoints_steps", 10)
    run_config = tf.estimator.RunConfig(str(folder), tf_random_seed=7, **config)
    return tf.estimator.Estimator(model_fn, config=run_config)


def exporters(folder: Path) -> dict[str, int]:
    return {path.name: len(list(path.iterdir())) for path in (folder / "export").iterdir()}


def test_checkpoints_are_evaluated_and_exported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Each export has a second of its own. Other threads keep the real time.
    clock = types.SimpleNamespace(time=itertools.count(1000).__next__, sleep=time.sleep)
    monkeypatch.setattr("headwater.estimator.export.saved_models.time", clock)
    estimator = made(tmp_path)
    train_spec = tf.estimator.TrainSpec(training_data, max_steps=40)
    eval_spec = tf.estimator.EvalSpec(
        evaluation_data,
        steps=None,
        throttle_secs=0,
        exporters=[
            tf.estimator.BestExporter("best", receiver, exports_to_keep=2),
            tf.estimator.LatestExporter("latest", receiver, exports_to_keep=3),
            tf.estimator.FinalExporter("final", receiver),
        ],
    )
    metrics, exports = tf.estimator.train_and_evaluate(estimator, train_spec, eval_spec)
    np.testing.assert_allclose(metrics["loss"], 0.18821797, rtol=1e-5)
    assert (metrics["accuracy"], metrics["global_step"]) == (0.984375, 40)
    assert exporters(tmp_path) == {"best": 2, "latest": 3, "final": 1}
    assert [Path(path.decode()).parent.name for path in exports] == ["best", "latest", "final"]
    # Everything is trained: nothing is evaluated any more.
    again = tf.estimator.train_and_evaluate(estimator, train_spec, eval_spec)
    assert again == (None, None)


def test_evaluations_are_throttled(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO", "tensorflow")
    tf.estimator.train_and_evaluate(
        made(tmp_path),
        tf.estimator.TrainSpec(training_data, max_steps=30),
        tf.estimator.EvalSpec(evaluation_data, steps=1, throttle_secs=600),
    )
    messages = [record.getMessage() for record in caplog.records]
    skipped = "Skip the current checkpoint eval due to throttle secs (600 secs)."
    # The first checkpoint is evaluated, and the last one.
    assert messages.count(skipped) == 2
    assert sum(m.startswith("Saving dict for global step") for m in messages) == 2


def test_best_exporter_knows_results_of_earlier_runs(tmp_path: Path) -> None:
    estimator = made(tmp_path).train(training_data, steps=1)
    best = tf.estimator.BestExporter(
        "best", receiver, event_file_pattern="eval/*.tfevents.*", exports_to_keep=None
    )
    with tf.summary.FileWriter(estimator.eval_dir()) as writer:
        value = tf.Summary.Value(tag="loss", simple_value=0.25)
        writer.add_summary(tf.Summary(value=[value]), 1)

    def exported(loss: float) -> bool:
        path = str(tmp_path / "e")
        checkpoint = estimator.latest_checkpoint()
        return best.export(estimator, path, checkpoint, {"loss": loss}, False) is not None

    assert [exported(0.3), exported(0.2), exported(0.21)] == [False, True, False]


def test_specs_check_their_arguments() -> None:
    def data() -> None: ...

    with pytest.raises(TypeError, match="`input_fn` must be callable, given: 3"):
        tf.estimator.TrainSpec(3)
    with pytest.raises(ValueError, match="Must specify max_steps > 0, given: 0"):
        tf.estimator.TrainSpec(data, 0)
    with pytest.raises(TypeError, match="`name` must be string, given: 3"):
        tf.estimator.EvalSpec(data, name=3)
    with pytest.raises(TypeError, match=r"`exporters` must be an Exporter.* found \[3\]"):
        tf.estimator.EvalSpec(data, exporters=[3])
    twins = [tf.estimator.FinalExporter("a", receiver) for _ in range(2)]
    with pytest.raises(ValueError, match="`exporters` must have unique names"):
        tf.estimator.EvalSpec(data, exporters=twins)
    with pytest.raises(ValueError, match="must include current_eval_result argument"):
        tf.estimator.BestExporter("a", receiver, compare_fn=lambda best_eval_result: True)
    with pytest.raises(TypeError, match="`estimator` must have type"):
        tf.estimator.train_and_evaluate(
            3, tf.estimator.TrainSpec(data), tf.estimator.EvalSpec(data)
        )


def test_early_stopping(tmp_path: Path) -> None:
    estimator = made(tmp_path)
    with tf.summary.FileWriter(estimator.eval_dir()) as writer:
        for step, loss in ((1, 0.5), (2, 0.4), (3, 0.45), (4, 0.41)):
            value = tf.Summary.Value(tag="loss", simple_value=loss)
            writer.add_summary(tf.Summary(value=[value]), step)

    def steps_with(make: str, *arguments: Any, **options: Any) -> int:
        folder = tmp_path / make / str(len(list(tmp_path.glob(f"{make}/*"))))
        trained = made(folder)
        hook = getattr(tf.estimator.experimental, make)(
            trained,
            "loss",
            *arguments,
            eval_dir=estimator.eval_dir(),
            run_every_secs=None,
            run_every_steps=1,
            **options,
        )
        trained.train(training_data, hooks=[hook], steps=4)
        return int(trained.get_variable_value("global_step"))

    assert steps_with("stop_if_lower_hook", 0.42) == 1
    assert steps_with("stop_if_lower_hook", 0.3) == 4
    assert steps_with("stop_if_higher_hook", 0.48) == 1
    assert steps_with("stop_if_higher_hook", 0.48, min_steps=2) == 4
    assert steps_with("stop_if_no_decrease_hook", 2) == 1
    assert steps_with("stop_if_no_decrease_hook", 3) == 4
    assert steps_with("stop_if_no_increase_hook", 3) == 1


def test_in_memory_evaluator(tmp_path: Path) -> None:
    estimator = made(tmp_path)
    hook = tf.estimator.experimental.InMemoryEvaluatorHook(
        estimator, evaluation_data, every_n_iter=2
    )
    estimator.train(training_data, hooks=[hook], steps=3)
    (events,) = Path(estimator.eval_dir()).iterdir()
    losses = {
        event.step: {value.tag: value.simple_value for value in event.summary.value}["loss"]
        for event in tf.train.summary_iterator(str(events))
        if event.summary.value
    }
    assert list(losses) == [0, 2, 3]
    result = estimator.evaluate(evaluation_data, name="checkpoint")
    np.testing.assert_allclose(losses[3], result["loss"], rtol=1e-6)
    with pytest.raises(ValueError, match="invalid every_n_iter=0"):
        tf.estimator.experimental.InMemoryEvaluatorHook(estimator, evaluation_data, every_n_iter=0)


def test_added_metrics(tmp_path: Path) -> None:
    def positive(labels: Any, predictions: Any) -> dict[str, Any]:
        return {"positive": tf.metrics.mean(labels), "predicted": tf.metrics.mean(predictions["c"])}

    estimator = made(tmp_path).train(training_data, steps=5)
    more = tf.estimator.add_metrics(estimator, positive)
    result = more.evaluate(evaluation_data)
    assert sorted(result) == ["accuracy", "global_step", "loss", "positive", "predicted"]
    np.testing.assert_allclose(result["positive"], LABELS.mean())
    assert "positive" not in estimator.evaluate(evaluation_data)
    with pytest.raises(ValueError, match=r"has following not expected args: \['z'\]"):
        tf.estimator.add_metrics(estimator, lambda z: {})


def test_an_evaluator_task_evaluates_until_the_last_step(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made(tmp_path).train(training_data, max_steps=3)
    monkeypatch.setenv(
        "TF_CONFIG",
        '{"cluster": {"chief": ["a:1"]}, "task": {"type": "evaluator", "index": 0}}',
    )
    tf.estimator.train_and_evaluate(
        made(tmp_path),
        tf.estimator.TrainSpec(training_data, max_steps=3),
        tf.estimator.EvalSpec(evaluation_data, steps=1, start_delay_secs=0, throttle_secs=0),
    )
    assert list((tmp_path / "eval").iterdir())


def in_cluster(monkeypatch: pytest.MonkeyPatch, folder: Path, cluster: Any, job: str) -> Any:
    """The Estimator of the first task of a job."""
    config = {"cluster": cluster, "task": {"type": job, "index": 0}}
    monkeypatch.setenv("TF_CONFIG", json.dumps(config))
    return made(folder)


@pytest.mark.parametrize("chief", ["chief", "master"])
def test_a_cluster(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, chief: str) -> None:
    addresses = [f"localhost:{port}" for port in free_ports(2)]
    cluster = {chief: addresses[:1], "ps": addresses[1:]}
    train_spec = tf.estimator.TrainSpec(training_data, max_steps=40)
    eval_spec = tf.estimator.EvalSpec(evaluation_data, start_delay_secs=0, throttle_secs=0)
    ps = in_cluster(monkeypatch, tmp_path, cluster, "ps")
    serving = threading.Thread(
        target=tf.estimator.train_and_evaluate, args=(ps, train_spec, eval_spec), daemon=True
    )
    serving.start()
    estimator = in_cluster(monkeypatch, tmp_path, cluster, chief)
    devices: dict[str, str] = {}

    class Devices(tf.train.SessionRunHook):  # type: ignore[misc]
        def begin(self) -> None:
            devices.update((v.op.name, v.device) for v in tf.global_variables())

    train_spec = train_spec._replace(hooks=[Devices()])
    tf.estimator.train_and_evaluate(estimator, train_spec, eval_spec)
    assert estimator.get_variable_value("global_step") == 40
    # The variables were on the parameter server, which goes on.
    assert devices["dense/kernel"] == "/job:ps/task:0"
    assert serving.is_alive()
    if chief == "chief":
        cluster = {**cluster, "worker": ["localhost:1"]}
        evaluator = in_cluster(monkeypatch, tmp_path, cluster, "evaluator")
        tf.estimator.train_and_evaluate(evaluator, train_spec, eval_spec)
    # The master has evaluated, or the evaluator.
    assert list(tmp_path.glob("eval/events*"))


def test_devices_of_estimators_in_a_cluster(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cluster = {"chief": ["a:1"], "ps": ["b:1", "c:1"], "worker": ["d:1"]}
    estimator = in_cluster(monkeypatch, tmp_path, cluster, "worker")
    with tf.device(estimator._device_fn):
        places = [tf.Variable(1.0).device, tf.Variable(2.0).device, tf.no_op().device]
    assert places == ["/job:ps/task:0", "/job:ps/task:1", "/job:worker/task:0"]
    alone = in_cluster(monkeypatch, tmp_path, {"chief": ["a:1"]}, "chief")
    assert alone._device_fn is None


def test_only_training_is_placed(tmp_path: Path) -> None:
    found = []

    def noting(features: Any, labels: Any, mode: str) -> Any:
        spec = model_fn(features, labels, mode)
        found.append(tf.trainable_variables()[0].device)
        return spec

    config = tf.estimator.RunConfig(str(tmp_path), device_fn=lambda op: "/device:CPU:0")
    estimator = tf.estimator.Estimator(noting, config=config)
    estimator.train(training_data, steps=1)
    estimator.evaluate(evaluation_data)
    assert len(list(estimator.predict(lambda: evaluation_data().map(lambda x, _: x)))) == 64
    assert found == ["/device:CPU:0", "", ""]
