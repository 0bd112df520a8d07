"""Cluster resolvers: what the cluster of a program is, and where its master is."""

from __future__ import annotations

import json
import os
from typing import Any

from headwater.base.export import export
from headwater.distributed.cluster_spec import ClusterSpec
from headwater.engine.devices import local_devices


def _with_rpc_layer(address: str, rpc_layer: str | None) -> str:
    return f"{rpc_layer}://{address}" if rpc_layer and address else address


@export("distribute.cluster_resolver.ClusterResolver", "contrib.cluster_resolver.ClusterResolver")
class ClusterResolver:
    """What the cluster is and which of its tasks this process is; subclasses find it out."""

    task_type: str | None = None
    task_id: int | None = None
    rpc_layer: str | None = None

    def cluster_spec(self) -> ClusterSpec:
        """Returns the ClusterSpec.

        Raises:
            NotImplementedError: unless a subclass implements it.
        """
        raise NotImplementedError

    def master(
        self, task_type: str | None = None, task_id: int | None = None, rpc_layer: str | None = None
    ) -> str:
        """Returns the address of a session's master.

        Args:
            task_type: the job of the master; None for what the resolver knows.
            task_id: the index of its task; or None.
            rpc_layer: the protocol, such as "grpc"; or None.

        Returns:
            The address; "" for this process.

        Raises:
            NotImplementedError: unless a subclass implements it.
        """
        raise NotImplementedError

    def num_accelerators(
        self, task_type: str | None = None, task_id: int | None = None, config_proto: Any = None
    ) -> dict[str, int]:
        """The number of accelerators of a worker, by type: those of this machine.

        Args:
            task_type: the job of the worker.
            task_id: its index.
            config_proto: a ConfigProto for the session that lists them; or None.

        Returns:
            Numbers by type, without CPUs.
        """
        kinds = [device.device_type for device in local_devices(config_proto)]
        return {kind: kinds.count(kind) for kind in dict.fromkeys(kinds) if kind != "CPU"}

    @property
    def environment(self) -> str:
        """Where the program runs: "" or the name of a cloud."""
        return ""


@export(
    "distribute.cluster_resolver.SimpleClusterResolver",
    "contrib.cluster_resolver.SimpleClusterResolver",
)
class SimpleClusterResolver(ClusterResolver):
    """A cluster that the program states.

    Args:
        cluster_spec: the ClusterSpec.
        master: the address of the master, unless a task is given.
        task_type: the job of this task; or None.
        task_id: its index; or None.
        environment: where the program runs.
        num_accelerators: how many accelerators a task has, by kind; or None.
        rpc_layer: the protocol; or None.

    Raises:
        TypeError: if `cluster_spec` is something else.
    """

    def __init__(
        self,
        cluster_spec: ClusterSpec,
        master: str = "",
        task_type: str | None = None,
        task_id: int | None = None,
        environment: str = "",
        num_accelerators: dict[str, int] | None = None,
        rpc_layer: str | None = None,
    ) -> None:
        if not isinstance(cluster_spec, ClusterSpec):
            raise TypeError("cluster_spec must be a ClusterSpec.")
        self.task_type = task_type
        self.task_id = task_id
        self.rpc_layer = rpc_layer
        self._environment = environment
        self._num_accelerators = num_accelerators
        self._cluster_spec = cluster_spec
        self._master = master

    def cluster_spec(self) -> ClusterSpec:
        """Returns the ClusterSpec."""
        return self._cluster_spec

    def master(
        self, task_type: str | None = None, task_id: int | None = None, rpc_layer: str | None = None
    ) -> str:
        """Returns the address of a task, or of the master that the program states.

        Args:
            task_type: the job; or None.
            task_id: the index of the task; or None.
            rpc_layer: the protocol; or None.

        Returns:
            The address.
        """
        if task_type is not None and task_id is not None:
            address = self._cluster_spec.task_address(task_type, task_id)
        else:
            address = self._master
        return _with_rpc_layer(address, rpc_layer or self.rpc_layer)

    @property
    def environment(self) -> str:
        """Where the program runs."""
        return self._environment

    def num_accelerators(
        self,
        task_type: str | None = None,
        task_id: int | None = None,
        config_proto: Any = None,
    ) -> dict[str, int]:
        """Returns how many accelerators a task has, by kind.

        Args:
            task_type: has no effect, like the other arguments.

        Returns:
            A dict.
        """
        return self._num_accelerators or {}


@export(
    "distribute.cluster_resolver.TFConfigClusterResolver",
    "contrib.cluster_resolver.TFConfigClusterResolver",
)
class TFConfigClusterResolver(ClusterResolver):
    """A cluster that the environment variable TF_CONFIG states.

    Args:
        task_type: the job of this task, instead of that in TF_CONFIG; or None.
        task_id: its index; or None.
        rpc_layer: the protocol; or None.
        environment: where the program runs; or None.
    """

    def __init__(
        self,
        task_type: str | None = None,
        task_id: int | None = None,
        rpc_layer: str | None = None,
        environment: str | None = None,
    ) -> None:
        config = self._config()
        task = config.get("task", {})
        self.task_type = str(task["type"]) if task_type is None and "type" in task else task_type
        self.task_id = int(task["index"]) if task_id is None and "index" in task else task_id
        self.rpc_layer = rpc_layer if rpc_layer is not None else config.get("rpc_layer")
        self._environment = environment

    @staticmethod
    def _config() -> dict[str, Any]:
        config: dict[str, Any] = json.loads(os.environ.get("TF_CONFIG", "{}"))
        return config

    @property
    def environment(self) -> str:
        """Where the program runs."""
        if self._environment is not None:
            return self._environment
        return str(self._config().get("environment", ""))

    def cluster_spec(self) -> ClusterSpec:
        """Returns the ClusterSpec."""
        return ClusterSpec(self._config().get("cluster", {}))

    def master(
        self, task_type: str | None = None, task_id: int | None = None, rpc_layer: str | None = None
    ) -> str:
        """Returns the address of a task; "" if there is no cluster of several tasks.

        Args:
            task_type: the job; that of this task by default.
            task_id: the index of the task; that of this task by default.
            rpc_layer: the protocol; or None.

        Returns:
            The address.
        """
        cluster = self.cluster_spec()
        if sum(cluster.num_tasks(job) for job in cluster.jobs) <= 1:
            return ""
        job = task_type if task_type is not None else self.task_type
        index = task_id if task_id is not None else self.task_id
        address = cluster.task_address(job or "", index or 0)
        return _with_rpc_layer(address, rpc_layer or self.rpc_layer)


@export(
    "distribute.cluster_resolver.TPUClusterResolver", "contrib.cluster_resolver.TPUClusterResolver"
)
class TPUClusterResolver(ClusterResolver):
    """The addresses of TPU workers, which the program states. No service of a cloud is asked.

    Args:
        tpu: the addresses, "grpc://HOST:PORT" with commas between them; "" or "local" for this
            process.
        zone: for the service of the cloud, like project, credentials, service and discovery_url.
        job_name: the job of the workers.
        coordinator_name: the job of the coordinator; or None.
        coordinator_address: its address; or None.

    Raises:
        ValueError: if `tpu` is None.
    """

    def __init__(
        self,
        tpu: str | None = None,
        zone: str | None = None,
        project: str | None = None,
        job_name: str = "worker",
        coordinator_name: str | None = None,
        coordinator_address: str | None = None,
        credentials: Any = "default",
        service: Any = None,
        discovery_url: str | None = None,
    ) -> None:
        if isinstance(tpu, (list, tuple)):
            tpu = tpu[0]
        if tpu is None:
            raise ValueError("Please provide a TPU Name to connect to.")
        self._tpu = tpu.decode() if isinstance(tpu, bytes) else tpu
        if not self._is_local and not self._tpu.startswith("grpc://"):
            raise ValueError(
                f"The address of the TPU {self._tpu!r} is not known. Hint: state it as "
                "grpc://HOST:PORT; the services of a cloud are not asked here."
            )
        self.task_type = job_name
        self.task_id = 0
        self.rpc_layer = None if self._is_local else "grpc"
        self._coordinator = (coordinator_name, coordinator_address)

    @property
    def _is_local(self) -> bool:
        return self._tpu in ("", "local")

    def master(
        self, task_type: str | None = None, task_id: int | None = None, rpc_layer: str | None = None
    ) -> str:
        """Returns the address of the first worker, or of another task.

        Args:
            task_type: the job; or None.
            task_id: the index of the task; or None.
            rpc_layer: the protocol; or None.

        Returns:
            The address; that of this process is `tpu` itself.
        """
        if self._is_local:
            return self._tpu
        if task_type is not None and task_id is not None:
            address = self.cluster_spec().task_address(task_type, task_id)
        else:
            address = self._addresses()[0]
        return _with_rpc_layer(address, rpc_layer or self.rpc_layer)

    def get_master(self) -> str:
        """Returns `master()`."""
        return self.master()

    def get_job_name(self) -> str | None:
        """Returns the job of the workers where a service of the cloud states it: None here."""
        return None

    def _addresses(self) -> list[str]:
        return [worker.split("://")[-1] for worker in self._tpu.split(",")]

    def cluster_spec(self) -> ClusterSpec:
        """Returns the ClusterSpec of the workers and the coordinator; empty for this process."""
        if self._is_local:
            return ClusterSpec({})
        jobs = {self.task_type or "worker": self._addresses()}
        name, address = self._coordinator
        if name and address:
            jobs[name] = [address]
        return ClusterSpec(jobs)
