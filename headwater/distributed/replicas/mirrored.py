"""MirroredStrategy: a copy of each variable on each of several devices, kept equal."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from typing import Any

from headwater.base.export import export
from headwater.data.datasets.dataset import DatasetV2
from headwater.distributed.replicas import contexts, cross_device, values
from headwater.distributed.replicas.cross_device import CrossDeviceOps, ReductionToOneDevice
from headwater.distributed.replicas.inputs import (
    CallableIterator,
    InputContext,
    ReplicaDataset,
    ReplicaIterator,
    shared_batches,
)
from headwater.distributed.replicas.mirrored_creation import create_distributed
from headwater.distributed.replicas.mirrored_variables import DistributedVariable
from headwater.distributed.replicas.reductions import ReduceOp
from headwater.distributed.replicas.replica_threads import (
    MergeCall,
    ReplicaThread,
    run_in_replicas,
)
from headwater.distributed.replicas.strategy import ReplicaContext, Strategy, StrategyExtended
from headwater.distributed.replicas.values import canonical
from headwater.engine.devices import local_devices
from headwater.graph import get_default_graph, replication
from headwater.graph.default_graph import device as in_device
from headwater.graph.default_graph import name_scope
from headwater.graph.device import DeviceSpec
from headwater.model.variables.variable_creation import variable_creator_scope
from headwater.ops.array.constant import constant

_CROSSING_ONLY = (
    "Method requires being in cross-replica context, use get_replica_context().merge_call()"
)


def _check_crossing() -> None:
    if contexts.has_strategy() and not contexts.in_cross_replica_context():
        raise RuntimeError(_CROSSING_ONLY)


class MirroredReplicaContext(ReplicaContext):
    """A replica of several.

    Args:
        strategy: the strategy.
        number: the number of the replica among those of this process.
        thread: the thread of the replica; None if it is the only one.
    """

    def __init__(self, strategy: Strategy, number: int, thread: ReplicaThread | None) -> None:
        first = getattr(strategy.extended, "_first_replica", 0)
        with get_default_graph().control_dependencies(None), in_device(None):
            super().__init__(strategy, constant(first + number, name="Const"))
        self._number = number
        self._thread = thread

    @property
    def devices(self) -> tuple[str, ...]:
        """The devices of this replica."""
        return (self._strategy.extended.worker_devices[self._number],)

    def merge_call(
        self, merge_fn: Callable[..., Any], args: Sequence[Any] = (), kwargs: Any = None
    ) -> Any:
        """Calls a function that deals with all replicas, once for all of them.

        Args:
            merge_fn: a function of the strategy and of the arguments of all replicas.
            args: arguments.
            kwargs: arguments by name.

        Returns:
            The part of this replica in what it returns.
        """
        if self._thread is None:
            return super().merge_call(merge_fn, args, kwargs)
        return self._thread.pause(MergeCall(merge_fn, args, kwargs))

    def all_reduce(self, reduce_op: Any, value: Any) -> Any:
        """The sum or the mean of a value over all replicas.

        Args:
            reduce_op: a ReduceOp or its name.
            value: a structure of tensors.

        Returns:
            A structure of tensors.
        """
        kind = cross_device.reduce_op(reduce_op)
        leaves = values.leaves(value)

        def reduce_all(strategy: Strategy, *parts: Any) -> Any:
            return strategy.extended.batch_reduce_to(kind, [(part, part) for part in parts])

        return values.packed(value, self.merge_call(reduce_all, args=leaves))


class MirroredExtended(StrategyExtended):
    """What libraries ask of a strategy that keeps a copy of each variable on each device.

    Args:
        container_strategy: the strategy.
        devices: the devices, by their full names.
        cross_device_ops: a CrossDeviceOps; None for the default.
    """

    _copies_variables = True
    _first_replica = 0

    def __init__(
        self,
        container_strategy: Strategy,
        devices: Sequence[str],
        cross_device_ops: CrossDeviceOps | None = None,
    ) -> None:
        super().__init__(container_strategy)
        self._devices = tuple(devices)
        self._num_replicas_in_sync = len(devices)
        self._cross_device_ops = cross_device_ops or ReductionToOneDevice()

    @contextmanager
    def _scope(self, strategy: Strategy) -> Iterator[Strategy]:
        outer = contexts.current()
        if contexts.has_strategy() and outer.strategy is not strategy:
            raise RuntimeError("Must not nest tf.distribute.Strategy scopes.")
        _check_crossing()

        def create(next_creator: Callable[..., Any], **kwargs: Any) -> Any:
            return create_distributed(self, next_creator, **kwargs)

        mode = replication.Mode(strategy, None)
        creators = nullcontext() if contexts.has_strategy() else variable_creator_scope(create)
        with replication.Entered(mode), creators:
            yield strategy

    @property
    def worker_devices(self) -> tuple[str, ...]:
        """The devices that compute."""
        return self._devices

    @property
    def parameter_devices(self) -> tuple[str, ...]:
        """The devices that have variables."""
        return self._devices

    @property
    def worker_devices_by_replica(self) -> list[tuple[str, ...]]:
        """The devices of each replica."""
        return [(device,) for device in self._devices]

    def call_for_each_replica(
        self, fn: Callable[..., Any], args: Sequence[Any] = (), kwargs: Any = None
    ) -> Any:
        """Calls a function as the code of each replica.

        Args:
            fn: the function.
            args: arguments; each replica gets its part of values of all replicas.
            kwargs: arguments by name.

        Returns:
            The structure that it returns, with values of all replicas as its leaves.
        """
        _check_crossing()
        strategy = self._container_strategy()

        def call(number: int) -> Any:
            mine = values.select(number, tuple(args))
            return fn(*mine, **values.select(number, dict(kwargs or {})))

        with ExitStack() as stack:
            if not contexts.has_strategy():
                stack.enter_context(strategy.scope())
            if len(self._devices) == 1:
                stack.enter_context(MirroredReplicaContext(strategy, 0, None))
                stack.enter_context(in_device(self._devices[0]))
                return call(0)
            return run_in_replicas(
                strategy,
                self._devices,
                lambda number, thread: MirroredReplicaContext(strategy, number, thread),
                call,
            )

    # Reductions

    def reduce_to(self, reduce_op: Any, value: Any, destinations: Any) -> Any:
        """The sum or the mean over all replicas.

        Args:
            reduce_op: a ReduceOp or its name.
            value: a value of all replicas.
            destinations: where it is wanted: a device, or a variable or value on some.

        Returns:
            A tensor, or a value on each device.
        """
        _check_crossing()
        return self._reduced(cross_device.reduce_op(reduce_op), value, destinations)

    def _reduce(self, reduce_op: ReduceOp, value: Any) -> Any:
        _check_crossing()
        reduced = self._reduced(reduce_op, value, self._devices[0])
        return values.select(0, reduced)

    def _reduced(self, kind: ReduceOp, value: Any, destinations: Any) -> Any:
        if isinstance(value, values.Mirrored):
            assert kind is ReduceOp.MEAN, "A mirrored value cannot be added up."
            return value
        if not isinstance(value, values.DistributedValues):
            return cross_device.of_undistributed(kind, value, len(self._devices))
        return self._cross_device_ops.reduce(kind, value, destinations)

    def batch_reduce_to(self, reduce_op: Any, value_destination_pairs: Any) -> list[Any]:
        """`reduce_to` of several values.

        Args:
            reduce_op: a ReduceOp or its name.
            value_destination_pairs: pairs of a value and where it is wanted.

        Returns:
            A list.
        """
        _check_crossing()
        kind = cross_device.reduce_op(reduce_op)
        pairs = list(value_destination_pairs)
        if all(type(value) is values.PerReplica for value, _ in pairs):
            return self._cross_device_ops.batch_reduce(kind, pairs)
        return [self._reduced(kind, value, wanted) for value, wanted in pairs]

    def broadcast_to(self, tensor: Any, destinations: Any) -> Any:
        """A value on all devices.

        Args:
            tensor: the value.
            destinations: where it is wanted.

        Returns:
            A copy on each.
        """
        _check_crossing()
        assert destinations is not None
        if isinstance(tensor, (float, int)):
            return tensor
        return self._cross_device_ops.broadcast(tensor, destinations)

    # Updates

    def update(
        self, var: Any, fn: Callable[..., Any], args: Any = (), kwargs: Any = None,
        group: bool = True,
    ) -> Any:  # fmt: skip
        """Calls a function that updates a variable, for each of its copies.

        Args:
            var: the variable.
            fn: a function of the copy and of the arguments.
            args: arguments; each call gets those for its device.
            kwargs: arguments by name.
            group: whether one result is wanted.

        Returns:
            What stands for the results of all calls, or a tuple of them if `group` is False.
        """
        _check_crossing()
        copies = var.values if isinstance(var, DistributedVariable) else (var,)
        devices = var.devices if isinstance(var, DistributedVariable) else (var.device,)
        return self._on_each(devices, fn, args, kwargs, group, copies)

    def update_non_slot(
        self, colocate_with: Any, fn: Callable[..., Any], args: Any = (), kwargs: Any = None,
        group: bool = True,
    ) -> Any:  # fmt: skip
        """Calls a function that updates other variables, for each device.

        Args:
            colocate_with: the devices.
            fn: a function of the arguments.
            args: arguments.
            kwargs: arguments by name.
            group: whether one result is wanted.

        Returns:
            What stands for the results of all calls, or a tuple of them if `group` is False.
        """
        _check_crossing()
        devices = cross_device.devices_of(colocate_with)
        return self._on_each(devices, fn, args, kwargs, group, None)

    def _on_each(
        self,
        devices: Sequence[str],
        fn: Callable[..., Any],
        args: Any,
        kwargs: Any,
        group: bool,
        copies: Sequence[Any] | None,
    ) -> Any:
        strategy = self._container_strategy()
        results = []
        for number, device in enumerate(devices):
            mine = values.select_mirrored(number, tuple(args))
            named = values.select_mirrored(number, dict(kwargs or {}))
            mode = replication.Mode(strategy, None, device)
            with in_device(device), replication.Entered(mode), name_scope(f"update_{number}"):
                first = () if copies is None else (copies[number],)
                results.append(fn(*first, *mine, **named))
        return values.regroup_updates(devices, results, group)

    # Variables

    def read_var(self, v: Any) -> Any:
        """The value of a variable; the sum or mean of its copies where they differ.

        Args:
            v: the variable.

        Returns:
            A tensor.
        """
        with replication.Entered(replication.Mode(self._container_strategy(), None)):
            return v._read_across() if hasattr(v, "_read_across") else v.read_value()

    def value_container(self, value: Any) -> Any:
        """The variable that a copy belongs to.

        Args:
            value: a value.

        Returns:
            The variable, or the value itself.
        """
        return getattr(value, "_copied_variable", value)

    def non_slot_devices(self, var_list: Sequence[Any]) -> Any:
        """Where variables go that belong to several others.

        Args:
            var_list: the variables.

        Returns:
            All devices.
        """
        return self._devices

    def variable_created_in_scope(self, v: Any) -> bool:
        """Whether a variable was made under this strategy.

        Args:
            v: the variable.

        Returns:
            Whether it was.
        """
        whole = self.value_container(v)
        return getattr(whole, "_distribute_strategy", None) is self._container_strategy()

    def colocate_vars_with(self, colocate_with_variable: Any) -> Any:
        """A context whose variables have their copies where those of another one are.

        Args:
            colocate_with_variable: the variable.

        Returns:
            A context manager.

        Raises:
            ValueError: if it was not made under this strategy.
        """
        if not self.variable_created_in_scope(colocate_with_variable):
            raise ValueError(
                "`colocate_vars_with` must only be passed a variable created in this "
                f"`tf.distribute.Strategy.scope()`, not: {colocate_with_variable}"
            )
        return nullcontext()

    # Inputs

    def input_context(self) -> InputContext:
        """Which part of the input this process reads: all of it."""
        return InputContext(1, 0, self._num_replicas_in_sync)

    def _shares(self, dataset: Any, divided: bool) -> Any:
        """A dataset whose elements are the shares of single replicas."""
        whole = self._global_batch_size and not divided
        return shared_batches(dataset, self._num_replicas_in_sync, whole)

    def _iterator(self, dataset: Any, divided: bool = False) -> Any:
        if callable(dataset):
            return CallableIterator(dataset, self._devices)
        if not isinstance(dataset, DatasetV2):
            raise ValueError("input_fn must return a tf.data.Dataset or a callable.")
        return ReplicaIterator(self._shares(dataset, divided), self._devices)

    def _distributed_dataset(self, dataset: Any, divided: bool = False) -> Any:
        return ReplicaDataset(self._shares(dataset, divided), self._devices)


def _devices(devices: Sequence[str] | None) -> list[str]:
    """The full names of the devices; all GPUs, or the CPU, for None."""
    if devices is None:
        devices = [device.name for device in local_devices() if device.device_type == "GPU"]
        devices = [name.replace("/job:localhost", "") for name in devices]
    names = [canonical(device) for device in devices or ["/device:CPU:0"]]
    if len({(DeviceSpec.from_string(n).job, DeviceSpec.from_string(n).task) for n in names}) > 1:
        raise ValueError("In-graph multi-worker training with `MirroredStrategy` is not supported.")
    if len(set(names)) < len(names):
        raise AssertionError(f"No duplicates allowed in `devices` argument: {tuple(names)}")
    return names


@export("distribute.MirroredStrategy")
class MirroredStrategy(Strategy):
    """A copy of each variable on each of several devices, kept equal.

    Each replica computes its gradients from its part of the batch; their sum is applied to all
    copies.

    Args:
        devices: their names; None for all GPUs, or the CPU if there is none.
        cross_device_ops: a CrossDeviceOps.

    Raises:
        AssertionError: if a device is named twice.
        ValueError: if the devices belong to several tasks.
    """

    def __init__(
        self, devices: Sequence[str] | None = None, cross_device_ops: CrossDeviceOps | None = None
    ) -> None:
        super().__init__(MirroredExtended(self, _devices(devices), cross_device_ops))


@export("contrib.distribute.MirroredStrategy")
class ContribMirroredStrategy(MirroredStrategy):
    """A copy of each variable on each of several devices, kept equal.

    Args:
        devices: their names; None for all GPUs, or the CPU if there is none.
        num_gpus: the number of GPUs, instead of `devices`.
        num_gpus_per_worker: the same.
        cross_device_ops: a CrossDeviceOps.
        auto_shard_dataset: whether each worker gets a part of the files.
        cross_tower_ops: the old name of `cross_device_ops`.

    Raises:
        ValueError: if two of the first three are given.
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
        # A batch of a dataset is that of one replica.
        self._extended._global_batch_size = False
