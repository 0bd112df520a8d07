"""Estimator: training, evaluation, prediction and export, with values of TensorFlow 1.15.5."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import headwater as tf

ROWS = np.random.RandomState(0).randn(64, 3).astype(np.float32)
LABELS = (ROWS.sum(1) > 0).astype(np.int32)


def dataset(batch_size: int = 8) -> Any:
    return tf.data.Dataset.from_tensor_slices(({"x": ROWS}, LABELS)).batch(batch_size)


def training_data() -> Any:
    return dataset().repeat()


def model_fn(features: Any, labels: Any, mode: str, params: Any) -> Any:
    logits = tf.layers.dense(features["x"], 2)
    predictions = {"classes": tf.argmax(logits, 1), "probabilities": tf.nn.softmax(logits)}
    if mode == tf.estimator.ModeKeys.PREDICT:
        outputs = {"classify": tf.estimator.export.PredictOutput(predictions)}
        return tf.estimator.EstimatorSpec(mode, predictions, export_outputs=outputs)
    loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
    train = tf.train.GradientDescentOptimizer(params["rate"]).minimize(
        loss, tf.train.get_global_step()
    )
    metrics = {"accuracy": tf.metrics.accuracy(labels, predictions["classes"])}
    return tf.estimator.EstimatorSpec(mode, None, loss, train, metrics)


def made(folder: Path, **config: Any) -> Any:
    run_config = tf.estimator.RunConfig(str(folder), tf_random_seed=7, **config)
    return tf.estimator.Estimator(model_fn, params={"rate": 0.1}, config=run_config)


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Any:
    return made(tmp_path_factory.mktemp("model")).train(training_data, steps=150)


def test_training_gives_the_same_variables(trained: Any) -> None:
    assert trained.get_variable_names() == ["dense/bias", "dense/kernel", "global_step"]
    bias = trained.get_variable_value("dense/bias")
    np.testing.assert_allclose(bias, [-0.01897393, 0.0189739], rtol=1e-5)
    assert trained.latest_checkpoint() == f"{trained.model_dir}/model.ckpt-150"


def test_evaluation_gives_the_same_metrics(trained: Any) -> None:
    result = trained.evaluate(lambda: dataset(10))
    assert sorted(result) == ["accuracy", "global_step", "loss"]
    assert (result["accuracy"], result["global_step"]) == (1.0, 150)
    np.testing.assert_allclose(result["loss"], 0.1162936, rtol=1e-5)


def test_evaluation_of_some_batches_has_its_own_folder(
    trained: Any, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO", "tensorflow")
    result = trained.evaluate(lambda: dataset(10), steps=3, name="part")
    np.testing.assert_allclose(result["loss"], 0.12608524, rtol=1e-5)
    messages = [record.getMessage() for record in caplog.records]
    assert [m for m in messages if m.startswith("Evaluation [")] == [
        "Evaluation [1/3]",
        "Evaluation [2/3]",
        "Evaluation [3/3]",
    ]
    assert trained.eval_dir("part") == f"{trained.model_dir}/eval_part"
    (events,) = Path(trained.eval_dir("part")).iterdir()
    tags = [
        (event.step, [value.tag for value in event.summary.value])
        for event in tf.train.summary_iterator(str(events))
        if event.HasField("summary")
    ]
    assert tags == [(150, ["accuracy", "loss"]), (150, ["checkpoint_path"])]


def test_predictions_come_one_by_one_or_in_batches(trained: Any) -> None:
    def rows() -> Any:
        return tf.data.Dataset.from_tensor_slices({"x": ROWS[:3]}).batch(2)

    single = list(trained.predict(rows))
    assert [prediction["classes"] for prediction in single] == [1, 1, 1]
    expected = [[0.00110628, 0.9988938], [0.00152519, 0.9984748], [0.16632232, 0.83367765]]
    probabilities = [prediction["probabilities"] for prediction in single]
    np.testing.assert_allclose(probabilities, expected, rtol=1e-4)
    batches = list(trained.predict(rows, ["classes"], yield_single_examples=False))
    assert [batch["classes"].tolist() for batch in batches] == [[1, 1], [1]]
    with pytest.raises(ValueError, match="Expected to run at least one output from"):
        next(trained.predict(rows, ["other"]))


def test_export_has_signatures_and_extra_assets(trained: Any, tmp_path: Path) -> None:
    features = {"x": np.zeros((1, 3), np.float32)}

    def receiver() -> Any:
        tensors = {name: tf.constant(value) for name, value in features.items()}
        return tf.estimator.export.build_raw_serving_input_receiver_fn(tensors)()

    extra = tmp_path / "words.txt"
    extra.write_text("a b")
    path = trained.export_saved_model(
        str(tmp_path / "exports"), receiver, assets_extra={"more/words.txt": str(extra)}
    )
    assert isinstance(path, bytes)
    folder = Path(path.decode())
    assert folder.parent == tmp_path / "exports"
    assert folder.name.isdigit()
    assert (folder / "assets.extra" / "more" / "words.txt").read_text() == "a b"
    with tf.Session(graph=tf.Graph()) as session:
        graph = tf.saved_model.load(session, ["serve"], str(folder))
        signature = graph.signature_def["serving_default"]
        feeds = {signature.inputs["x"].name: ROWS[:3]}
        classes = session.run(signature.outputs["classes"].name, feeds)
    assert sorted(graph.signature_def) == ["classify", "serving_default"]
    assert classes.tolist() == [1, 1, 1]


def test_all_modes_are_exported_into_one_model(trained: Any, tmp_path: Path) -> None:
    with tf.Graph().as_default():
        supervised = tf.estimator.experimental.build_raw_supervised_input_receiver_fn(
            {"x": tf.constant(ROWS[:1])}, {"labels": tf.constant(LABELS[:1])}
        )
        serving = tf.estimator.export.build_raw_serving_input_receiver_fn(
            {"x": tf.constant(ROWS[:1])}
        )
    single = tf.estimator.Estimator(
        lambda features, labels, mode: model_fn(
            features, labels and labels["labels"], mode, {"rate": 0.1}
        ),
        trained.model_dir,
    )
    path = single.experimental_export_all_saved_models(
        str(tmp_path), {"train": supervised, "eval": supervised, "infer": serving}
    )
    keys = {}
    for tag in ("train", "eval", "serve"):
        with tf.Session(graph=tf.Graph()) as session:
            graph = tf.saved_model.load(session, [tag], path.decode())
            (keys[tag], *_) = sorted(graph.signature_def)
    assert keys == {"train": "train", "eval": "eval", "serve": "classify"}


def test_training_goes_on_from_the_checkpoint(tmp_path: Path) -> None:
    first = made(tmp_path).train(training_data, max_steps=5)
    again = made(tmp_path).train(training_data, max_steps=5)
    assert first.latest_checkpoint() == again.latest_checkpoint()
    again.train(training_data, steps=2)
    assert again.get_variable_value("global_step") == 7


def test_the_log_of_training(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO", "tensorflow")
    made(tmp_path, log_step_count_steps=2).train(training_data, steps=3)
    # The last digits of losses differ, and so does the time.
    shown = [
        re.sub(r"(\d\.\d{4})\d*", r"\1", record.getMessage().split(" (")[0])
        for record in caplog.records
    ]
    assert shown[0].startswith("Using config: {'_model_dir'")
    assert [m for m in shown[1:] if "global_step/sec" not in m] == [
        "Calling model_fn.",
        "Done calling model_fn.",
        "Create CheckpointSaverHook.",
        "Graph was finalized.",
        "Running local_init_op.",
        "Done running local_init_op.",
        f"Saving checkpoints for 0 into {tmp_path}/model.ckpt.",
        "loss = 0.2331, step = 1",
        "loss = 0.2794, step = 3",
        f"Saving checkpoints for 3 into {tmp_path}/model.ckpt.",
        "Loss for final step: 0.2794.",
    ]


def test_listeners_and_hooks_are_called(tmp_path: Path) -> None:
    saved: list[int] = []

    class Listener(tf.estimator.CheckpointSaverListener):
        def after_save(self, session: Any, global_step_value: int) -> None:
            saved.append(int(global_step_value))

    made(tmp_path, save_checkpoints_steps=2).train(
        training_data, steps=3, saving_listeners=[Listener()]
    )
    assert saved == [0, 2, 3]
    silent = made(tmp_path / "none", save_checkpoints_steps=None, save_checkpoints_secs=None)
    with pytest.raises(ValueError, match="There should be a CheckpointSaverHook to use"):
        silent.train(training_data, steps=1, saving_listeners=[Listener()])


def test_warm_start_takes_the_variables_of_another_model(trained: Any, tmp_path: Path) -> None:
    settings = tf.estimator.WarmStartSettings(trained.model_dir, ".*kernel")
    config = tf.estimator.RunConfig(str(tmp_path), tf_random_seed=7)
    new = tf.estimator.Estimator(
        model_fn, params={"rate": 0.0}, config=config, warm_start_from=settings
    )
    new.train(training_data, steps=1)
    kernel = trained.get_variable_value("dense/kernel")
    np.testing.assert_array_equal(new.get_variable_value("dense/kernel"), kernel)
    np.testing.assert_array_equal(new.get_variable_value("dense/bias"), [0.0, 0.0])


def test_input_functions_get_what_they_ask_for(tmp_path: Path) -> None:
    given = {}

    def input_fn(mode: str, params: Any, config: Any) -> Any:
        given.update(mode=mode, rate=params["rate"], seed=config.tf_random_seed)
        return training_data()

    made(tmp_path).train(input_fn, steps=1)
    assert given == {"mode": "train", "rate": 0.1, "seed": 7}


def test_wrong_calls_say_what_is_wrong(tmp_path: Path) -> None:
    estimator = made(tmp_path)
    with pytest.raises(ValueError, match="Can not provide both steps and max_steps"):
        estimator.train(training_data, steps=1, max_steps=1)
    with pytest.raises(ValueError, match="Must specify steps > 0, given: 0"):
        estimator.train(training_data, steps=0)
    with pytest.raises(TypeError, match="Hooks must be a SessionRunHook, given: x"):
        estimator.train(training_data, hooks=["x"], steps=1)
    with pytest.raises(ValueError, match="Could not find trained model in model_dir"):
        estimator.get_variable_names()
    with pytest.raises(ValueError, match="Couldn't find trained model at"):
        estimator.export_saved_model(str(tmp_path), lambda: None)
    with pytest.raises(
        ValueError, match="input_fn should return \\(features, labels\\) as a len 2"
    ):
        estimator.train(lambda: (1, 2, 3), steps=1)


def test_wrong_model_functions_are_refused(tmp_path: Path) -> None:
    make = tf.estimator.Estimator
    with pytest.raises(ValueError, match="model_fn must be provided to Estimator"):
        make(None, str(tmp_path))
    with pytest.raises(ValueError, match="must include features argument"):
        make(lambda labels: None, str(tmp_path))
    with pytest.raises(ValueError, match=r"has following not expected args: \['other'\]"):
        make(lambda features, other: None, str(tmp_path))
    with pytest.raises(ValueError, match="model_fn should return an EstimatorSpec"):
        make(lambda features, labels: None, str(tmp_path)).train(training_data, steps=1)
    with pytest.raises(ValueError, match="model_fn does not take labels, but input_fn returns"):
        make(lambda features: None, str(tmp_path)).train(training_data, steps=1)


def test_members_of_estimator_cannot_be_overridden(tmp_path: Path) -> None:
    class Other(tf.estimator.Estimator):
        def train(self) -> None:
            pass

    with pytest.raises(ValueError, match=r"cannot override members.*does override \['train'\]"):
        Other(model_fn, str(tmp_path), params={})


def test_the_check_of_members_can_be_replaced(tmp_path: Path, monkeypatch: Any) -> None:
    class Wider(tf.estimator.Estimator):
        def train(self) -> str:
            return "wider"

    name = "_assert_members_are_not_overridden"
    monkeypatch.setattr(tf.estimator.Estimator, name, staticmethod(lambda _: None))
    assert Wider(model_fn, str(tmp_path), params={}).train() == "wider"


def test_an_estimator_trains_and_evaluates_in_two_replicas(tmp_path):
    strategy = tf.distribute.MirroredStrategy(["/cpu:0", "/cpu:1"])
    x = np.random.RandomState(0).rand(64, 3).astype(np.float32)

    def model(features, labels, mode):
        constant = tf.constant_initializer
        h = tf.layers.dense(features["x"], 4, tf.nn.relu, kernel_initializer=constant(0.1))
        h = tf.layers.batch_normalization(h, training=mode == tf.estimator.ModeKeys.TRAIN)
        p = tf.layers.dense(h, 1, kernel_initializer=constant(0.2))
        loss = tf.losses.mean_squared_error(labels, p)
        optimizer = tf.train.MomentumOptimizer(0.05, 0.9)
        train = optimizer.minimize(loss, tf.train.get_global_step())
        metrics = {"mae": tf.metrics.mean_absolute_error(labels, p)}
        return tf.estimator.EstimatorSpec(mode, p, loss, train, eval_metric_ops=metrics)

    def data():
        pairs = ({"x": x}, x.sum(1, keepdims=True))
        return tf.data.Dataset.from_tensor_slices(pairs).repeat().batch(8)

    config = tf.estimator.RunConfig(
        str(tmp_path),
        train_distribute=strategy,
        eval_distribute=strategy,
        session_config=tf.ConfigProto(device_count={"CPU": 2}),
    )
    estimator = tf.estimator.Estimator(model, config=config)
    estimator.train(data, steps=20)
    # What TensorFlow 1.15.5 gives.
    found = estimator.evaluate(data, steps=3)
    assert found == {
        "loss": pytest.approx(0.2222, abs=1e-4),
        "mae": pytest.approx(0.3891, abs=1e-4),
        "global_step": 20,
    }
    assert not [name for name in estimator.get_variable_names() if "replica" in name]


def test_the_value_of_a_metric_may_be_a_structure(tmp_path: Path) -> None:
    def with_state(features: Any, labels: Any, mode: str) -> Any:
        first, second = tf.metrics.mean(features["x"]), tf.metrics.mean(features["x"] * 2.0)
        metrics = {"state": ((first[0], second[0]), tf.group(first[1], second[1]))}
        step = tf.assign_add(tf.train.get_global_step(), 1)
        return tf.estimator.EstimatorSpec(
            mode, None, tf.constant(1.0), step, eval_metric_ops=metrics
        )

    estimator = tf.estimator.Estimator(with_state, str(tmp_path))
    estimator.train(dataset, steps=1)
    first, second = estimator.evaluate(dataset)["state"]
    assert second == pytest.approx(2 * first)
    with pytest.raises(AttributeError, match="'str' object has no attribute 'graph'"):
        tf.estimator.EstimatorSpec(
            "eval", None, tf.constant(1.0), eval_metric_ops={"a": (("b",), tf.no_op())}
        )
