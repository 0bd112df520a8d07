"""`Dataset`: elements that are made one after the other, and what can be done with them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from headwater.base import dtypes
from headwater.base.deprecated_api import deprecated, silence
from headwater.base.export import export
from headwater.base.tensor_shape import TensorShape
from headwater.base.typing import TensorLike
from headwater.data.datasets import (
    batching,
    generators,
    mapping,
    nest,
    one_shot,
    options_nodes,
    ordering,
    sources,
    structure,
)
from headwater.data.datasets.dataset_batches import DatasetsOfBatch
from headwater.data.datasets.iterator import Iterator
from headwater.data.datasets.options import Options
from headwater.graph import Tensor, build, colocate_with, name_scope
from headwater.graph.type_spec import BatchableTypeSpec, TensorSpec, TypeSpec
from headwater.model.trackable.base import Trackable


class DatasetV2(Trackable):
    """Elements of equal structure, which an iterator hands out one after the other.

    Args:
        variant_tensor: the variant tensor of a dataset op.
        element_spec: the nested TypeSpec of the elements.
        options: its Options; the defaults if None.
    """

    def __init__(
        self, variant_tensor: Tensor, element_spec: Any = None, options: Options | None = None
    ) -> None:
        self._variant_tensor = variant_tensor
        self._element_spec = element_spec
        self._options = options or Options()
        self._input_datasets: list[DatasetV2] = []

    def _maybe_initialize_trackable(self) -> None:
        if "_self_update_uid" not in self.__dict__:
            super()._maybe_initialize_trackable()
            # Stands in object graphs for the variant tensor, which is not saved.
            self._track_trackable(Trackable(), name="_variant_tracker")

    def _inputs(self) -> list[DatasetV2]:
        """The datasets that this one is made of, as the program has them."""
        return self._input_datasets

    def _functions(self) -> list[Any]:
        """The functions that the op of this dataset calls."""
        op = self._variant_tensor.op
        names = [attr.func.name for attr in op.node_def.attr.values() if attr.HasField("func")]
        return [op.graph._functions[name] for name in names]

    @property
    def element_spec(self) -> Any:
        """The nested TypeSpec of an element."""
        return self._element_spec

    @property
    def _type_spec(self) -> DatasetSpec:
        return DatasetSpec(self.element_spec)

    @property
    def _flat_structure(self) -> dict[str, Any]:
        return structure.flat_attrs(self.element_spec)

    def _as_variant_tensor(self) -> Tensor:
        try:
            return self.__dict__["_variant_tensor"]
        except KeyError:
            raise TypeError(
                f"{type(self).__name__} has no variant tensor: pass it to __init__, or define "
                "_as_variant_tensor."
            ) from None

    def __repr__(self) -> str:
        spec = self.element_spec
        shapes = structure.shown(structure.legacy_shapes(spec))
        types = structure.shown(structure.legacy_types(spec))
        kind = type(self)
        name = kind.__dict__.get("_shown_class", kind.__name__)
        return f"<{name} shapes: {shapes}, types: {types}>"

    _shown_class = "DatasetV2"
    # Whether `map` has a result for each element, although a function may end a sequence.
    _preserves_cardinality = True

    def _derived(self, variant: Tensor, spec: Any, *others: DatasetV2) -> Any:
        """A dataset of the same era, with the options of this one and of other inputs."""
        options = self._options
        for other in others:
            options = options.merge(other._options)
        return _made_of([self, *others], DatasetV2(variant, spec, options))

    def options(self) -> Options:
        """The options of this dataset and of those that it is made of."""
        return self._options

    def with_options(self, options: Options) -> Any:
        """A dataset with further options.

        Args:
            options: Options.

        Returns:
            A Dataset.

        Raises:
            ValueError: if it has other values of an option already.
        """
        result = self._derived(self._variant_tensor, self.element_spec)
        result._options = self._options.merge(options)
        return result

    def __iter__(self) -> Any:
        """Not supported: elements are made by runs.

        Raises:
            RuntimeError: always.
        """
        raise RuntimeError(
            "__iter__() is only supported inside of tf.function or when eager execution is enabled."
        )

    # Sources

    @staticmethod
    def from_tensors(tensors: Any) -> Any:
        """A dataset of one element.

        Args:
            tensors: a nested structure of tensors.

        Returns:
            A Dataset.
        """
        return DatasetV2(*sources.tensors(tensors))

    @staticmethod
    def from_tensor_slices(tensors: Any) -> Any:
        """A dataset of the slices of tensors along their first dimension.

        Args:
            tensors: a nested structure of tensors with equal first dimensions.

        Returns:
            A Dataset.
        """
        return DatasetV2(*sources.tensor_slices(tensors))

    @staticmethod
    def range(*args: Any) -> Any:
        """A dataset of the int64 numbers of a range.

        Args:
            *args: stop; start and stop; or start, stop and step.

        Returns:
            A Dataset.

        Raises:
            ValueError: if there are no arguments, or more than three.
        """
        return DatasetV2(*sources.number_range(*args))

    @staticmethod
    def from_generator(
        generator: Callable[..., Any],
        output_types: Any,
        output_shapes: Any = None,
        args: Any = None,
    ) -> Any:
        """A dataset of what a Python generator yields.

        Args:
            generator: a function that returns an iterable; each iterator calls it anew.
            output_types: the nested types of an element.
            output_shapes: the nested shapes; unknown if None.
            args: tensors whose values the function gets as arrays; none if None.

        Returns:
            A Dataset.

        Raises:
            TypeError: if `generator` is not callable.
        """
        make = generators.from_generator(generator, output_types, output_shapes, args)

        def flat_map_fn(dummy: Tensor) -> DatasetV2:
            return DatasetV2(*make(dummy))

        return DatasetV2.from_tensors(0).flat_map(flat_map_fn)

    @staticmethod
    def list_files(file_pattern: TensorLike, shuffle: bool | None = None, seed: Any = None) -> Any:
        """A dataset of the names of the files that match patterns.

        Args:
            file_pattern: patterns with ``*``, ``?`` and ``[...]`` as in a shell; a string scalar
                or vector.
            shuffle: whether each iteration has a random order; yes if None. Otherwise the names
                are sorted.
            seed: the seed of the order.

        Returns:
            A Dataset. Iterating over it fails with an InvalidArgumentError if nothing matches.
        """
        with name_scope("list_files"):
            names = sources.matching_files(file_pattern)
            dataset = DatasetV2.from_tensor_slices(names)
            if shuffle is None or shuffle:
                count = build.Shape(names, out_type=dtypes.int64)[0]
                dataset = dataset.shuffle(build.Maximum(count, 1), seed=seed)
        return dataset

    @staticmethod
    def zip(datasets: Any) -> Any:
        """A dataset of nested structures of the elements of several datasets.

        It ends with the shortest of them.

        Args:
            datasets: a nested structure of datasets.

        Returns:
            A Dataset.

        Raises:
            TypeError: if the argument is something else.
        """
        result = DatasetV2(*ordering.zipped(datasets), _options_of(datasets))
        return _made_of(nest.flatten(datasets), result)

    # Transformations

    def apply(self, transformation_func: Callable[[Any], Any]) -> Any:
        """The result of a function of this dataset.

        Args:
            transformation_func: a function from a dataset to a dataset.

        Returns:
            A Dataset.

        Raises:
            TypeError: if the function returns something else.
        """
        dataset = transformation_func(self)
        if not isinstance(dataset, DatasetV2):
            raise TypeError(f"`transformation_func` must return a Dataset. Got {dataset}.")
        return dataset

    def map(self, map_func: Callable[..., Any], num_parallel_calls: Any = None) -> Any:
        """The results of a function for the elements.

        Args:
            map_func: a function from an element to a nested structure of tensors.
            num_parallel_calls: how many elements are worked on at the same time.

        Returns:
            A Dataset.

        Raises:
            TypeError: if the function returns something that is not made of tensors.
        """
        return self._derived(
            *mapping.map_elements(self, map_func, num_parallel_calls, self._preserves_cardinality)
        )

    def flat_map(self, map_func: Callable[..., Any]) -> Any:
        """The elements of the datasets that a function makes of the elements, in order.

        Args:
            map_func: a function from an element to a dataset.

        Returns:
            A Dataset.

        Raises:
            TypeError: if the function does not return a dataset.
        """
        return self._derived(*mapping.flat_map(self, map_func))

    def interleave(
        self,
        map_func: Callable[..., Any],
        cycle_length: TensorLike = -1,
        block_length: TensorLike = 1,
        num_parallel_calls: Any = None,
    ) -> Any:
        """The elements of several of the datasets that a function makes, in turns.

        Args:
            map_func: a function from an element to a dataset.
            cycle_length: how many datasets take turns; the number of CPUs if it is -1.
            block_length: how many elements a dataset gives in its turn.
            num_parallel_calls: how many threads make elements ahead.

        Returns:
            A Dataset.

        Raises:
            TypeError: if the function does not return a dataset.
        """
        return self._derived(
            *mapping.interleave(self, map_func, cycle_length, block_length, num_parallel_calls)
        )

    def filter(self, predicate: Callable[..., Any]) -> Any:
        """The elements for which a predicate is true.

        Args:
            predicate: a function from an element to a bool scalar.

        Returns:
            A Dataset.

        Raises:
            ValueError: if the predicate returns something else.
        """
        return self._derived(*mapping.filter_elements(self, predicate))

    def reduce(self, initial_state: Any, reduce_func: Callable[..., Any]) -> Any:
        """The state after the last element.

        Args:
            initial_state: a nested structure of tensors.
            reduce_func: a function from a state and an element to the next state.

        Returns:
            Tensors in the structure of the state.

        Raises:
            TypeError: if the states differ in their structures, classes or types.
        """
        return mapping.reduce(self, initial_state, reduce_func)

    def prefetch(self, buffer_size: Any) -> Any:
        """The elements, made by a thread ahead of their use.

        Args:
            buffer_size: how many elements may wait; an int64 scalar, -1 or None to leave it open.

        Returns:
            A Dataset.
        """
        return self._derived(*mapping.prefetch(self, buffer_size))

    def batch(self, batch_size: TensorLike, drop_remainder: TensorLike = False) -> Any:
        """Elements stacked into batches.

        Args:
            batch_size: how many elements a batch has; an int64 scalar.
            drop_remainder: whether a last, smaller batch is left out; a bool scalar.

        Returns:
            A Dataset.
        """
        return self._derived(*batching.batch(self, batch_size, drop_remainder))

    def padded_batch(
        self,
        batch_size: TensorLike,
        padded_shapes: Any,
        padding_values: Any = None,
        drop_remainder: TensorLike = False,
    ) -> Any:
        """Elements of different sizes, padded to one size and stacked into batches.

        Args:
            batch_size: how many elements a batch has; an int64 scalar.
            padded_shapes: a nested structure of the shapes of the padded components; an unknown
                dimension is padded to the longest of the batch.
            padding_values: a nested structure of scalars to pad with; zeros and empty strings if
                None.
            drop_remainder: whether a last, smaller batch is left out; a bool scalar.

        Returns:
            A Dataset.

        Raises:
            TypeError: if a component or a value is of a type that cannot be padded.
            ValueError: if a shape does not fit a component.
        """
        return self._derived(
            *batching.padded_batch(self, batch_size, padded_shapes, padding_values, drop_remainder)
        )

    def window(
        self,
        size: TensorLike,
        shift: TensorLike | None = None,
        stride: TensorLike = 1,
        drop_remainder: TensorLike = False,
    ) -> Any:
        """Datasets of `size` elements each, one for each component.

        Args:
            size: how many elements a window has; an int64 scalar.
            shift: how far each window begins after the one before; `size` if None.
            stride: the distance of the elements of a window.
            drop_remainder: whether windows that the end cuts short are left out.

        Returns:
            A Dataset of nested structures of datasets.
        """
        return self._derived(*batching.window(self, size, shift, stride, drop_remainder))

    def unbatch(self) -> Any:
        """The rows of the elements, which are batches.

        Returns:
            A Dataset.
        """
        return self._derived(*batching.unbatch(self))

    def shuffle(
        self,
        buffer_size: TensorLike,
        seed: Any = None,
        reshuffle_each_iteration: bool | None = None,
    ) -> Any:
        """The elements in random order.

        Args:
            buffer_size: from how many elements the next one is chosen; an int64 scalar.
            seed: makes the order reproducible; an integer or an int64 scalar.
            reshuffle_each_iteration: whether each epoch has another order; true if None.

        Returns:
            A Dataset.
        """
        return self._derived(*ordering.shuffle(self, buffer_size, seed, reshuffle_each_iteration))

    def repeat(self, count: TensorLike | None = None) -> Any:
        """The elements several times.

        Args:
            count: how many times; without an end if None or -1.

        Returns:
            A Dataset.
        """
        return self._derived(*ordering.repeat(self, count))

    def take(self, count: TensorLike) -> Any:
        """The first elements.

        Args:
            count: how many; all if it is -1.

        Returns:
            A Dataset.
        """
        return self._derived(*ordering.take(self, count))

    def skip(self, count: TensorLike) -> Any:
        """The elements after the first ones.

        Args:
            count: how many are left out; all if it is -1.

        Returns:
            A Dataset.
        """
        return self._derived(*ordering.skip(self, count))

    def shard(self, num_shards: TensorLike, index: TensorLike) -> Any:
        """The elements whose number modulo `num_shards` is `index`.

        Args:
            num_shards: how many shards there are; an int64 scalar.
            index: which one this is; an int64 scalar.

        Returns:
            A Dataset.
        """
        return self._derived(*ordering.shard(self, num_shards, index))

    def concatenate(self, dataset: Any) -> Any:
        """The elements of this dataset, then those of another one.

        Args:
            dataset: a Dataset with the same types.

        Returns:
            A Dataset.

        Raises:
            TypeError: if the types differ.
        """
        return self._derived(*ordering.concatenate(self, dataset), dataset)

    def enumerate(self, start: TensorLike = 0) -> Any:
        """Pairs of a number and an element.

        Args:
            start: the first number; an int64 scalar.

        Returns:
            A Dataset.
        """
        numbers = self.range(start, dtypes.int64.max)
        return self._derived(*ordering.zipped((numbers, self)))

    def cache(self, filename: TensorLike = "") -> Any:
        """The elements, which are made once and kept.

        Args:
            filename: the beginning of the names of the files that keep them; memory if empty.

        Returns:
            A Dataset.
        """
        return self._derived(*ordering.cache(self, filename))

    @staticmethod
    def _window_spec(spec: TypeSpec) -> TypeSpec:
        """The structure of the windows of one component."""
        return DatasetSpec(spec)


def _options_of(datasets: Any) -> Options:
    """The options of several datasets."""
    options = Options()
    for dataset in nest.flatten(datasets):
        options = options.merge(dataset.options())
    return options


def _made_of(inputs: list[DatasetV2], dataset: Any) -> Any:
    dataset._input_datasets = inputs
    return dataset


@export("data.Dataset")
class DatasetV1(DatasetV2):
    """Elements of equal structure, which an iterator hands out one after the other.

    Args:
        variant_tensor: the variant tensor of a dataset op; if None, a method `_as_variant_tensor`
            of the subclass makes it.
        element_spec: the nested TypeSpec of the elements; if None, the subclass has a property of
            this name, or `output_types`, `output_shapes` and `output_classes`.
        options: its Options; the defaults if None.
    """

    _shown_class = "DatasetV1Adapter"
    _preserves_cardinality = False

    def __init__(
        self,
        variant_tensor: Tensor | None = None,
        element_spec: Any = None,
        options: Options | None = None,
    ) -> None:
        if variant_tensor is None:
            variant_tensor = self._as_variant_tensor()
        super().__init__(variant_tensor, element_spec, options)

    def _derived(self, variant: Tensor, spec: Any, *others: DatasetV2) -> Any:
        options = super()._derived(variant, spec, *others)._options
        return _made_of([self, *others], DatasetV1(variant, spec, options))

    @property
    def element_spec(self) -> Any:
        """The nested TypeSpec of an element."""
        if self._element_spec is not None or type(self).output_types is DatasetV1.output_types:
            return self._element_spec
        # A subclass that was written before there was `element_spec`.
        with silence():
            return structure.from_legacy(self.output_types, self.output_shapes, self.output_classes)

    @property
    @deprecated(None, "Use `tf.compat.v1.data.get_output_types(dataset)`.")
    def output_types(self) -> Any:
        """The nested types of an element."""
        return structure.legacy_types(self.element_spec)

    @property
    @deprecated(None, "Use `tf.compat.v1.data.get_output_shapes(dataset)`.")
    def output_shapes(self) -> Any:
        """The nested shapes of an element."""
        return structure.legacy_shapes(self.element_spec)

    @property
    @deprecated(None, "Use `tf.compat.v1.data.get_output_classes(dataset)`.")
    def output_classes(self) -> Any:
        """The nested classes of an element."""
        if type(self).output_types is not DatasetV1.output_types:
            return nest.map_structure(lambda _: Tensor, self.output_types)
        return structure.legacy_classes(self.element_spec)

    @staticmethod
    def from_tensors(tensors: Any) -> Any:
        return DatasetV1(*sources.tensors(tensors))

    @staticmethod
    def from_tensor_slices(tensors: Any) -> Any:
        return DatasetV1(*sources.tensor_slices(tensors))

    @staticmethod
    def range(*args: Any) -> Any:
        return DatasetV1(*sources.number_range(*args))

    @staticmethod
    def from_generator(
        generator: Callable[..., Any],
        output_types: Any,
        output_shapes: Any = None,
        args: Any = None,
    ) -> Any:
        return _first_era(DatasetV2.from_generator(generator, output_types, output_shapes, args))

    @staticmethod
    def list_files(file_pattern: TensorLike, shuffle: bool | None = None, seed: Any = None) -> Any:
        return _first_era(DatasetV2.list_files(file_pattern, shuffle, seed))

    @staticmethod
    def zip(datasets: Any) -> Any:
        result = DatasetV1(*ordering.zipped(datasets), _options_of(datasets))
        return _made_of(nest.flatten(datasets), result)

    @staticmethod
    @deprecated(None, "Use `tf.data.Dataset.from_tensor_slices()`.")
    def from_sparse_tensor_slices(sparse_tensor: Any) -> Any:
        """A dataset of the slices of a sparse tensor along its first dimension.

        Args:
            sparse_tensor: a SparseTensor.

        Returns:
            A Dataset. Its elements are tuples of the indices, the values and the dense shape.

        Raises:
            TypeError: if it is something else.
        """
        return DatasetV1(*sources.sparse_tensor_slices(sparse_tensor))

    @deprecated(None, "Use `tf.data.Dataset.map()")
    def map_with_legacy_function(
        self, map_func: Callable[..., Any], num_parallel_calls: Any = None
    ) -> Any:
        """As `map`.

        Args:
            map_func: a function from an element to a nested structure of tensors.
            num_parallel_calls: how many elements are worked on at the same time.

        Returns:
            A Dataset.
        """
        return self._derived(*mapping.map_elements(self, map_func, num_parallel_calls, False, True))

    @deprecated(None, "Use `tf.data.Dataset.filter()")
    def filter_with_legacy_function(self, predicate: Callable[..., Any]) -> Any:
        """As `filter`.

        Args:
            predicate: a function from an element to a bool scalar.

        Returns:
            A Dataset.
        """
        return self._derived(*mapping.filter_elements(self, predicate, True))

    def apply(self, transformation_func: Callable[[Any], Any]) -> Any:
        return _first_era(super().apply(transformation_func))

    @deprecated(
        None,
        "Use `for ... in dataset:` to iterate over a dataset. If using `tf.estimator`, return the "
        "`Dataset` object directly from your input function. As a last resort, you can use "
        "`tf.compat.v1.data.make_one_shot_iterator(dataset)`.",
    )
    def make_one_shot_iterator(self) -> Iterator:
        """An iterator that needs no initializer and goes through the elements once.

        Returns:
            An Iterator.

        Raises:
            ValueError: if the dataset uses variables, tables or other things with a state.
        """
        return self._one_shot_iterator()

    def _one_shot_iterator(self) -> Iterator:
        resource = one_shot.iterator_resource(self)
        return Iterator(resource, None, self.element_spec)

    @deprecated(
        None,
        "Use `for ... in dataset:` to iterate over a dataset. If using `tf.estimator`, return the "
        "`Dataset` object directly from your input function. As a last resort, you can use "
        "`tf.compat.v1.data.make_initializable_iterator(dataset)`.",
    )
    def make_initializable_iterator(self, shared_name: str | None = None) -> Iterator:
        """An iterator that begins anew whenever its initializer runs.

        Args:
            shared_name: sessions share iterators of one name.

        Returns:
            An Iterator.
        """
        return self._initializable_iterator(shared_name)

    def _initializable_iterator(self, shared_name: str | None) -> Iterator:
        spec = self.element_spec
        variant = options_nodes.with_options(self)
        attrs = structure.flat_attrs(spec)
        resource = build.IteratorV2(container="", shared_name=shared_name or "", **attrs)
        with colocate_with(resource):
            initializer = build.MakeIterator(variant, resource)
        return Iterator(resource, initializer, spec)


def _first_era(dataset: DatasetV2) -> DatasetV1:
    """The same dataset with the methods of the first era."""
    result = DatasetV1(dataset._variant_tensor, dataset.element_spec, dataset.options())
    return _made_of(dataset._inputs(), result)


@export("data.DatasetSpec", "data.experimental.DatasetStructure")
class DatasetSpec(BatchableTypeSpec):
    """The structure of a dataset, for datasets that are elements themselves.

    Args:
        element_spec: the nested TypeSpec of its elements.
        dataset_shape: the shape of the variant tensor.
    """

    __slots__ = ("_dataset_shape", "_element_spec")

    def __init__(self, element_spec: Any, dataset_shape: Any = ()) -> None:
        self._element_spec = element_spec
        self._dataset_shape = TensorShape(dataset_shape)

    @property
    def value_type(self) -> Any:
        """The class of the values."""
        return DatasetV1

    def _serialize(self) -> tuple[Any, ...]:
        return self._element_spec, self._dataset_shape

    @property
    def _component_specs(self) -> Any:
        return TensorSpec(self._dataset_shape, dtypes.variant)

    def _to_components(self, value: Any) -> Any:
        return value._variant_tensor

    def _from_components(self, components: Any) -> Any:
        if self._dataset_shape.ndims == 0:
            return DatasetV1(components, self._element_spec)
        return DatasetsOfBatch(components, self)

    def _batch(self, batch_size: int | None) -> DatasetSpec:
        shape = TensorShape([batch_size]).concatenate(self._dataset_shape)
        return DatasetSpec(self._element_spec, shape)

    def _unbatch(self) -> DatasetSpec:
        if self._dataset_shape.ndims == 0:
            raise ValueError("Unbatching a dataset is only supported for rank >= 1")
        return DatasetSpec(self._element_spec, self._dataset_shape[1:])

    def _to_batched_tensor_list(self, value: Any) -> list[Any]:
        if self._dataset_shape.ndims == 0:
            raise ValueError("Unbatching a dataset is only supported for rank >= 1")
        return self._to_tensor_list(value)

    @classmethod
    def from_value(cls, value: Any) -> DatasetSpec:
        """The specification of a dataset."""
        return cls(value.element_spec)

    def _to_legacy_output_types(self) -> Any:
        return self

    def _to_legacy_output_shapes(self) -> Any:
        return self

    def _to_legacy_output_classes(self) -> Any:
        return self
