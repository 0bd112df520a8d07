"""Strategies whose workers train synchronously by collectives: here with one worker."""

from __future__ import annotations

import enum
from typing import Any, NamedTuple

from headwater.base import errors
from headwater.base.export import export
from headwater.distributed.replicas.cross_device import AllReduceCrossDeviceOps
from headwater.distributed.replicas.parameter_servers import ClusterTask
from headwater.distributed.replicas.strategy import OneDeviceExtended, Strategy


@export("distribute.experimental.CollectiveCommunication")
class CollectiveCommunication(enum.Enum):
    """How workers add what they have computed."""

    AUTO = "AUTO"
    RING = "RING"
    NCCL = "NCCL"


class CollectiveExtended(OneDeviceExtended):
    """One replica of a strategy whose workers have equal variables."""

    experimental_between_graph = True


def _extended(strategy: Strategy, name: str, accelerators: int) -> CollectiveExtended:
    workers = ClusterTask.of_environment().workers
    if workers > 1 or accelerators > 1:
        count = f"{workers} workers" if workers > 1 else f"{accelerators} accelerators"
        raise errors.UnimplementedError(
            None,
            None,
            f"{name} with {count}",
            hint="tf.train.SyncReplicasOptimizer trains workers synchronously.",
        )
    kind = "GPU" if accelerators else "CPU"
    return CollectiveExtended(strategy, f"/replica:0/task:0/device:{kind}:0")


@export("distribute.experimental.MultiWorkerMirroredStrategy")
class MultiWorkerMirroredStrategy(Strategy):
    """Workers with equal variables, which train synchronously: here one worker.

    Args:
        communication: a CollectiveCommunication.

    Raises:
        UnimplementedError: if TF_CONFIG has several workers.
    """

    def __init__(
        self, communication: CollectiveCommunication = CollectiveCommunication.AUTO
    ) -> None:
        super().__init__(_extended(self, "MultiWorkerMirroredStrategy", 0))
        self._communication = communication


@export("contrib.distribute.CollectiveAllReduceStrategy")
class CollectiveAllReduceStrategy(Strategy):
    """Workers with equal variables, which train synchronously: here one worker.

    Args:
        num_gpus_per_worker: the number of GPUs of each worker: 0 or 1.
        communication: a CollectiveCommunication.

    Raises:
        UnimplementedError: if TF_CONFIG has several workers, or for more GPUs.
    """

    def __init__(
        self,
        num_gpus_per_worker: int = 0,
        communication: CollectiveCommunication = CollectiveCommunication.AUTO,
    ) -> None:
        super().__init__(_extended(self, "CollectiveAllReduceStrategy", num_gpus_per_worker))
        self._communication = communication


@export("contrib.distribute.MultiWorkerAllReduce")
class MultiWorkerAllReduce(AllReduceCrossDeviceOps):
    """Adds on the devices of all workers at once.

    Args:
        worker_devices: the devices.
        num_gpus_per_worker: the number of GPUs of each worker.
        all_reduce_spec: the algorithm.
        num_packs: how many packs values are joined to.
        agg_small_grads_max_bytes: the size of values that count as small.
        agg_small_grads_max_group: how many small values are joined.
    """

    def __init__(
        self,
        worker_devices: Any,
        num_gpus_per_worker: int,
        all_reduce_spec: Any = ("pscpu/pscpu", 2, -1),
        num_packs: int = 0,
        agg_small_grads_max_bytes: int = 0,
        agg_small_grads_max_group: int = 10,
    ) -> None:
        super().__init__(
            all_reduce_spec, num_packs, agg_small_grads_max_bytes, agg_small_grads_max_group
        )
        self._worker_devices = worker_devices
        self._num_gpus_per_worker = num_gpus_per_worker


class _Config(NamedTuple):
    train_distribute: Any
    eval_distribute: Any
    remote_cluster: Any


@export("contrib.distribute.DistributeConfig")
class DistributeConfig(_Config):
    """How an Estimator is distributed, for `RunConfig(experimental_distribute=...)`.

    Args:
        train_distribute: a strategy for training, or None.
        eval_distribute: a strategy for evaluation, or None.
        remote_cluster: a ClusterSpec of tasks that wait for work, or None.
    """

    def __new__(
        cls, train_distribute: Any = None, eval_distribute: Any = None, remote_cluster: Any = None
    ) -> DistributeConfig:
        return super().__new__(cls, train_distribute, eval_distribute, remote_cluster)
