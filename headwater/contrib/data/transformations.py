"""Older names of functions of `tf.data.experimental` that order and group elements."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from headwater.base.deprecated_api import deprecated, deprecated_args
from headwater.base.export import export
from headwater.base.typing import TensorLike
from headwater.data.datasets import batching, experimental_ordering, grouping, resampling, selection
from headwater.data.datasets.map_functions import Reducer


@export("contrib.data.batch_and_drop_remainder")
@deprecated(None, "Use `tf.data.Dataset.batch(..., drop_remainder=True)`.")
def batch_and_drop_remainder(batch_size: TensorLike) -> Callable[[Any], Any]:
    """Elements stacked into batches, without a last, smaller one.

    Args:
        batch_size: how many elements a batch has; an int64 scalar.

    Returns:
        A function from a Dataset to a Dataset, for `Dataset.apply`.
    """
    return lambda dataset: dataset.batch(batch_size, drop_remainder=True)


@export("contrib.data.padded_batch_and_drop_remainder")
@deprecated(None, "Use `tf.data.Dataset.padded_batch(..., drop_remainder=True)`.")
def padded_batch_and_drop_remainder(
    batch_size: TensorLike, padded_shapes: Any, padding_values: Any = None
) -> Callable[[Any], Any]:
    """Elements padded and stacked into batches, without a last, smaller one.

    Args:
        batch_size: how many elements a batch has; an int64 scalar.
        padded_shapes: the nested shapes of the padded components.
        padding_values: nested scalars to pad with; zeros and empty strings if None.

    Returns:
        A function from a Dataset to a Dataset, for `Dataset.apply`.
    """
    return lambda dataset: dataset.padded_batch(
        batch_size, padded_shapes, padding_values, drop_remainder=True
    )


@export("contrib.data.sliding_window_batch")
@deprecated_args(None, "stride is deprecated, use window_shift instead", ("stride", 1))
@deprecated(
    None,
    "Use `tf.data.Dataset.window(size=window_size, shift=window_shift, "
    "stride=window_stride).flat_map(lambda x: x.batch(window_size))` instead.",
)
def sliding_window_batch(
    window_size: TensorLike,
    stride: TensorLike | None = None,
    window_shift: TensorLike | None = None,
    window_stride: TensorLike = 1,
) -> Callable[[Any], Any]:
    """Batches of elements that overlap.

    Args:
        window_size: how many elements a batch has; an int64 scalar.
        stride: the older name of `window_shift`.
        window_shift: how far each batch begins after the one before; 1 if None.
        window_stride: the distance of the elements of a batch.

    Returns:
        A function from a Dataset to a Dataset, for `Dataset.apply`.

    Raises:
        ValueError: if `stride` and `window_shift` are both given.
    """
    if stride is not None and window_shift is not None:
        raise ValueError("Cannot specify both `stride` and `window_shift`")
    shift = next((value for value in (window_shift, stride) if value is not None), 1)
    return lambda dataset: dataset._derived(
        *batching.sliding_window(dataset, window_size, shift, window_stride)
    )


@export("contrib.data.dense_to_sparse_batch")
@deprecated(None, "Use `tf.data.experimental.dense_to_sparse_batch(...)`.")
def dense_to_sparse_batch(batch_size: TensorLike, row_shape: Any) -> Callable[[Any], Any]:
    """As `tf.data.experimental.dense_to_sparse_batch`.

    Args:
        batch_size: how many elements a batch has; an int64 scalar.
        row_shape: the dense shape of a row; None for the largest size of the batch.

    Returns:
        A function from a Dataset to a Dataset, for `Dataset.apply`.
    """
    return experimental_ordering.dense_to_sparse_batch(batch_size, row_shape)


@export("contrib.data.unbatch")
@deprecated(None, "Use `tf.data.experimental.unbatch()`.")
def unbatch() -> Callable[[Any], Any]:
    """As `tf.data.Dataset.unbatch`.

    Returns:
        A function from a Dataset to a Dataset, for `Dataset.apply`.
    """
    return experimental_ordering.unbatch()


@export("contrib.data.unique")
@deprecated(None, "Use `tf.data.experimental.unique()`.")
def unique() -> Callable[[Any], Any]:
    """As `tf.data.experimental.unique`.

    Returns:
        A function from a Dataset to a Dataset, for `Dataset.apply`.
    """
    return experimental_ordering.unique()


@export("contrib.data.shuffle_and_repeat")
@deprecated(None, "Use `tf.data.experimental.shuffle_and_repeat(...)`.")
def shuffle_and_repeat(
    buffer_size: TensorLike, count: TensorLike | None = None, seed: Any = None
) -> Callable[[Any], Any]:
    """As `tf.data.experimental.shuffle_and_repeat`.

    Args:
        buffer_size: from how many elements the next one is chosen; an int64 scalar.
        count: how many times; without an end if None or -1.
        seed: makes the order reproducible; an integer or an int64 scalar.

    Returns:
        A function from a Dataset to a Dataset, for `Dataset.apply`.
    """
    function: Any = experimental_ordering.shuffle_and_repeat(buffer_size, count, seed)
    return function


@export("contrib.data.group_by_window")
@deprecated(None, "Use `tf.data.experimental.group_by_window(...)`.")
def group_by_window(
    key_func: Callable[..., Any],
    reduce_func: Callable[..., Any],
    window_size: TensorLike | None = None,
    window_size_func: Callable[..., Any] | None = None,
) -> Callable[[Any], Any]:
    """As `tf.data.experimental.group_by_window`.

    Args:
        key_func: a function from an element to an int64 scalar.
        reduce_func: a function from a key and the Dataset of a window to a Dataset.
        window_size: how many elements a window has at most; an int64 scalar.
        window_size_func: a function from a key to that number, instead of one for all keys.

    Returns:
        A function from a Dataset to a Dataset, for `Dataset.apply`.
    """
    return grouping.group_by_window(key_func, reduce_func, window_size, window_size_func)


@export("contrib.data.group_by_reducer")
@deprecated(None, "Use `tf.data.experimental.group_by_reducer(...)`.")
def group_by_reducer(key_func: Callable[..., Any], reducer: Reducer) -> Callable[[Any], Any]:
    """As `tf.data.experimental.group_by_reducer`.

    Args:
        key_func: a function from an element to an int64 scalar.
        reducer: a Reducer.

    Returns:
        A function from a Dataset to a Dataset, for `Dataset.apply`.
    """
    return grouping.group_by_reducer(key_func, reducer)


@export("contrib.data.bucket_by_sequence_length")
@deprecated(None, "Use `tf.data.experimental.bucket_by_sequence_length(...)`.")
def bucket_by_sequence_length(
    element_length_func: Callable[..., Any],
    bucket_boundaries: Sequence[int],
    bucket_batch_sizes: Sequence[int],
    padded_shapes: Any = None,
    padding_values: Any = None,
    pad_to_bucket_boundary: bool = False,
    no_padding: bool = False,
) -> Callable[[Any], Any]:
    """As `tf.data.experimental.bucket_by_sequence_length`.

    Args:
        element_length_func: a function from an element to its length, an int32 scalar.
        bucket_boundaries: the lengths at which buckets begin, after the first.
        bucket_batch_sizes: the batch size of each bucket, one more than boundaries.
        padded_shapes: the nested shapes of padded elements; the dataset's shapes if None.
        padding_values: nested scalars to pad with; zeros and empty strings if None.
        pad_to_bucket_boundary: whether unknown dimensions are padded to the longest that the
            bucket may have.
        no_padding: whether elements are batched without padding.

    Returns:
        A function from a Dataset to a Dataset, for `Dataset.apply`.
    """
    return grouping.bucket_by_sequence_length(
        element_length_func,
        bucket_boundaries,
        bucket_batch_sizes,
        padded_shapes,
        padding_values,
        pad_to_bucket_boundary,
        no_padding,
    )


@export("contrib.data.sample_from_datasets")
@deprecated(None, "Use `tf.data.experimental.sample_from_datasets(...)`.")
def sample_from_datasets(datasets: Sequence[Any], weights: Any = None, seed: Any = None) -> Any:
    """As `tf.data.experimental.sample_from_datasets`.

    Args:
        datasets: Datasets of one structure.
        weights: how probable each dataset is, a vector, or a Dataset of vectors; equal if None.
        seed: makes the choice reproducible; an integer or an int64 scalar.

    Returns:
        A Dataset.
    """
    return selection.sample_from_datasets(datasets, weights, seed)


@export("contrib.data.choose_from_datasets")
@deprecated(None, "Use `tf.data.experimental.choose_from_datasets(...)`.")
def choose_from_datasets(datasets: Sequence[Any], choice_dataset: Any) -> Any:
    """As `tf.data.experimental.choose_from_datasets`.

    Args:
        datasets: Datasets of one structure.
        choice_dataset: a Dataset of int64 scalars, the numbers of datasets.

    Returns:
        A Dataset.
    """
    return selection.choose_from_datasets(datasets, choice_dataset)


@export("contrib.data.rejection_resample")
@deprecated(None, "Use `tf.data.experimental.rejection_resample(...)`.")
def rejection_resample(
    class_func: Callable[..., Any],
    target_dist: TensorLike,
    initial_dist: TensorLike | None = None,
    seed: Any = None,
) -> Callable[[Any], Any]:
    """As `tf.data.experimental.rejection_resample`.

    Args:
        class_func: a function from an element to its class, an int32 scalar.
        target_dist: how often each class shall come, a vector of floats.
        initial_dist: how often each class comes in the input; estimated if None.
        seed: makes the choice reproducible.

    Returns:
        A function from a Dataset to a Dataset, for `Dataset.apply`.
    """
    return resampling.rejection_resample(class_func, target_dist, initial_dist, seed)


@export("contrib.data.enumerate_dataset")
@deprecated(None, "Use `tf.data.experimental.enumerate_dataset(...)`.")
def enumerate_dataset(start: TensorLike = 0) -> Callable[[Any], Any]:
    """The elements with their numbers.

    Args:
        start: the number of the first element, an int64 scalar.

    Returns:
        A function from a Dataset to a Dataset of pairs, for `Dataset.apply`.
    """
    return experimental_ordering.enumerate_dataset(start)
