"""`make_batched_features_dataset`: batches of the features of Example protos in files."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from headwater.base import dtypes
from headwater.base.export import export
from headwater.base.typing import TensorLike
from headwater.data.datasets import mapping, structure
from headwater.data.datasets.dataset import DatasetV1, DatasetV2
from headwater.data.datasets.parsing import parse_example_dataset
from headwater.data.datasets.readers import TFRecordDatasetV1
from headwater.data.datasets.shuffling import shuffled_and_repeated
from headwater.data.readers.reader_base import ReaderBase

_AUTOTUNE = -1
_PARSER_THREADS = 2
# How many records are shuffled, and files read, at a time, unless a program says otherwise.
_SHUFFLED = 10000
_PARALLEL_READS = 24


@export("data.experimental.make_batched_features_dataset")
def make_batched_features_dataset(
    file_pattern: TensorLike,
    batch_size: TensorLike,
    features: dict[str, Any],
    reader: Callable[..., Any] = TFRecordDatasetV1,
    label_key: str | None = None,
    reader_args: Any = None,
    num_epochs: Any = None,
    shuffle: bool = True,
    shuffle_buffer_size: TensorLike = 10000,
    shuffle_seed: Any = None,
    prefetch_buffer_size: Any = None,
    reader_num_threads: Any = None,
    parser_num_threads: Any = None,
    sloppy_ordering: bool = False,
    drop_final_batch: bool = False,
) -> Any:
    """Reads batches of the features of Example protos in files.

    Args:
        file_pattern: patterns of file names, a string tensor or a list.
        batch_size: how many protos a batch has.
        features: a dict of FixedLenFeature, VarLenFeature and the like.
        reader: a function from file names to a dataset of protos, or of pairs of keys and protos.
        label_key: the feature that elements have besides the dict of the other ones.
        reader_args: further arguments of `reader`.
        num_epochs: how often files are read; without an end if None.
        shuffle: whether files and protos are shuffled.
        shuffle_buffer_size: how many protos are shuffled at a time.
        shuffle_seed: the seed of the order.
        prefetch_buffer_size: how many batches are made ahead; as many as useful if None.
        reader_num_threads: how many files are read at the same time; one if None.
        parser_num_threads: how many batches are parsed at the same time; two if None.
        sloppy_ordering: whether the order may depend on which file is ready.
        drop_final_batch: whether a last, smaller batch is left out.

    Returns:
        A Dataset of dicts of tensors and SparseTensors, or of pairs of them and labels.

    Raises:
        TypeError: if `reader` is a class of readers of queues.
        ValueError: if `label_key` is not one of the features.
    """
    if isinstance(reader, type) and issubclass(reader, ReaderBase):
        raise TypeError(
            "The `reader` argument must return a `Dataset` object. `tf.ReaderBase` subclasses are "
            "not supported. For example, pass `tf.data.TFRecordDataset` instead of "
            "`tf.TFRecordReader`."
        )
    dataset = DatasetV2.list_files(file_pattern, shuffle=shuffle, seed=shuffle_seed)
    make: Any = reader
    arguments = reader_args or []
    threads = 1 if reader_num_threads is None else reader_num_threads
    interleaved = mapping.parallel_interleave(
        dataset, lambda name: make(name, *arguments), threads, 1, sloppy_ordering, None, None
    )
    dataset = dataset._derived(*interleaved)
    if structure.legacy_types(dataset.element_spec) == (dtypes.string, dtypes.string):
        dataset = dataset.map(lambda _, value: value)
    dataset = shuffled_and_repeated(dataset, num_epochs, shuffle, shuffle_buffer_size, shuffle_seed)
    dataset = dataset.batch(batch_size, drop_remainder=drop_final_batch or num_epochs is None)
    threads = _PARSER_THREADS if parser_num_threads is None else parser_num_threads
    dataset = dataset.apply(parse_example_dataset(features, num_parallel_calls=threads))
    if label_key is not None:
        if label_key not in features:
            raise ValueError(
                f"The `label_key` provided ({label_key!r}) must be one of the `features` keys."
            )
        dataset = dataset.map(lambda found: (found, found.pop(label_key)))
    buffered = _AUTOTUNE if prefetch_buffer_size is None else prefetch_buffer_size
    dataset = dataset.prefetch(buffered)
    return DatasetV1(dataset._variant_tensor, dataset.element_spec, dataset.options())


def make_tf_record_dataset(
    file_pattern: TensorLike,
    batch_size: TensorLike,
    parser_fn: Callable[..., Any] | None = None,
    num_epochs: Any = None,
    shuffle: bool = True,
    shuffle_buffer_size: Any = None,
    shuffle_seed: Any = None,
    prefetch_buffer_size: Any = None,
    num_parallel_reads: Any = None,
    num_parallel_parser_calls: Any = None,
    drop_final_batch: bool = False,
) -> Any:
    """Reads batches of the records in TFRecord files.

    Args:
        file_pattern: patterns of file names, a string tensor or a list.
        batch_size: how many records a batch has.
        parser_fn: a function of a record; records stay as they are if None.
        num_epochs: how often files are read; without an end if None.
        shuffle: whether files and records are shuffled.
        shuffle_buffer_size: how many records are shuffled at a time; 10,000 if None.
        shuffle_seed: the seed of the order.
        prefetch_buffer_size: how many batches are made ahead; as many as useful if None.
        num_parallel_reads: how many files are read at the same time; 24 if None.
        num_parallel_parser_calls: how many records are parsed at the same time; `batch_size` if
            None.
        drop_final_batch: whether a last, smaller batch is left out.

    Returns:
        A Dataset of batches of records, or of results of `parser_fn`.
    """
    names = DatasetV2.list_files(file_pattern, shuffle=shuffle, seed=shuffle_seed)
    reads = _PARALLEL_READS if num_parallel_reads is None else num_parallel_reads
    dataset: Any = TFRecordDatasetV1(names, num_parallel_reads=reads)
    size = _SHUFFLED if shuffle_buffer_size is None else shuffle_buffer_size
    dataset = shuffled_and_repeated(dataset, num_epochs, shuffle, size, shuffle_seed)
    if parser_fn is not None:
        calls = batch_size if num_parallel_parser_calls is None else num_parallel_parser_calls
        dataset = dataset.map(parser_fn, num_parallel_calls=calls)
    dataset = dataset.batch(batch_size, drop_remainder=drop_final_batch or num_epochs is None)
    buffered = _AUTOTUNE if prefetch_buffer_size is None else prefetch_buffer_size
    return dataset if buffered == 0 else dataset.prefetch(buffered)
