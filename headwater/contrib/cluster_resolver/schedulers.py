"""Cluster resolvers that ask Slurm, Kubernetes or Google Compute Engine; and unions of them."""

from __future__ import annotations

import math
import os
import subprocess
from collections.abc import Mapping, Sequence
from typing import Any

from headwater.base.export import export
from headwater.contrib.cluster_resolver.resolvers import ClusterResolver, _with_rpc_layer
from headwater.distributed.cluster_spec import ClusterSpec


class _OwnTaskResolver(ClusterResolver):
    """A resolver that knows which task this process is."""

    rpc_layer: str | None

    def master(
        self, task_type: str | None = None, task_id: int | None = None, rpc_layer: str | None = None
    ) -> str:
        """Returns the address of a task, by default of this one.

        Args:
            task_type: the job.
            task_id: the index of the task.
            rpc_layer: the protocol; or None.
        """
        job = task_type if task_type is not None else self.task_type
        index = task_id if task_id is not None else self.task_id
        if not job or index is None:
            return ""
        address = self.cluster_spec().task_address(job, index)
        return _with_rpc_layer(address, rpc_layer or self.rpc_layer)


@export(
    "distribute.cluster_resolver.SlurmClusterResolver",
    "contrib.cluster_resolver.SlurmClusterResolver",
)
class SlurmClusterResolver(_OwnTaskResolver):
    """The tasks of a Slurm job: in the order of their ranks, job after job.

    Args:
        jobs: the number of tasks by job; their order decides which ranks they get.
        port_base: the port of the first task of a node; the others have the next ones.
        gpus_per_node: the number of GPUs of each node.
        gpus_per_task: the number of GPUs of each task.
        tasks_per_node: the number of tasks on each node; None for SLURM_NTASKS_PER_NODE.
        auto_set_gpu: whether CUDA_VISIBLE_DEVICES is set to the GPUs of this task.
        rpc_layer: the protocol.

    Raises:
        KeyError: outside of a Slurm job.
        RuntimeError: if the numbers do not agree with those of the Slurm job.
    """

    def __init__(
        self,
        jobs: Mapping[str, int],
        port_base: int = 8888,
        gpus_per_node: int = 1,
        gpus_per_task: int = 1,
        tasks_per_node: int | None = None,
        auto_set_gpu: bool = True,
        rpc_layer: str | None = "grpc",
    ) -> None:
        self._rank = int(os.environ["SLURM_PROCID"])
        tasks = int(os.environ["SLURM_NTASKS"])
        if tasks_per_node is None:
            if "SLURM_NTASKS_PER_NODE" not in os.environ:
                raise RuntimeError("Neither `tasks_per_node` or SLURM_NTASKS_PER_NODE is set.")
            tasks_per_node = int(os.environ["SLURM_NTASKS_PER_NODE"])
        self._jobs = dict(jobs)
        self._port_base = port_base
        self._gpus_per_node = gpus_per_node
        self._gpus_per_task = gpus_per_task
        self._tasks_per_node = tasks_per_node
        self._auto_set_gpu = auto_set_gpu
        self.rpc_layer = rpc_layer
        if gpus_per_task * tasks_per_node > gpus_per_node:
            raise RuntimeError("Requested more GPUs per node then available.")
        if sum(self._jobs.values()) != tasks:
            raise RuntimeError("Requested more tasks then assigned tasks.")

    def cluster_spec(self) -> ClusterSpec:
        """The cluster; finds out which of its tasks this process is, too.

        Returns:
            A ClusterSpec.
        """
        hosts = _hosts_of_job()
        tasks = sum(self._jobs.values())
        nodes = math.ceil(tasks / self._tasks_per_node)
        addresses = [
            f"{host}:{self._port_base + place}"
            for host in hosts[:nodes]
            for place in range(self._tasks_per_node)
        ]
        cluster: dict[str, list[str]] = {}
        first = 0
        for job, count in self._jobs.items():
            cluster[job] = addresses[first : first + count]
            if first <= self._rank < first + count:
                self.task_type, self.task_id = job, self._rank - first
            first += count
        if self._auto_set_gpu:
            gpu = self._rank % self._tasks_per_node * self._gpus_per_task
            own = range(gpu, gpu + self._gpus_per_task)
            os.environ["CUDA_VISIBLE_DEVICES"] = ",".join(map(str, own))
        return ClusterSpec(cluster)

    def get_task_info(self) -> tuple[str | None, int | None]:
        """The job and the index of this process, once `cluster_spec` was called.

        Returns:
            A pair.
        """
        return self.task_type, self.task_id


def _hosts_of_job() -> list[str]:
    """The names of the nodes of the Slurm job, as its own tool writes them out."""
    return subprocess.check_output(["scontrol", "show", "hostname"], text=True).split()


@export(
    "distribute.cluster_resolver.KubernetesClusterResolver",
    "contrib.cluster_resolver.KubernetesClusterResolver",
)
class KubernetesClusterResolver(ClusterResolver):
    """The running pods that have some labels.

    Args:
        job_to_label_mapping: label selectors by job; None for pods with ``job-name=tensorflow``,
            which are workers.
        tf_server_port: the port of the servers.
        rpc_layer: the protocol.
        override_client: an API client; None to make one from the configuration of the user.

    Raises:
        ImportError: if there is no client and the package ``kubernetes`` is not installed.
    """

    def __init__(
        self,
        job_to_label_mapping: Mapping[str, Sequence[str]] | None = None,
        tf_server_port: int = 8470,
        rpc_layer: str | None = "grpc",
        override_client: Any = None,
    ) -> None:
        self._labels = job_to_label_mapping or {"worker": ["job-name=tensorflow"]}
        self._port = tf_server_port
        self.rpc_layer = rpc_layer
        self._client = _kubernetes_client() if override_client is None else override_client

    def master(
        self, task_type: str | None = None, task_id: int | None = None, rpc_layer: str | None = None
    ) -> str:
        """Returns the address of a task; "" without job and index.

        Args:
            task_type: the job.
            task_id: the index of the task.
            rpc_layer: the protocol; or None.
        """
        job = task_type if task_type is not None else self.task_type
        index = task_id if task_id is not None else self.task_id
        if job is None or index is None:
            return ""
        address = self.cluster_spec().task_address(job, index)
        return _with_rpc_layer(address, rpc_layer or self.rpc_layer)

    def cluster_spec(self) -> ClusterSpec:
        """Returns the ClusterSpec of the pods.

        Raises:
            RuntimeError: if a pod is not running.
        """
        cluster: dict[str, list[str]] = {}
        for job, selectors in self._labels.items():
            addresses = cluster.setdefault(job, [])
            for selector in selectors:
                pods = self._client.list_pod_for_all_namespaces(label_selector=selector)
                addresses += [self._address_of(pod) for pod in pods.items]
        return ClusterSpec(cluster)

    def _address_of(self, pod: Any) -> str:
        if pod.status.phase != "Running":
            raise RuntimeError(
                f'Pod "{pod.metadata.name}" is not running; phase: "{pod.status.phase}"'
            )
        return f"{pod.status.host_ip}:{self._port}"


def _kubernetes_client() -> Any:
    try:
        from kubernetes import client, config
    except ImportError:
        raise ImportError(
            "The Kubernetes Python client must be installed before using the Kubernetes Cluster "
            "Resolver. To install the Kubernetes Python client, run `pip install kubernetes` on "
            "your command line."
        ) from None
    config.load_kube_config()
    return client.CoreV1Api()


@export(
    "distribute.cluster_resolver.GCEClusterResolver",
    "contrib.cluster_resolver.GCEClusterResolver",
)
class GCEClusterResolver(_OwnTaskResolver):
    """The running machines of an instance group of Google Compute Engine.

    Args:
        project: the name of the project.
        zone: its zone.
        instance_group: the name of the instance group.
        port: the port of the servers.
        task_type: the job of all machines.
        task_id: the index of this one.
        rpc_layer: the protocol.
        credentials: credentials of Google's API client.
        service: a client of the API; None to make one.

    Raises:
        ImportError: if there is no client and ``googleapiclient`` is not installed.
    """

    def __init__(
        self,
        project: str,
        zone: str,
        instance_group: str,
        port: int,
        task_type: str = "worker",
        task_id: int = 0,
        rpc_layer: str | None = "grpc",
        credentials: Any = "default",
        service: Any = None,
    ) -> None:
        self._place = {"project": project, "zone": zone}
        self._group = instance_group
        self._port = port
        self.task_type = task_type
        self.task_id = task_id
        self.rpc_layer = rpc_layer
        self._service = _compute_service(credentials) if service is None else service

    def cluster_spec(self) -> ClusterSpec:
        """Returns the ClusterSpec: the running machines in the order of their names."""
        groups, instances = self._service.instanceGroups(), self._service.instances()
        request = groups.listInstances(
            **self._place,
            instanceGroups=self._group,
            body={"instanceState": "RUNNING"},
            orderBy="name",
        )
        addresses: list[str] = []
        while request is not None:
            response = request.execute()
            for item in response["items"]:
                name = item["instance"].rpartition("/")[2]
                machine = instances.get(**self._place, instance=name).execute()
                address = machine["networkInterfaces"][0]["networkIP"]
                addresses.append(f"{address}:{self._port}")
            request = groups.listInstances_next(
                previous_request=request, previous_response=response
            )
        addresses.sort()
        return ClusterSpec({str(self.task_type): addresses})


def _compute_service(credentials: Any) -> Any:
    try:
        from googleapiclient import discovery
    except ImportError:
        raise ImportError(
            "googleapiclient must be installed before using the GCE cluster resolver"
        ) from None
    if credentials == "default":
        from oauth2client.client import GoogleCredentials

        credentials = GoogleCredentials.get_application_default()
    return discovery.build("compute", "v1", credentials=credentials)


@export(
    "distribute.cluster_resolver.UnionResolver", "contrib.cluster_resolver.UnionClusterResolver"
)
class UnionResolver(ClusterResolver):
    """The clusters of several resolvers as one; the first one knows the master.

    Args:
        *args: the resolvers.
        **kwargs: `task_type`, `task_id` and `rpc_layer`, where they are not those of the first.

    Raises:
        TypeError: if one is not a ClusterResolver.
        ValueError: if there are none, or for other arguments.
    """

    def __init__(self, *args: ClusterResolver, **kwargs: Any) -> None:
        given = {name: kwargs.pop(name, None) for name in ("rpc_layer", "task_type", "task_id")}
        if kwargs:
            raise ValueError(f"Unexpected kwargs provided {kwargs}")
        if not args:
            raise ValueError("At least one ClusterResolver is required.")
        if not all(isinstance(resolver, ClusterResolver) for resolver in args):
            raise TypeError("All arguments must be a sub-class of `ClusterResolver.`")
        self._resolvers = args
        self._layer = given["rpc_layer"]
        self.rpc_layer = self._layer or args[0].rpc_layer
        self.task_type = given["task_type"]
        self.task_id = given["task_id"]

    def cluster_spec(self) -> ClusterSpec:
        """Returns the ClusterSpec of all: lists are joined, unless a resolver numbers its tasks.

        Raises:
            KeyError: if two give different tasks the same index.
        """
        specs = [resolver.cluster_spec() for resolver in self._resolvers]
        dense = {
            job: all(spec.task_indices(job) == list(range(spec.num_tasks(job))) for spec in having)
            for job in dict.fromkeys(job for spec in specs for job in spec.jobs)
            for having in [[spec for spec in specs if job in spec.jobs]]
        }
        merged: dict[str, Any] = {job: [] if dense[job] else {} for job in dense}
        for spec in specs:
            for job in spec.jobs:
                tasks = {i: spec.task_address(job, i) for i in spec.task_indices(job)}
                if dense[job]:
                    merged[job] += tasks.values()
                    continue
                if both := merged[job].keys() & tasks.keys():
                    raise KeyError(f"Duplicate keys detected when merging two ClusterSpecs: {both}")
                merged[job].update(tasks)
        return ClusterSpec(merged)

    def master(
        self, task_type: str | None = None, task_id: int | None = None, rpc_layer: str | None = None
    ) -> str:
        """Returns the address of a task; by default what the first resolver says.

        Args:
            task_type: the job.
            task_id: the index of the task.
            rpc_layer: the protocol; or None.
        """
        if task_type is not None and task_id is not None:
            address = self.cluster_spec().task_address(task_type, task_id)
            return _with_rpc_layer(address, rpc_layer or self._layer)
        return self._resolvers[0].master(rpc_layer=rpc_layer)

    @property
    def environment(self) -> str:
        """Where the program runs, as the first resolver says."""
        return self._resolvers[0].environment
