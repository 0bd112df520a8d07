"""Feeders: they cut data in memory, or data that comes element by element, into fed batches."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from headwater.base import dtypes
from headwater.base.export import export
from headwater.base.typing import Array, DTypeLike, FeedDict
from headwater.contrib.learn.learn_io import feeding_shapes as feeding
from headwater.contrib.learn.learn_io.dask_io import extract_dask_data, extract_dask_labels
from headwater.contrib.learn.learn_io.optional_packages import is_dask, is_dask_frame
from headwater.contrib.learn.learn_io.pandas_io import (
    extract_pandas_data,
    extract_pandas_labels,
    extract_pandas_matrix,
)
from headwater.graph import Tensor
from headwater.ops.array.constant import placeholder

_SHUFFLING_SEED = 42


@export("contrib.learn.io.data_feeder.check_array")
def check_array(array: Any, dtype: DTypeLike) -> Any:
    """Returns an array as one of a type.

    Args:
        array: an array.
        dtype: a NumPy type.

    Returns:
        The array itself if it has this type.
    """
    return array if array.dtype == dtype else np.asarray(array, dtype=dtype)


def _is_iterator(data: Any) -> bool:
    return hasattr(data, "__next__")


@export("contrib.learn.io.data_feeder.setup_train_data_feeder")
def setup_train_data_feeder(
    x: Any,
    y: Any,
    n_classes: Any,
    batch_size: int | None = None,
    shuffle: bool = True,
    epochs: int | None = None,
) -> Any:
    """Makes the feeder for data of a kind.

    Args:
        x: the features: an array, a dict of arrays, a DataFrame of pandas or dask, or an iterator.
        y: the labels: of the same kind as `x`, or None.
        n_classes: the number of classes, or a dict of numbers; None for labels that are fed as they
            are.
        batch_size: the number of rows of a batch; None for all of them.
        shuffle: whether rows come in random order, another one in each epoch.
        epochs: how often each row comes; None for ever.

    Returns:
        A `DataFeeder`, `StreamingDataFeeder` or `DaskDataFeeder`.

    Raises:
        ValueError: if only one of `x` and `y` is an iterator.
    """
    x = feeding.each(lambda one: extract_pandas_data(extract_dask_data(one)), x)
    if y is not None:
        y = feeding.each(lambda one: extract_pandas_labels(extract_dask_labels(one)), y)
    if is_dask(x) and (y is None or is_dask(y)):
        return DaskDataFeeder(x, y, n_classes, batch_size, shuffle=shuffle, epochs=epochs)
    if _is_iterator(x):
        if y is not None and not _is_iterator(y):
            raise ValueError("Both x and y should be iterators for streaming learning to work.")
        return StreamingDataFeeder(x, y, n_classes, batch_size)
    return DataFeeder(x, y, n_classes, batch_size, shuffle=shuffle, epochs=epochs)


@export("contrib.learn.io.data_feeder.setup_predict_data_feeder")
def setup_predict_data_feeder(x: Any, batch_size: int | None = None) -> Any:
    """Cuts features into batches.

    Args:
        x: an array, a DataFrame of pandas or dask, or an iterator.
        batch_size: the number of rows of a batch; None for all of them.

    Returns:
        A list of arrays of at least two dimensions; an iterator of them if `x` is one.

    Raises:
        ValueError: if the batch size is not positive.
    """
    feeding.checked_batch_size(batch_size)
    x = extract_pandas_data(extract_dask_data(x))
    if _is_iterator(x):
        return feeding.batches_of(x, batch_size)
    if len(x.shape) == 1:
        x = np.reshape(x, (-1, 1))
    if batch_size is None:
        return [x]
    count = math.ceil(len(x) / batch_size)
    return [x[i * batch_size : (i + 1) * batch_size] for i in range(count)]


@export("contrib.learn.io.data_feeder.setup_processor_data_feeder")
def setup_processor_data_feeder(x: Any) -> Any:
    """Returns data as processors iterate over it.

    Args:
        x: a DataFrame, or anything else that can be iterated.

    Returns:
        The array of a DataFrame of pandas; `x` itself otherwise.
    """
    return extract_pandas_matrix(x)


@export("contrib.learn.io.data_feeder.DataFeeder")
class DataFeeder:
    """Feeds rows of arrays.

    Args:
        x: the features: an array or a dict of arrays; rows are examples.
        y: the labels: an array, a dict of arrays, a list, or None.
        n_classes: the number of classes; a dict of numbers if `y` is one. Labels are one-hot for
            more than one class, float32 for 0 or 1, and fed as they are for None.
        batch_size: the number of rows of a batch; None for all of them.
        shuffle: whether rows come in random order, another one in each epoch.
        random_state: a `numpy.random.RandomState`; None for one with seed 42.
        epochs: how often each row comes; None for ever.

    Raises:
        ValueError: if the batch size is not positive.
    """

    def __init__(
        self,
        x: Any,
        y: Any,
        n_classes: Any,
        batch_size: int | None = None,
        shuffle: bool = True,
        random_state: Any = None,
        epochs: int | None = None,
    ) -> None:
        if isinstance(y, list):
            y = np.array(y)
        one_kind = n_classes is not None and not isinstance(y, dict)
        if y is not None and one_kind:
            y = check_array(y, np.int64 if n_classes > 1 else np.float32)
        self._x, self._y = x, y
        self.n_classes = n_classes
        self.max_epochs = epochs
        size = feeding.checked_batch_size(batch_size)
        self._batch_size: int = feeding.first_length(x) if size is None else size
        self._set_shapes()
        self._shuffle = shuffle
        self.random_state = random_state or np.random.RandomState(_SHUFFLING_SEED)
        self.indices = self._new_order()
        self.offset = 0
        self.epoch = 0
        self._epoch_placeholder: Tensor | None = None
        self._input_placeholder: Any = None
        self._output_placeholder: Any = None

    def _set_shapes(self) -> None:
        size, y = self._batch_size, self._y
        self.input_shape = feeding.each(lambda one: feeding.input_shape(one.shape, size), self._x)
        self._input_dtype = feeding.each(lambda one: feeding.warned_of_float64(one.dtype), self._x)
        self.output_shape: Any = None
        self._output_dtype: Any = np.float32
        if y is None:
            return
        self.output_shape = feeding.each(
            lambda one, count: feeding.output_shape(one.shape, size, count), y, self.n_classes
        )

        def label_type(one: Any, count: int | None) -> Any:
            if count is not None and isinstance(y, dict):
                return np.float32
            return feeding.warned_of_float64(one.dtype)

        self._output_dtype = feeding.each(label_type, y, self.n_classes)

    def _new_order(self) -> Array:
        count = feeding.first_length(self._x)
        order: Array = self.random_state.permutation(count) if self._shuffle else np.arange(count)
        return order

    @property
    def x(self) -> Any:
        """The features."""
        return self._x

    @property
    def y(self) -> Any:
        """The labels."""
        return self._y

    @property
    def shuffle(self) -> bool:
        """Whether rows come in random order."""
        return self._shuffle

    @property
    def input_dtype(self) -> Any:
        """The type of the features, or a dict of types."""
        return self._input_dtype

    @property
    def output_dtype(self) -> Any:
        """The type of the labels, or a dict of types."""
        return self._output_dtype

    @property
    def batch_size(self) -> int:
        """The number of rows of a batch."""
        return self._batch_size

    def make_epoch_variable(self) -> Tensor:
        """Makes the placeholder of the number of the epoch.

        Returns:
            An int32 placeholder of shape ``[1]``, which is fed from now on.
        """
        self._epoch_placeholder = placeholder(dtypes.int32, [1], name="epoch")
        return self._epoch_placeholder

    def input_builder(self) -> tuple[Any, Any]:
        """Makes the placeholders of features and labels.

        Returns:
            Two tensors or dicts of tensors; None for labels that there are not.
        """
        self._input_placeholder = feeding.placeholders(self.input_shape, self._input_dtype, "input")
        self._output_placeholder = feeding.placeholders(
            self.output_shape, self._output_dtype, "output"
        )
        return self._input_placeholder, self._output_placeholder

    def set_placeholders(self, input_placeholder: Any, output_placeholder: Any) -> None:
        """Sets the placeholders that are fed.

        Args:
            input_placeholder: those of the features, a tensor or a dict of tensors.
            output_placeholder: those of the labels; None for none.
        """
        self._input_placeholder = input_placeholder
        self._output_placeholder = output_placeholder

    def get_feed_params(self) -> dict[str, int]:
        """Returns the epoch, the offset in it and the batch size, for a log or a checkpoint."""
        return {"epoch": self.epoch, "offset": self.offset, "batch_size": self._batch_size}

    def get_feed_dict_fn(self) -> Callable[[], FeedDict]:
        """Returns a function whose calls return feed dicts of batches.

        Returns:
            A function without arguments; it raises StopIteration after the last epoch.
        """
        return self._next_feeds

    def _next_feeds(self) -> FeedDict:
        if self.max_epochs is not None and self.epoch >= self.max_epochs:
            raise StopIteration
        feeds: dict[str, Any] = {}
        if self._epoch_placeholder is not None:
            feeds[self._epoch_placeholder.name] = [self.epoch]
        taken = self.indices[self.offset : self.offset + self._batch_size]
        feeds |= feeding.fed(
            self._input_placeholder, feeding.each(lambda one: _rows_of(one, taken), self._x)
        )
        self.offset += self._batch_size
        if self.offset >= feeding.first_length(self._x):
            self.indices = self._new_order()
            self.offset = 0
            self.epoch += 1
        if self._output_placeholder is not None:
            labels = feeding.each(lambda one: _access(one, taken), self._y)
            rows = feeding.each(
                feeding.label_rows, labels, self.output_shape, self._output_dtype, self.n_classes
            )
            feeds |= feeding.fed(self._output_placeholder, rows)
        return feeds


def _access(data: Any, rows: Array) -> Array:
    """Rows of an array or of a Series of pandas."""
    return np.asarray(data.iloc[rows] if hasattr(data, "iloc") else data[rows])


def _rows_of(data: Any, rows: Array) -> Array:
    """Rows as a matrix at least."""
    taken = _access(data, rows)
    return taken.reshape(-1, 1) if taken.ndim == 1 else taken


@export("contrib.learn.io.data_feeder.StreamingDataFeeder")
class StreamingDataFeeder(DataFeeder):
    """Feeds elements that come one by one.

    Args:
        x: an iterator of features: arrays or dicts of arrays.
        y: an iterator of labels: arrays, lists of arrays, or dicts of arrays; or None.
        n_classes: the number of classes, as for `DataFeeder`; a dict if labels are dicts.
        batch_size: the number of elements of a batch.

    Raises:
        ValueError: if the batch size is not positive.
    """

    def __init__(self, x: Any, y: Any, n_classes: Any, batch_size: int | None) -> None:
        first = next(x)
        self._x = itertools.chain([first], x)
        first_label: Any = None
        self._y = None
        if y is not None:
            first_label = next(y)
            self._y = itertools.chain([first_label], y)
        self.n_classes = n_classes
        self._batch_size = feeding.checked_batch_size(batch_size) or 1
        self.input_shape = feeding.each(
            lambda one: feeding.input_shape([1, *np.shape(one)], self._batch_size), first
        )
        self._input_dtype = feeding.each(
            lambda one: feeding.warned_of_float64(np.asarray(one).dtype), first
        )
        self.output_shape = None
        self._output_dtype = None
        if y is not None:
            self._set_label_shapes(first_label)
        elif n_classes:
            self._output_dtype = np.float32
        self.stopped = False
        self._epoch_placeholder = None
        self._input_placeholder = self._output_placeholder = None

    def _set_label_shapes(self, first: Any) -> None:
        several = isinstance(first, dict)

        def shape(label: Any, count: int | None) -> list[int]:
            inner = np.shape(label[0] if isinstance(label, list) else label)
            return feeding.output_shape([1, *inner], self._batch_size, count)

        def label_type(label: Any, count: int | None) -> Any:
            if not several and count is not None and count > 0:
                return np.float32
            label = label[0] if isinstance(label, list) else label
            return label.dtype if isinstance(label, np.ndarray) else np.dtype(type(label))

        self.output_shape = feeding.each(shape, first, self.n_classes)
        self._output_dtype = feeding.each(label_type, first, self.n_classes)

    @property
    def shuffle(self) -> bool:
        """Elements come in their own order."""
        return False

    def get_feed_params(self) -> dict[str, int]:
        """Returns the batch size."""
        return {"batch_size": self._batch_size}

    def get_feed_dict_fn(self) -> Callable[[], FeedDict]:
        """Returns a function whose calls return feed dicts of batches.

        Returns:
            A function without arguments; it raises StopIteration after the last element.
        """
        self.stopped = False
        return self._next_feeds

    def _next_feeds(self) -> FeedDict:
        if self.stopped:
            raise StopIteration
        elements = list(itertools.islice(self._x, self._batch_size))
        self.stopped = len(elements) < self._batch_size
        if not elements:
            raise StopIteration
        rows = feeding.each(
            feeding.label_rows, _by_key(elements), self.input_shape, self._input_dtype, None
        )
        feeds: dict[str, Any] = feeding.fed(self._input_placeholder, rows)
        if self._y is not None:
            labels = _by_key(list(itertools.islice(self._y, len(elements))))
            rows = feeding.each(
                feeding.label_rows, labels, self.output_shape, self._output_dtype, self.n_classes
            )
            feeds |= feeding.fed(self._output_placeholder, rows)
        return feeds


def _by_key(elements: list[Any]) -> Any:
    """A list of dicts as a dict of lists; any other list as it is."""
    if not isinstance(elements[0], dict):
        return elements
    return {key: [element[key] for element in elements] for key in elements[0]}


@export("contrib.learn.io.data_feeder.DaskDataFeeder")
class DaskDataFeeder:
    """Feeds random samples of data frames of dask.

    Args:
        x: the features, a DataFrame or Series with known divisions.
        y: the labels, a Series with the same divisions, or None.
        n_classes: the number of classes; labels are one-hot for more than one.
        batch_size: about how many rows a sample has.
        shuffle: whether rows of a sample come in random order.
        random_state: the seed of the samples; None for 42.
        epochs: not used.
    """

    def __init__(
        self,
        x: Any,
        y: Any,
        n_classes: int | None,
        batch_size: int | None,
        shuffle: bool = True,
        random_state: int | None = None,
        epochs: int | None = None,
    ) -> None:
        self._x, self._y = x, y
        self.n_classes = n_classes
        self.max_epochs = epochs
        count = len(x)
        width = [len(x.columns)] if is_dask_frame(x) else []
        self._batch_size = feeding.checked_batch_size(batch_size) or count
        self.input_shape = feeding.input_shape([count, *width], self._batch_size)
        self._input_dtype = feeding.warned_of_float64(_common_type(x))
        self.output_shape: Any = None
        self._output_dtype: Any = np.float32
        if y is not None:
            self.output_shape = feeding.output_shape([count], self._batch_size, n_classes)
            if n_classes is None:
                self._output_dtype = _common_type(y)
        self.sample_fraction = min(1.0, self._batch_size / count)
        self._shuffle = shuffle
        self.random_state = _SHUFFLING_SEED if random_state is None else random_state
        self._input_placeholder: Any = None
        self._output_placeholder: Any = None

    @property
    def batch_size(self) -> int:
        """About how many rows a sample has."""
        return self._batch_size

    @property
    def input_dtype(self) -> Any:
        """The type of the features."""
        return self._input_dtype

    @property
    def output_dtype(self) -> Any:
        """The type of the labels."""
        return self._output_dtype

    def get_feed_params(self) -> dict[str, int]:
        """Returns the batch size."""
        return {"batch_size": self._batch_size}

    def input_builder(self) -> tuple[Any, Any]:
        """Makes the placeholders of features and labels.

        Returns:
            Two tensors; None for labels that there are not.
        """
        self._input_placeholder = feeding.placeholders(self.input_shape, self._input_dtype, "input")
        self._output_placeholder = feeding.placeholders(
            self.output_shape, self._output_dtype, "output"
        )
        return self._input_placeholder, self._output_placeholder

    def get_feed_dict_fn(
        self, input_placeholder: Tensor | None = None, output_placeholder: Tensor | None = None
    ) -> Callable[[], FeedDict]:
        """Returns a function whose calls return feed dicts of samples.

        Args:
            input_placeholder: the placeholder of the features; None for those of `input_builder`,
                of the labels too.
            output_placeholder: the placeholder of the labels; None for none.

        Returns:
            A function without arguments.
        """
        seeds = itertools.count(self.random_state)

        def feeds() -> FeedDict:
            fed, fed_labels = input_placeholder, output_placeholder
            if fed is None:
                fed, fed_labels = self._input_placeholder, self._output_placeholder
            seed = next(seeds)
            rows = self._sample(self._x, seed)
            order = np.arange(len(rows))
            if self._shuffle:
                np.random.RandomState(seed).shuffle(order)
            result: dict[str, Any] = {fed.name: _rows_of(rows, order)}
            if fed_labels is not None and self._y is not None:
                labels = _access(self._sample(self._y, seed), order)
                result[fed_labels.name] = feeding.label_rows(
                    labels, self.output_shape, self._output_dtype, self.n_classes
                )
            return result

        return feeds

    def _sample(self, frame: Any, seed: int) -> Array:
        """The same rows of frames with the same divisions."""
        if self.sample_fraction >= 1.0:
            return frame.compute().to_numpy()
        rest = 1.0 - self.sample_fraction
        sample, _ = frame.random_split([self.sample_fraction, rest], random_state=seed)
        return sample.compute().to_numpy()


def _common_type(frame: Any) -> Any:
    return np.result_type(*frame.dtypes) if is_dask_frame(frame) else frame.dtype
