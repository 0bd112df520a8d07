"""Functions of elements: map, flat_map, interleave, filter, reduce."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from headwater.base import dtypes
from headwater.base.typing import TensorLike
from headwater.data.datasets import nest, structure
from headwater.data.datasets.function import ElementFunction
from headwater.graph import Tensor, build, convert_to_tensor, name_scope
from headwater.graph.type_spec import TensorSpec


def map_elements(
    dataset: Any,
    map_func: Callable[..., Any],
    num_parallel_calls: Any,
    preserve_cardinality: bool = False,
    legacy: bool = False,
    use_inter_op_parallelism: bool = True,
) -> tuple[Tensor, Any]:
    """The variant and structure of the results of a function."""
    function = ElementFunction(map_func, "Dataset.map()", dataset.element_spec, legacy)
    attrs = structure.flat_attrs(function.output_spec)
    attrs["preserve_cardinality"] = preserve_cardinality
    attrs["use_inter_op_parallelism"] = use_inter_op_parallelism
    source, captured = dataset._variant_tensor, function.captured
    if num_parallel_calls is None:
        variant = build.MapDataset(source, captured, f=function.attr, **attrs)
    else:
        calls = convert_to_tensor(num_parallel_calls, dtypes.int32, name="num_parallel_calls")
        variant = build.ParallelMapDataset(source, captured, calls, f=function.attr, **attrs)
    return variant, function.output_spec


def map_and_batch(
    dataset: Any,
    map_func: Callable[..., Any],
    batch_size: TensorLike,
    num_parallel_calls: TensorLike,
    drop_remainder: TensorLike,
    legacy: bool,
) -> tuple[Tensor, Any]:
    """The variant and structure of batches of the results of a function."""
    name = "tf.data.experimental.map_and_batch()"
    function = ElementFunction(map_func, name, dataset.element_spec, legacy)
    size = convert_to_tensor(batch_size, dtypes.int64, name="batch_size")
    calls = convert_to_tensor(num_parallel_calls, dtypes.int64, name="num_parallel_calls")
    drop = convert_to_tensor(drop_remainder, dtypes.bool_, name="drop_remainder")
    spec = structure.batched(function.output_spec, structure.known_batch_size(size, drop))
    variant = build.MapAndBatchDataset(
        dataset._variant_tensor,
        function.captured,
        size,
        calls,
        drop,
        f=function.attr,
        preserve_cardinality=True,
        **structure.flat_attrs(spec),
    )
    return variant, spec


def flat_map(dataset: Any, map_func: Callable[..., Any]) -> tuple[Tensor, Any]:
    """The variant and structure of the elements of the datasets that a function makes.

    Raises:
        TypeError: if the function does not return a dataset.
    """
    function = ElementFunction(map_func, "Dataset.flat_map()", dataset.element_spec)
    spec = _spec_of_datasets(function)
    variant = build.FlatMapDataset(
        dataset._variant_tensor, function.captured, f=function.attr, **structure.flat_attrs(spec)
    )
    return variant, spec


def interleave(
    dataset: Any,
    map_func: Callable[..., Any],
    cycle_length: TensorLike,
    block_length: TensorLike,
    num_parallel_calls: Any,
) -> tuple[Tensor, Any]:
    """The variant and structure of the elements of several datasets in turns.

    Raises:
        TypeError: if the function does not return a dataset.
    """
    function = ElementFunction(map_func, "Dataset.interleave()", dataset.element_spec)
    spec = _spec_of_datasets(function)
    attrs = {"f": function.attr, **structure.flat_attrs(spec)}
    inputs = [
        dataset._variant_tensor,
        function.captured,
        convert_to_tensor(cycle_length, dtypes.int64, name="cycle_length"),
        convert_to_tensor(block_length, dtypes.int64, name="block_length"),
    ]
    if num_parallel_calls is None:
        return build.InterleaveDataset(*inputs, **attrs), spec
    calls = convert_to_tensor(num_parallel_calls, dtypes.int64, name="num_parallel_calls")
    return build.ParallelInterleaveDatasetV2(*inputs, calls, **attrs), spec


def parallel_interleave(
    dataset: Any,
    map_func: Callable[..., Any],
    cycle_length: TensorLike,
    block_length: TensorLike,
    sloppy: TensorLike,
    buffer_output_elements: Any,
    prefetch_input_elements: Any,
) -> tuple[Tensor, Any]:
    """The variant and structure of the elements of several datasets in turns, made ahead.

    Raises:
        TypeError: if the function does not return a dataset.
    """
    name = "tf.data.experimental.parallel_interleave()"
    function = ElementFunction(map_func, name, dataset.element_spec)
    spec = _spec_of_datasets(function)
    cycle = convert_to_tensor(cycle_length, dtypes.int64, name="cycle_length")
    block = convert_to_tensor(block_length, dtypes.int64, name="block_length")
    buffered, begun = buffer_output_elements, prefetch_input_elements
    buffered = 2 * block_length if buffered is None else buffered
    begun = 2 * cycle_length if begun is None else begun
    variant = build.ParallelInterleaveDataset(
        dataset._variant_tensor,
        function.captured,
        cycle,
        block,
        convert_to_tensor(sloppy, dtypes.bool_, name="sloppy"),
        convert_to_tensor(buffered, dtypes.int64, name="buffer_output_elements"),
        convert_to_tensor(begun, dtypes.int64, name="prefetch_input_elements"),
        f=function.attr,
        **structure.flat_attrs(spec),
    )
    return variant, spec


def _spec_of_datasets(function: ElementFunction) -> Any:
    """The structure of the elements of the datasets that a function makes."""
    spec = getattr(function.output_spec, "_element_spec", None)
    if spec is None:
        raise TypeError(
            f"`map_func` must return a `Dataset` object. Got {type(function.output_spec)}"
        )
    return spec


def filter_elements(
    dataset: Any, predicate: Callable[..., Any], legacy: bool = False
) -> tuple[Tensor, Any]:
    """The variant and structure of the elements for which a predicate is true.

    Raises:
        ValueError: if the predicate does not return a bool scalar.
    """
    function = ElementFunction(predicate, "Dataset.filter()", dataset.element_spec, legacy)
    if not _is_condition(function.output_spec):
        raise ValueError(
            "`predicate` return type must be convertible to a scalar boolean tensor. Was "
            f"{function.output_spec}."
        )
    variant = build.FilterDataset(
        dataset._variant_tensor,
        function.captured,
        predicate=function.attr,
        **structure.flat_attrs(dataset.element_spec),
    )
    return variant, dataset.element_spec


def take_while(dataset: Any, predicate: Callable[..., Any]) -> tuple[Tensor, Any]:
    """The variant and structure of the elements before the first one that is refused.

    Raises:
        ValueError: if the predicate does not return a bool scalar.
    """
    name = "tf.data.experimental.take_while()"
    function = ElementFunction(predicate, name, dataset.element_spec)
    if not _is_condition(function.output_spec):
        raise ValueError("`predicate` must return a scalar boolean tensor.")
    variant = build.TakeWhileDataset(
        dataset._variant_tensor,
        function.captured,
        predicate=function.attr,
        **structure.flat_attrs(dataset.element_spec),
    )
    return variant, dataset.element_spec


def _is_condition(spec: Any) -> bool:
    return isinstance(spec, TensorSpec) and spec.is_compatible_with(TensorSpec([], dtypes.bool_))


def scan(dataset: Any, initial_state: Any, scan_func: Callable[..., Any]) -> tuple[Tensor, Any]:
    """The variant and structure of the outputs of a function of a state and an element.

    Raises:
        TypeError: if the function does not return a pair, or its state is of another type.
    """
    with name_scope("initial_state"):
        initial_state = structure.normalized(initial_state)
    name = "tf.data.experimental.scan()"
    function, spec = _stateful_function(scan_func, name, dataset, initial_state, _split_pair)
    variant = build.ScanDataset(
        dataset._variant_tensor,
        structure.to_tensor_list(spec, initial_state),
        function.captured,
        f=function.attr,
        preserve_cardinality=True,
        **structure.flat_attrs(function.output_spec[1]),
    )
    return variant, function.output_spec[1]


def _split_pair(output_spec: Any) -> Any:
    if not (isinstance(output_spec, tuple) and len(output_spec) == 2):
        raise TypeError(
            "The scan function must return a pair comprising the new state and the output value."
        )
    return output_spec[0]


def reduce(dataset: Any, initial_state: Any, reduce_func: Callable[..., Any]) -> Any:
    """The last state: a function makes each from the one before and an element.

    Raises:
        TypeError: if the states differ in their structures, classes or types.
    """
    with name_scope("initial_state"):
        initial_state = structure.normalized(initial_state)
    found = _stateful_function(reduce_func, "reduce()", dataset, initial_state, lambda spec: spec)
    function, spec = found
    results = build.ReduceDataset(
        dataset._variant_tensor,
        structure.to_tensor_list(spec, initial_state),
        function.captured,
        f=function.attr,
        **structure.flat_attrs(spec),
    )
    return structure.from_tensor_list(spec, [results] if isinstance(results, Tensor) else results)


def _stateful_function(
    func: Callable[..., Any],
    name: str,
    dataset: Any,
    initial_state: Any,
    state_of: Callable[[Any], Any],
) -> tuple[ElementFunction, Any]:
    """A function of a state and an element, and the structure of the states.

    It is traced again as long as it returns states of less specific shapes than it takes.
    """
    spec = structure.spec_of(initial_state)
    while True:
        function = ElementFunction(func, name, (spec, dataset.element_spec))
        found = state_of(function.output_spec)
        pairs = _check_states(spec, found)
        leaves = nest.flatten(spec)
        # As TensorFlow: states of different structures are an error of the run.
        relaxed = [mine.most_specific_compatible_type(other) for mine, other in pairs]
        relaxed += leaves[len(relaxed) :]
        if relaxed == leaves:
            return function, spec
        spec = nest.pack_sequence_as(spec, relaxed)


def _check_states(spec: Any, found: Any) -> list[tuple[Any, Any]]:
    """The parts of two states that have to fit, in pairs."""
    for kind, of in (("classes", structure.legacy_classes), ("types", structure.legacy_types)):
        expected, got = of(spec), of(found)
        if any(a != b for a, b in zip(nest.flatten(expected), nest.flatten(got))):
            raise TypeError(
                f"The element {kind} for the new state must match the initial state. Expected "
                f"{expected}; got {got}."
            )
    return list(zip(nest.flatten(spec), nest.flatten(found)))


def prefetch(dataset: Any, buffer_size: Any, slack_period: int = 0) -> tuple[Tensor, Any]:
    """The variant and structure of elements that are made ahead of their use."""
    buffer_size = -1 if buffer_size is None else buffer_size
    variant = build.PrefetchDataset(
        dataset._variant_tensor,
        convert_to_tensor(buffer_size, dtype=dtypes.int64, name="buffer_size"),
        slack_period=slack_period,
        **structure.flat_attrs(dataset.element_spec),
    )
    return variant, dataset.element_spec
