"""Strategies with one replica: the default one, and one on a chosen device."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

from headwater.base import nest
from headwater.base.export import export
from headwater.data.datasets.dataset import DatasetV1
from headwater.distributed.replicas import contexts
from headwater.distributed.replicas.inputs import (
    InputContext,
    InputIterator,
    InputReplicationMode,
)
from headwater.distributed.replicas.reductions import ReduceOp
from headwater.distributed.replicas.values import DistributedValues, canonical
from headwater.graph import get_default_graph, replication, shape_tensor
from headwater.graph import group as group_ops
from headwater.graph.default_graph import device as in_device
from headwater.model.variables.variable import Variable
from headwater.model.variables.variable_creation import variable_creator_scope
from headwater.ops.math.cast import cast
from headwater.ops.math.reduce_functions import reduce_mean, reduce_sum

_NO_DEVICES = "{}() method unsupported by default tf.distribute.Strategy."


@export("distribute.ReplicaContext", "contrib.distribute.ReplicaContext")
class ReplicaContext:
    """The replica whose code runs.

    Args:
        strategy: its strategy.
        replica_id_in_sync_group: its number.
    """

    def __init__(self, strategy: Strategy, replica_id_in_sync_group: Any) -> None:
        self._strategy = strategy
        self._replica_id_in_sync_group = replica_id_in_sync_group
        self._entered = replication.Entered(replication.Mode(strategy, self))

    def __enter__(self) -> None:
        self._entered.__enter__()

    def __exit__(self, *details: object) -> None:
        self._entered.__exit__(*details)

    @property
    def strategy(self) -> Strategy:
        """The strategy."""
        return self._strategy

    @property
    def num_replicas_in_sync(self) -> int:
        """The number of replicas."""
        return self._strategy.num_replicas_in_sync

    @property
    def replica_id_in_sync_group(self) -> Any:
        """The number of this replica."""
        return self._replica_id_in_sync_group

    @property
    def devices(self) -> tuple[str, ...]:
        """The devices of this replica."""
        return (self._strategy.extended._device,)

    def merge_call(
        self, merge_fn: Callable[..., Any], args: Sequence[Any] = (), kwargs: Any = None
    ) -> Any:
        """Calls a function that deals with all replicas.

        Args:
            merge_fn: a function of the strategy and of the arguments.
            args: arguments.
            kwargs: arguments by name.

        Returns:
            What it returns.
        """
        with replication.Entered(replication.Mode(self._strategy, None)):
            return merge_fn(self._strategy, *args, **(kwargs or {}))

    def all_reduce(self, reduce_op: Any, value: Any) -> Any:
        """The sum or the mean of a value over all replicas: with one, the value.

        Args:
            reduce_op: a ReduceOp or its name.
            value: a structure of tensors.

        Returns:
            A structure of tensors.
        """
        if isinstance(reduce_op, str):
            ReduceOp(reduce_op.upper())
        return value


@export("distribute.StrategyExtended", "contrib.distribute.StrategyExtended")
class StrategyExtended:
    """What libraries ask of a strategy.

    Args:
        container_strategy: the strategy.
    """

    _device = ""
    experimental_require_static_shapes = False
    experimental_between_graph = False
    experimental_should_init = True
    should_checkpoint = True
    should_save_summary = True
    _global_batch_size = True
    _num_replicas_in_sync = 1
    # Whether there is a copy of each variable for each replica.
    _copies_variables = False

    def __init__(self, container_strategy: Strategy) -> None:
        self._container_strategy_value = container_strategy

    def _averages_losses(self) -> bool:
        """Whether optimizers divide losses by the number of replicas, as for an Estimator."""
        if not self._container_strategy()._scale_loss_for_estimator:
            return False
        return getattr(get_default_graph(), "_last_loss_reduction", None) != "weighted_sum"

    def _sums_over_workers(self, given: Sequence[Any]) -> list[Any]:
        """The sums of tensors over all processes that train synchronously.

        Args:
            given: tensors or IndexedSlices, each for all replicas of this process.

        Returns:
            A list of tensors or IndexedSlices.
        """
        return list(given)

    def _common_start(self, variable: Any) -> Any:
        """What the copies of a variable begin with; variables of several processes begin equally.

        Args:
            variable: the first copy.

        Returns:
            A tensor.
        """
        return variable.initial_value

    def _container_strategy(self) -> Strategy:
        return self._container_strategy_value

    def _placed(self) -> AbstractContextManager[Any]:
        return in_device(self._device) if self._device else nullcontext()

    def _scope(self, strategy: Strategy) -> AbstractContextManager[Any]:
        """The context of `strategy.scope()`."""
        return replication.Entered(replication.Mode(strategy, None))

    @property
    def worker_devices(self) -> tuple[str, ...]:
        """The devices that compute."""
        raise RuntimeError(_NO_DEVICES.format("worker_devices"))

    @property
    def parameter_devices(self) -> tuple[str, ...]:
        """The devices that have variables."""
        raise RuntimeError(_NO_DEVICES.format("parameter_devices"))

    def call_for_each_replica(
        self, fn: Callable[..., Any], args: Sequence[Any] = (), kwargs: Any = None
    ) -> Any:
        """Calls a function as the code of each replica.

        Args:
            fn: the function.
            args: arguments.
            kwargs: arguments by name.

        Returns:
            What it returns.
        """
        with self._placed(), ReplicaContext(self._container_strategy(), 0):
            return fn(*args, **(kwargs or {}))

    def reduce_to(self, reduce_op: Any, value: Any, destinations: Any) -> Any:
        """The sum or the mean over all replicas: with one, the value.

        Args:
            reduce_op: a ReduceOp or its name.
            value: a tensor.
            destinations: where it is wanted.

        Returns:
            A tensor.
        """
        return value

    def _reduce(self, reduce_op: ReduceOp, value: Any) -> Any:
        """What `Strategy.reduce` returns: with one replica, the value."""
        return value

    def batch_reduce_to(self, reduce_op: Any, value_destination_pairs: Any) -> list[Any]:
        """`reduce_to` of several values.

        Args:
            reduce_op: a ReduceOp or its name.
            value_destination_pairs: pairs of a tensor and where it is wanted.

        Returns:
            A list of tensors.
        """
        return [value for value, _ in value_destination_pairs]

    def broadcast_to(self, tensor: Any, destinations: Any) -> Any:
        """A value on all replicas.

        Args:
            tensor: the value.
            destinations: where it is wanted.

        Returns:
            The value.
        """
        return tensor

    def update(
        self, var: Any, fn: Callable[..., Any], args: Any = (), kwargs: Any = None,
        group: bool = True,
    ) -> Any:  # fmt: skip
        """Calls a function that updates a variable.

        Args:
            var: the variable.
            fn: a function of the variable and of the arguments.
            args: arguments.
            kwargs: arguments by name.
            group: whether one result is wanted.

        Returns:
            What it returns, in a tuple if `group` is False.
        """
        return self._updated(var, group, lambda: fn(var, *args, **(kwargs or {})))

    def update_non_slot(
        self, colocate_with: Any, fn: Callable[..., Any], args: Any = (), kwargs: Any = None,
        group: bool = True,
    ) -> Any:  # fmt: skip
        """Calls a function that updates other variables.

        Args:
            colocate_with: the variables.
            fn: a function of the arguments.
            args: arguments.
            kwargs: arguments by name.
            group: whether one result is wanted.

        Returns:
            What it returns, in a tuple if `group` is False.
        """
        return self._updated(colocate_with, group, lambda: fn(*args, **(kwargs or {})))

    def _updated(self, near: Any, group: bool, update: Callable[[], Any]) -> Any:
        near = near[0] if isinstance(near, (list, tuple)) else near
        place = get_default_graph().colocate_with(near.op) if isinstance(near, Variable) else None
        strategy = self._container_strategy()
        mode = replication.Mode(strategy, None, getattr(near, "device", self._device))
        with place or nullcontext(), replication.Entered(mode):
            result = update()
        return result if group else nest.map_structure(lambda value: (value,), result)

    def input_context(self) -> InputContext:
        """Which part of the input this process reads: all of it."""
        return InputContext()

    def _iterator(self, dataset: Any, divided: bool = False) -> Any:
        """An iterator over a dataset for all replicas.

        Args:
            dataset: the dataset.
            divided: whether an element is the share of one replica already.
        """
        return InputIterator(dataset)

    def _distributed_dataset(self, dataset: Any, divided: bool = False) -> Any:
        """A dataset as all replicas share it; see `_iterator`."""
        return dataset

    def read_var(self, v: Any) -> Any:
        """The value of a variable.

        Args:
            v: the variable.

        Returns:
            A tensor.
        """
        return v.value()

    def value_container(self, value: Any) -> Any:
        """What a value belongs to: with one replica, itself.

        Args:
            value: a value.

        Returns:
            It.
        """
        return value

    def non_slot_devices(self, var_list: Sequence[Any]) -> Any:
        """Where variables go that belong to several others.

        Args:
            var_list: the variables.

        Returns:
            The first of them by name.
        """
        return min(var_list, key=lambda variable: variable.name)

    def variable_created_in_scope(self, v: Any) -> bool:
        """Whether a variable was made under this strategy.

        Args:
            v: the variable.

        Returns:
            True.
        """
        return True

    def colocate_vars_with(self, colocate_with_variable: Any) -> AbstractContextManager[None]:
        """A context whose variables are placed with another one.

        Args:
            colocate_with_variable: the variable.

        Returns:
            A context manager.
        """
        context: AbstractContextManager[None] = get_default_graph().colocate_with(
            colocate_with_variable.op
        )
        return context

    def experimental_make_numpy_dataset(self, numpy_input: Any, session: Any = None) -> Any:
        """A dataset of the rows of arrays.

        Args:
            numpy_input: a structure of arrays.
            session: accepted.

        Returns:
            A dataset.
        """
        return DatasetV1.from_tensor_slices(numpy_input)


@export(
    "distribute.Strategy", "contrib.distribute.Strategy", "contrib.distribute.DistributionStrategy"
)
class Strategy:
    """A way of running a program's model: here with one replica.

    Args:
        extended: a StrategyExtended.
    """

    _scale_loss_for_estimator = False

    def __init__(self, extended: StrategyExtended) -> None:
        self._extended = extended

    @property
    def extended(self) -> StrategyExtended:
        """What libraries ask."""
        return self._extended

    @property
    def num_replicas_in_sync(self) -> int:
        """The number of replicas."""
        return self._extended._num_replicas_in_sync

    def scope(self) -> AbstractContextManager[Any]:
        """The context in which variables and models are made.

        Returns:
            A context manager.
        """
        return self._extended._scope(self)

    def experimental_run_v2(
        self,
        fn: Callable[..., Any],
        args: Sequence[Any] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        """Calls a function as the code of each replica.

        Args:
            fn: the function.
            args: arguments.
            kwargs: arguments by name.

        Returns:
            What it returns.
        """
        return self._extended.call_for_each_replica(fn, args, kwargs)

    def experimental_run(self, fn: Callable[..., Any], input_iterator: Any = None) -> Any:
        """Calls a function of the next element.

        Args:
            fn: the function.
            input_iterator: an iterator; None for a function without arguments.

        Returns:
            What it returns.
        """
        args: Any = () if input_iterator is None else (input_iterator.get_next(),)
        return self.experimental_run_v2(fn, args=args)

    def reduce(self, reduce_op: Any, value: Any, axis: int | None = None) -> Any:
        """The sum or the mean over all replicas.

        Args:
            reduce_op: a ReduceOp or its name.
            value: a tensor.
            axis: a dimension over which it is reduced too.

        Returns:
            A tensor.
        """
        op = ReduceOp(reduce_op.upper()) if isinstance(reduce_op, str) else reduce_op
        if axis is None:
            return self._extended._reduce(op, value)
        if not self._extended._copies_variables:
            return (reduce_sum if op is ReduceOp.SUM else reduce_mean)(value, axis=axis)

        def parts(value: Any) -> tuple[Any, Any]:
            count = cast(shape_tensor(value)[axis], value.dtype)
            return reduce_sum(value, axis=axis), count

        totals, counts = self.experimental_run_v2(parts, args=(value,))
        total = self._extended._reduce(ReduceOp.SUM, totals)
        if op is ReduceOp.SUM:
            return total
        return total / self._extended._reduce(ReduceOp.SUM, counts)

    def group(self, value: Any, name: str | None = None) -> Any:
        """An op of what the replicas returned.

        Args:
            value: ops or tensors.
            name: the name of the node.

        Returns:
            An operation.
        """
        found = [v for leaf in nest.flatten(value) for v in self.unwrap(leaf)]
        single = len(found) == 1 and name is None
        return found[0] if single else group_ops(*found, name=name)

    def unwrap(self, value: Any) -> tuple[Any, ...]:
        """The values of the replicas.

        Args:
            value: what the code of the replicas returned.

        Returns:
            A tuple.
        """
        return value.values if isinstance(value, DistributedValues) else (value,)

    def experimental_local_results(self, value: Any) -> tuple[Any, ...]:
        """`Strategy.unwrap`.

        Args:
            value: what the code of the replicas returned.

        Returns:
            A tuple of one.
        """
        return self.unwrap(value)

    def experimental_distribute_dataset(self, dataset: Any) -> Any:
        """The dataset as the replicas share it.

        Args:
            dataset: a dataset.

        Returns:
            A dataset.
        """
        return self._extended._distributed_dataset(dataset)

    def experimental_distribute_datasets_from_function(
        self, dataset_fn: Callable[[InputContext], Any]
    ) -> Any:
        """The datasets that a function makes for each pipeline.

        Args:
            dataset_fn: a function of an InputContext.

        Returns:
            A dataset.
        """
        dataset = dataset_fn(self._extended.input_context())
        return self._extended._distributed_dataset(dataset, divided=True)

    def make_dataset_iterator(self, dataset: Any) -> Any:
        """An iterator over the elements of a dataset.

        Args:
            dataset: a dataset.

        Returns:
            An iterator with `get_next` and `initialize`.
        """
        return self._extended._iterator(dataset)

    def make_input_fn_iterator(
        self,
        input_fn: Callable[[InputContext], Any],
        replication_mode: InputReplicationMode = InputReplicationMode.PER_WORKER,
    ) -> Any:
        """An iterator over the dataset of an input function.

        Args:
            input_fn: a function of an InputContext.
            replication_mode: how often it is called.

        Returns:
            An iterator with `get_next` and `initialize`.
        """
        if replication_mode is not InputReplicationMode.PER_WORKER:
            raise ValueError(f"Input replication mode not supported: {replication_mode}")
        dataset = input_fn(self._extended.input_context())
        return self._extended._iterator(dataset, divided=True)

    def experimental_make_numpy_dataset(self, numpy_input: Any, session: Any = None) -> Any:
        """`StrategyExtended.experimental_make_numpy_dataset`.

        Args:
            numpy_input: a structure of arrays.
            session: accepted.

        Returns:
            A dataset.
        """
        return self._extended.experimental_make_numpy_dataset(numpy_input, session)

    def colocate_vars_with(self, colocate_with_variable: Any) -> AbstractContextManager[None]:
        """`StrategyExtended.colocate_vars_with`.

        Args:
            colocate_with_variable: a variable.

        Returns:
            A context manager.
        """
        return self._extended.colocate_vars_with(colocate_with_variable)

    def configure(
        self, session_config: Any = None, cluster_spec: Any = None, task_type: Any = None,
        task_id: Any = None,
    ) -> None:  # fmt: skip
        """Sets what the strategy knows of a cluster: nothing, with one replica.

        Args:
            session_config: accepted.
            cluster_spec: accepted.
            task_type: accepted.
            task_id: accepted.
        """

    def update_config_proto(self, config_proto: Any) -> Any:
        """The options of sessions for this strategy.

        Args:
            config_proto: a ConfigProto.

        Returns:
            It.
        """
        return config_proto


class _DefaultStrategy(Strategy):
    """The strategy outside of all scopes."""

    def __init__(self) -> None:
        super().__init__(_DefaultExtended(self))


class _DefaultExtended(StrategyExtended):
    def _scope(self, strategy: Strategy) -> AbstractContextManager[Any]:
        if contexts.has_strategy():
            raise RuntimeError("Must not nest tf.distribute.Strategy scopes.")
        return nullcontext(strategy)


class OneDeviceExtended(StrategyExtended):
    def __init__(self, container_strategy: Strategy, device: str) -> None:
        super().__init__(container_strategy)
        self._device = device

    @contextmanager
    def _scope(self, strategy: Strategy) -> Any:
        def place(next_creator: Callable[..., Any], **kwargs: Any) -> Any:
            with self._placed():
                return next_creator(**kwargs)

        with replication.Entered(replication.Mode(strategy, None)), variable_creator_scope(place):
            yield strategy

    @property
    def worker_devices(self) -> tuple[str, ...]:
        """The device."""
        return (self._device,)

    @property
    def parameter_devices(self) -> tuple[str, ...]:
        """The device."""
        return (self._device,)


@export("distribute.OneDeviceStrategy", "contrib.distribute.OneDeviceStrategy")
class OneDeviceStrategy(Strategy):
    """Variables and computation on one device.

    Args:
        device: its name.
    """

    def __init__(self, device: str) -> None:
        super().__init__(OneDeviceExtended(self, canonical(device)))


_default = _DefaultStrategy()
contexts.default_modes.append(replication.Mode(_default, ReplicaContext(_default, 0)))
