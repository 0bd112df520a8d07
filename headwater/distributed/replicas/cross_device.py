"""How the values of several devices are added, and how one value gets to all of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from headwater.base.export import export
from headwater.distributed.replicas import values
from headwater.distributed.replicas.reductions import ReduceOp
from headwater.graph import IndexedSlices, build
from headwater.graph.default_graph import device as in_device
from headwater.graph.indexed_slices import concatenated


def reduce_op(given: Any) -> ReduceOp:
    """A ReduceOp, which may be given by its name.

    Raises:
        ValueError: if there is none of this name.
    """
    return ReduceOp(given.upper()) if isinstance(given, str) else given


def devices_of(destinations: Any) -> tuple[str, ...]:
    """The devices that a value is wanted on: of a variable or value, or one by its name."""
    if isinstance(destinations, values.DistributedValues):
        return destinations.devices
    if isinstance(destinations, str):
        return (values.canonical(destinations),)
    if isinstance(destinations, (list, tuple)):
        return tuple(values.canonical(device) for device in destinations)
    return (values.canonical(destinations.device),)


@export("distribute.CrossDeviceOps", "contrib.distribute.CrossDeviceOps")
class CrossDeviceOps:
    """How values of several devices are added: here on the first device that wants the sum."""

    def reduce(self, reduce_op: Any, per_replica_value: Any, destinations: Any) -> Any:
        """Adds or averages the values of all replicas.

        Args:
            reduce_op: a ReduceOp.
            per_replica_value: the values.
            destinations: where the result is wanted.

        Returns:
            The result, on each device that wants it.
        """
        return self.reduce_implementation(reduce_op, per_replica_value, destinations)

    def batch_reduce(self, reduce_op: Any, value_destination_pairs: Any) -> list[Any]:
        """`reduce` of several values.

        Args:
            reduce_op: a ReduceOp.
            value_destination_pairs: pairs of the values and where the result is wanted.

        Returns:
            A list of results.
        """
        return self.batch_reduce_implementation(reduce_op, value_destination_pairs)

    def broadcast(self, tensor: Any, destinations: Any) -> Any:
        """Copies a value to devices.

        Args:
            tensor: the value.
            destinations: where it is wanted.

        Returns:
            The copies.
        """
        return self.broadcast_implementation(tensor, destinations)

    def reduce_implementation(
        self, reduce_op: Any, per_replica_value: Any, destinations: Any
    ) -> Any:
        """What `reduce` returns; subclasses override it."""
        device = devices_of(destinations)[0]
        total = _total(reduce_op, per_replica_value, device, build.AddN)
        return self.broadcast(total, destinations)

    def batch_reduce_implementation(
        self, reduce_op: Any, value_destination_pairs: Any
    ) -> list[Any]:
        """What `batch_reduce` returns; subclasses override it."""
        return [
            self.reduce_implementation(reduce_op, value, destinations)
            for value, destinations in value_destination_pairs
        ]

    def broadcast_implementation(self, tensor: Any, destinations: Any) -> Any:
        """What `broadcast` returns; subclasses override it."""
        devices = devices_of(destinations)
        copies = []
        for device in devices:
            with in_device(device):
                copies.append(_identity(tensor))
        return copies[0] if len(devices) == 1 else values.Mirrored(devices, copies)


@export("distribute.ReductionToOneDevice")
class ReductionToOneDevice(CrossDeviceOps):
    """Adds on one device and copies the sum.

    Args:
        reduce_to_device: the device; None for the first one that wants the sum.
        accumulation_fn: what adds; None for add_n.
    """

    def __init__(
        self,
        reduce_to_device: str | None = None,
        accumulation_fn: Callable[..., Any] | None = None,
    ) -> None:
        self.reduce_to_device = reduce_to_device
        self.accumulation_fn = accumulation_fn

    def reduce_implementation(
        self, reduce_op: Any, per_replica_value: Any, destinations: Any
    ) -> Any:
        """What `reduce` returns."""
        device = self.reduce_to_device or devices_of(destinations)[0]
        add = self.accumulation_fn or build.AddN
        return self.broadcast(_total(reduce_op, per_replica_value, device, add), destinations)


@export("contrib.distribute.AllReduceCrossDeviceOps")
class AllReduceCrossDeviceOps(CrossDeviceOps):
    """Adds on all devices at once: here the engine chooses the way, whatever the algorithm.

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


def _total(
    reduce_op: Any, value: values.DistributedValues, device: str, add: Callable[..., Any]
) -> Any:
    """The sum or mean of the values of all replicas on a device."""
    parts = list(value.values)
    with in_device(device):
        if all(isinstance(part, IndexedSlices) for part in parts):
            total: Any = concatenated(parts)
        else:
            total = add(parts)
        if reduce_op is not ReduceOp.MEAN:
            return total
        if isinstance(total, IndexedSlices):
            return IndexedSlices(total.values / len(parts), total.indices, total.dense_shape)
        return total / len(parts)


def _identity(value: Any) -> Any:
    if isinstance(value, IndexedSlices):
        shape = value.dense_shape
        return IndexedSlices(
            build.Identity(value.values),
            build.Identity(value.indices),
            None if shape is None else build.Identity(shape),
        )
    return build.Identity(value)


def of_undistributed(reduce_op: ReduceOp, value: Any, replicas: int) -> Any:
    """The reduction of a value that is one for all replicas.

    Args:
        reduce_op: a ReduceOp.
        value: the value.
        replicas: the number of replicas.

    Raises:
        ValueError: if it is to be added up, and is not 0.
    """
    if isinstance(value, (int, float)) and value == 0:
        return 0
    if reduce_op is ReduceOp.MEAN or replicas == 1:
        return value
    raise ValueError(
        f"A non-DistributedValues value {value} cannot be reduced with the given reduce op "
        f"{reduce_op}."
    )
