"""contrib.learn's RunConfig and TF_CONFIG, with values of TensorFlow 1.15.5."""

from __future__ import annotations

import json
from typing import Any

import pytest

import headwater as tf

learn = tf.contrib.learn


def config_of(monkeypatch: pytest.MonkeyPatch, value: dict[str, Any], **arguments: Any) -> Any:
    monkeypatch.setenv("TF_CONFIG", json.dumps(value))
    return learn.RunConfig(**arguments)


PS_AND_WORKERS = {"ps": ["h1:1", "h2:2"], "worker": ["h3:3", "h4:4"]}
WITH_MASTER = {"ps": ["h1:1"], "master": ["h2:2"], "worker": ["h3:3"]}


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"cluster": PS_AND_WORKERS, "task": {"type": "worker", "index": 1}}, ("grpc://h4:4", 0)),
        ({"cluster": PS_AND_WORKERS, "task": {"type": "worker", "index": 0}}, ("grpc://h3:3", 1)),
        ({"cluster": PS_AND_WORKERS, "task": {"type": "ps", "index": "1"}}, ("grpc://h2:2", 0)),
        (
            {"cluster": WITH_MASTER, "task": {"type": "master"}, "environment": "cloud"},
            ("grpc://h2:2", 1),
        ),
        ({"cluster": WITH_MASTER, "task": {"type": "master"}}, ("grpc://h2:2", 0)),
        ({"cluster": {"worker": ["h3:3"]}, "task": {"type": "worker"}}, ("", 1)),
        ({"cluster": {"worker": ["h3:3", "h4:4"]}}, ("", 1)),
        ({"task": {"type": "worker", "index": 3}}, ("", 0)),
        ({}, ("", 1)),
    ],
)
def test_master_and_chief(
    monkeypatch: pytest.MonkeyPatch, value: dict[str, Any], expected: tuple[str, int]
) -> None:
    config = config_of(monkeypatch, value)
    assert (config.master, int(config.is_chief)) == expected


def test_a_task_that_is_not_in_the_cluster(monkeypatch: pytest.MonkeyPatch) -> None:
    cluster = {"worker": ["h3:3"]}
    with pytest.raises(ValueError, match="ps is not a valid task_type in the cluster_spec"):
        config_of(monkeypatch, {"cluster": {**cluster, "a": ["x:1"]}, "task": {"type": "ps"}})
    cluster = {"worker": ["h3:3", "h4:4"]}
    with pytest.raises(ValueError, match="3 is not a valid task_id for task_type worker"):
        config_of(monkeypatch, {"cluster": cluster, "task": {"type": "worker", "index": 3}})


def test_model_dir_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    assert config_of(monkeypatch, {"model_dir": "/q"}).model_dir == "/q"
    with pytest.raises(ValueError, match="must have the same value as the model_dir in TF_CONFIG"):
        config_of(monkeypatch, {"model_dir": "/q"}, model_dir="/r")


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({}, (600, None)),
        ({"save_checkpoints_steps": 5}, (None, 5)),
        ({"save_checkpoints_secs": None}, (None, None)),
        ({"save_checkpoints_secs": 7, "save_checkpoints_steps": 5}, (7, 5)),
    ],
)
def test_intervals_of_checkpoints(arguments: dict[str, Any], expected: Any) -> None:
    config = learn.RunConfig(**arguments)
    assert (config.save_checkpoints_secs, config.save_checkpoints_steps) == expected


def test_uid_leaves_out_what_may_differ() -> None:
    config = learn.RunConfig(model_dir="/a", tf_random_seed=1)
    assert config.uid() == config.replace(tf_random_seed=2).uid()
    assert config.uid() != config.replace(model_dir="/b").uid()
    assert "_tf_random_seed=1" in config.uid(whitelist=["model_dir"])
    assert config.uid().startswith("_cluster_spec=OrderedDict(), _device_fn=None, _environment=")


def test_arguments_of_older_releases() -> None:
    config = learn.RunConfig("", 2, False, 0.5, 1, 10, 60, None, 5, 10000, "grpc://eval:1")
    assert config.evaluation_master == "grpc://eval:1"
    assert config.tf_config.intra_op_parallelism_threads == 2
    assert isinstance(config, tf.estimator.RunConfig)
