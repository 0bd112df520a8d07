"""What strategies tell input pipelines, and their iterators."""

from __future__ import annotations

import enum
from typing import Any

from headwater.base.export import export
from headwater.data.datasets.conversion import make_initializable_iterator


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
