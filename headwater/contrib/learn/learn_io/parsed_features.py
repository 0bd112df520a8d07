"""Batches of the features of the Example protos of files."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from headwater.base import dtypes, errors
from headwater.base.export import export
from headwater.base.signatures import signature
from headwater.contrib.learn.learn_io.graph_io import (
    read_keyed_batch_examples,
    read_keyed_batch_examples_shared_queue,
)
from headwater.data.readers.file_readers import TFRecordReader
from headwater.graph import SparseTensor, Tensor, name_scope
from headwater.model.queues.queue_kinds import FIFOQueue
from headwater.ops.math.cast import cast
from headwater.ops.parsing.example_functions import parse_example
from headwater.ops.summary.scalar import scalar
from headwater.train.queue_runner import QueueRunner, add_queue_runner

_DEFAULT_THREADS = 2


@export(
    "contrib.learn.io.queue_parsed_features",
    "contrib.learn.io.graph_io.queue_parsed_features",
)
@signature(
    "parsed_features, keys=None, feature_queue_capacity=100, num_enqueue_threads=2, name=None"
)
def queue_parsed_features(
    parsed_features: dict[str, Any],
    keys: Tensor | None = None,
    feature_queue_capacity: int = 100,
    num_enqueue_threads: int | None = None,
    name: str | None = None,
    num_queue_runners: int | None = None,
) -> Any:
    """Parses ahead: batches of features wait in a queue.

    Args:
        parsed_features: tensors and SparseTensors by name.
        keys: the keys of the batch, which go along; or None.
        feature_queue_capacity: the number of batches in the queue.
        num_enqueue_threads: the number of threads that fill the queue; 2 if None.
        name: the name scope.
        num_queue_runners: release 0.12's number of queue runners with one thread each.

    Returns:
        The features as they come from the queue; keys and features if keys are given.

    Raises:
        ValueError: if there are numbers of threads and of queue runners.
    """
    if num_queue_runners is not None and num_enqueue_threads is not None:
        raise ValueError("num_queue_runners and num_enqueue_threads can not both be set.")
    arguments = [*parsed_features.values(), *([] if keys is None else [keys])]
    with name_scope(name, "queue_parsed_features", arguments):
        tensors: list[Tensor] = []
        parts: dict[str, slice] = {}
        for key in sorted(parsed_features):
            value = parsed_features[key]
            start = len(tensors)
            if isinstance(value, SparseTensor):
                tensors += [value.indices, value.values, value.dense_shape]
            else:
                tensors.append(value)
            parts[key] = slice(start, len(tensors))
        if keys is not None:
            tensors.append(keys)
        queue = FIFOQueue(feature_queue_capacity, [tensor.dtype for tensor in tensors])
        scalar(
            f"queue/parsed_features/{queue.name}/fraction_of_{feature_queue_capacity}_full",
            cast(queue.size(), dtypes.float32) * (1.0 / feature_queue_capacity),
        )
        _fill(queue, tensors, num_enqueue_threads, num_queue_runners)
        dequeued = queue.dequeue()
        dequeued = dequeued if isinstance(dequeued, list) else [dequeued]
        for tensor, original in zip(dequeued, tensors):
            tensor.set_shape(original.get_shape())
        features: dict[str, Any] = {}
        for key, part in parts.items():
            one = dequeued[part]
            features[key] = SparseTensor(*one) if len(one) > 1 else one[0]
        return features if keys is None else (dequeued[-1], features)


def _fill(
    queue: FIFOQueue, tensors: list[Tensor], threads: int | None, runners: int | None
) -> None:
    """Adds queue runners: one that closes the queue once, or several."""
    enqueue_ops = [queue.enqueue(tensors) for _ in range(runners or threads or _DEFAULT_THREADS)]
    for ops in [[op] for op in enqueue_ops] if runners else [enqueue_ops]:
        add_queue_runner(
            QueueRunner(
                queue,
                ops,
                queue_closed_exception_types=(errors.OutOfRangeError, errors.CancelledError),
            )
        )


def _keyed_features(
    read: Callable[..., Any],
    file_pattern: Any,
    batch_size: Any,
    features: dict[str, Any],
    reader: Callable[[], Any],
    threads: dict[str, int | None],
    name: str | None,
    feature_queue_capacity: int,
    **options: Any,
) -> Any:
    with name_scope(name, "read_batch_features", [file_pattern]) as scope:
        keys, examples = read(file_pattern, batch_size, reader, name=scope, **options)
        return queue_parsed_features(
            parse_example(examples, features),
            keys=keys,
            feature_queue_capacity=feature_queue_capacity,
            name=scope,
            **threads,
        )


@export(
    "contrib.learn.read_keyed_batch_features",
    "contrib.learn.io.read_keyed_batch_features",
    "contrib.learn.io.graph_io.read_keyed_batch_features",
)
@signature(
    "file_pattern, batch_size, features, reader, randomize_input=True, num_epochs=None, "
    "queue_capacity=10000, reader_num_threads=1, feature_queue_capacity=100, "
    "num_enqueue_threads=2, parse_fn=None, name=None, read_batch_size=None"
)
def read_keyed_batch_features(
    file_pattern: Any,
    batch_size: Any,
    features: dict[str, Any],
    reader: Callable[[], Any],
    randomize_input: bool = True,
    num_epochs: int | None = None,
    queue_capacity: int = 10000,
    reader_num_threads: int = 1,
    feature_queue_capacity: int = 100,
    num_enqueue_threads: int | None = None,
    parse_fn: Any = None,
    name: str | None = None,
    read_batch_size: Any = None,
    num_queue_runners: int | None = None,
) -> Any:
    """Reads batches of parsed Example protos with their keys.

    Args:
        file_pattern: a pattern of file names, or a list of patterns.
        batch_size: the number of examples of a batch, an int or a scalar.
        features: what `tf.parse_example` takes.
        reader: a function that returns a reader of serialized protos.
        randomize_input: whether files and examples come in random order.
        num_epochs: how often each file is read; None for ever.
        queue_capacity: how many records are read ahead.
        reader_num_threads: the number of readers.
        feature_queue_capacity: how many batches are parsed ahead.
        num_enqueue_threads: the number of threads that parse; 2 if None.
        parse_fn: a function that makes protos of records; or None.
        name: the name scope.
        read_batch_size: how many records are read at a time; the batch size if None.
        num_queue_runners: release 0.12's number of queue runners with one thread each.

    Returns:
        Keys ``[batch_size]`` and a dict of tensors and SparseTensors.

    Raises:
        ValueError: if there are no files, a count is not positive, or there are numbers of threads
            and of queue runners.
    """
    return _keyed_features(
        read_keyed_batch_examples,
        file_pattern,
        batch_size,
        features,
        reader,
        {"num_enqueue_threads": num_enqueue_threads, "num_queue_runners": num_queue_runners},
        name,
        feature_queue_capacity,
        randomize_input=randomize_input,
        num_epochs=num_epochs,
        queue_capacity=queue_capacity,
        num_threads=reader_num_threads,
        read_batch_size=batch_size if read_batch_size is None else read_batch_size,
        parse_fn=parse_fn,
    )


@export(
    "contrib.learn.read_keyed_batch_features_shared_queue",
    "contrib.learn.io.read_keyed_batch_features_shared_queue",
    "contrib.learn.io.graph_io.read_keyed_batch_features_shared_queue",
)
def read_keyed_batch_features_shared_queue(
    file_pattern: Any,
    batch_size: Any,
    features: dict[str, Any],
    reader: Callable[[], Any],
    randomize_input: bool = True,
    num_epochs: int | None = None,
    queue_capacity: int = 10000,
    reader_num_threads: int = 1,
    feature_queue_capacity: int = 100,
    num_queue_runners: int = _DEFAULT_THREADS,
    parse_fn: Any = None,
    name: str | None = None,
) -> Any:
    """Reads batches of parsed Example protos of which workers share the files.

    Args:
        file_pattern: a pattern of file names, or a list of patterns.
        batch_size: the number of examples of a batch, an int or a scalar.
        features: what `tf.parse_example` takes.
        reader: a function that returns a reader of serialized protos.
        randomize_input: whether files and examples come in random order.
        num_epochs: how often each file is read; None for ever.
        queue_capacity: how many records are read ahead.
        reader_num_threads: the number of readers.
        feature_queue_capacity: how many batches are parsed ahead.
        num_queue_runners: the number of threads that parse.
        parse_fn: a function that makes protos of records; or None.
        name: the name scope.

    Returns:
        Keys ``[batch_size]`` and a dict of tensors and SparseTensors.

    Raises:
        ValueError: if there are no files, or a count is not positive.
    """
    return _keyed_features(
        read_keyed_batch_examples_shared_queue,
        file_pattern,
        batch_size,
        features,
        reader,
        {"num_enqueue_threads": num_queue_runners},
        name,
        feature_queue_capacity,
        randomize_input=randomize_input,
        num_epochs=num_epochs,
        queue_capacity=queue_capacity,
        num_threads=reader_num_threads,
        read_batch_size=batch_size,
        parse_fn=parse_fn,
    )


@export(
    "contrib.learn.read_batch_features",
    "contrib.learn.io.read_batch_features",
    "contrib.learn.io.graph_io.read_batch_features",
)
@signature(
    "file_pattern, batch_size, features, reader, randomize_input=True, num_epochs=None, "
    "queue_capacity=10000, feature_queue_capacity=100, reader_num_threads=1, "
    "num_enqueue_threads=2, parse_fn=None, name=None, read_batch_size=None"
)
def read_batch_features(
    file_pattern: Any,
    batch_size: Any,
    features: dict[str, Any],
    reader: Callable[[], Any],
    randomize_input: bool = True,
    num_epochs: int | None = None,
    queue_capacity: int = 10000,
    feature_queue_capacity: int = 100,
    reader_num_threads: int = 1,
    num_enqueue_threads: int | None = None,
    parse_fn: Any = None,
    name: str | None = None,
    read_batch_size: Any = None,
) -> dict[str, Any]:
    """Reads batches of parsed Example protos.

    Args:
        file_pattern: a pattern of file names, or a list of patterns.
        batch_size: the number of examples of a batch, an int or a scalar.
        features: what `tf.parse_example` takes.
        reader: a function that returns a reader of serialized protos.
        randomize_input: whether files and examples come in random order.
        num_epochs: how often each file is read; None for ever.
        queue_capacity: how many records are read ahead.
        feature_queue_capacity: how many batches are parsed ahead.
        reader_num_threads: the number of readers.
        num_enqueue_threads: the number of threads that parse; 2 if None.
        parse_fn: a function that makes protos of records; or None.
        name: the name scope.
        read_batch_size: how many records are read at a time; the batch size if None.

    Returns:
        A dict of tensors and SparseTensors.

    Raises:
        ValueError: if there are no files, or a count is not positive.
    """
    result: dict[str, Any]
    _, result = read_keyed_batch_features(
        file_pattern,
        batch_size,
        features,
        reader,
        randomize_input=randomize_input,
        num_epochs=num_epochs,
        queue_capacity=queue_capacity,
        reader_num_threads=reader_num_threads,
        feature_queue_capacity=feature_queue_capacity,
        num_enqueue_threads=num_enqueue_threads,
        parse_fn=parse_fn,
        name=name,
        read_batch_size=read_batch_size,
    )
    return result


@export(
    "contrib.learn.read_batch_record_features",
    "contrib.learn.io.read_batch_record_features",
    "contrib.learn.io.graph_io.read_batch_record_features",
)
def read_batch_record_features(
    file_pattern: Any,
    batch_size: Any,
    features: dict[str, Any],
    randomize_input: bool = True,
    num_epochs: int | None = None,
    queue_capacity: int = 10000,
    reader_num_threads: int = 1,
    name: str | None = "dequeue_record_examples",
) -> dict[str, Any]:
    """Reads batches of parsed Example protos of TFRecord files.

    Args:
        file_pattern: a pattern of file names, or a list of patterns.
        batch_size: the number of examples of a batch, an int or a scalar.
        features: what `tf.parse_example` takes.
        randomize_input: whether files and examples come in random order.
        num_epochs: how often each file is read; None for ever.
        queue_capacity: how many records are read ahead.
        reader_num_threads: the number of readers.
        name: the name scope.

    Returns:
        A dict of tensors and SparseTensors.

    Raises:
        ValueError: if there are no files, or a count is not positive.
    """
    return read_batch_features(
        file_pattern,
        batch_size,
        features,
        reader=TFRecordReader,
        randomize_input=randomize_input,
        num_epochs=num_epochs,
        queue_capacity=queue_capacity,
        reader_num_threads=reader_num_threads,
        name=name,
    )
