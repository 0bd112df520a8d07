"""`tf.contrib.data.Dataset` and `Iterator`: datasets as TensorFlow 1.2 to 1.4 had them."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from headwater.base.deprecated_api import deprecated
from headwater.base.export import export
from headwater.base.typing import TensorLike
from headwater.data.datasets import nest
from headwater.data.datasets.dataset import DatasetV1, DatasetV2
from headwater.data.datasets.experimental_ordering import dense_to_sparse_batch
from headwater.data.datasets.grouping import group_by_window
from headwater.data.datasets.iterator import Iterator
from headwater.data.datasets.map_functions import ignore_errors
from headwater.data.datasets.readers import (
    FixedLengthRecordDatasetV1,
    TextLineDatasetV1,
    TFRecordDatasetV1,
)
from headwater.graph import Operation, Tensor, build
from headwater.io.file_io import get_matching_files
from headwater.ops.parsing.example_functions import parse_example


@export("contrib.data.Iterator")
class ContribIterator(Iterator):
    """Hands out the elements of a dataset.

    Args:
        iterator_resource: the resource tensor of an iterator op.
        initializer: the op that begins to iterate; None if there is none.
        output_types: the nested types of the elements, or their nested TypeSpec.
        output_shapes: their nested shapes, if types are given.
        output_classes: their nested classes, if types are given.
    """

    @staticmethod
    def from_dataset(dataset: Any, shared_name: str | None = None) -> ContribIterator:
        """An iterator that begins anew whenever its initializer runs.

        Args:
            dataset: a Dataset.
            shared_name: sessions share iterators of one name.

        Returns:
            An Iterator.
        """
        return _contrib(DatasetV1._initializable_iterator(dataset, shared_name))

    @staticmethod
    def from_structure(
        output_types: Any,
        output_shapes: Any = None,
        shared_name: str | None = None,
        output_classes: Any = None,
    ) -> ContribIterator:
        return _contrib(
            Iterator.from_structure(output_types, output_shapes, shared_name, output_classes)
        )

    @staticmethod
    def from_string_handle(
        string_handle: TensorLike,
        output_types: Any,
        output_shapes: Any = None,
        output_classes: Any = None,
    ) -> ContribIterator:
        return _contrib(
            Iterator.from_string_handle(string_handle, output_types, output_shapes, output_classes)
        )

    def dispose_op(self, name: str | None = None) -> Operation:
        """An op that ends the work of the iterator in a session that stays open.

        Args:
            name: the name of the op.

        Returns:
            The Operation.
        """
        op: Operation = build.DestroyResourceOp(self._iterator_resource, name=name)
        return op


def _contrib(iterator: Iterator) -> ContribIterator:
    """The same iterator with the methods of `tf.contrib.data.Iterator`."""
    result = ContribIterator.__new__(ContribIterator)
    result.__dict__.update(iterator.__dict__)
    return result


@export("contrib.data.Dataset")
class ContribDataset(DatasetV1):
    """Elements of equal structure, with the methods and arguments of TensorFlow 1.2 to 1.4.

    Args:
        dataset: a Dataset of any kind; if None, the methods `make_dataset_resource`,
            `output_types` and `output_shapes` of a subclass say what it has.

    Example:
        >>> dataset = tf.contrib.data.Dataset.range(4)
        >>> dataset = dataset.map(lambda x: x * 10, num_threads=2, output_buffer_size=4)
        >>> print(dataset.batch(3).make_one_shot_iterator().get_next().eval())
        [ 0 10 20]
    """

    _shown_class = "Dataset"

    def __init__(self, dataset: DatasetV2 | None = None) -> None:
        if dataset is None:
            super().__init__()
        else:
            super().__init__(dataset._variant_tensor, dataset.element_spec, dataset.options())

    def _derived(self, variant: Tensor, spec: Any, *others: DatasetV2) -> ContribDataset:
        return ContribDataset(super()._derived(variant, spec, *others))

    def _as_variant_tensor(self) -> Tensor:
        if type(self).make_dataset_resource is not ContribDataset.make_dataset_resource:
            return self.make_dataset_resource()
        return super()._as_variant_tensor()

    def make_dataset_resource(self) -> Tensor:
        """The tensor that stands for the dataset in the graph."""
        return self._as_variant_tensor()

    def make_one_shot_iterator(self) -> ContribIterator:
        return _contrib(self._one_shot_iterator())

    def make_initializable_iterator(self, shared_name: str | None = None) -> ContribIterator:
        return _contrib(self._initializable_iterator(shared_name))

    # Sources

    @staticmethod
    def from_tensors(tensors: Any) -> ContribDataset:
        return ContribDataset(DatasetV2.from_tensors(tensors))

    @staticmethod
    def from_tensor_slices(tensors: Any) -> ContribDataset:
        return ContribDataset(DatasetV2.from_tensor_slices(tensors))

    @staticmethod
    def from_sparse_tensor_slices(sparse_tensor: Any) -> ContribDataset:
        return ContribDataset(DatasetV1.from_sparse_tensor_slices(sparse_tensor))

    @staticmethod
    def from_generator(
        generator: Callable[..., Any],
        output_types: Any,
        output_shapes: Any = None,
        args: Any = None,
    ) -> ContribDataset:
        return ContribDataset(
            DatasetV2.from_generator(generator, output_types, output_shapes, args)
        )

    @staticmethod
    def range(*args: Any) -> ContribDataset:
        return ContribDataset(DatasetV2.range(*args))

    @staticmethod
    def zip(datasets: Any) -> ContribDataset:
        return ContribDataset(DatasetV2.zip(datasets))

    @staticmethod
    def list_files(
        file_pattern: TensorLike, shuffle: bool | None = False, seed: Any = None
    ) -> ContribDataset:
        """A dataset of the names of the files that match patterns.

        Args:
            file_pattern: patterns with ``*``, ``?`` and ``[...]`` as in a shell; a string scalar
                or vector.
            shuffle: whether each iteration has a random order; otherwise the names are sorted.
            seed: the seed of the order.

        Returns:
            A Dataset. Iterating over it fails with an InvalidArgumentError if nothing matches.
        """
        return ContribDataset(DatasetV2.list_files(file_pattern, shuffle, seed))

    @staticmethod
    def read_batch_features(
        file_pattern: Any,
        batch_size: int,
        features: dict[str, Any],
        reader: Callable[..., Any],
        reader_args: Any = None,
        randomize_input: bool = True,
        num_epochs: int | None = None,
        capacity: int = 10000,
    ) -> ContribDataset:
        """A dataset of batches of parsed Examples.

        Args:
            file_pattern: a pattern of names of files, or a tensor of names.
            batch_size: how many Examples a batch has.
            features: FixedLenFeature, VarLenFeature or SparseFeature by name.
            reader: makes a dataset of serialized Examples from names of files.
            reader_args: more arguments of the reader.
            randomize_input: whether files and Examples are shuffled.
            num_epochs: how many times the files are read; without end if None.
            capacity: how many Examples are shuffled among each other.

        Returns:
            A Dataset of dicts of tensors.
        """
        names = file_pattern
        if isinstance(file_pattern, (str, bytes)):
            names = sorted(get_matching_files(file_pattern))
            if randomize_input:
                random.shuffle(names)
        dataset = ContribDataset(reader(names, *(reader_args or ())))
        if nest.is_nested(dataset.element_spec):
            # The reader gives keys and values.
            dataset = dataset.map(lambda _, serialized: serialized)
        if randomize_input:
            dataset = dataset.shuffle(capacity)
        dataset = dataset.repeat(num_epochs).batch(batch_size)
        return dataset.map(lambda serialized: parse_example(serialized, features))

    # Transformations

    def apply(self, transformation_func: Callable[[Any], Any]) -> ContribDataset:
        return ContribDataset(super().apply(transformation_func))

    def map(  # type: ignore[override]  # as it was in TensorFlow 1.2
        self,
        map_func: Callable[..., Any],
        num_threads: Any = None,
        output_buffer_size: Any = None,
        num_parallel_calls: Any = None,
    ) -> ContribDataset:
        """The results of a function for the elements.

        Args:
            map_func: a function from an element to a nested structure of tensors.
            num_threads: how many elements are worked on at the same time.
            output_buffer_size: how many results may wait to be used.
            num_parallel_calls: the later name of `num_threads`.

        Returns:
            A Dataset.

        Raises:
            TypeError: if the function returns something that is not made of tensors.
        """
        calls = num_threads if num_parallel_calls is None else num_parallel_calls
        result: ContribDataset = super().map(map_func, calls)
        return result if output_buffer_size is None else result.prefetch(output_buffer_size)

    def dense_to_sparse_batch(self, batch_size: TensorLike, row_shape: Any) -> ContribDataset:
        """Elements of different shapes in batches that are sparse.

        Args:
            batch_size: how many elements a batch has; an int64 scalar.
            row_shape: the dense shape of an element in the batch.

        Returns:
            A Dataset of tuples: the indices, the values and the dense shape of a SparseTensor.
        """
        batches: ContribDataset = self.apply(dense_to_sparse_batch(batch_size, row_shape))
        return batches.map(lambda rows: (rows.indices, rows.values, rows.dense_shape))

    def group_by_window(
        self,
        key_func: Callable[..., Any],
        reduce_func: Callable[..., Any],
        window_size: TensorLike,
    ) -> ContribDataset:
        """What a function makes of windows of elements that have equal keys.

        Args:
            key_func: a function from an element to an int64 scalar, its key.
            reduce_func: a function from a key and a Dataset of elements to a Dataset.
            window_size: the number of elements in a window; the last one of a key may have fewer.

        Returns:
            A Dataset.
        """

        def reduced(key: Tensor, window: DatasetV2) -> Any:
            return reduce_func(key, ContribDataset(window))

        windows: ContribDataset = self.apply(group_by_window(key_func, reduced, window_size))
        return windows

    def unbatch(self) -> ContribDataset:
        """The rows of the elements, which are batches.

        Returns:
            A Dataset.
        """
        rows: ContribDataset = super().unbatch()
        return rows

    def ignore_errors(self) -> ContribDataset:
        """The elements that have no errors.

        Returns:
            A Dataset.
        """
        good: ContribDataset = self.apply(ignore_errors())
        return good


@export("contrib.data.TextLineDataset")
class ContribTextLineDataset(ContribDataset):
    """The lines of text files, without their ends.

    Args:
        filenames: names of files as a string tensor.
        compression_type: "", "ZLIB" or "GZIP".
        buffer_size: has no effect, but must not be negative.
    """

    @deprecated(None, "Use `tf.data.TextLineDataset`.")
    def __init__(
        self, filenames: TensorLike, compression_type: Any = None, buffer_size: Any = None
    ) -> None:
        super().__init__(TextLineDatasetV1(filenames, compression_type, buffer_size))


@export("contrib.data.TFRecordDataset")
class ContribTFRecordDataset(ContribDataset):
    """The records of TFRecord files.

    Args:
        filenames: names of files as a string tensor.
        compression_type: "", "ZLIB" or "GZIP".
        buffer_size: has no effect, but must not be negative.
    """

    @deprecated(None, "Use `tf.data.TFRecordDataset`.")
    def __init__(
        self, filenames: TensorLike, compression_type: Any = None, buffer_size: Any = None
    ) -> None:
        super().__init__(TFRecordDatasetV1(filenames, compression_type, buffer_size))


@export("contrib.data.FixedLengthRecordDataset")
class ContribFixedLengthRecordDataset(ContribDataset):
    """The records of equal length of binary files.

    Args:
        filenames: names of files as a string tensor.
        record_bytes: the length of a record.
        header_bytes: how many bytes at the beginning of a file are left out.
        footer_bytes: how many bytes at its end are left out.
        buffer_size: has no effect, but must not be negative.
    """

    @deprecated(None, "Use `tf.data.FixedLengthRecordDataset`.")
    def __init__(
        self,
        filenames: TensorLike,
        record_bytes: Any,
        header_bytes: Any = None,
        footer_bytes: Any = None,
        buffer_size: Any = None,
    ) -> None:
        super().__init__(
            FixedLengthRecordDatasetV1(
                filenames, record_bytes, header_bytes, footer_bytes, buffer_size
            )
        )
