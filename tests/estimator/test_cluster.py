"""Estimators as tasks of a cluster; devices and errors are those of TensorFlow 1.15.5."""

from __future__ import annotations

import json
import socket
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest import mock

import pytest

import headwater as tf
from headwater.estimator import cluster, executor


def set_task(monkeypatch: pytest.MonkeyPatch, kind: str, index: int = 0, jobs: Any = None) -> None:
    jobs = jobs or {"chief": ["a:1"], "ps": ["b:2", "b:3"], "worker": ["c:4", "c:5"]}
    config = {"cluster": jobs, "task": {"type": kind, "index": index}}
    monkeypatch.setenv("TF_CONFIG", json.dumps(config))


def free_addresses(count: int) -> list[str]:
    sockets = [socket.create_server(("localhost", 0)) for _ in range(count)]
    ports = [held.getsockname()[1] for held in sockets]
    for held in sockets:
        held.close()
    return [f"localhost:{port}" for port in ports]


# A chief and a parameter server in one process, and the same training without them.
PROGRAM = """
def model_fn(features, labels, mode):
    weight = tf.get_variable("w", [3, 1], initializer=tf.zeros_initializer())
    loss = tf.losses.mean_squared_error(labels, tf.matmul(features, weight))
    step = tf.train.get_global_step()
    train = tf.train.GradientDescentOptimizer(0.1).minimize(loss, step)
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train)

def data():
    rows = np.random.RandomState(0).randn(32, 3).astype(np.float32)
    rows = tf.data.Dataset.from_tensor_slices((rows, rows.sum(1, keepdims=True)))
    return rows.repeat().batch(8)

folder, chief, server = sys.argv[1:]
spec = tf.estimator.TrainSpec(data, max_steps=20)
evaluation = tf.estimator.EvalSpec(data, steps=1)
alone = tf.estimator.Estimator(model_fn, folder + "/alone")
tf.estimator.train_and_evaluate(alone, spec, evaluation)

def set_task(kind):
    jobs = {"chief": [chief], "ps": [server]}
    os.environ["TF_CONFIG"] = json.dumps({"cluster": jobs, "task": {"type": kind, "index": 0}})

set_task("ps")
assert cluster.start_server(tf.estimator.RunConfig()).target == f"grpc://{server}"
set_task("chief")
estimator = tf.estimator.Estimator(model_fn, folder + "/cluster")
tf.estimator.train_and_evaluate(estimator, spec, evaluation)
for name in ("w", "global_step"):
    expected = alone.get_variable_value(name)
    np.testing.assert_allclose(estimator.get_variable_value(name), expected, rtol=1e-5)
"""


def model_fn(features: Any, labels: Any) -> None:
    raise AssertionError  # no graph is built


@pytest.mark.parametrize("library", [tf.estimator, tf.contrib.learn])
def test_variables_are_spread_over_parameter_servers(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, library: Any
) -> None:
    def device_of(op_type: str) -> str:
        return estimator._device_fn(SimpleNamespace(type=op_type, device="", node_def=node))

    node = tf.NodeDef(op="x", name="x")
    alone = {"chief" if library is tf.estimator else "worker": ["a:1"]}
    set_task(monkeypatch, "worker", 1)
    estimator = library.Estimator(model_fn, str(tmp_path), config=library.RunConfig())
    found = [device_of(kind) for kind in ("VariableV2", "VarHandleOp", "MatMul")]
    assert found == ["/job:ps/task:0", "/job:ps/task:1", "/job:worker/task:1"]
    quantiles = device_of("BoostedTreesQuantileStreamResourceHandleOp")
    core = library is tf.estimator
    assert quantiles == ("/job:ps/task:0" if core else "/job:worker/task:1")
    set_task(monkeypatch, next(iter(alone)), jobs=alone)
    estimator = library.Estimator(model_fn, str(tmp_path), config=library.RunConfig())
    assert estimator._device_fn is None


def test_a_chief_trains_with_variables_on_a_parameter_server(
    fork: Callable[..., Any], tmp_path: Path
) -> None:
    setup = """
import json, os, sys
import numpy as np
import headwater as tf
from headwater.estimator import cluster
"""
    done = fork(PROGRAM, str(tmp_path), *free_addresses(2), setup=setup)
    assert done.returncode == 0, done.stderr
    graph = (tmp_path / "cluster" / "graph.pbtxt").read_text()
    assert "/job:ps/task:0" in graph
    assert "/job:chief/task:0" in graph


def started(monkeypatch: pytest.MonkeyPatch, config: Any, kind: str) -> list[Any]:
    """The calls of Server when a task runs that trains nothing."""
    estimator = mock.Mock(spec=tf.estimator.Estimator, config=config)
    train_spec = mock.Mock(spec=tf.estimator.TrainSpec, hooks=[])
    with mock.patch.object(cluster, "Server") as server:
        run = executor.TrainingExecutor(estimator, train_spec, None)
        getattr(run, f"run_{kind}")()
    return server.mock_calls


def test_what_a_server_is_started_with(monkeypatch: pytest.MonkeyPatch) -> None:
    set_task(monkeypatch, "ps", 1)
    options = tf.GPUOptions(allow_growth=True)
    settings = tf.ConfigProto(allow_soft_placement=True, gpu_options=options)
    config = tf.estimator.RunConfig(session_config=settings, protocol="grpc+verbs")
    calls = started(monkeypatch, config, "ps")
    assert calls == [
        mock.call(
            config.cluster_spec,
            job_name="ps",
            task_index=1,
            config=tf.ConfigProto(gpu_options=options),
            start=False,
            protocol="grpc+verbs",
        ),
        mock.call().start(),
        mock.call().join(),
    ]


def test_no_server_is_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    set_task(monkeypatch, "chief", jobs={"chief": ["a:1"]})
    assert started(monkeypatch, tf.estimator.RunConfig(), "chief") == []
    set_task(monkeypatch, "chief")
    config = tf.estimator.RunConfig()
    monkeypatch.setenv("TF_CONFIG", '{"environment": "google"}')
    assert started(monkeypatch, config, "chief") == []


def test_configurations_without_cluster_or_address() -> None:
    def config(**values: Any) -> Any:
        spec = tf.train.ClusterSpec({"worker": ["a:1", "a:2"]})
        known = {"cluster_spec": spec, "master": "grpc://a:1", "task_type": "worker", "task_id": 0}
        return SimpleNamespace(**{**known, **values})

    for lacking in ({"cluster_spec": None}, {"task_type": ""}, {"task_id": None}):
        with pytest.raises(RuntimeError, match="be sure to specify cluster_spec, task_type, and"):
            cluster.start_server(config(**lacking))
    with pytest.raises(RuntimeError, match="be sure to specify master in RunConfig or set"):
        cluster.start_server(config(master=""))


def test_only_training_uses_the_devices_of_the_cluster(tmp_path: Path) -> None:
    def model(features: Any, labels: Any, mode: str) -> Any:
        weight = tf.get_variable("w", [1])
        devices.append(weight.device)
        loss = tf.reduce_sum(features * weight)
        train = tf.train.GradientDescentOptimizer(0.1).minimize(loss, tf.train.get_global_step())
        return tf.estimator.EstimatorSpec(mode, {"y": features * weight}, loss, train)

    def ones() -> Any:
        return tf.ones([1, 1]), tf.ones([1, 1])

    def receiver() -> Any:
        x = tf.placeholder(tf.float32, [1, 1])
        return tf.estimator.export.TensorServingInputReceiver(x, x)

    devices: list[str] = []
    config = tf.estimator.RunConfig(device_fn=lambda op: "/device:CPU:0")
    estimator = tf.estimator.Estimator(model, str(tmp_path), config)
    estimator.train(ones, steps=1)
    estimator.evaluate(ones, steps=1)
    next(estimator.predict(ones))
    estimator.export_savedmodel(str(tmp_path / "export"), receiver)
    assert devices == ["/device:CPU:0", "", "", ""]
