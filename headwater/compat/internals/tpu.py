"""tensorflow.python.tpu: the number of shards that a model is built for, ops and estimators."""

from __future__ import annotations

import enum
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

from headwater.base.typing import TensorLike
from headwater.compat.internals import internal
from headwater.graph import Tensor, build

_PATHS = ("tensorflow.python.tpu.tpu_function", "tensorflow.contrib.tpu.python.tpu.tpu_function")


@internal(*(f"{path}.TpuContext" for path in _PATHS))
class TpuContext:
    """What is known of the TPUs: the number of shards, None without TPUs."""

    def __init__(self) -> None:
        self._number_of_shards: int | None = None

    @property
    def number_of_shards(self) -> int | None:
        """The number of shards, or None."""
        return self._number_of_shards

    def set_number_of_shards(self, number_of_shards: int | None) -> None:
        """Sets the number of shards."""
        self._number_of_shards = number_of_shards


_context = TpuContext()


@internal(*(f"{path}.get_tpu_context" for path in _PATHS))
def get_tpu_context() -> TpuContext:
    """Returns the context."""
    return _context


@internal(*(f"{path}.tpu_shard_context" for path in _PATHS))
@contextmanager
def tpu_shard_context(number_of_shards: int | None) -> Iterator[None]:
    """A context in which models are built for so many shards.

    Raises:
        NotImplementedError: inside of another one.
    """
    if _context.number_of_shards is not None:
        raise NotImplementedError("tpu_shard_context cannot be nested.")
    _context.set_number_of_shards(number_of_shards)
    try:
        yield
    finally:
        _context.set_number_of_shards(None)


_OPS = ("tensorflow.python.tpu.ops.tpu_ops", "tensorflow.contrib.tpu.python.ops.tpu_ops")


@internal(*(f"{path}.all_to_all" for path in _OPS))
def all_to_all(
    x: TensorLike,
    concat_dimension: int,
    split_dimension: int,
    split_count: int,
    group_assignment: TensorLike | None = None,
    name: str | None = None,
) -> Tensor:
    """Exchanges parts of tensors between replicas.

    Args:
        x: a tensor.
        concat_dimension: the axis along which the received parts are joined.
        split_dimension: the axis along which the tensor is divided.
        split_count: into how many parts.
        group_assignment: the replicas of each group; None for one group of all.
        name: the name of the op.

    Returns:
        A tensor.
    """
    if group_assignment is None:
        group_assignment = [list(range(_context.number_of_shards or 1))]
    return build.AllToAll(
        x,
        group_assignment,
        concat_dimension=concat_dimension,
        split_dimension=split_dimension,
        split_count=split_count,
        name=name,
    )


@internal(*(f"{path}.collective_permute" for path in _OPS))
def collective_permute(
    x: TensorLike, source_target_pairs: TensorLike, name: str | None = None
) -> Tensor:
    """Sends a tensor from replica to replica.

    Args:
        x: a tensor.
        source_target_pairs: pairs of replicas.
        name: the name of the op.

    Returns:
        A tensor.
    """
    return build.CollectivePermute(x, source_target_pairs, name=name)


@internal(*(f"{path}.tpu_replicated_input" for path in _OPS))
def tpu_replicated_input(inputs: Sequence[TensorLike], name: str | None = None) -> Tensor:
    """Joins an input of each replica to one tensor.

    Args:
        inputs: tensors.
        name: the name of the op.

    Returns:
        A tensor.
    """
    return build.TPUReplicatedInput(list(inputs), name=name)


@internal(*(f"{path}.tpu_replicated_output" for path in _OPS))
def tpu_replicated_output(
    input: TensorLike, num_replicas: int, name: str | None = None
) -> list[Tensor]:
    """Divides a tensor into an output of each replica.

    Args:
        input: a tensor.
        num_replicas: the number of replicas.
        name: the name of the op.

    Returns:
        A list of tensors.
    """
    return build.TPUReplicatedOutput(input, num_replicas=num_replicas, name=name)


_ESTIMATOR = "tensorflow.contrib.tpu.python.tpu.tpu_estimator"


@internal(f"{_ESTIMATOR}.ExportSavedModelApiVersion")
class ExportSavedModelApiVersion(enum.Enum):
    """How a TPUEstimator exports its model."""

    V1 = 1
    V2 = 2


@internal(f"{_ESTIMATOR}.BatchConfig")
class BatchConfig(NamedTuple):
    """How requests to an exported model are batched."""

    num_batch_threads: int
    max_batch_size: int
    batch_timeout_micros: int
    allowed_batch_sizes: Any
    max_enqueued_batches: int = 10
