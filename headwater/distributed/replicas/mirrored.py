"""MirroredStrategy, with one device."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from headwater.base import errors
from headwater.base.export import export
from headwater.distributed.replicas.strategy import OneDeviceExtended, Strategy, canonical
from headwater.engine.devices import local_devices


@export("distribute.CrossDeviceOps", "contrib.distribute.CrossDeviceOps")
class CrossDeviceOps:
    """How values of several devices are added; with one device nothing is."""


@export("distribute.ReductionToOneDevice")
class ReductionToOneDevice(CrossDeviceOps):
    """Adds on one device and copies the sum.

    Args:
        reduce_to_device: the device; None for that of the variable.
        accumulation_fn: what adds; None for add_n.
    """

    def __init__(self, reduce_to_device: str | None = None, accumulation_fn: Any = None) -> None:
        self.reduce_to_device = reduce_to_device
        self.accumulation_fn = accumulation_fn


@export("contrib.distribute.AllReduceCrossDeviceOps")
class AllReduceCrossDeviceOps(CrossDeviceOps):
    """Adds on all devices at once.

    Args:
        all_reduce_alg: the algorithm.
        num_packs: how many packs values are joined to.
        agg_small_grads_max_bytes: the size of values that count as small.
        agg_small_grads_max_group: how many small values are joined.
    """

    def __init__(
        self,
        all_reduce_alg: str = "nccl",
        num_packs: int = 1,
        agg_small_grads_max_bytes: int = 0,
        agg_small_grads_max_group: int = 10,
    ) -> None:
        self._all_reduce_alg = all_reduce_alg
        self._num_packs = num_packs
        self._agg_small_grads_max_bytes = agg_small_grads_max_bytes
        self._agg_small_grads_max_group = agg_small_grads_max_group


@export("distribute.NcclAllReduce")
class NcclAllReduce(AllReduceCrossDeviceOps):
    """Adds by NCCL.

    Args:
        num_packs: how many packs values are joined to.

    Raises:
        ValueError: if `num_packs` is negative.
    """

    def __init__(self, num_packs: int = 1) -> None:
        _check_packs(num_packs, "NCCL all-reduce")
        super().__init__("nccl", num_packs)


@export("distribute.HierarchicalCopyAllReduce")
class HierarchicalCopyAllReduce(AllReduceCrossDeviceOps):
    """Adds in two levels.

    Args:
        num_packs: how many packs values are joined to.

    Raises:
        ValueError: if `num_packs` is negative.
    """

    def __init__(self, num_packs: int = 1) -> None:
        _check_packs(num_packs, "HierarchicalCopy")
        super().__init__("hierarchical_copy", num_packs)


def _check_packs(num_packs: int, algorithm: str) -> None:
    if num_packs < 0:
        raise ValueError(f"{algorithm} requires num_packs >= 0, but {num_packs} is specified")


def _devices(devices: Sequence[str] | None) -> list[str]:
    """The full names of the devices; all GPUs, or the CPU, for None."""
    if devices is None:
        devices = [device.name for device in local_devices() if device.device_type == "GPU"]
    devices = [canonical(device) for device in devices or ["/device:CPU:0"]]
    if len(set(devices)) < len(devices):
        raise AssertionError(f"No duplicates allowed in `devices` argument: {tuple(devices)}")
    return devices


@export("distribute.MirroredStrategy")
class MirroredStrategy(Strategy):
    """Variables on each of several devices, kept equal: here on one device.

    Args:
        devices: their names; None for all GPUs, or the CPU if there is none.
        cross_device_ops: a CrossDeviceOps.

    Raises:
        UnimplementedError: for more than one device.
    """

    def __init__(
        self, devices: Sequence[str] | None = None, cross_device_ops: CrossDeviceOps | None = None
    ) -> None:
        names = _devices(devices)
        if len(names) > 1:
            raise errors.UnimplementedError(
                None,
                None,
                f"MirroredStrategy on {len(names)} devices: {', '.join(names)}",
                hint="name one device: tf.distribute.MirroredStrategy(['/gpu:0'])",
            )
        super().__init__(OneDeviceExtended(self, names[0]))
        self._cross_device_ops = cross_device_ops


@export("contrib.distribute.MirroredStrategy")
class ContribMirroredStrategy(MirroredStrategy):
    """Variables on each of several devices, kept equal: here on one device.

    Args:
        devices: their names; None for all GPUs, or the CPU if there is none.
        num_gpus: the number of GPUs, instead of `devices`.
        num_gpus_per_worker: the same.
        cross_device_ops: a CrossDeviceOps.
        auto_shard_dataset: whether each worker gets a part of the files.
        cross_tower_ops: the old name of `cross_device_ops`.

    Raises:
        ValueError: if two of the first three are given.
        UnimplementedError: for more than one device.
    """

    def __init__(
        self,
        devices: Sequence[str] | None = None,
        num_gpus: int | None = None,
        num_gpus_per_worker: int | None = None,
        cross_device_ops: CrossDeviceOps | None = None,
        auto_shard_dataset: bool = False,
        cross_tower_ops: CrossDeviceOps | None = None,
    ) -> None:
        if num_gpus is not None and num_gpus_per_worker is not None:
            raise ValueError("You cannot specify both `num_gpus` and `num_gpus_per_worker`.")
        count = num_gpus_per_worker if num_gpus is None else num_gpus
        if count is not None:
            if devices is not None:
                raise ValueError("Must only specify one of `devices` and `num_gpus_per_worker`.")
            devices = [f"/device:GPU:{i}" for i in range(count)] or ["/device:CPU:0"]
        super().__init__(devices, cross_device_ops or cross_tower_ops)
        self._auto_shard_dataset = auto_shard_dataset
