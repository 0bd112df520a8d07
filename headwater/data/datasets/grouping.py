"""Elements that are grouped by keys: group_by_window, group_by_reducer, bucketing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from headwater.base import dtypes
from headwater.base.export import export
from headwater.base.tensor_shape import TensorShape
from headwater.base.typing import TensorLike
from headwater.data.datasets import nest, structure
from headwater.data.datasets.dataset import DatasetSpec
from headwater.data.datasets.function import ElementFunction
from headwater.graph import Tensor, build, convert_to_tensor, name_scope
from headwater.graph.type_spec import TensorSpec
from headwater.ops.control.asserts import assert_less
from headwater.ops.array.constant import constant

_KEY = TensorSpec([], dtypes.int64)


@export("data.experimental.group_by_window")
def group_by_window(
    key_func: Callable[..., Any],
    reduce_func: Callable[..., Any],
    window_size: TensorLike | None = None,
    window_size_func: Callable[..., Any] | None = None,
) -> Callable[[Any], Any]:
    """The datasets that a function makes of windows of elements with equal keys.

    Args:
        key_func: a function from an element to an int64 scalar.
        reduce_func: a function from a key and the Dataset of a window to a Dataset.
        window_size: how many elements a window has at most; an int64 scalar.
        window_size_func: a function from a key to that number, instead of one for all keys.

    Returns:
        A function from a Dataset to a Dataset, for `Dataset.apply`.

    Raises:
        ValueError: if not exactly one of `window_size` and `window_size_func` is given.
    """
    if (window_size is None) == (window_size_func is None):
        raise ValueError("Must pass either window_size or window_size_func.")
    size_func = window_size_func or (lambda key: convert_to_tensor(window_size, dtype=dtypes.int64))
    return lambda dataset: dataset._derived(*_windows(dataset, key_func, reduce_func, size_func))


def _windows(
    dataset: Any,
    key_func: Callable[..., Any],
    reduce_func: Callable[..., Any],
    window_size_func: Callable[..., Any],
) -> tuple[Tensor, Any]:
    name = "tf.data.experimental.group_by_window()"

    def key_func_wrapper(*args: Any) -> Tensor:
        return convert_to_tensor(key_func(*args), dtype=dtypes.int64)

    def window_size_func_wrapper(key: Tensor) -> Tensor:
        return convert_to_tensor(window_size_func(key), dtype=dtypes.int64)

    keys = ElementFunction(key_func_wrapper, name, dataset.element_spec)
    if not keys.output_spec.is_compatible_with(_KEY):
        raise ValueError("`key_func` must return a single tf.int64 scalar tensor.")
    reduction = ElementFunction(reduce_func, name, (_KEY, DatasetSpec(dataset.element_spec)))
    if not isinstance(reduction.output_spec, DatasetSpec):
        raise TypeError("`reduce_func` must return a `Dataset` object.")
    sizes = ElementFunction(window_size_func_wrapper, name, _KEY)
    if not sizes.output_spec.is_compatible_with(_KEY):
        raise ValueError("`window_size_func` must return a single tf.int64 scalar tensor.")
    spec = reduction.output_spec._element_spec
    variant = build.GroupByWindowDataset(
        dataset._variant_tensor,
        keys.captured,
        reduction.captured,
        sizes.captured,
        key_func=keys.attr,
        reduce_func=reduction.attr,
        window_size_func=sizes.attr,
        **structure.flat_attrs(spec),
    )
    return variant, spec


@export("data.experimental.Reducer")
class Reducer:
    """How `group_by_reducer` makes one element of those of a key.

    Args:
        init_func: a function from the key to the first state.
        reduce_func: a function from a state and an element to the next state.
        finalize_func: a function from the last state to the result.
    """

    def __init__(
        self,
        init_func: Callable[..., Any],
        reduce_func: Callable[..., Any],
        finalize_func: Callable[..., Any],
    ) -> None:
        self._init_func = init_func
        self._reduce_func = reduce_func
        self._finalize_func = finalize_func

    @property
    def init_func(self) -> Callable[..., Any]:
        """Makes the first state of a key."""
        return self._init_func

    @property
    def reduce_func(self) -> Callable[..., Any]:
        """Makes a state of a state and an element."""
        return self._reduce_func

    @property
    def finalize_func(self) -> Callable[..., Any]:
        """Makes the result of the last state."""
        return self._finalize_func


@export("data.experimental.group_by_reducer")
def group_by_reducer(key_func: Callable[..., Any], reducer: Reducer) -> Callable[[Any], Any]:
    """One element for each key, which a Reducer makes of the elements with this key.

    Args:
        key_func: a function from an element to an int64 scalar.
        reducer: a Reducer.

    Returns:
        A function from a Dataset to a Dataset, for `Dataset.apply`.
    """
    return lambda dataset: dataset._derived(*_reductions(dataset, key_func, reducer))


def _reductions(dataset: Any, key_func: Callable[..., Any], reducer: Reducer) -> tuple[Tensor, Any]:
    name = "tf.data.experimental.group_by_reducer()"
    keys = ElementFunction(key_func, name, dataset.element_spec)
    found = keys.output_spec
    if not (isinstance(found, TensorSpec) and found.is_compatible_with(_KEY)):
        raise ValueError(
            "`key_func` must return a single tf.int64 tensor. Got "
            f"type={structure.legacy_types(found)} and shape={structure.legacy_shapes(found)}"
        )
    init = ElementFunction(reducer.init_func, name, _KEY)
    reduction, state = _reduction(reducer.reduce_func, name, init.output_spec, dataset)
    result = ElementFunction(reducer.finalize_func, name, state)
    variant = build.ExperimentalGroupByReducerDataset(
        dataset._variant_tensor,
        keys.captured,
        init.captured,
        reduction.captured,
        result.captured,
        key_func=keys.attr,
        init_func=init.attr,
        reduce_func=reduction.attr,
        finalize_func=result.attr,
        **structure.flat_attrs(result.output_spec),
    )
    return variant, result.output_spec


def _reduction(
    reduce_func: Callable[..., Any], name: str, state: Any, dataset: Any
) -> tuple[ElementFunction, Any]:
    """The function of a state and an element, and the structure of all states.

    The shapes of the first state are relaxed until the function keeps them.
    """
    while True:
        function = ElementFunction(reduce_func, name, (state, dataset.element_spec))
        _check_state(state, function.output_spec)
        before = nest.flatten(structure.legacy_shapes(state))
        after = nest.flatten(structure.legacy_shapes(function.output_spec))
        relaxed = [a.most_specific_compatible_shape(b) for a, b in zip(before, after)]
        if all(a.ndims == b.ndims and str(a) == str(b) for a, b in zip(before, relaxed)):
            return function, state
        types = structure.legacy_types(state)
        state = structure.from_legacy(
            types, nest.pack_sequence_as(types, relaxed), structure.legacy_classes(state)
        )


def _check_state(state: Any, result: Any) -> None:
    for kind, found in (("classes", structure.legacy_classes), ("types", structure.legacy_types)):
        wanted, given = found(state), found(result)
        if nest.flatten(wanted) != nest.flatten(given):
            raise TypeError(
                f"The element {kind} for the new state must match the initial state. Expected "
                f"{wanted!r}; got {given!r}."
            )


@export("data.experimental.bucket_by_sequence_length")
def bucket_by_sequence_length(
    element_length_func: Callable[..., Any],
    bucket_boundaries: Sequence[int],
    bucket_batch_sizes: Sequence[int],
    padded_shapes: Any = None,
    padding_values: Any = None,
    pad_to_bucket_boundary: bool = False,
    no_padding: bool = False,
    drop_remainder: bool = False,
) -> Callable[[Any], Any]:
    """Padded batches of elements of similar lengths.

    Args:
        element_length_func: a function from an element to its length, an int32 scalar.
        bucket_boundaries: the lengths at which buckets begin, after the first.
        bucket_batch_sizes: the batch size of each bucket, one more than boundaries.
        padded_shapes: the nested shapes of padded elements; the dataset's shapes if None.
        padding_values: nested scalars to pad with; zeros and empty strings if None.
        pad_to_bucket_boundary: whether unknown dimensions are padded to the longest that the
            bucket may have, instead of the longest of the batch.
        no_padding: whether elements are batched without padding.
        drop_remainder: whether last, smaller batches are left out.

    Returns:
        A function from a Dataset to a Dataset, for `Dataset.apply`.

    Raises:
        ValueError: if the number of batch sizes is wrong.
    """
    with name_scope("bucket_by_seq_length"):
        if len(bucket_batch_sizes) != len(bucket_boundaries) + 1:
            raise ValueError("len(bucket_batch_sizes) must equal len(bucket_boundaries) + 1")
        batch_sizes = constant(bucket_batch_sizes, dtype=dtypes.int64)

    def element_to_bucket_id(*args: Any) -> Tensor:
        length = element_length_func(*args)
        edges = list(bucket_boundaries)
        limits = np.iinfo(np.int32)
        lows, highs = [limits.min, *edges], [*edges, limits.max]
        inside = build.LogicalAnd(build.LessEqual(lows, length), build.Less(length, highs))
        return build.Min(build.Where(inside), constant([0], dtype=dtypes.int32))

    def window_size_fn(bucket_id: Tensor) -> Tensor:
        return batch_sizes[bucket_id]

    def batching_fn(bucket_id: Tensor, grouped_dataset: Any) -> Any:
        batch_size = window_size_fn(bucket_id)
        if no_padding:
            return grouped_dataset.batch(batch_size, drop_remainder=drop_remainder)
        none_filler = None
        if pad_to_bucket_boundary:
            text = (
                "When pad_to_bucket_boundary=True, elements must have "
                "length < max(bucket_boundaries)."
            )
            check = assert_less(
                bucket_id, constant(len(bucket_batch_sizes) - 1, dtype=dtypes.int64), message=text
            )
            with control_dependencies([check]):
                boundaries = constant(bucket_boundaries, dtype=dtypes.int64)
                none_filler = boundaries[bucket_id] - 1
        shapes = padded_shapes
        if shapes is None:
            shapes = structure.legacy_shapes(grouped_dataset.element_spec)
        return grouped_dataset.padded_batch(
            batch_size, _filled(shapes, none_filler), padding_values, drop_remainder=drop_remainder
        )

    def transform(dataset: Any) -> Any:
        return dataset.apply(
            group_by_window(element_to_bucket_id, batching_fn, window_size_func=window_size_fn)
        )

    return transform


def _filled(shapes: Any, filler: Tensor | None) -> Any:
    """Nested shapes with a filler in the place of unknown dimensions."""
    filled = []
    for given in nest.flatten(shapes):
        dims = TensorShape(given).as_list()
        filled.append([filler if dim is None else dim for dim in dims])
    return nest.pack_sequence_as(shapes, filled)
