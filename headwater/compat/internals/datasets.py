"""Internal functions and classes of datasets: thread pools, pauses, base classes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from headwater.base import dtypes
from headwater.base.typing import TensorLike
from headwater.compat.internals import internal
from headwater.data.datasets import (
    distribute,
    example_files,
    generators,
    iterator,
    mapping,
    readers,
    snapshot,
    structure,
)
from headwater.data.datasets.conversion import VariantDataset
from headwater.data.datasets.dataset import DatasetV1, DatasetV2
from headwater.data.datasets.devices import MultiDeviceIterator
from headwater.data.datasets.map_functions import AUTOTUNE
from headwater.data.datasets.optional import OptionalImpl
from headwater.data.datasets.stats import set_stats_aggregator
from headwater.graph import Tensor, build, convert_to_tensor, get_default_graph, name_scope
from headwater.graph.type_spec import TensorSpec
from headwater.model.ragged.conversion import is_ragged
from headwater.model.ragged.joining import concat as concat_ragged

_THREADPOOL = "data.experimental.ops.threadpool"

internal("data.ops.multi_device_iterator_ops.MultiDeviceIterator")(MultiDeviceIterator)
internal("data.experimental.ops.stats_ops.set_stats_aggregator")(set_stats_aggregator)
internal("data.ops.dataset_ops.AUTOTUNE")(AUTOTUNE)
internal("data.ops.dataset_ops.DatasetV2")(DatasetV2)
internal("data.ops.readers.FixedLengthRecordDatasetV2")(readers.FixedLengthRecordDatasetV2)
internal("data.ops.readers.TFRecordDatasetV2")(readers.TFRecordDatasetV2)
internal("data.ops.readers.TextLineDatasetV2")(readers.TextLineDatasetV2)
internal("ops.ragged.ragged_concat_ops.concat")(concat_ragged)
internal("ops.ragged.ragged_tensor.is_ragged")(is_ragged)
internal("data.ops.dataset_ops._VariantDataset")(VariantDataset)
internal("data.ops.optional_ops._OptionalImpl")(OptionalImpl)
internal("data.ops.iterator_ops.GET_NEXT_CALL_WARNING_THRESHOLD")(iterator.MANY_CALLS)
internal("data.ops.iterator_ops.GET_NEXT_CALL_WARNING_MESSAGE")(iterator.MANY_CALLS_WARNING)


@internal("data.ops.dataset_ops.DatasetV1Adapter")
class DatasetV1Adapter(DatasetV1):
    """A dataset with the methods of the first era.

    Args:
        dataset: a Dataset.
    """

    def __init__(self, dataset: DatasetV2) -> None:
        super().__init__(dataset._variant_tensor, dataset.element_spec, dataset.options())


@internal("data.ops.dataset_ops.UnaryDataset")
class UnaryDataset(DatasetV2):
    """A dataset of one other dataset, to be derived from.

    Args:
        input_dataset: the other one.
        variant_tensor: the variant tensor of a dataset op.
    """

    def __init__(self, input_dataset: DatasetV2, variant_tensor: Tensor) -> None:
        super().__init__(variant_tensor, None, input_dataset.options())
        self._input_dataset = input_dataset

    def _inputs(self) -> list[DatasetV2]:
        return [self._input_dataset]


@internal("data.ops.dataset_ops.UnaryUnchangedStructureDataset")
class UnaryUnchangedStructureDataset(UnaryDataset):
    """A dataset whose elements have the structure of those of another.

    Args:
        input_dataset: the other one.
        variant_tensor: the variant tensor of a dataset op.
    """

    @property
    def element_spec(self) -> Any:
        """The nested TypeSpec of an element."""
        return self._input_dataset.element_spec


class _Made(UnaryDataset):
    """A dataset whose variant and structure a function of this package has made."""

    def __init__(self, input_dataset: DatasetV2, variant: Tensor, spec: Any) -> None:
        super().__init__(input_dataset, variant)
        self._element_spec = spec


@internal("data.experimental.ops.distribute._AutoShardDataset")
class AutoShardDataset(_Made):
    """A worker's part of a dataset: the elements of some files, or some elements.

    Args:
        input_dataset: the dataset.
        num_workers: how many workers there are.
        index: the number of the worker.
    """

    def __init__(
        self, input_dataset: DatasetV2, num_workers: TensorLike, index: TensorLike
    ) -> None:
        super().__init__(input_dataset, *distribute.auto_shard(input_dataset, num_workers, index))


@internal("data.experimental.ops.distribute._RebatchDataset")
class RebatchDataset(_Made):
    """Batches, each divided among replicas.

    Args:
        input_dataset: a dataset of batches.
        num_replicas: how many replicas there are.
        use_fallback: has no effect.

    Raises:
        ValueError: if a component of an element is a scalar.
    """

    def __init__(
        self, input_dataset: DatasetV2, num_replicas: int, use_fallback: bool = True
    ) -> None:
        super().__init__(input_dataset, *distribute.rebatch(input_dataset, num_replicas))


@internal("data.ops.dataset_ops.MapDataset")
class MapDataset(_Made):
    """The results of a function for the elements of a dataset.

    Args:
        input_dataset: the dataset.
        map_func: the function.
        use_inter_op_parallelism: whether ops of the function may run at the same time.
        preserve_cardinality: whether there must be a result for each element.
        use_legacy_function: whether the function is one of earlier releases.
    """

    def __init__(
        self,
        input_dataset: DatasetV2,
        map_func: Callable[..., Any],
        use_inter_op_parallelism: bool = True,
        preserve_cardinality: bool = False,
        use_legacy_function: bool = False,
    ) -> None:
        options = preserve_cardinality, use_legacy_function, use_inter_op_parallelism
        made = mapping.map_elements(input_dataset, map_func, None, *options)
        super().__init__(input_dataset, *made)


@internal("data.ops.dataset_ops.ParallelMapDataset")
class ParallelMapDataset(_Made):
    """The results of a function that is called for several elements at the same time.

    Args:
        input_dataset: the dataset.
        map_func: the function.
        num_parallel_calls: the number of calls at the same time.
        use_inter_op_parallelism: whether ops of the function may run at the same time.
        preserve_cardinality: whether there must be a result for each element.
        use_legacy_function: whether the function is one of earlier releases.
    """

    def __init__(
        self,
        input_dataset: DatasetV2,
        map_func: Callable[..., Any],
        num_parallel_calls: Any,
        use_inter_op_parallelism: bool = True,
        preserve_cardinality: bool = False,
        use_legacy_function: bool = False,
    ) -> None:
        options = preserve_cardinality, use_legacy_function, use_inter_op_parallelism
        made = mapping.map_elements(input_dataset, map_func, num_parallel_calls, *options)
        super().__init__(input_dataset, *made)


@internal("data.ops.dataset_ops.PrefetchDataset")
class PrefetchDataset(_Made):
    """The elements of a dataset, made by a thread ahead of their use.

    Args:
        input_dataset: the dataset.
        buffer_size: how many elements may wait; -1 or None to leave it open.
        slack_period: how many elements are taken at a time; None for one.
    """

    def __init__(
        self, input_dataset: DatasetV2, buffer_size: Any, slack_period: int | None = None
    ) -> None:
        made = mapping.prefetch(input_dataset, buffer_size, slack_period or 0)
        super().__init__(input_dataset, *made)


@internal("data.ops.dataset_ops._GeneratorDataset")
class GeneratorDataset(DatasetV2):
    """What a function makes again and again of a state.

    Args:
        init_args: a nested structure of tensors.
        init_func: function from them to the state.
        next_func: function from the state to an element; an OutOfRangeError ends the dataset.
        finalize_func: function of the state that runs at the end.
    """

    def __init__(
        self,
        init_args: Any,
        init_func: Callable[..., Any],
        next_func: Callable[..., Any],
        finalize_func: Callable[..., Any],
    ) -> None:
        super().__init__(*generators.generated(init_args, init_func, next_func, finalize_func))


@internal("data.experimental.ops.optimization.optimize")
def optimize(optimizations: Any = None) -> Callable[[Any], Any]:
    """A function from a dataset to one after rewrites with the given names."""

    def apply(dataset: Any) -> Any:
        spec = dataset.element_spec
        names = convert_to_tensor(optimizations or [], dtypes.string, name="optimizations")
        attrs = structure.flat_attrs(spec)
        variant = build.OptimizeDataset(dataset._variant_tensor, names, **attrs)
        return dataset._derived(variant, spec)

    return apply


@internal("data.experimental.ops.optimization.model")
def model() -> Callable[[Any], Any]:
    """A function from a dataset to one that adapts itself to the speed of its parts."""

    def apply(dataset: Any) -> Any:
        spec = dataset.element_spec
        variant = build.ModelDataset(dataset._variant_tensor, **structure.flat_attrs(spec))
        return dataset._derived(variant, spec)

    return apply


@internal("data.experimental.ops.optimization.assert_next")
def assert_next(transformations: Any) -> Callable[[Any], Any]:
    """A function from a dataset to one that checks what is done with its elements next.

    Args:
        transformations: the names of the datasets that follow, without "Dataset".
    """

    def apply(dataset: Any) -> Any:
        spec = dataset.element_spec
        names = convert_to_tensor(transformations, dtypes.string, name="transformations")
        attrs = structure.flat_attrs(spec)
        variant = build.AssertNextDataset(dataset._variant_tensor, names, **attrs)
        return dataset._derived(variant, spec)

    return apply


@internal("data.experimental.ops.optimization.non_serializable")
def non_serializable() -> Callable[[Any], Any]:
    """A function from a dataset to one that cannot be described by a graph."""

    def apply(dataset: Any) -> Any:
        spec = dataset.element_spec
        attrs = structure.flat_attrs(spec)
        variant = build.NonSerializableDataset(dataset._variant_tensor, **attrs)
        return dataset._derived(variant, spec)

    return apply


@internal("data.experimental.ops.optimization._ChooseFastestDataset")
class ChooseFastestDataset(DatasetV2):
    """The elements of that one of several equal datasets which makes them fastest.

    Args:
        datasets: a list of datasets with equal elements.
        num_experiments: how many elements are made to find it out.
    """

    def __init__(self, datasets: Sequence[DatasetV2], num_experiments: int = 10) -> None:
        spec = datasets[0].element_spec
        variant = build.ChooseFastestDataset(
            [dataset._variant_tensor for dataset in datasets],
            num_experiments=num_experiments,
            **structure.flat_attrs(spec),
        )
        super().__init__(variant, spec, datasets[0].options())


@internal("data.experimental.ops.interleave_ops._DirectedInterleaveDataset")
class DirectedInterleaveDataset(DatasetV2):
    """Elements of several datasets, in the order that a dataset of their numbers says.

    Args:
        selector_input: a dataset of int64 scalars.
        data_inputs: the datasets.
    """

    def __init__(self, selector_input: DatasetV2, data_inputs: Sequence[DatasetV2]) -> None:
        spec = data_inputs[0].element_spec
        variant = build.DirectedInterleaveDataset(
            selector_input._variant_tensor,
            [dataset._variant_tensor for dataset in data_inputs],
            **structure.flat_attrs(spec),
        )
        super().__init__(variant, spec, data_inputs[0].options())


@internal("data.experimental.ops.matching_files.MatchingFilesDataset")
class MatchingFilesDataset(DatasetV2):
    """The names of the files that match patterns, in the order of the names.

    Args:
        patterns: patterns, a string or several.
    """

    def __init__(self, patterns: TensorLike) -> None:
        given = convert_to_tensor(patterns, dtypes.string, name="patterns")
        super().__init__(build.MatchingFilesDataset(given), TensorSpec([], dtypes.string))


@internal("data.experimental.ops.map_defun.map_defun")
def map_defun(
    fn: Any,
    elems: Any,
    output_dtypes: Any,
    output_shapes: Any,
    max_intra_op_parallelism: int = 1,
) -> list[Tensor]:
    """The results of a function for each row of some tensors.

    Args:
        fn: a function made by `Defun`.
        elems: a list of tensors with as many rows.
        output_dtypes: the types of the results.
        output_shapes: the shapes of the results for one row.
        max_intra_op_parallelism: how many threads one op may use.

    Returns:
        A list of tensors.

    Raises:
        ValueError: if `elems`, `output_dtypes` or `output_shapes` is no list.
    """
    if not isinstance(elems, list):
        raise ValueError("`elems` must be a list of tensors.")
    if not isinstance(output_dtypes, list):
        raise ValueError("`output_dtypes` must be a list of `tf.DType` objects.")
    if not isinstance(output_shapes, list):
        raise ValueError("`output_shapes` must be a list of `tf.TensorShape` objects.")
    graph = get_default_graph()
    fn.add_to_graph(graph)
    results: list[Tensor] = build.MapDefun(
        [convert_to_tensor(elem) for elem in elems],
        list(fn.captured_inputs),
        output_types=output_dtypes,
        output_shapes=output_shapes,
        f=graph._proto_maker("name_attr_list")(fn.name, {}),
        max_intra_op_parallelism=max_intra_op_parallelism,
    )
    return results


@internal(f"{_THREADPOOL}.PrivateThreadPool")
class PrivateThreadPool:
    """A pool of threads; Headwater's threads are shared by all datasets.

    Args:
        num_threads: how many threads there are.
        display_name: the name of the pool.
        max_intra_op_parallelism: how many threads one op may use.
    """

    def __init__(
        self,
        num_threads: int,
        display_name: str | None = None,
        max_intra_op_parallelism: int = 1,
    ) -> None:
        self._resource = build.ThreadPoolHandle(
            num_threads=num_threads,
            max_intra_op_parallelism=max_intra_op_parallelism,
            display_name=display_name or "",
        )


@internal(f"{_THREADPOOL}.override_threadpool")
def override_threadpool(dataset: Any, thread_pool: PrivateThreadPool) -> Any:
    """The same dataset, whose functions run in a pool of threads."""
    spec = dataset.element_spec
    variant = build.ThreadPoolDataset(
        dataset._variant_tensor, thread_pool._resource, **structure.flat_attrs(spec)
    )
    return dataset._derived(variant, spec)


@internal("data.experimental.ops.sleep.sleep")
def sleep(sleep_microseconds: int) -> Callable[[Any], Any]:
    """A function from a dataset to one that pauses before each element."""

    def apply(dataset: Any) -> Any:
        spec = dataset.element_spec
        with name_scope("SleepDataset"):
            pause = convert_to_tensor(sleep_microseconds, dtypes.int64, name="sleep_microseconds")
        variant = build.SleepDataset(dataset._variant_tensor, pause, **structure.flat_attrs(spec))
        return dataset._derived(variant, spec)

    return apply


internal("data.experimental.ops.snapshot.snapshot")(snapshot.snapshot)
internal("data.experimental.ops.snapshot.COMPRESSION_GZIP")(snapshot.COMPRESSION_GZIP)
internal("data.experimental.ops.snapshot.COMPRESSION_NONE")(snapshot.COMPRESSION_NONE)
internal("data.experimental.ops.readers.make_tf_record_dataset")(
    example_files.make_tf_record_dataset
)
