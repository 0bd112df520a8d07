"""Strategies whose workers train synchronously by collectives."""

from __future__ import annotations

import enum
import itertools
import math
import os
from collections.abc import Sequence
from typing import Any, NamedTuple

from headwater.base import dtypes, process_group
from headwater.base.export import export
from headwater.data.datasets.dataset import DatasetV1
from headwater.data.datasets.distribute import auto_shard
from headwater.distributed.cluster_spec import ClusterSpec
from headwater.distributed.replicas import cross_device, values
from headwater.distributed.replicas.cross_device import AllReduceCrossDeviceOps
from headwater.distributed.replicas.inputs import InputContext
from headwater.distributed.replicas.mirrored import MirroredExtended
from headwater.distributed.replicas.parameter_servers import ClusterTask
from headwater.distributed.replicas.reductions import ReduceOp
from headwater.distributed.replicas.strategy import Strategy
from headwater.engine.devices import local_devices
from headwater.graph import IndexedSlices, Tensor, build, convert_to_tensor
from headwater.graph.default_graph import device as in_device
from headwater.graph.default_graph import name_scope

# The types that collective ops take.
_REDUCED = (dtypes.float16, dtypes.float32, dtypes.float64, dtypes.int32, dtypes.int64)
# The groups of all replicas, and of one of each worker.
_GROUP_KEY = 1
_WORKERS_KEY = 2
# A collective costs as much as copying so many bytes; smaller values are reduced as one vector.
_SMALL_BYTES = 1 << 20


@export("distribute.experimental.CollectiveCommunication")
class CollectiveCommunication(enum.Enum):
    """How workers add what they have computed."""

    AUTO = "AUTO"
    RING = "RING"
    NCCL = "NCCL"


class CollectiveExtended(MirroredExtended):
    """Replicas of several workers, each of which is a process with variables of its own.

    All workers build the same graph, so the instances of their collective ops have the same keys.

    Args:
        container_strategy: the strategy.
        task: this worker of the cluster.
        accelerators: the number of GPUs of each worker; None for all.
    """

    experimental_between_graph = True

    def __init__(
        self, container_strategy: Strategy, task: ClusterTask, accelerators: int | None
    ) -> None:
        if task.job not in ("chief", "master", "worker"):
            # An evaluator has the model for itself.
            task = ClusterTask(ClusterSpec({}), None, None)
        self._task = task
        alone = "/replica:0/task:0"
        name = f"/job:{task.job}/replica:0/task:{task.index}" if task.workers > 1 else alone
        if task.workers > 1:
            process_group.join(_coordinator(task), task.workers, task.position, name)
        count = _gpus() if accelerators is None else accelerators
        kind = "GPU" if count else "CPU"
        devices = [f"{name}/device:{kind}:{i}" for i in range(max(1, count))]
        super().__init__(container_strategy, devices)
        self._first_replica = task.position * len(devices)
        self._num_replicas_in_sync = task.workers * len(devices)
        self._instances = itertools.count(1)
        # The chief saves checkpoints and writes summaries.
        self.should_checkpoint = self.should_save_summary = task.position == 0

    def _reduced(self, kind: ReduceOp, value: Any, destinations: Any) -> Any:
        if self._task.workers == 1:
            return super()._reduced(kind, value, destinations)
        if isinstance(value, values.Mirrored):
            assert kind is ReduceOp.MEAN, "A mirrored value cannot be added up."
            return value
        parts = _parts(value)
        if len(parts) != len(self._devices):
            parts = (parts[0],) * len(self._devices)
        totals = self._totals(kind, parts)
        if len(cross_device.devices_of(destinations)) == 1 or len(totals) == 1:
            return totals[0]
        return values.Mirrored(self._devices, totals)

    def batch_reduce_to(self, reduce_op: Any, value_destination_pairs: Any) -> list[Any]:
        """`reduce_to` of several values; small ones of one type are reduced as one vector.

        Args:
            reduce_op: a ReduceOp or its name.
            value_destination_pairs: pairs of a value and where it is wanted.

        Returns:
            A list.
        """
        kind = cross_device.reduce_op(reduce_op)
        pairs = list(value_destination_pairs)
        found: list[Any] = [None] * len(pairs)
        for places in self._packs([value for value, _ in pairs]):
            for place, total in zip(places, self._packed(kind, [pairs[i][0] for i in places])):
                found[place] = total
        rest = [i for i, total in enumerate(found) if total is None]
        for place, total in zip(rest, super().batch_reduce_to(kind, [pairs[i] for i in rest])):
            found[place] = total
        return found

    def _sums_over_workers(self, given: Sequence[Any]) -> list[Any]:
        if self._task.workers == 1:
            return list(given)
        found: list[Any] = [None] * len(given)
        for places in self._packs(given):
            for place, total in zip(places, self._packed(ReduceOp.SUM, [given[i] for i in places])):
                found[place] = total
        for place, total in enumerate(found):
            if total is None:
                (found[place],) = self._totals(ReduceOp.SUM, [given[place]])
        return found

    def _packs(self, given: Sequence[Any]) -> list[list[int]]:
        """Which of the values are reduced as one vector: a list of numbers for each vector."""
        if self._task.workers == 1:
            return []
        by_type: dict[Any, list[int]] = {}
        for place, value in enumerate(given):
            if all(_is_packable(part) for part in _parts(value)):
                by_type.setdefault(_parts(value)[0].dtype, []).append(place)
        return [places for places in by_type.values() if len(places) > 1]

    def _packed(self, kind: ReduceOp, given: Sequence[Any]) -> list[Any]:
        """The sums or means of several values, which are reduced as one vector."""
        by_device = list(zip(*(_parts(value) for value in given)))
        flat = []
        for device, parts in zip(self._devices, by_device):
            with in_device(device):
                flat.append(build.ConcatV2([build.Reshape(part, [-1]) for part in parts], 0))
        shapes = [part.shape.as_list() for part in by_device[0]]
        sizes = [math.prod(shape) for shape in shapes]
        pieces = []
        for device, total in zip(self._devices, self._totals(kind, flat)):
            with in_device(device):
                split = build.SplitV(total, sizes, 0, num_split=len(sizes))
                pieces.append([build.Reshape(x, shape) for x, shape in zip(split, shapes)])
        if len(by_device) == 1:
            return pieces[0]
        return [values.Mirrored(self._devices, copies) for copies in zip(*pieces)]

    def _totals(self, kind: ReduceOp, parts: Sequence[Any]) -> list[Any]:
        """The sum or mean over all workers.

        Args:
            kind: which of them.
            parts: the values of the replicas of this worker, or one for all of them.

        Returns:
            The result on the device of each.
        """
        if all(isinstance(part, IndexedSlices) for part in parts):
            if all(part.values.shape.is_fully_defined() for part in parts):
                return self._gathered(kind, parts)
            parts = [convert_to_tensor(part) for part in parts]
        key = next(self._instances)
        totals = []
        for device, part in zip(self._devices, parts):
            with in_device(device):
                totals.append(
                    build.CollectiveReduce(
                        part,
                        group_size=self._task.workers * len(parts),
                        group_key=self._group_key(len(parts)),
                        instance_key=key,
                        merge_op="Add",
                        final_op="Div" if kind is ReduceOp.MEAN else "Id",
                        subdiv_offsets=[0],
                    )
                )
        return totals

    def _gathered(self, kind: ReduceOp, parts: Sequence[Any]) -> list[Any]:
        """The rows of all replicas."""
        keys = next(self._instances), next(self._instances)
        totals = []
        for device, part in zip(self._devices, parts):
            with in_device(device):
                rows = self._all(part.values, keys[0], len(parts))
                indices = self._all(part.indices, keys[1], len(parts))
                if kind is ReduceOp.MEAN:
                    rows = rows / (self._task.workers * len(parts))
                totals.append(IndexedSlices(rows, indices, part.dense_shape))
        return totals

    def _group_key(self, count: int) -> int:
        """The key of the group that has so many devices of each worker."""
        return _GROUP_KEY if count == len(self._devices) else _WORKERS_KEY

    def _all(self, x: Tensor, key: int, count: int) -> Tensor:
        gathered: Tensor = build.CollectiveGather(
            x,
            group_size=self._task.workers * count,
            group_key=self._group_key(count),
            instance_key=key,
            shape=[0],
        )
        return gathered

    def _common_start(self, variable: Any) -> Tensor:
        """The initial value of the first worker, which all of them assign."""
        start: Tensor = variable.initial_value
        kind = start.dtype.base_dtype
        if self._task.workers == 1 or kind not in _REDUCED or not start.shape.is_fully_defined():
            return start
        common: dict[str, Any] = {
            "shape": start.shape.as_list(),
            "group_size": self._task.workers,
            "group_key": _WORKERS_KEY,
            "instance_key": next(self._instances),
        }
        with name_scope(None), name_scope(variable.op.name + "/"):
            if self._task.position == 0:
                start = build.CollectiveBcastSend(start, **common)
            else:
                start = build.CollectiveBcastRecv(T=kind, **common)
            variable._initializer_op = build.AssignVariableOp(variable.handle, start, name="Assign")
        return start

    def input_context(self) -> InputContext:
        """Which part of the input this worker reads."""
        return InputContext(self._task.workers, self._task.position, self._num_replicas_in_sync)

    def _shares(self, dataset: Any, divided: bool) -> Any:
        shares = super()._shares(dataset, divided)
        if divided or self._task.workers == 1:
            return shares
        return DatasetV1(*auto_shard(shares, self._task.workers, self._task.position))


def _parts(value: Any) -> tuple[Any, ...]:
    """The values of the replicas of this worker."""
    return value.values if isinstance(value, values.DistributedValues) else (value,)


def _is_packable(part: Any) -> bool:
    if not isinstance(part, Tensor) or not part.shape.is_fully_defined():
        return False
    size: int = (part.shape.num_elements() or 0) * part.dtype.size
    return size <= _SMALL_BYTES


def _coordinator(task: ClusterTask) -> str:
    """Where the first worker waits for the others: on the port after that of its task."""
    given = os.environ.get("HEADWATER_COORDINATOR")
    if given:
        return given
    jobs = [job for job in ("chief", "master", "worker") if job in task.cluster.jobs]
    host, _, port = str(task.cluster.job_tasks(jobs[0])[0]).rpartition(":")
    return f"{host}:{int(port) + 1}"


def _gpus() -> int:
    """The number of GPUs of this machine."""
    return sum(device.device_type == "GPU" for device in local_devices())


@export("distribute.experimental.MultiWorkerMirroredStrategy")
class MultiWorkerMirroredStrategy(Strategy):
    """Workers with equal variables, which train synchronously.

    The cluster is that of TF_CONFIG. All workers run the same program; the strategy is made before
    the first session runs, and waits until all workers have made it.

    Args:
        communication: a CollectiveCommunication.
    """

    def __init__(
        self, communication: CollectiveCommunication = CollectiveCommunication.AUTO
    ) -> None:
        super().__init__(CollectiveExtended(self, ClusterTask.of_environment(), None))
        self._communication = communication


@export("contrib.distribute.CollectiveAllReduceStrategy")
class CollectiveAllReduceStrategy(Strategy):
    """Workers with equal variables, which train synchronously; see MultiWorkerMirroredStrategy.

    Args:
        num_gpus_per_worker: the number of GPUs of each worker.
        communication: a CollectiveCommunication.
    """

    def __init__(
        self,
        num_gpus_per_worker: int = 0,
        communication: CollectiveCommunication = CollectiveCommunication.AUTO,
    ) -> None:
        task = ClusterTask.of_environment()
        super().__init__(CollectiveExtended(self, task, num_gpus_per_worker))
        self._communication = communication
        # A batch of a dataset is that of one replica.
        self._extended._global_batch_size = False


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
