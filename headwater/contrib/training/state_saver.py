"""SequenceQueueingStateSaver: long sequences in segments, with the state from one to the next.

A sequence is cut into segments of `num_unroll` steps, which are elements of a barrier. The initial
state completes the first segment; the state that the model saves completes the next one. A queue
limits how many sequences are under way.
"""

from __future__ import annotations

import collections
from collections.abc import Mapping, Sequence
from typing import Any

from headwater.base import dtypes
from headwater.base.dtypes import DType
from headwater.base.export import export
from headwater.base.tensor_shape import TensorShape
from headwater.base.typing import TensorLike
from headwater.contrib.training import checked_shapes
from headwater.graph import (
    Operation,
    Tensor,
    colocate_with,
    constant_value,
    control_dependencies,
    convert_to_tensor,
    group,
    name_scope,
)
from headwater.model.queues.barrier import Barrier
from headwater.model.queues.queue_kinds import FIFOQueue
from headwater.ops.array.concat import concat
from headwater.ops.array.fill import ones
from headwater.ops.array.gather import gather
from headwater.ops.array.reshape import expand_dims, reshape, squeeze
from headwater.ops.array.shape import shape
from headwater.ops.array.slice import slice_
from headwater.ops.array.stack import stack
from headwater.ops.array.tile import tile
from headwater.ops.control.identity import identity
from headwater.ops.control.value_checks import assert_less_equal
from headwater.ops.math.cast import cast
from headwater.ops.math.comparison import greater_equal
from headwater.ops.math.extrema import maximum, minimum
from headwater.ops.math.logical import logical_not
from headwater.ops.math.ranges import range_
from headwater.ops.math.reduce_functions import reduce_sum
from headwater.ops.math.select import where
from headwater.ops.strings.as_string import as_string
from headwater.ops.strings.join import string_join

# The first components of the barrier; sequences, context and states follow.
_LENGTH, _TOTAL_LENGTH, _NEXT_KEY, _SEQUENCE, _SEQUENCE_COUNT = range(5)
_COMPONENT_TYPES = [dtypes.int32, dtypes.int32, dtypes.string, dtypes.int32, dtypes.int32]


@export("contrib.training.SequenceQueueingStateSaver")
class SequenceQueueingStateSaver:
    """Cuts sequences into segments and hands the state of a segment to the next one.

    Args:
        batch_size: how many segments make a batch, an int32 scalar.
        num_unroll: the number of steps of a segment.
        input_length: the length of the sequence, an int32 scalar.
        input_key: the name of the sequence, a string scalar; unique among those under way.
        input_sequences: the tensors of the sequence by name, [steps, ...]; the number of steps is
            a multiple of `num_unroll`.
        input_context: the tensors that belong to all steps, by name.
        initial_states: the first states by name.
        capacity: how many sequences may be under way; None for any number.
        allow_small_batch: whether a batch may be smaller once the saver is closed.
        name: the name scope.

    Raises:
        TypeError: if an argument has a wrong type.
        ValueError: if a shape is not known or does not fit, or there is no sequence or no state.
    """

    def __init__(
        self,
        batch_size: TensorLike,
        num_unroll: int,
        input_length: TensorLike,
        input_key: TensorLike,
        input_sequences: Mapping[str, TensorLike],
        input_context: Mapping[str, TensorLike],
        initial_states: Mapping[str, TensorLike],
        capacity: int | None = None,
        allow_small_batch: bool = False,
        name: str | None = None,
    ) -> None:
        self._queue = FIFOQueue(
            capacity=-1 if capacity is None else capacity, dtypes=[dtypes.int32], shapes=[[]]
        )
        values = [
            *input_sequences.values(), *input_context.values(), input_length, input_key,
        ]  # fmt: skip
        with (
            name_scope(name, "InputQueueingStateSaver", values) as scope,
            colocate_with(self._queue.queue_ref),
        ):
            self._scope = scope
            self._batch_size = batch_size
            self._num_unroll = num_unroll
            self._allow_small_batch = allow_small_batch
            self._length = checked_shapes.with_rank(_typed(input_length, "length", dtypes.int32), 0)
            self._key = checked_shapes.with_rank(_typed(input_key, "key", dtypes.string), 0)
            self._sequences = _converted(input_sequences, "sequence")
            self._context = _converted(input_context, "context")
            self._states = _converted(initial_states, "state", "initial_states")
            if not self._sequences:
                raise ValueError("must have at least one sequence tensor")
            if not self._states:
                raise ValueError(
                    "initial_states may not be empty: at least one state variable is required to "
                    "properly enqueue split sequences to run in separate iterations"
                )
            self._check_shapes()
            self._check_length()
            self._barrier = self._make_barrier()
        self._prefetch_op: Operation | None = None
        self._next_batch: NextQueuedSequenceBatch | None = None

    def _check_shapes(self) -> None:
        for name, value in self._sequences.items():
            if not value.get_shape()[1:].is_fully_defined():
                raise ValueError(
                    f"Shape for sequence {name} is not fully defined (ignoring first dimension): "
                    f"{value.get_shape()}"
                )
        for what, values in (("context", self._context), ("state", self._states)):
            for name, value in values.items():
                if not value.get_shape().is_fully_defined():
                    raise ValueError(
                        f"Shape for {what} {name} is not fully defined : {value.get_shape()}"
                    )

    def _check_length(self) -> None:
        first = next(iter(self._sequences.values()))
        padded = identity(shape(first)[0], name="padded_length")
        self._padded_length = checked_shapes.multiple_of(padded, self._num_unroll)
        for name, value in self._sequences.items():
            self._sequences[name] = checked_shapes.with_dimensions(
                value, f"sorted_sequences_{name}", [self._padded_length]
            )
        fits = assert_less_equal(
            self._length,
            self._padded_length,
            data=[
                "Input length should be <= than length from sequences:",
                self._length,
                " vs. ",
                self._padded_length,
            ],
        )
        with control_dependencies([fits]):
            self._length = identity(self._length)

    def _make_barrier(self) -> Barrier:
        unrolled = TensorShape([self._num_unroll])
        values = [*self._sequences.values(), *self._context.values(), *self._states.values()]
        shapes: list[Any] = [
            *([TensorShape([])] * len(_COMPONENT_TYPES)),
            *(unrolled.concatenate(v.get_shape()[1:]) for v in self._sequences.values()),
            *(v.get_shape() for v in (*self._context.values(), *self._states.values())),
        ]
        return Barrier(types=[*_COMPONENT_TYPES, *(v.dtype for v in values)], shapes=shapes)

    def _component(self, kind: Mapping[str, Tensor], name: str) -> int:
        """The index of a component of the barrier."""
        start = len(_COMPONENT_TYPES)
        for values in (self._sequences, self._context, self._states):
            if values is kind:
                return start + list(values).index(name)
            start += len(values)
        raise KeyError(name)

    @property
    def name(self) -> str:
        """The name scope."""
        return self._scope

    @property
    def barrier(self) -> Barrier:
        """The barrier of the segments."""
        return self._barrier

    @property
    def batch_size(self) -> Any:
        """How many segments make a batch."""
        return self._batch_size

    @property
    def num_unroll(self) -> Any:
        """The number of steps of a segment."""
        return self._num_unroll

    @property
    def prefetch_op(self) -> Operation:
        """The op that adds the segments of a sequence; queue runners run it."""
        if self._prefetch_op is None:
            with name_scope(self._scope), colocate_with(self._queue.queue_ref):
                self._prefetch_op = self._make_prefetch_op()
        return self._prefetch_op

    @property
    def next_batch(self) -> NextQueuedSequenceBatch:
        """The next batch of segments."""
        if self._next_batch is None:
            self._next_batch = NextQueuedSequenceBatch(self)
        return self._next_batch

    def close(self, cancel_pending_enqueues: bool = False, name: str | None = None) -> Operation:
        """Makes an op that ends the input.

        Args:
            cancel_pending_enqueues: whether sequences under way are given up.
            name: the name of the op.

        Returns:
            An Operation.
        """
        with name_scope(name, "SQSSClose", [self._barrier.barrier_ref]) as scope:
            barrier = self._barrier.close(cancel_pending_enqueues, "BarrierClose")
            queue = self._queue.close(cancel_pending_enqueues, "FIFOClose")
            return group(barrier, queue, name=scope)

    def _make_prefetch_op(self) -> Operation:
        count = self._padded_length // self._num_unroll
        all_ones = ones(expand_dims(count, 0), dtype=dtypes.int32)
        indices = range_(count)
        done = self._num_unroll * indices
        lengths = minimum(self._num_unroll, maximum(0, self._length - done))
        total_lengths = self._length * all_ones
        counts = count * all_ones
        keys, next_keys = self._keys(indices, count)
        parts: list[tuple[int, str, Tensor]] = [
            (_SEQUENCE, "Sequence", indices),
            (_SEQUENCE_COUNT, "SequenceCount", counts),
            (_NEXT_KEY, "NextKey", next_keys),
            (_LENGTH, "Length", lengths),
            (_TOTAL_LENGTH, "TotalLength", total_lengths),
        ]
        for name, value in self._sequences.items():
            index = self._component(self._sequences, name)
            parts.append((index, f"Sequences_{name}", self._segments(name, value, count)))
        for name, value in self._context.items():
            index = self._component(self._context, name)
            parts.append((index, f"Context_{name}", self._repeated(name, value, count)))
        inserts = [
            self._barrier.insert_many(index, keys, value, name=f"BarrierInsert{name}")
            for index, name, value in parts
        ]
        inserts.append(self._queue.enqueue([0]))
        with control_dependencies(inserts):
            first = keys[0]
            states = [
                self._barrier.insert_many(
                    self._component(self._states, name),
                    stack([first]),
                    stack([value]),
                    name=f"BarrierInitialInsertState_{name}",
                )
                for name, value in self._states.items()
            ]
        return group(*inserts, *states, name="StateSaverPrefetchGroup")

    def _keys(self, indices: Tensor, count: Tensor) -> tuple[Tensor, Tensor]:
        """The names of the segments, and for each that of the next one."""
        parts = [
            as_string(indices, width=5, fill="0"), "_of_",
            as_string(count, width=5, fill="0"), ":", self._key,
        ]  # fmt: skip
        keys = string_join(parts, name="StringJoinCurrentKeys")
        rest = slice_(keys, [1], [-1])
        stop = string_join(["STOP:", self._key], name="StringJoinStop")
        return keys, concat([rest, expand_dims(stop, 0)], 0, name="concat_next_keys")

    def _segments(self, name: str, value: Tensor, count: Tensor) -> Tensor:
        """A sequence in segments, [segments, num_unroll, ...]."""
        rest = value.get_shape()[1:].as_list()
        parts = [expand_dims(count, 0), expand_dims(self._num_unroll, 0), _vector(rest)]
        sizes = concat(parts, 0, name=f"concat_sequences_{name}")
        parted = reshape(value, sizes, name=f"reshape_sequences_{name}")
        return checked_shapes.with_dimensions(
            parted, f"reshaped_sequences_{name}", [count, self._num_unroll, *rest]
        )

    def _repeated(self, name: str, value: Tensor, count: Tensor) -> Tensor:
        """A context for each segment."""
        sizes = value.get_shape().as_list()
        parts = [expand_dims(count, 0), _vector([1] * len(sizes))]
        multiples = concat(parts, 0, name=f"concat_context_{name}")
        repeated = tile(expand_dims(value, 0), multiples, name=f"tile_context_{name}")
        return checked_shapes.with_dimensions(repeated, f"expanded_context_{name}", [count, *sizes])


@export("contrib.training.NextQueuedSequenceBatch")
class NextQueuedSequenceBatch:
    """A batch of segments; `state` and `save_state` make it a state saver of RNNs.

    Args:
        state_saver: the SequenceQueueingStateSaver.

    Raises:
        TypeError: if it is something else.
    """

    def __init__(self, state_saver: SequenceQueueingStateSaver) -> None:
        if not isinstance(state_saver, SequenceQueueingStateSaver):
            raise TypeError("state_saver must be a SequenceQueueingStateSaver.")
        self._saver = saver = state_saver
        with (
            name_scope(saver._scope),
            colocate_with(saver._queue.queue_ref),
        ):
            taken: Any = saver._barrier.take_many(
                saver._batch_size,
                allow_small_batch=saver._allow_small_batch,
                name="BarrierTakeMany",
            )
            self._indices, self._keys, self._values = taken
            self._actual_size = squeeze(shape(self._indices))
            last = greater_equal(self.sequence + 1, self.sequence_count)
            self._is_last = last
            finished = reduce_sum(cast(last, dtypes.int32))
            # A sequence makes room for another one when its last segment is taken.
            dequeued = saver._queue.dequeue_many(finished)
            self._states = {}
            with control_dependencies([dequeued]):
                for name in saver._states:
                    value = self._values[saver._component(saver._states, name)]
                    self._states[name] = identity(value)

    @property
    def total_length(self) -> Tensor:
        """The lengths of the whole sequences, int32 [batch]."""
        return self._values[_TOTAL_LENGTH]

    @property
    def length(self) -> Tensor:
        """The lengths of the segments, int32 [batch]."""
        return self._values[_LENGTH]

    @property
    def batch_size(self) -> Tensor:
        """The number of segments of this batch, an int32 scalar."""
        return self._actual_size

    @property
    def insertion_index(self) -> Tensor:
        """When the segments were added, int64 [batch]."""
        return self._indices

    @property
    def key(self) -> Tensor:
        """The names of the segments, strings [batch]."""
        return self._keys

    @property
    def next_key(self) -> Tensor:
        """The names of the segments that follow; those of last ones begin with STOP."""
        return self._values[_NEXT_KEY]

    @property
    def sequence(self) -> Tensor:
        """The indices of the segments in their sequences, int32 [batch]."""
        return self._values[_SEQUENCE]

    @property
    def sequence_count(self) -> Tensor:
        """The numbers of segments of the sequences, int32 [batch]."""
        return self._values[_SEQUENCE_COUNT]

    @property
    def context(self) -> dict[str, Any]:
        """The tensors of the context by name, [batch, ...]."""
        return self._by_name(self._saver._context)

    @property
    def sequences(self) -> dict[str, Any]:
        """The tensors of the segments by name, [batch, num_unroll, ...]."""
        return self._by_name(self._saver._sequences)

    def _by_name(self, kind: Mapping[str, Tensor]) -> dict[str, Any]:
        component = self._saver._component
        return collections.OrderedDict((name, self._values[component(kind, name)]) for name in kind)

    def state(self, state_name: str) -> Tensor:
        """Returns the states that the segments begin with.

        Args:
            state_name: the name of the state.

        Returns:
            A tensor [batch, ...].

        Raises:
            KeyError: if there is no such state.
        """
        return self._states[state_name]

    def save_state(self, state_name: str, value: TensorLike, name: str | None = None) -> Operation:
        """Makes an op that hands states to the segments that follow.

        Args:
            state_name: the name of the state.
            value: the states after the segments, [batch, ...].
            name: the name scope.

        Returns:
            An Operation.

        Raises:
            KeyError: if there is no such state.
            ValueError: if the shape is not that of the state.
        """
        if state_name not in self._states:
            raise KeyError(f"state was not declared: {state_name}")
        saver = self._saver
        with (
            name_scope(name, "InputQueueingStateSaver_SaveState", [value, self.next_key]),
            colocate_with(saver._queue.queue_ref),
        ):
            goes_on = reshape(where(logical_not(self._is_last)), [-1])
            keys = gather(self.next_key, goes_on)
            checked = self._checked_state(state_name, value)
            return saver._barrier.insert_many(
                saver._component(saver._states, state_name),
                keys,
                gather(checked, goes_on),
                name=f"BarrierInsertState_{state_name}",
            )

    def _checked_state(self, state_name: str, value: TensorLike) -> Tensor:
        saver = self._saver
        value = identity(convert_to_tensor(value), name=f"convert_{state_name}")
        sizes = saver._states[state_name].get_shape()
        known = (
            None
            if saver._allow_small_batch
            else constant_value(convert_to_tensor(saver._batch_size))
        )
        static = TensorShape([None if known is None else int(known)]).concatenate(sizes)
        value = checked_shapes.with_rank(value, 1 + len(sizes))
        if static.is_fully_defined():
            expected: Any = static.as_list()
        else:
            expected = concat([expand_dims(self._actual_size, 0), _vector(sizes.as_list())], 0)
        return checked_shapes.with_shape(value, static, expected)


def _vector(sizes: Sequence[int | None]) -> Tensor:
    return convert_to_tensor(sizes, dtypes.int32)


def _typed(value: TensorLike, name: str, dtype: DType) -> Tensor:
    """A tensor of a type.

    Raises:
        TypeError: if it has another one.
    """
    tensor = convert_to_tensor(value)
    if tensor.dtype != dtype:
        raise TypeError(f"{name} dtype must be {dtype.name}, but received: {tensor.dtype}")
    return tensor


def _converted(
    values: Mapping[str, TensorLike], what: str, argument: str | None = None
) -> dict[str, Tensor]:
    """Tensors by name, in the order of the names.

    Raises:
        TypeError: if it is not a dictionary with strings as keys.
    """
    if not isinstance(values, Mapping):
        raise TypeError(f"{argument or what} must be a dictionary")
    for key in values:
        if not isinstance(key, str):
            raise TypeError(f"{what} key must be string: {key}")
    pairs = sorted(values.items())
    return collections.OrderedDict((key, convert_to_tensor(value)) for key, value in pairs)
