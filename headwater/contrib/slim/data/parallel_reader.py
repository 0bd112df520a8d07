"""Reading the records of several files at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from headwater.base import dtypes as types
from headwater.base import errors
from headwater.base.export import export
from headwater.base.typing import TensorLike
from headwater.data.input_queues.producers import string_input_producer
from headwater.data.readers.reader_base import ReaderBase
from headwater.graph import Tensor, name_scope
from headwater.io.file_io import get_matching_files
from headwater.model.queues.queue_kinds import FIFOQueue, RandomShuffleQueue
from headwater.ops.math.add_n import add_n
from headwater.ops.math.cast import cast
from headwater.ops.summary.scalar import scalar
from headwater.train.queue_runner import QueueRunner, add_queue_runner


@export("contrib.slim.parallel_reader.ParallelReader")
class ParallelReader(ReaderBase):
    """A reader that is several: they put their records into one queue.

    Args:
        reader_class: the class of the readers.
        common_queue: the queue of the records; of keys and values, both strings.
        num_readers: how many readers there are.
        reader_kwargs: the arguments of `reader_class`, or None.

    Raises:
        TypeError: if the elements of `common_queue` are not two strings.
    """

    def __init__(
        self,
        reader_class: Any,
        common_queue: Any,
        num_readers: int = 4,
        reader_kwargs: dict[str, Any] | None = None,
    ) -> None:
        if list(common_queue.dtypes) != [types.string, types.string]:
            raise TypeError("common_queue.dtypes must be [tf.string, tf.string]")
        self._readers = [reader_class(**(reader_kwargs or {})) for _ in range(num_readers)]
        self._common_queue = common_queue

    @property
    def num_readers(self) -> int:
        """How many readers there are."""
        return len(self._readers)

    @property
    def common_queue(self) -> Any:
        """The queue of the records."""
        return self._common_queue

    def read(self, queue: Any, name: str | None = None) -> Any:
        """Makes an op that takes a record from the common queue, and a runner that fills it.

        Args:
            queue: a queue of the names of files.
            name: the name of the op.

        Returns:
            The key and the value of a record.
        """
        self._read_from(queue)
        return self._common_queue.dequeue(name=name)

    def read_up_to(self, queue: Any, num_records: TensorLike, name: str | None = None) -> Any:
        """Makes an op that takes records from the common queue, and a runner that fills it.

        Args:
            queue: a queue of the names of files.
            num_records: the largest number of records.
            name: the name of the op.

        Returns:
            The keys and the values of the records.
        """
        self._read_from(queue)
        return self._common_queue.dequeue_up_to(num_records, name)

    def _read_from(self, queue: Any) -> None:
        enqueue_ops = [self._common_queue.enqueue(reader.read(queue)) for reader in self._readers]
        add_queue_runner(
            QueueRunner(
                self._common_queue,
                enqueue_ops,
                queue_closed_exception_types=(errors.OutOfRangeError, errors.CancelledError),
            )
        )

    def num_records_produced(self, name: str | None = None) -> Tensor:
        """Makes an op that returns how many records all readers have read.

        Args:
            name: the name of the op.

        Returns:
            An int64 scalar.
        """
        return add_n([reader.num_records_produced() for reader in self._readers], name=name)

    def num_work_units_completed(self, name: str | None = None) -> Tensor:
        """Makes an op that returns how many files all readers have read to their ends.

        Args:
            name: the name of the op.

        Returns:
            An int64 scalar.
        """
        return add_n([reader.num_work_units_completed() for reader in self._readers], name=name)


@export("contrib.slim.parallel_reader.get_data_files")
def get_data_files(data_sources: Any) -> list[str]:
    """Returns the files of a dataset.

    Args:
        data_sources: a file, a pattern of files, or a list of these.

    Returns:
        A list of paths.

    Raises:
        ValueError: if there are none.
    """
    if isinstance(data_sources, (list, tuple)):
        files = [file for source in data_sources for file in get_data_files(source)]
    elif any(sign in data_sources for sign in "*?["):
        files = get_matching_files(data_sources)
    else:
        files = [data_sources]
    if not files:
        raise ValueError(f"No data files found in {data_sources}")
    return files


@export("contrib.slim.parallel_reader.parallel_read")
def parallel_read(
    data_sources: Any,
    reader_class: Any,
    num_epochs: int | None = None,
    num_readers: int = 4,
    reader_kwargs: dict[str, Any] | None = None,
    shuffle: bool = True,
    dtypes: Sequence[Any] | None = None,
    capacity: int = 256,
    min_after_dequeue: int = 128,
    seed: int | None = None,
    scope: str | None = None,
) -> Any:
    """Reads the records of files with several readers at once.

    Args:
        data_sources: a file, a pattern of files, or a list of these.
        reader_class: the class of the readers.
        num_epochs: how often all files are read; None for no limit.
        num_readers: how many readers there are.
        reader_kwargs: the arguments of `reader_class`, or None.
        shuffle: whether files and records are shuffled.
        dtypes: the dtypes of key and value; strings by default.
        capacity: how many records the common queue holds.
        min_after_dequeue: how many it holds back to shuffle.
        seed: the seed of the shuffling.
        scope: the name scope.

    Returns:
        The key and the value of a record.
    """
    files = get_data_files(data_sources)
    with name_scope(scope, "parallel_read"):
        file_names = string_input_producer(
            files, num_epochs=num_epochs, shuffle=shuffle, seed=seed, name="filenames"
        )
        record_types = list(dtypes or [types.string, types.string])
        common_queue: Any
        if shuffle:
            common_queue = RandomShuffleQueue(
                capacity=capacity,
                min_after_dequeue=min_after_dequeue,
                dtypes=record_types,
                seed=seed,
                name="common_queue",
            )
        else:
            common_queue = FIFOQueue(capacity=capacity, dtypes=record_types, name="common_queue")
        summarize_fullness(common_queue, capacity)
        reader = ParallelReader(
            reader_class, common_queue, num_readers=num_readers, reader_kwargs=reader_kwargs
        )
        return reader.read(file_names)


def summarize_fullness(queue: Any, capacity: int) -> None:
    """Makes the summary of how full a queue is.

    Args:
        queue: the queue.
        capacity: how many elements it holds.
    """
    fullness = cast(queue.size(), types.float32) * (1.0 / capacity)
    scalar(f"fraction_of_{capacity}_full", fullness)


@export("contrib.slim.parallel_reader.single_pass_read")
def single_pass_read(
    data_sources: Any,
    reader_class: Any,
    reader_kwargs: dict[str, Any] | None = None,
    scope: str | None = None,
) -> Any:
    """Reads the records of files once, in their order.

    Args:
        data_sources: a file, a pattern of files, or a list of these.
        reader_class: the class of the reader.
        reader_kwargs: the arguments of `reader_class`, or None.
        scope: the name scope.

    Returns:
        The key and the value of a record.
    """
    files = get_data_files(data_sources)
    with name_scope(scope, "single_pass_read"):
        file_names = string_input_producer(
            files, num_epochs=1, shuffle=False, capacity=1, name="filenames"
        )
        return reader_class(**(reader_kwargs or {})).read(file_names)
