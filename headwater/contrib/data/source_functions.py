"""Functions of `tf.contrib.data` that read sets of files, and others of today's experimental."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from headwater.base import dtypes
from headwater.base.deprecated_api import deprecated
from headwater.base.export import export
from headwater.base.typing import DTypeLike, TensorLike
from headwater.data.datasets import csv_files, example_files, numbers, parsing
from headwater.data.datasets.dataset import DatasetV1
from headwater.data.datasets.readers import TFRecordDatasetV1


@export("contrib.data.Counter")
@deprecated(None, "Use `tf.data.experimental.Counter(...)`.")
def Counter(start: TensorLike = 0, step: TensorLike = 1, dtype: DTypeLike = dtypes.int64) -> Any:
    """Numbers in arithmetic progression, without an end.

    Args:
        start: the first number.
        step: the difference of two numbers.
        dtype: the type of the numbers.

    Returns:
        A Dataset of scalars.
    """
    return numbers.Counter(start, step, dtype)


@export("contrib.data.parse_example_dataset")
@deprecated(None, "Use `tf.data.experimental.parse_example_dataset(...)`.")
def parse_example_dataset(
    features: dict[str, Any] | None, num_parallel_calls: TensorLike = 1
) -> Callable[[Any], Any]:
    """A transformation of batches of serialized Example protos to dicts of their features.

    Args:
        features: a dict of FixedLenFeature, VarLenFeature, SparseFeature and
            FixedLenSequenceFeature.
        num_parallel_calls: how many batches are parsed at the same time.

    Returns:
        A function for `Dataset.apply`.
    """
    return parsing.parse_example_dataset(features, num_parallel_calls)


@export("contrib.data.make_csv_dataset")
@deprecated(None, "Use `tf.data.experimental.make_csv_dataset(...)`.")
def make_csv_dataset(
    file_pattern: Any,
    batch_size: TensorLike,
    column_names: Sequence[str] | None = None,
    column_defaults: Sequence[Any] | None = None,
    label_name: str | None = None,
    select_columns: Any = None,
    field_delim: str = ",",
    use_quote_delim: bool = True,
    na_value: str = "",
    header: bool = True,
    num_epochs: Any = None,
    shuffle: bool = True,
    shuffle_buffer_size: TensorLike = 10000,
    shuffle_seed: Any = None,
    prefetch_buffer_size: Any = None,
    num_parallel_reads: Any = None,
    sloppy: bool = False,
    num_rows_for_inference: int | None = 100,
    compression_type: Any = None,
) -> Any:
    """Reads batches of CSV files; see tf.data.experimental.make_csv_dataset.

    Args:
        file_pattern: patterns of file names, a string or a list.
        batch_size: how many records a batch has.
        column_names: the names of the columns.
        column_defaults: for each column its default, or its type if it is required.
        label_name: the column that elements have besides the dict of the other ones.
        select_columns: the indices or names of the columns that are wanted.
        field_delim: what stands between fields, one byte.
        use_quote_delim: whether quotes enclose fields.
        na_value: what stands for a missing value, besides nothing.
        header: whether each file begins with the names of the columns.
        num_epochs: how often files are read; without an end if None.
        shuffle: whether files and records are shuffled.
        shuffle_buffer_size: how many records are shuffled at a time.
        shuffle_seed: the seed of the order.
        prefetch_buffer_size: how many batches are made ahead.
        num_parallel_reads: how many files are read at the same time.
        sloppy: whether the order may depend on which file is ready.
        num_rows_for_inference: how many rows are looked at for types.
        compression_type: "", "ZLIB" or "GZIP".

    Returns:
        A Dataset of dicts of columns, or of pairs of them and labels.
    """
    return csv_files.make_csv_dataset(
        file_pattern,
        batch_size,
        column_names,
        column_defaults,
        label_name,
        select_columns,
        field_delim,
        use_quote_delim,
        na_value,
        header,
        num_epochs,
        shuffle,
        shuffle_buffer_size,
        shuffle_seed,
        prefetch_buffer_size,
        num_parallel_reads,
        sloppy,
        num_rows_for_inference,
        compression_type,
    )


@export("contrib.data.make_batched_features_dataset")
@deprecated(None, "Use `tf.data.experimental.make_batched_features_dataset(...)`.")
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
    """Reads batches of Examples; see tf.data.experimental.make_batched_features_dataset.

    Args:
        file_pattern: patterns of file names, a string tensor or a list.
        batch_size: how many protos a batch has.
        features: a dict of FixedLenFeature, VarLenFeature and the like.
        reader: a function from file names to a dataset of protos.
        label_key: the feature that elements have besides the dict of the other ones.
        reader_args: further arguments of `reader`.
        num_epochs: how often files are read; without an end if None.
        shuffle: whether files and protos are shuffled.
        shuffle_buffer_size: how many protos are shuffled at a time.
        shuffle_seed: the seed of the order.
        prefetch_buffer_size: how many batches are made ahead.
        reader_num_threads: how many files are read at the same time.
        parser_num_threads: how many batches are parsed at the same time.
        sloppy_ordering: whether the order may depend on which file is ready.
        drop_final_batch: whether a last, smaller batch is left out.

    Returns:
        A Dataset of dicts of tensors and SparseTensors, or of pairs of them and labels.
    """
    return example_files.make_batched_features_dataset(
        file_pattern,
        batch_size,
        features,
        reader,
        label_key,
        reader_args,
        num_epochs,
        shuffle,
        shuffle_buffer_size,
        shuffle_seed,
        prefetch_buffer_size,
        reader_num_threads,
        parser_num_threads,
        sloppy_ordering,
        drop_final_batch,
    )


@export("contrib.data.read_batch_features")
@deprecated(None, "Use `tf.data.experimental.make_batched_features_dataset(...)`")
def read_batch_features(
    file_pattern: TensorLike,
    batch_size: TensorLike,
    features: dict[str, Any],
    reader: Callable[..., Any] = TFRecordDatasetV1,
    reader_args: Any = None,
    randomize_input: bool = True,
    num_epochs: Any = None,
    capacity: TensorLike = 10000,
) -> Any:
    """The features of a batch of Example protos in files: other ones in each run.

    Args:
        file_pattern: patterns of file names, a string tensor or a list.
        batch_size: how many protos a batch has.
        features: a dict of FixedLenFeature, VarLenFeature and the like.
        reader: a function from file names to a dataset of protos.
        reader_args: further arguments of `reader`.
        randomize_input: whether files and protos are shuffled.
        num_epochs: how often files are read; without an end if None.
        capacity: how many protos are shuffled at a time.

    Returns:
        A dict of tensors and SparseTensors.
    """
    dataset: DatasetV1 = example_files.make_batched_features_dataset(
        file_pattern,
        batch_size,
        features,
        reader=reader,
        reader_args=reader_args,
        shuffle=randomize_input,
        num_epochs=num_epochs,
        shuffle_buffer_size=capacity,
    )
    return dataset.make_one_shot_iterator().get_next()
