"""Batches of the records of files: a queue of file names, readers, a queue of records."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

from headwater.base import dtypes
from headwater.base.export import export, export_value
from headwater.contrib.input_pipeline.elements import seek_next
from headwater.data.input_queues.batches import batch_join
from headwater.data.input_queues.producers import string_input_producer
from headwater.data.input_queues.shuffled_batches import shuffle_batch_join
from headwater.graph import Tensor, name_scope
from headwater.model.queues.queue_kinds import FIFOQueue
from headwater.ops.array.constant import constant
from headwater.train.queue_runner import QueueRunner, add_queue_runner

# The key of keys among parsed features.
KEY_FEATURE_NAME = "__key__"
export_value("contrib.learn.io.graph_io.KEY_FEATURE_NAME", KEY_FEATURE_NAME)


def _matching(pattern: Any) -> list[Any]:
    """The files of a pattern, as `tf.gfile.Glob` gives them: programs may have replaced it."""
    return list(import_module("headwater.gfile").Glob(pattern))


def _file_names(file_pattern: Any, randomize_input: bool) -> list[Any]:
    """The files of a pattern or of several; sorted unless their order is random anyhow."""
    if isinstance(file_pattern, list):
        if not file_pattern:
            raise ValueError("No files given to dequeue_examples.")
        names = [name for pattern in file_pattern for name in _matching(pattern)]
    else:
        names = _matching(file_pattern)
    if not names:
        raise ValueError(f"No files match {file_pattern}.")
    return names if randomize_input else sorted(names)


def _check_counts(
    batch_size: Any,
    queue_capacity: Any,
    num_threads: Any,
    read_batch_size: Any,
    num_epochs: Any,
) -> None:
    if not queue_capacity or queue_capacity <= 0:
        raise ValueError(f"Invalid queue_capacity {queue_capacity}.")
    if batch_size is None or (
        not isinstance(batch_size, Tensor) and not 0 < batch_size < queue_capacity
    ):
        raise ValueError(f"Invalid batch_size {batch_size}, with queue_capacity {queue_capacity}.")
    if read_batch_size is None or (
        not isinstance(read_batch_size, Tensor) and read_batch_size <= 0
    ):
        raise ValueError(f"Invalid read_batch_size {read_batch_size}.")
    if not num_threads or num_threads <= 0:
        raise ValueError(f"Invalid num_threads {num_threads}.")
    if num_epochs is not None and num_epochs <= 0:
        raise ValueError(f"Invalid num_epochs {num_epochs}.")


def _own_file_queue(names: list[Any], shuffle: bool, num_epochs: Any, seed: Any) -> Any:
    with name_scope("file_name_queue") as scope:
        return string_input_producer(
            constant(names, name="input"),
            shuffle=shuffle,
            num_epochs=num_epochs,
            name=scope,
            seed=seed,
        )


def _shared_file_queue(names: list[Any], shuffle: bool, num_epochs: Any, seed: Any) -> Any:
    """A queue for each worker, filled from one list whose place is kept in variables."""
    with name_scope("file_name_queue"):
        queue = FIFOQueue(capacity=1, dtypes=[dtypes.string], shapes=[[]])
        enqueue = queue.enqueue(seek_next(names, shuffle=shuffle, num_epochs=num_epochs, seed=seed))
        add_queue_runner(QueueRunner(queue, [enqueue]))
        return queue


def _records(
    files: Any, reader: Callable[[], Any], threads: int, read_batch_size: Any, parse_fn: Any
) -> list[Any]:
    """For each thread keys and records, or a dict of what they are parsed to."""
    result: list[Any] = []
    with name_scope("read"):
        for _ in range(threads):
            if read_batch_size > 1:
                keys, values = reader().read_up_to(files, read_batch_size)
            else:
                keys, values = reader().read(files)
            parsed = parse_fn(values) if parse_fn else values
            if isinstance(parsed, dict):
                parsed[KEY_FEATURE_NAME] = keys
                result.append(parsed)
            else:
                result.append((keys, parsed))
    return result


def _keyed_examples(
    file_queue: Callable[..., Any],
    file_pattern: Any,
    batch_size: Any,
    reader: Callable[[], Any],
    randomize_input: bool,
    num_epochs: int | None,
    queue_capacity: int,
    num_threads: int,
    read_batch_size: Any,
    parse_fn: Any,
    name: str | None,
    seed: int | None,
) -> Any:
    names = _file_names(file_pattern, randomize_input)
    _check_counts(batch_size, queue_capacity, num_threads, read_batch_size, num_epochs)
    with name_scope(name, "read_batch_examples", [file_pattern]) as scope:
        files = file_queue(names, randomize_input, num_epochs, seed)
        records = _records(files, reader, num_threads, read_batch_size, parse_fn)
        options: dict[str, Any] = {
            "capacity": queue_capacity,
            "enqueue_many": read_batch_size > 1,
            "name": scope,
            "allow_smaller_final_batch": num_epochs is not None,
        }
        if randomize_input:
            low = (
                int(queue_capacity * 0.4)
                if isinstance(batch_size, Tensor)
                else max(queue_capacity - 3 * batch_size, batch_size)
            )
            batch = shuffle_batch_join(
                records, batch_size, min_after_dequeue=low, seed=seed, **options
            )
        else:
            batch = batch_join(records, batch_size, **options)
        if parse_fn and isinstance(batch, dict):
            return batch.pop(KEY_FEATURE_NAME), batch
        return batch


@export(
    "contrib.learn.read_keyed_batch_examples",
    "contrib.learn.io.read_keyed_batch_examples",
    "contrib.learn.io.graph_io.read_keyed_batch_examples",
)
def read_keyed_batch_examples(
    file_pattern: Any,
    batch_size: Any,
    reader: Callable[[], Any],
    randomize_input: bool = True,
    num_epochs: int | None = None,
    queue_capacity: int = 10000,
    num_threads: int = 1,
    read_batch_size: Any = 1,
    parse_fn: Any = None,
    name: str | None = None,
    seed: int | None = None,
) -> Any:
    """Reads batches of records with their keys.

    Args:
        file_pattern: a pattern of file names, or a list of patterns.
        batch_size: the number of records of a batch, an int or a scalar.
        reader: a function that returns a reader, such as the class `tf.TFRecordReader`.
        randomize_input: whether files and records come in random order.
        num_epochs: how often each file is read; None for ever. The counter is a local variable.
        queue_capacity: how many records are read ahead.
        num_threads: the number of readers.
        read_batch_size: how many records are read at a time.
        parse_fn: a function of a tensor of records, applied before they are batched; or None.
        name: the name scope.
        seed: the seed of the random order.

    Returns:
        String tensors of keys and records ``[batch_size]``; or what `parse_fn` returns of them.

    Raises:
        ValueError: if there are no files, or a count is not positive or larger than the queue.
    """
    return _keyed_examples(
        _own_file_queue,
        file_pattern,
        batch_size,
        reader,
        randomize_input,
        num_epochs,
        queue_capacity,
        num_threads,
        read_batch_size,
        parse_fn,
        name,
        seed,
    )


@export(
    "contrib.learn.read_keyed_batch_examples_shared_queue",
    "contrib.learn.io.read_keyed_batch_examples_shared_queue",
    "contrib.learn.io.graph_io.read_keyed_batch_examples_shared_queue",
)
def read_keyed_batch_examples_shared_queue(
    file_pattern: Any,
    batch_size: Any,
    reader: Callable[[], Any],
    randomize_input: bool = True,
    num_epochs: int | None = None,
    queue_capacity: int = 10000,
    num_threads: int = 1,
    read_batch_size: Any = 1,
    parse_fn: Any = None,
    name: str | None = None,
    seed: int | None = None,
) -> Any:
    """Reads batches of records of which workers share the files: each file is read by one.

    Args:
        file_pattern: a pattern of file names, or a list of patterns.
        batch_size: the number of records of a batch, an int or a scalar.
        reader: a function that returns a reader.
        randomize_input: whether files and records come in random order.
        num_epochs: how often each file is read; None for ever.
        queue_capacity: how many records are read ahead.
        num_threads: the number of readers.
        read_batch_size: how many records are read at a time.
        parse_fn: a function of a tensor of records, applied before they are batched; or None.
        name: the name scope.
        seed: the seed of the random order.

    Returns:
        What `read_keyed_batch_examples` returns.

    Raises:
        ValueError: if there are no files, or a count is not positive or larger than the queue.
    """
    return _keyed_examples(
        _shared_file_queue,
        file_pattern,
        batch_size,
        reader,
        randomize_input,
        num_epochs,
        queue_capacity,
        num_threads,
        read_batch_size,
        parse_fn,
        name,
        seed,
    )


@export(
    "contrib.learn.read_batch_examples",
    "contrib.learn.io.read_batch_examples",
    "contrib.learn.io.graph_io.read_batch_examples",
)
def read_batch_examples(
    file_pattern: Any,
    batch_size: Any,
    reader: Callable[[], Any],
    randomize_input: bool = True,
    num_epochs: int | None = None,
    queue_capacity: int = 10000,
    num_threads: int = 1,
    read_batch_size: Any = 1,
    parse_fn: Any = None,
    name: str | None = None,
    seed: int | None = None,
) -> Any:
    """Reads batches of records.

    Args:
        file_pattern: a pattern of file names, or a list of patterns.
        batch_size: the number of records of a batch, an int or a scalar.
        reader: a function that returns a reader, such as the class `tf.TFRecordReader`.
        randomize_input: whether files and records come in random order.
        num_epochs: how often each file is read; None for ever. The counter is a local variable.
        queue_capacity: how many records are read ahead.
        num_threads: the number of readers.
        read_batch_size: how many records are read at a time.
        parse_fn: a function of a tensor of records, applied before they are batched; or None.
        name: the name scope.
        seed: the seed of the random order.

    Returns:
        A string tensor ``[batch_size]``, or what `parse_fn` returns of it.

    Raises:
        ValueError: if there are no files, or a count is not positive or larger than the queue.
    """
    _, examples = read_keyed_batch_examples(
        file_pattern,
        batch_size,
        reader,
        randomize_input,
        num_epochs,
        queue_capacity,
        num_threads,
        read_batch_size,
        parse_fn,
        name,
        seed,
    )
    return examples
