"""TPUEstimator and its parts on devices that are no TPUs, beside TensorFlow 1.15.5."""

import logging as python_logging
import re
from pathlib import Path

import numpy as np
import pytest

import headwater as tf

tpu = tf.contrib.tpu


@pytest.fixture
def log_lines():
    """The texts that are logged, without times and folders."""
    lines = []

    class Handler(python_logging.Handler):
        def emit(self, record):
            text = re.sub(r" (at|into|from) \S+$", r" \1 PLACE", record.getMessage())
            lines.append(re.sub(r"/sec: [\d.e+]+", "/sec: N", text))

    logger, handler = python_logging.getLogger("tensorflow"), Handler()
    logger.addHandler(handler)
    level = tf.logging.get_verbosity()
    tf.logging.set_verbosity(tf.logging.INFO)
    yield lines
    tf.logging.set_verbosity(level)
    logger.removeHandler(handler)


def numbers(params):
    x = np.arange(12, dtype=np.float32).reshape(12, 1)
    examples = tf.data.Dataset.from_tensor_slices((x, x[:, 0] * 2)).repeat(2)
    return examples.batch(params["batch_size"], drop_remainder=True)


def linear(features, labels, mode, params):
    params["seen"].append((mode, params.get("batch_size"), params["use_tpu"]))
    if isinstance(features, dict):
        features = features["feature"]
    weight = tf.get_variable("w", [1, 1], initializer=tf.zeros_initializer())
    y = tf.matmul(features, weight)[:, 0]
    if mode == tf.estimator.ModeKeys.PREDICT:
        return tpu.TPUEstimatorSpec(mode, predictions={"y": y})
    loss = tf.reduce_mean(tf.square(y - labels))
    if mode == tf.estimator.ModeKeys.EVAL:

        def metrics(prediction, truth):
            return {"mae": tf.metrics.mean_absolute_error(truth, prediction)}

        return tpu.TPUEstimatorSpec(mode, loss=loss, eval_metrics=(metrics, [y, labels]))
    step = tf.train.get_or_create_global_step()
    optimizer = tpu.CrossShardOptimizer(tf.train.GradientDescentOptimizer(0.001))

    def host_call(loss):
        writer = tf.contrib.summary.create_file_writer(params["summaries"])
        with writer.as_default(), tf.contrib.summary.always_record_summaries():
            tf.contrib.summary.scalar("recorded", loss, step=step)
            return tf.contrib.summary.all_summary_ops()

    return tpu.TPUEstimatorSpec(
        mode,
        loss=loss,
        train_op=optimizer.minimize(loss, step),
        host_call=(host_call, {"loss": loss}),
        scaffold_fn=lambda: tf.train.Scaffold(),
    )


class Seen(list):
    """A list that copies of hyperparameters share."""

    def __deepcopy__(self, memo):
        return self


def estimator_of(folder, seen=None, **kwargs):
    config = tpu.RunConfig(
        model_dir=str(folder / "model"),
        save_checkpoints_steps=3,
        log_step_count_steps=3,
        tpu_config=tpu.TPUConfig(iterations_per_loop=2),
    )
    sizes = {"train_batch_size": 4, "eval_batch_size": 3, "predict_batch_size": 2}
    params = {"seen": Seen() if seen is None else seen, "summaries": str(folder / "host")}
    arguments = {"use_tpu": False, "params": params, **sizes, **kwargs}
    return tpu.TPUEstimator(linear, config=config, **arguments)


def events(folder, tag):
    return [
        event.step
        for path in Path(folder).glob("*tfevents*")
        for event in tf.train.summary_iterator(str(path))
        for value in event.summary.value
        if value.tag == tag
    ]


def test_a_model_trains_is_evaluated_predicts_and_is_exported(tmp_path, log_lines):
    seen = Seen()
    estimator = estimator_of(tmp_path, seen)
    estimator.train(numbers, max_steps=5)
    model_dir = estimator.model_dir
    results = estimator.evaluate(numbers, steps=3)
    predictions = [float(p["y"]) for p in estimator.predict(numbers)]
    # The numbers of TensorFlow 1.15.5.
    assert results["loss"] == pytest.approx(45.357296, rel=1e-5)
    assert results["mae"] == pytest.approx(5.6583495, rel=1e-5)
    np.testing.assert_allclose(predictions[:3], [0.0, 0.5854127, 1.1708255], rtol=1e-5)
    assert len(predictions) == 24
    path = estimator.export_saved_model(
        str(tmp_path / "export"),
        tf.estimator.export.build_raw_serving_input_receiver_fn(
            {"feature": tf.placeholder(tf.float32, [None, 1])}
        ),
    )
    assert (Path(path.decode()) / "saved_model.pb").exists()
    assert seen == [("train", 4, False), ("eval", 3, False), ("infer", 2, False),
                    ("infer", None, False)]  # fmt: skip
    assert events(model_dir, "examples/sec") == [3, 5]
    assert events(model_dir, "global_step/sec") == [3, 5]
    assert events(tmp_path / "host", "recorded") == [0, 1, 2, 3, 4]
    for line in (
        "_TPUContext: eval_on_tpu True",
        "eval_on_tpu ignored because use_tpu is False.",
        "Running train on CPU",
        "examples/sec: N",
        "training_loop marked as finished",
        "Running eval on CPU",
        "evaluation_loop marked as finished",
        "Running infer on CPU",
        "prediction_loop marked as finished",
    ):
        assert line in log_lines


def test_the_global_step_is_a_resource_variable(tmp_path):
    estimator = estimator_of(tmp_path)
    step = estimator._create_global_step(tf.get_default_graph())
    assert step.op.type == "VarHandleOp"
    assert tf.train.get_global_step() is step


def test_hyperparameters_may_be_hparams(tmp_path):
    params = tf.contrib.training.HParams(rate=0.5)
    estimator = estimator_of(tmp_path, params=params)
    found = estimator._call_input_fn(lambda params: params, tf.estimator.ModeKeys.TRAIN)
    assert found.batch_size == 4 and found.rate == 0.5


def test_without_tpus_their_use_fails_as_in_tensorflow(tmp_path, log_lines):
    estimator = estimator_of(tmp_path, use_tpu=True)
    for run in (
        lambda: estimator.train(numbers, steps=1),
        lambda: estimator.evaluate(numbers, steps=1),
        lambda: next(estimator.predict(numbers)),
    ):
        with pytest.raises(RuntimeError, match="Cannot find any TPU cores in the system"):
            run()
    assert "Reraising captured error" in log_lines


@pytest.mark.parametrize(
    "kwargs, error, message",
    [
        ({"params": {"batch_size": 3}}, ValueError, "are reserved keys but existed in params"),
        ({"use_tpu": True, "train_batch_size": None}, ValueError, "`train_batch_size` cannot be"),
        ({"use_tpu": True, "train_batch_size": 0}, ValueError, "train_batch_size must be positive"),
        ({"use_tpu": True, "predict_batch_size": "a"}, TypeError, "predict_batch_size must be int"),
        ({"export_to_tpu": False, "export_to_cpu": False}, ValueError, "export_to_cpu and"),
    ],
)
def test_arguments_of_the_estimator_are_checked(tmp_path, kwargs, error, message):
    with pytest.raises(error, match=message):
        estimator_of(tmp_path, **kwargs)


def test_functions_must_take_params(tmp_path):
    estimator = estimator_of(tmp_path)
    with pytest.raises(ValueError, match="does not include params argument, required by TPUEst"):
        estimator.train(lambda: None, steps=1)
    with pytest.raises(ValueError, match="`config` must be provided with type"):
        tpu.TPUEstimator(linear, config=tf.estimator.RunConfig())


@pytest.mark.parametrize(
    "kwargs, error, message",
    [
        ({"eval_metrics": 3}, ValueError, "eval_metrics should be tuple or list"),
        ({"eval_metrics": (1, 2, 3)}, ValueError, "eval_metrics should have two elements"),
        ({"host_call": (1, [2])}, TypeError, r"host_call\[0\] should be callable"),
        ({"host_call": (print, 3)}, ValueError, r"host_call\[1\] should be tuple or list, or dict"),
        (
            {"eval_metrics": (lambda a: 1, [2, 3])},
            RuntimeError,
            "length of tensors 2 does not match method args of the function, which takes 1",
        ),
        ({"training_hooks": [3]}, TypeError, "All hooks must be SessionRunHook instances"),
        ({}, ValueError, "Missing train_op"),
    ],
)
def test_specs_are_checked(kwargs, error, message):
    with pytest.raises(error, match=message):
        tpu.TPUEstimatorSpec("train", **kwargs)


@pytest.mark.parametrize(
    "kwargs, message",
    [
        ({"num_shards": 0}, "TPUConfig num_shards must be positive, got 0"),
        ({"iterations_per_loop": 0}, "Invalid TPUConfig `iterations_per_loop` value"),
        ({"iterations_per_loop": "a"}, "Invalid TPUConfig `iterations_per_loop` value"),
        ({"num_cores_per_replica": 3}, "num_cores_per_replica must be 1, 2, 4, 8"),
        ({"input_partition_dims": [[1, 2]]}, "only supported in PER_HOST_V2 mode"),
        ({"eval_training_input_configuration": 1}, "must be PER_HOST_V1 or SLICED; got 1"),
    ],
)
def test_tpu_configurations_are_checked(kwargs, message):
    with pytest.raises(ValueError, match=message):
        tpu.TPUConfig(**kwargs)


def test_run_configurations():
    config = tpu.RunConfig(master="grpc://a:1", tpu_config=tpu.TPUConfig("10s"))
    assert (config.master, config.evaluation_master) == ("grpc://a:1", "grpc://a:1")
    assert tpu.TPUConfig(per_host_input_for_training=False).per_host_input_for_training == 1
    replaced = config.replace(save_summary_steps=3, tpu_config=tpu.TPUConfig(7))
    assert (replaced.save_summary_steps, replaced.tpu_config.iterations_per_loop) == (3, 7)
    assert config.tpu_config.iterations_per_loop == "10s"
    with pytest.raises(ValueError, match="Both master and cluster are set"):
        tpu.RunConfig(master="a", cluster=3)
    with pytest.raises(ValueError, match="Replacing foo is not supported"):
        config.replace(foo=1)


def test_resolvers_state_addresses():
    resolver = tf.contrib.cluster_resolver.TPUClusterResolver("grpc://10.0.0.1:1,grpc://10.0.0.2:1")
    assert resolver.master() == resolver.get_master() == "grpc://10.0.0.1:1"
    assert resolver.cluster_spec().as_dict() == {"worker": ["10.0.0.1:1", "10.0.0.2:1"]}
    assert tpu.RunConfig(cluster=resolver).master == "grpc://10.0.0.1:1"
    assert tf.distribute.cluster_resolver.TPUClusterResolver("local").master() == "local"
    with pytest.raises(ValueError, match="Please provide a TPU Name to connect to"):
        tf.contrib.cluster_resolver.TPUClusterResolver()
    simple = tf.contrib.cluster_resolver.SimpleClusterResolver(
        tf.train.ClusterSpec({"worker": ["a:1", "b:2"]}), master="m", rpc_layer="grpc"
    )
    assert (simple.master(), simple.master("worker", 1)) == ("grpc://m", "grpc://b:2")


def test_the_environment_states_a_cluster(monkeypatch):
    monkeypatch.setenv(
        "TF_CONFIG",
        '{"cluster": {"worker": ["a:1", "b:2"], "ps": ["c:3"]}, "rpc_layer": "grpc",'
        ' "task": {"type": "worker", "index": 1}}',
    )
    resolver = tf.contrib.cluster_resolver.TFConfigClusterResolver()
    assert (resolver.task_type, resolver.task_id) == ("worker", 1)
    assert (resolver.master(), resolver.master("ps", 0)) == ("grpc://b:2", "grpc://c:3")
    monkeypatch.delenv("TF_CONFIG")
    assert tf.contrib.cluster_resolver.TFConfigClusterResolver().master() == ""


def test_computations_have_one_replica_here():
    x = tf.constant([1.0, 2.0])
    (plus_one,) = tpu.rewrite(lambda a: a + 1.0, [x])
    counted = tpu.repeat(3, lambda a: a * 2, [tf.constant(1)])
    grown = tpu.while_loop(lambda a: a < 30, lambda a: a * 3, [tf.constant(1)])
    (gradient,) = tf.gradients(tf.reduce_sum(tf.square(tpu.cross_replica_sum(x))), x)
    with tf.Session() as session:
        values = session.run([plus_one, counted, grown, gradient])
    assert [np.asarray(value).tolist() for value in values] == [[2, 3], [8], 81, [2, 4]]
    with pytest.raises(tf.errors.UnimplementedError, match="needs 8 TPU cores"):
        tpu.shard(lambda a: a, [x], num_shards=8)
    with pytest.raises(ValueError, match="Unsupported reduction: max"):
        tpu.CrossShardOptimizer(tf.train.GradientDescentOptimizer(1.0), reduction="max")


def test_variables_of_bfloat16_are_kept_as_float32():
    with tpu.bfloat16_scope():
        value = tf.get_variable("v", [2], tf.bfloat16)
        other = tf.get_variable("u", [2])
    assert value.dtype == tf.bfloat16
    assert other.dtype == tf.float32_ref
    assert tf.global_variables()[0].dtype == tf.float32_ref
