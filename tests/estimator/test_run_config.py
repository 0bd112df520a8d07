"""RunConfig: its checks, and what it reads from TF_CONFIG."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

import headwater as tf

CLUSTER = {"chief": ["h0:1"], "ps": ["h1:1", "h2:1"], "worker": ["h3:1", "h4:1"]}
TASK_PROPERTIES = (
    "task_type task_id global_id_in_cluster master evaluation_master is_chief num_ps_replicas "
    "num_worker_replicas"
).split()


def test_an_interval_of_checkpoints_replaces_the_other() -> None:
    config = tf.estimator.RunConfig()
    assert (config.save_checkpoints_secs, config.save_checkpoints_steps) == (600, None)
    by_steps = config.replace(save_checkpoints_steps=3)
    assert (by_steps.save_checkpoints_secs, by_steps.save_checkpoints_steps) == (None, 3)
    assert config.save_checkpoints_secs == 600
    with pytest.raises(ValueError, match="cannot be both set"):
        tf.estimator.RunConfig(save_checkpoints_secs=1, save_checkpoints_steps=1)
    with pytest.raises(ValueError, match=r"Replacing foo is not supported\. Allowed"):
        config.replace(foo=1)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"model_dir": ""}, "model_dir should be non-empty."),
        ({"save_summary_steps": -1}, "save_summary_steps should be >= 0"),
        ({"tf_random_seed": 1.5}, "tf_random_seed must be integer."),
        ({"session_config": {}}, "session_config must be instance of ConfigProto"),
        ({"device_fn": lambda x: 1}, 'device_fn must be callable with exactly one argument "op".'),
        ({"protocol": "x"}, "protocol should be grpc or grpc+verbs"),
        ({"keep_checkpoint_every_n_hours": 0}, "keep_checkpoint_every_n_hours should be > 0"),
        ({"log_step_count_steps": 0}, "log_step_count_steps should be > 0"),
    ],
)
def test_wrong_values_are_refused(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        tf.estimator.RunConfig(**arguments)


@pytest.mark.parametrize(
    ("tf_config", "expected"),
    [
        ({}, ("worker", 0, 0, "", "", True, 0, 1)),
        (
            {"cluster": CLUSTER, "task": {"type": "chief", "index": 0}},
            ("chief", 0, 0, "grpc://h0:1", "", True, 2, 3),
        ),
        (
            {"cluster": CLUSTER, "task": {"type": "worker", "index": 1}},
            ("worker", 1, 2, "grpc://h4:1", "", False, 2, 3),
        ),
        (
            {"cluster": CLUSTER, "task": {"type": "ps", "index": 1}},
            ("ps", 1, 4, "grpc://h2:1", "", False, 2, 3),
        ),
        (
            {"cluster": CLUSTER, "task": {"type": "evaluator", "index": 0}},
            ("evaluator", 0, None, "", "", False, 0, 0),
        ),
        (
            {"cluster": {"chief": ["a:1"]}, "task": {"type": "chief", "index": 0}},
            ("chief", 0, 0, "", "", True, 0, 1),
        ),
        (
            {
                "cluster": {"master": ["a:1"], "worker": ["b:1"]},
                "task": {"type": "worker", "index": 0},
            },
            ("worker", 0, 1, "grpc://b:1", "", False, 0, 2),
        ),
        (
            {"session_master": "abc", "eval_session_master": "def"},
            ("worker", 0, 0, "abc", "def", True, 0, 1),
        ),
    ],
)
def test_tf_config(
    monkeypatch: pytest.MonkeyPatch, tf_config: dict[str, Any], expected: tuple[Any, ...]
) -> None:
    monkeypatch.setenv("TF_CONFIG", json.dumps(tf_config))
    config = tf.estimator.RunConfig()
    assert tuple(getattr(config, name) for name in TASK_PROPERTIES) == expected


@pytest.mark.parametrize(
    ("tf_config", "message"),
    [
        ({"cluster": CLUSTER, "task": {"type": "worker", "index": 9}}, "9 is not a valid task_id"),
        ({"cluster": CLUSTER, "task": {"type": "foo", "index": 0}}, "foo is not a valid task_type"),
        ({"cluster": CLUSTER, "task": {"type": "worker", "index": -1}}, "must be non-negative"),
        ({"cluster": CLUSTER, "task": {"type": "worker"}}, "task index must be set"),
        ({"cluster": CLUSTER, "task": {"index": 0}}, "task type must be set"),
        ({"cluster": {"worker": ["a:1"]}}, 'it must have one "chief" node'),
        ({"cluster": {"chief": ["a:1", "b:1"]}}, 'must have only one "chief" node'),
        ({"task": {"type": "chief"}}, "task type must be WORKER"),
        ({"task": {"index": 2}}, "task index must be 0"),
        ({"model_dir": ""}, "model_dir in TF_CONFIG should be non-empty"),
        (
            {"cluster": {"master": ["a:1"], "chief": ["b:1"]}},
            "If `master` node exists in `cluster`, job `chief` is not supported",
        ),
    ],
)
def test_wrong_tf_config(
    monkeypatch: pytest.MonkeyPatch, tf_config: dict[str, Any], message: str
) -> None:
    monkeypatch.setenv("TF_CONFIG", json.dumps(tf_config))
    with pytest.raises(ValueError, match=message):
        tf.estimator.RunConfig()


def test_cluster_spec() -> None:
    cluster = tf.train.ClusterSpec({"worker": ["a:1", "b:2"], "ps": {3: "c:4"}})
    assert str(cluster) == "ClusterSpec({'ps': {3: 'c:4'}, 'worker': ['a:1', 'b:2']})"
    assert cluster.jobs == ["worker", "ps"]
    assert cluster.job_tasks("ps") == [None, None, None, "c:4"]
    assert cluster == tf.train.ClusterSpec(cluster.as_cluster_def())
    assert not tf.train.ClusterSpec({})
    with pytest.raises(ValueError, match="No such job in cluster: 'x'"):
        cluster.task_indices("x")
    with pytest.raises(ValueError, match="No task with index 0 in job 'ps'"):
        cluster.task_address("ps", 0)
    with pytest.raises(TypeError, match="The tasks for job 'a' must be a list or a dictionary"):
        tf.train.ClusterSpec({"a": 3})
