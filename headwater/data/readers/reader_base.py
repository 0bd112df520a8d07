"""The base of all reader classes."""

from __future__ import annotations

from typing import Any

from headwater.base import dtypes
from headwater.base.export import export
from headwater.base.typing import TensorLike
from headwater.graph import Operation, Tensor, build


@export("ReaderBase")
class ReaderBase:
    """A reader of records in a graph: each run of `read` gives the next one.

    What it reads are work units, usually files, whose names it takes from a queue. A subclass makes
    the op that is the reader.

    Args:
        reader_ref: the handle, the output of that op.
        supports_serialize: whether the reader can give its state.
    """

    def __init__(self, reader_ref: Tensor, supports_serialize: bool = False) -> None:
        self._reader_ref = reader_ref
        self._supports_serialize = supports_serialize

    @property
    def reader_ref(self) -> Tensor:
        """The handle of the reader."""
        return self._reader_ref

    @property
    def supports_serialize(self) -> bool:
        """Whether the reader can give its state."""
        return self._supports_serialize

    def _is_resource(self) -> bool:
        return self._reader_ref.dtype == dtypes.resource

    def _queue_of(self, queue: Any) -> Tensor:
        """The handle of a queue, in the form that the reader takes."""
        handle = queue if isinstance(queue, Tensor) else queue.queue_ref
        if not self._is_resource() and handle.dtype == dtypes.resource:
            return build.FakeQueue(handle)
        return handle

    def read(self, queue: Any, name: str | None = None) -> Any:
        """Makes an op that reads the next record.

        When a work unit ends, the next one is dequeued; that may wait.

        Args:
            queue: a queue of strings, or its handle.
            name: the name of the op.

        Returns:
            A pair of scalar string tensors: the key of the record, and its value.

        Raises:
            OutOfRangeError: when it runs, if the queue is closed and empty.
        """
        queue_ref = self._queue_of(queue)
        if self._is_resource():
            return build.ReaderReadV2(self._reader_ref, queue_ref, name=name)
        return build.ReaderRead(self._reader_ref, queue_ref, name=name)

    def read_up_to(self, queue: Any, num_records: TensorLike, name: str | None = None) -> Any:
        """Makes an op that reads some records, which are of one work unit.

        Args:
            queue: a queue of strings, or its handle.
            num_records: the largest number; an int64 scalar.
            name: the name of the op.

        Returns:
            A pair of string vectors: the keys of the records, and their values. There are fewer
            than `num_records` where a work unit ends.

        Raises:
            OutOfRangeError: when it runs, if the queue is closed and empty.
        """
        queue_ref = self._queue_of(queue)
        if self._is_resource():
            return build.ReaderReadUpToV2(self._reader_ref, queue_ref, num_records, name=name)
        return build.ReaderReadUpTo(self._reader_ref, queue_ref, num_records, name=name)

    def num_records_produced(self, name: str | None = None) -> Tensor:
        """Makes an op that returns how many records were read.

        Args:
            name: the name of the op.

        Returns:
            An int64 scalar.
        """
        if self._is_resource():
            return build.ReaderNumRecordsProducedV2(self._reader_ref, name=name)
        return build.ReaderNumRecordsProduced(self._reader_ref, name=name)

    def num_work_units_completed(self, name: str | None = None) -> Tensor:
        """Makes an op that returns how many work units were read to their ends.

        Args:
            name: the name of the op.

        Returns:
            An int64 scalar.
        """
        if self._is_resource():
            return build.ReaderNumWorkUnitsCompletedV2(self._reader_ref, name=name)
        return build.ReaderNumWorkUnitsCompleted(self._reader_ref, name=name)

    def serialize_state(self, name: str | None = None) -> Tensor:
        """Makes an op that returns the state of the reader.

        Args:
            name: the name of the op.

        Returns:
            A string scalar.

        Raises:
            UnimplementedError: when it runs, if the reader cannot do this.
        """
        if self._is_resource():
            return build.ReaderSerializeStateV2(self._reader_ref, name=name)
        return build.ReaderSerializeState(self._reader_ref, name=name)

    def restore_state(self, state: TensorLike, name: str | None = None) -> Operation:
        """Makes an op that brings the reader to a state.

        Args:
            state: a string scalar, the state of a reader of the same kind.
            name: the name of the op.

        Returns:
            An Operation.

        Raises:
            UnimplementedError: when it runs, if the reader cannot do this.
            InvalidArgumentError: when it runs, if `state` is not such a state.
        """
        if self._is_resource():
            return build.ReaderRestoreStateV2(self._reader_ref, state, name=name)
        return build.ReaderRestoreState(self._reader_ref, state, name=name)

    def reset(self, name: str | None = None) -> Operation:
        """Makes an op that brings the reader to its initial state.

        Args:
            name: the name of the op.

        Returns:
            An Operation.
        """
        if self._is_resource():
            return build.ReaderResetV2(self._reader_ref, name=name)
        return build.ReaderReset(self._reader_ref, name=name)
