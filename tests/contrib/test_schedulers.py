"""Cluster resolvers of schedulers and clouds, with answers of TensorFlow 1.15.5."""

from __future__ import annotations

import os
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import headwater as tf

resolvers = tf.distribute.cluster_resolver
NODES = ["t02n13", "t02n41", "t02n43", "t02n44"]


@pytest.fixture
def slurm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """A job of 8 tasks on 4 nodes, of which this is the sixth."""
    tool = tmp_path / "scontrol"
    tool.write_text("#!/bin/sh\nprintf '" + "\\n".join(NODES) + "\\n'\n")
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    for name, value in {"PROCID": "5", "NTASKS": "8", "NTASKS_PER_NODE": "2"}.items():
        monkeypatch.setenv(f"SLURM_{name}", value)
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    return monkeypatch


def test_slurm(slurm: pytest.MonkeyPatch) -> None:
    resolver = resolvers.SlurmClusterResolver({"ps": 1, "worker": 7}, gpus_per_node=2)
    addresses = [f"{node}:{port}" for node in NODES for port in (8888, 8889)]
    expected = {"ps": addresses[:1], "worker": addresses[1:]}
    assert resolver.cluster_spec().as_dict() == expected
    assert resolver.get_task_info() == ("worker", 4)
    assert resolver.master() == "grpc://t02n43:8889"
    assert resolver.master("worker", 1, "test") == "test://t02n41:8888"
    assert os.environ["CUDA_VISIBLE_DEVICES"] == "1"
    with pytest.raises(RuntimeError, match="Requested more tasks then assigned tasks"):
        resolvers.SlurmClusterResolver({"worker": 9}, gpus_per_node=2)
    with pytest.raises(RuntimeError, match="Requested more GPUs per node then available"):
        resolvers.SlurmClusterResolver({"ps": 1, "worker": 7})
    slurm.delenv("SLURM_NTASKS_PER_NODE")
    with pytest.raises(RuntimeError, match="Neither `tasks_per_node` or SLURM_NTASKS_PER_NODE"):
        resolvers.SlurmClusterResolver({"ps": 1, "worker": 7})


class Pods:
    """An API client: two pods for each selector."""

    def __init__(self, phase: str = "Running") -> None:
        self._phase = phase
        self.selectors: list[str] = []

    def list_pod_for_all_namespaces(self, label_selector: str) -> Any:
        self.selectors.append(label_selector)
        return SimpleNamespace(
            items=[
                SimpleNamespace(
                    status=SimpleNamespace(phase=self._phase, host_ip=f"10.1.2.{number}"),
                    metadata=SimpleNamespace(name="pod7"),
                )
                for number in (3, 4)
            ]
        )


def test_kubernetes() -> None:
    pods = Pods()
    resolver = resolvers.KubernetesClusterResolver(override_client=pods)
    assert resolver.cluster_spec().as_dict() == {"worker": ["10.1.2.3:8470", "10.1.2.4:8470"]}
    assert pods.selectors == ["job-name=tensorflow"]
    assert resolver.master() == ""
    assert resolver.master("worker", 1) == "grpc://10.1.2.4:8470"
    assert resolver.master("worker", 0, "http") == "http://10.1.2.3:8470"
    labels = {"worker": ["job=a"], "ps": ["job=b"]}
    resolver = resolvers.KubernetesClusterResolver(labels, 1, override_client=Pods())
    assert resolver.cluster_spec().as_dict()["ps"] == ["10.1.2.3:1", "10.1.2.4:1"]
    failing = resolvers.KubernetesClusterResolver(override_client=Pods("Failed"))
    with pytest.raises(RuntimeError, match='Pod "pod7" is not running; phase: "Failed"'):
        failing.cluster_spec()


class Request:
    def __init__(self, response: Any) -> None:
        self._response = response

    def execute(self) -> Any:
        return self._response


class Compute:
    """A client of Google's API: a group of two machines, on two pages."""

    def instanceGroups(self) -> Any:
        return self

    def instances(self) -> Any:
        return self

    def listInstances(self, **arguments: Any) -> Request:
        assert arguments["instanceGroups"] == "group"
        return Request({"items": [{"instance": "https://x/zones/z/instances/i-2"}]})

    def listInstances_next(self, previous_request: Any, previous_response: Any) -> Any:
        if previous_response["items"][0]["instance"].endswith("i-1"):
            return None
        return Request({"items": [{"instance": "https://x/i-1"}]})

    def get(self, project: str, zone: str, instance: str) -> Request:
        return Request({"networkInterfaces": [{"networkIP": f"10.0.0.{instance[-1]}"}]})


def test_compute_engine() -> None:
    resolver = resolvers.GCEClusterResolver("p", "z", "group", 8470, service=Compute())
    assert resolver.cluster_spec().as_dict() == {"worker": ["10.0.0.1:8470", "10.0.0.2:8470"]}
    assert resolver.master() == "grpc://10.0.0.1:8470"
    assert resolver.master("worker", 1, "x") == "x://10.0.0.2:8470"


def simple(cluster: Any, **more: Any) -> Any:
    return resolvers.SimpleClusterResolver(tf.train.ClusterSpec(cluster), **more)


def test_unions() -> None:
    first = simple({"worker": ["a:1", "b:1"]}, master="m0", rpc_layer="grpc")
    union = resolvers.UnionResolver(first, simple({"ps": ["c:1"], "worker": ["d:1"]}))
    assert union.cluster_spec().as_dict() == {"worker": ["a:1", "b:1", "d:1"], "ps": ["c:1"]}
    assert (union.master(), union.rpc_layer, union.task_id) == ("grpc://m0", "grpc", None)
    assert union.master("worker", 1) == "b:1"
    named = resolvers.UnionResolver(first, rpc_layer="x", task_type="worker", task_id=1)
    assert named.master("worker", 0) == "x://a:1"
    numbered = resolvers.UnionResolver(first, simple({"worker": {3: "e:1"}}))
    assert numbered.cluster_spec().as_dict() == {"worker": {0: "a:1", 1: "b:1", 3: "e:1"}}
    with pytest.raises(KeyError, match="Duplicate keys detected when merging two ClusterSpecs"):
        resolvers.UnionResolver(first, simple({"worker": {1: "f:1"}})).cluster_spec()
    with pytest.raises(ValueError, match="At least one ClusterResolver is required"):
        resolvers.UnionResolver()
    with pytest.raises(TypeError, match="must be a sub-class of `ClusterResolver"):
        resolvers.UnionResolver(3)
    with pytest.raises(ValueError, match="Unexpected kwargs provided"):
        resolvers.UnionResolver(first, foo=1)
