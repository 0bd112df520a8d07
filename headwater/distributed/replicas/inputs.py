"""What strategies tell input pipelines, and their iterators."""

from __future__ import annotations

import enum
from collections.abc import Callable, Sequence
from typing import Any

from headwater.base import nest
from headwater.base.export import export
from headwater.data.datasets import structure
from headwater.data.datasets.conversion import make_initializable_iterator
from headwater.data.datasets.dataset import DatasetV1
from headwater.data.datasets.distribute import rebatch
from headwater.distributed.replicas import values
from headwater.graph import group
from headwater.graph.default_graph import add_to_collection, control_dependencies
from headwater.graph.default_graph import device as in_device
from headwater.graph.graph_keys import GraphKeys


@export("distribute.InputReplicationMode")
class InputReplicationMode(enum.Enum):
    """How many times an input function is called."""

    PER_WORKER = "PER_WORKER"


@export("distribute.InputContext")
class InputContext:
    """Which part of the input a pipeline makes.

    Args:
        num_input_pipelines: the number of pipelines.
        input_pipeline_id: the number of this one.
        num_replicas_in_sync: the number of replicas that share a batch.
    """

    def __init__(
        self,
        num_input_pipelines: int = 1,
        input_pipeline_id: int = 0,
        num_replicas_in_sync: int = 1,
    ) -> None:
        self._num_input_pipelines = num_input_pipelines
        self._input_pipeline_id = input_pipeline_id
        self._num_replicas_in_sync = num_replicas_in_sync

    @property
    def num_replicas_in_sync(self) -> int:
        """The number of replicas that share a batch."""
        return self._num_replicas_in_sync

    @property
    def input_pipeline_id(self) -> int:
        """The number of this pipeline."""
        return self._input_pipeline_id

    @property
    def num_input_pipelines(self) -> int:
        """The number of pipelines."""
        return self._num_input_pipelines

    def get_per_replica_batch_size(self, global_batch_size: int) -> int:
        """The share of a replica in a batch.

        Args:
            global_batch_size: the size of the batch of all replicas.

        Returns:
            The size of its share.

        Raises:
            ValueError: if the batch cannot be divided.
        """
        if global_batch_size % self._num_replicas_in_sync:
            raise ValueError(
                f"The `global_batch_size` {global_batch_size} is not divisible by "
                f"`num_replicas_in_sync` {self._num_replicas_in_sync} "
            )
        return global_batch_size // self._num_replicas_in_sync


class ReplicaIterator:
    """The elements of a dataset, handed to the replicas in turn.

    Args:
        dataset: the dataset.
        devices: the device of each replica.
    """

    def __init__(self, dataset: Any, devices: Sequence[str]) -> None:
        self._devices = tuple(devices)
        self._iterator = make_initializable_iterator(dataset)
        self.element_spec = dataset.element_spec

    def get_next(self, name: str | None = None) -> Any:
        """The next element of each replica.

        Args:
            name: the name of the nodes.

        Returns:
            A structure of values of all replicas.
        """
        elements: list[Any] = []
        for device in self._devices:
            # The replicas take their elements in order.
            taken = [leaf.op for leaf in nest.flatten(elements[-1:], expand_composites=True)]
            with in_device(device), control_dependencies(taken):
                elements.append(self._iterator.get_next(name))
        return elements[0] if len(elements) == 1 else values.regroup(self._devices, elements)

    next = get_next

    def initialize(self) -> Any:
        """The op that starts the iterator."""
        return self._iterator.initializer

    @property
    def initializer(self) -> Any:
        """The op that starts the iterator."""
        return self._iterator.initializer

    @property
    def output_types(self) -> Any:
        """The types of an element."""
        return structure.legacy_types(self.element_spec)

    @property
    def output_shapes(self) -> Any:
        """The shapes of an element."""
        return structure.legacy_shapes(self.element_spec)

    @property
    def output_classes(self) -> Any:
        """The classes of an element."""
        return structure.legacy_classes(self.element_spec)


class CallableIterator:
    """What a function returns, called for each replica.

    Args:
        function: a function without arguments.
        devices: the device of each replica.
    """

    def __init__(self, function: Callable[[], Any], devices: Sequence[str]) -> None:
        self._function = function
        self._devices = tuple(devices)

    def get_next(self, name: str | None = None) -> Any:
        """What the function returns for each replica.

        Args:
            name: accepted.

        Returns:
            A structure of values of all replicas.
        """
        elements = []
        for device in self._devices:
            with in_device(device):
                elements.append(self._function())
        return elements[0] if len(elements) == 1 else values.regroup(self._devices, elements)

    next = get_next

    def initialize(self) -> Any:
        """An op that does nothing."""
        return group()

    initializer = property(initialize)


class ReplicaDataset:
    """A dataset whose elements the replicas take in turn.

    Args:
        dataset: the dataset.
        devices: the device of each replica.
    """

    def __init__(self, dataset: Any, devices: Sequence[str]) -> None:
        self._dataset = dataset
        self._devices = devices

    @property
    def element_spec(self) -> Any:
        """The TypeSpec of an element."""
        return self._dataset.element_spec

    def make_initializable_iterator(self) -> ReplicaIterator:
        """An iterator that begins anew whenever its initializer runs.

        Returns:
            An iterator.
        """
        return ReplicaIterator(self._dataset, self._devices)

    def make_one_shot_iterator(self) -> ReplicaIterator:
        """An iterator that is initialized with the tables.

        Returns:
            An iterator.
        """
        iterator = self.make_initializable_iterator()
        add_to_collection(GraphKeys.TABLE_INITIALIZERS, iterator.initializer)
        return iterator

    def __iter__(self) -> Any:
        raise RuntimeError(
            "__iter__() is only supported inside of tf.function or when eager execution is enabled."
        )


def shared_batches(dataset: Any, replicas: int, global_batches: bool) -> Any:
    """A dataset whose elements are the shares of replicas.

    Args:
        dataset: a Dataset.
        replicas: the number of replicas.
        global_batches: whether a batch is that of all replicas, and is divided.
    """
    if replicas == 1 or not global_batches:
        return dataset
    return DatasetV1(*rebatch(dataset, replicas))


class InputIterator:
    """The elements of a dataset for one replica.

    Args:
        dataset: the dataset.
    """

    def __init__(self, dataset: Any) -> None:
        self._iterator = make_initializable_iterator(dataset)

    def get_next(self) -> Any:
        """The next element."""
        return self._iterator.get_next()

    def initialize(self) -> list[Any]:
        """The ops that start the iterator."""
        return [self._iterator.initializer]

    @property
    def initializer(self) -> Any:
        """The op that starts the iterator."""
        return self._iterator.initializer
