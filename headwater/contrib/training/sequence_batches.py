"""batch_sequences_with_states: batches of segments of sequences, filled by queue runners."""

from __future__ import annotations

import collections
from collections.abc import Mapping
from typing import Any

from headwater.base import dtypes
from headwater.base.errors import CancelledError, OutOfRangeError
from headwater.base.export import export
from headwater.base.typing import TensorLike
from headwater.contrib.training.state_saver import (
    NextQueuedSequenceBatch,
    SequenceQueueingStateSaver,
)
from headwater.graph import SparseTensor, Tensor, convert_to_tensor, name_scope
from headwater.graph.basic_nodes import with_dependencies
from headwater.graph.sparse_tensor import convert_to_tensor_or_sparse_tensor, is_sparse
from headwater.ops.array.concat import concat
from headwater.ops.array.fill import fill
from headwater.ops.array.reshape import expand_dims, reshape
from headwater.ops.array.shape import shape
from headwater.ops.array.stack import stack
from headwater.ops.array.tile import tile
from headwater.ops.control.assertion import assert_
from headwater.ops.math.cast import cast
from headwater.ops.math.comparison import equal
from headwater.ops.math.ranges import range_
from headwater.ops.math.reduce_functions import reduce_max
from headwater.ops.random.uniform import random_uniform
from headwater.ops.sparse.tensors_map import (
    add_many_sparse_to_tensors_map,
    take_many_sparse_from_tensors_map,
)
from headwater.ops.strings.as_string import as_string
from headwater.ops.strings.join import string_join
from headwater.ops.summary.scalar import scalar
from headwater.train.queue_runner import QueueRunner, add_queue_runner

_Tensors = Mapping[str, Any]


@export("contrib.training.batch_sequences_with_states")
def batch_sequences_with_states(
    input_key: TensorLike,
    input_sequences: _Tensors,
    input_context: _Tensors,
    input_length: TensorLike | None,
    initial_states: Mapping[str, TensorLike],
    num_unroll: int,
    batch_size: TensorLike,
    num_threads: int = 3,
    capacity: int = 1000,
    allow_small_batch: bool = True,
    pad: bool = True,
    make_keys_unique: bool = False,
    make_keys_unique_seed: int | None = None,
    name: str | None = None,
) -> NextQueuedSequenceBatch:
    """Makes batches of segments of sequences; the state of a segment goes to the next one.

    Args:
        input_key: the name of the sequence, a string scalar.
        input_sequences: the tensors of the sequence by name, dense or sparse, [steps, ...].
        input_context: the tensors that belong to all steps, by name, dense or sparse.
        input_length: the length of the sequence, an int32 scalar; None for the number of steps.
        initial_states: the first states by name.
        num_unroll: the number of steps of a segment.
        batch_size: how many segments make a batch.
        num_threads: how many threads add sequences.
        capacity: how many sequences may be under way.
        allow_small_batch: whether batches may be smaller at the end.
        pad: whether sequences are padded with zeros to a multiple of `num_unroll`.
        make_keys_unique: whether a random number is added to the key.
        make_keys_unique_seed: its seed.
        name: the name scope.

    Returns:
        A NextQueuedSequenceBatch.

    Raises:
        TypeError: if an argument has a wrong type.
        ValueError: if a shape is not known or does not fit, or there is no sequence or no state.
    """
    values = [*input_sequences.values(), *input_context.values(), input_length]
    with name_scope(name, "batch_sequences_with_states", values):
        sequences = {
            key: convert_to_tensor_or_sparse_tensor(value)
            for key, value in sorted(input_sequences.items())
        }
        context = dict(input_context)
        steps = None
        if pad and sequences:
            steps, sequences = _padded(sequences, num_unroll)
        if input_length is None and sequences:
            first = next(iter(input_sequences.values()))
            input_length = cast(_steps(convert_to_tensor_or_sparse_tensor(first)), dtypes.int32)
        stored = _Stored(sequences, context, steps, num_unroll)
        if make_keys_unique:
            number = random_uniform(
                [], 0, dtypes.int64.max, dtypes.int64, seed=make_keys_unique_seed
            )
            input_key = string_join([input_key, as_string(number)])
        saver = SequenceQueueingStateSaver(
            batch_size, num_unroll, input_length, input_key, stored.sequences, stored.context,
            initial_states, capacity=capacity, allow_small_batch=allow_small_batch,
        )  # fmt: skip
        barrier = saver.barrier
        ready = cast(barrier.ready_size(), dtypes.float32)
        scalar(f"queue/{barrier.name}/ready_segment_batches_", ready)
        # A runner needs only a name and `close` of its queue.
        runner: Any = saver
        add_queue_runner(
            QueueRunner(
                runner,
                [saver.prefetch_op] * num_threads,
                queue_closed_exception_types=(OutOfRangeError, CancelledError),
            )
        )
        return stored.restored(saver.next_batch)


def _steps(value: Any) -> Tensor:
    return value.dense_shape[0] if is_sparse(value) else shape(value)[0]


def _padded(sequences: _Tensors, num_unroll: int) -> tuple[Tensor, dict[str, Any]]:
    """The number of steps, a multiple of `num_unroll`, and the sequences padded to it."""
    dense = [shape(value)[0] for value in sequences.values() if not is_sparse(value)]
    if dense:
        same = [equal(dense[0], other) for other in (dense[1:] or dense)]
        text = string_join(
            ["All sequence lengths must match, but received lengths: ", as_string(stack(dense))]
        )
        length = with_dependencies([assert_(right, [text]) for right in same], dense[0])
    else:
        parts = [_steps(value) for value in sequences.values()]
        length = reduce_max(cast(stack(parts), dtypes.int32))
    steps = length + (num_unroll - length % num_unroll) % num_unroll
    return steps, {key: _padded_to(value, steps) for key, value in sequences.items()}


def _padded_to(value: Any, steps: Tensor) -> Any:
    if is_sparse(value):
        sizes = concat([[cast(steps, dtypes.int64)], value.dense_shape[1:]], 0)
        return SparseTensor(value.indices, value.values, sizes)
    missing = concat([[steps - shape(value)[0]], shape(value)[1:]], 0)
    zero = "" if value.dtype == dtypes.string else 0
    padding = fill(missing, convert_to_tensor(zero, dtype=value.dtype))
    padded = concat([value, padding], 0)
    if value.get_shape().ndims is not None:
        padded.set_shape([None, *value.get_shape()[1:].as_list()])
    return padded


class _Stored:
    """Sparse tensors as handles of their steps, since a barrier holds only dense tensors.

    A sparse context becomes a sequence with the context in the first step of each segment.
    """

    def __init__(
        self, sequences: _Tensors, context: _Tensors, steps: Tensor | None, num_unroll: int
    ) -> None:
        self._num_unroll = num_unroll
        self.sequences: dict[str, Tensor] = {}
        self.context: dict[str, Any] = {}
        # name -> handles, whose op holds the map
        self._sparse_sequences: dict[str, Tensor] = {}
        self._sparse_context: dict[str, tuple[str, Tensor]] = {}
        for key, value in sequences.items():
            if is_sparse(value):
                value = self._sparse_sequences[key] = add_many_sparse_to_tensors_map(value)
                value.set_shape([None])
            self.sequences[key] = value
        for key, value in context.items():
            if not is_sparse(value):
                self.context[key] = value
                continue
            if steps is None:
                steps = cast(_steps(next(iter(sequences.values()))), dtypes.int32)
            handles = add_many_sparse_to_tensors_map(self._first_steps(value, steps))
            handles.set_shape([None])
            label = _unused(key, self.sequences)
            self._sparse_context[key] = label, handles
            self.sequences[label] = handles

    def _first_steps(self, value: SparseTensor, steps: Tensor) -> SparseTensor:
        """A sparse tensor [steps, ...] with the context in the first step of each segment."""
        wide = cast(steps, dtypes.int64)
        starts = range_(0, wide, self._num_unroll)
        count = shape(value.indices)[0]
        segments = shape(starts)[0]
        rows = reshape(tile(expand_dims(starts, 1), [1, count]), [-1, 1])
        indices = concat([rows, tile(value.indices, [segments, 1])], 1)
        values = tile(value.values, [segments])
        return SparseTensor(indices, values, concat([[wide], value.dense_shape], 0))

    def restored(self, batch: NextQueuedSequenceBatch) -> NextQueuedSequenceBatch:
        """The batch with sparse tensors in the place of their handles."""
        if not self._sparse_sequences and not self._sparse_context:
            return batch
        sequences, context = batch.sequences, batch.context
        for key, handles in self._sparse_sequences.items():
            sequences[key] = self._taken(sequences[key], handles)
        for key, (label, handles) in self._sparse_context.items():
            taken = self._taken(sequences.pop(label), handles)
            # Only the first step of a segment has elements.
            indices = concat([taken.indices[:, :1], taken.indices[:, 2:]], 1)
            sizes = concat([taken.dense_shape[:1], taken.dense_shape[2:]], 0)
            context[key] = SparseTensor(indices, taken.values, sizes)
        return _SparseBatch(batch, sequences, context)

    def _taken(self, handles: Tensor, stored: Tensor) -> SparseTensor:
        """The sparse tensor [batch, num_unroll, ...] of handles [batch, num_unroll]."""
        rank = stored.op.inputs[0].get_shape()[1].value
        taken = take_many_sparse_from_tensors_map(
            sparse_map_op=stored.op, sparse_handles=reshape(handles, [-1]), rank=rank
        )
        row = taken.indices[:, :1]
        width = convert_to_tensor(self._num_unroll, dtypes.int64)
        indices = concat([row // width, row % width, taken.indices[:, 1:]], 1)
        first = cast(shape(handles)[:1], dtypes.int64)
        sizes = concat([first, [width], taken.dense_shape[1:]], 0)
        return SparseTensor(indices, taken.values, sizes)


def _unused(key: str, taken: Mapping[str, Any]) -> str:
    while key in taken:
        key += "_context"
    return key


class _SparseBatch(NextQueuedSequenceBatch):
    """A batch of which some tensors are sparse."""

    def __init__(
        self, batch: NextQueuedSequenceBatch, sequences: dict[str, Any], context: dict[str, Any]
    ) -> None:
        self.__dict__.update(batch.__dict__)
        self._all_sequences = collections.OrderedDict(sorted(sequences.items()))
        self._all_context = collections.OrderedDict(sorted(context.items()))

    @property
    def sequences(self) -> dict[str, Any]:
        """The tensors of the segments by name, [batch, num_unroll, ...]."""
        return self._all_sequences

    @property
    def context(self) -> dict[str, Any]:
        """The tensors of the context by name, [batch, ...]."""
        return self._all_context
