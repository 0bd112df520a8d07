"""Strategies whose variables are on one device, or on the parameter servers of a cluster."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from contextlib import contextmanager
from typing import Any

from headwater.base import errors
from headwater.base.export import export
from headwater.distributed.cluster_spec import ClusterSpec
from headwater.distributed.device_setter import replica_device_setter
from headwater.distributed.replicas.inputs import InputContext
from headwater.distributed.replicas.strategy import Strategy, StrategyExtended
from headwater.distributed.replicas.values import canonical
from headwater.graph import replication
from headwater.graph.default_graph import device as in_device
from headwater.model.variables.variable_creation import variable_creator_scope


class ClusterTask:
    """A task of a cluster, as TF_CONFIG or a cluster resolver says it.

    Args:
        cluster: the ClusterSpec; one without jobs is this process alone.
        job: the job of this task.
        index: its index.

    Attributes:
        workers: the number of tasks that train.
        position: the position of this one among them.
    """

    def __init__(self, cluster: ClusterSpec, job: str | None, index: int | None) -> None:
        self.cluster = cluster
        self.job = job or "worker"
        self.index = index or 0
        counts = {name: cluster.num_tasks(name) for name in cluster.jobs}
        leaders = counts.get("chief", 0) + counts.get("master", 0)
        self.workers = max(1, leaders + counts.get("worker", 0))
        self.position = self.index + (leaders if self.job == "worker" else 0)

    @staticmethod
    def of_environment() -> ClusterTask:
        """The task that the environment variable TF_CONFIG names."""
        config = json.loads(os.environ.get("TF_CONFIG") or "{}")
        task = config.get("task", {})
        return ClusterTask(
            ClusterSpec(config.get("cluster", {})), task.get("type"), task.get("index")
        )

    @staticmethod
    def of_resolver(resolver: Any) -> ClusterTask:
        """The task that a cluster resolver names; that of TF_CONFIG for None."""
        if resolver is None:
            return ClusterTask.of_environment()
        return ClusterTask(resolver.cluster_spec(), resolver.task_type, resolver.task_id)

    @property
    def has_parameter_servers(self) -> bool:
        """Whether the cluster has parameter servers."""
        return "ps" in self.cluster.jobs


class ParameterServerExtended(StrategyExtended):
    """One replica; its variables are elsewhere.

    Args:
        container_strategy: the strategy.
        worker_device: where it computes.
        parameter_device: where variables are: a device, or a function of an op.
        task: this task of the cluster.
    """

    experimental_between_graph = True

    def __init__(
        self,
        container_strategy: Strategy,
        worker_device: str,
        parameter_device: str | Callable[[Any], str],
        task: ClusterTask | None = None,
    ) -> None:
        super().__init__(container_strategy)
        self._device = worker_device
        self._parameter_device = parameter_device
        self._task = task or ClusterTask(ClusterSpec({}), None, None)
        # The chief saves checkpoints and writes summaries.
        self.should_checkpoint = self.should_save_summary = self._task.position == 0

    @contextmanager
    def _scope(self, strategy: Strategy) -> Any:
        def place(next_creator: Callable[..., Any], **kwargs: Any) -> Any:
            # As in TensorFlow, the variables of these strategies are resources.
            kwargs["use_resource"] = True
            with in_device(None), in_device(self._parameter_device):
                return next_creator(**kwargs)

        with replication.Entered(replication.Mode(strategy, None)), variable_creator_scope(place):
            yield strategy

    @property
    def worker_devices(self) -> tuple[str, ...]:
        """The device that computes."""
        return (self._device,)

    @property
    def parameter_devices(self) -> tuple[str, ...]:
        """The devices that have variables."""
        if isinstance(self._parameter_device, str):
            return (self._parameter_device,)
        count = self._task.cluster.num_tasks("ps")
        return tuple(f"/job:ps/replica:0/task:{index}" for index in range(count))

    def input_context(self) -> InputContext:
        """Which part of the input this worker reads."""
        return InputContext(self._task.workers, self._task.position, 1)


def _refuse_accelerators(name: str, count: int) -> None:
    if count > 1:
        raise errors.UnimplementedError(
            None, None, f"{name} on {count} accelerators of a worker", hint="use one of them."
        )


def _extended(strategy: Strategy, task: ClusterTask, accelerators: int) -> ParameterServerExtended:
    kind = "GPU" if accelerators else "CPU"
    if not task.has_parameter_servers:
        device = f"/replica:0/task:0/device:{kind}:0"
        return ParameterServerExtended(strategy, device, "/device:CPU:0", task)
    worker = f"/job:{task.job}/replica:0/task:{task.index}/device:{kind}:0"
    setter = replica_device_setter(worker_device=worker, cluster=task.cluster)
    assert setter is not None
    return ParameterServerExtended(strategy, worker, setter, task)


@export("distribute.experimental.ParameterServerStrategy")
class ParameterServerStrategy(Strategy):
    """Workers that train asynchronously; the variables are on parameter servers, in turn.

    Args:
        cluster_resolver: a ClusterResolver; None for the cluster of TF_CONFIG. Without a cluster,
            this process is the only worker and has the variables.
    """

    def __init__(self, cluster_resolver: Any = None) -> None:
        super().__init__(_extended(self, ClusterTask.of_resolver(cluster_resolver), 0))


@export("contrib.distribute.ParameterServerStrategy")
class ContribParameterServerStrategy(Strategy):
    """Workers that train asynchronously; the variables are on parameter servers, in turn.

    Args:
        num_gpus_per_worker: the number of GPUs of each worker: 0 or 1.

    Raises:
        UnimplementedError: for more.
    """

    def __init__(self, num_gpus_per_worker: int = 0) -> None:
        _refuse_accelerators("ParameterServerStrategy", num_gpus_per_worker)
        super().__init__(_extended(self, ClusterTask.of_environment(), num_gpus_per_worker))
        self._extended._global_batch_size = False


@export("distribute.experimental.CentralStorageStrategy")
class CentralStorageStrategy(Strategy):
    """Variables on one device, and computation on another one.

    Args:
        compute_devices: the names of devices that compute; None for the GPU, or the CPU.
        parameter_device: where variables are; None for the CPU.

    Raises:
        UnimplementedError: for several devices that compute.
    """

    def __init__(
        self, compute_devices: Sequence[str] | None = None, parameter_device: str | None = None
    ) -> None:
        _refuse_accelerators("CentralStorageStrategy", len(compute_devices or ()))
        worker = canonical(compute_devices[0] if compute_devices else "/device:CPU:0")
        super().__init__(ParameterServerExtended(self, worker, parameter_device or "/device:CPU:0"))
