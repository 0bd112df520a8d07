"""Public functions of datasets that call functions of elements: scan, map_and_batch, ..."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from headwater.base.deprecated_api import deprecated
from headwater.base.export import export, export_value
from headwater.base.typing import TensorLike
from headwater.data.datasets import mapping, structure
from headwater.data.datasets.dataset import DatasetV2
from headwater.graph import build

# The number of parallel calls, or the size of a buffer, that is left to the runtime.
AUTOTUNE = -1

export_value("data.experimental.AUTOTUNE", AUTOTUNE)
export_value("contrib.data.AUTOTUNE", AUTOTUNE)


@export("data.experimental.parallel_interleave")
@deprecated(
    None,
    "Use `tf.data.Dataset.interleave(map_func, cycle_length, block_length, "
    "num_parallel_calls=tf.data.experimental.AUTOTUNE)` instead. If sloppy execution is desired, "
    "use `tf.data.Options.experimental_determinstic`.",
)
def parallel_interleave(
    map_func: Callable[..., Any],
    cycle_length: TensorLike,
    block_length: TensorLike = 1,
    sloppy: TensorLike = False,
    buffer_output_elements: Any = None,
    prefetch_input_elements: Any = None,
) -> Callable[[Any], Any]:
    """The elements of several of the datasets that a function makes, in turns, made ahead.

    Args:
        map_func: a function from an element to a dataset.
        cycle_length: how many datasets take turns.
        block_length: how many elements a dataset gives in its turn.
        sloppy: whether a dataset that is not ready may lose its turn.
        buffer_output_elements: how many elements of a dataset may wait.
        prefetch_input_elements: how many datasets are begun before it is their turn.

    Returns:
        A function from a dataset to a dataset.
    """
    rest = cycle_length, block_length, sloppy, buffer_output_elements, prefetch_input_elements
    return lambda dataset: dataset._derived(*mapping.parallel_interleave(dataset, map_func, *rest))


@export("data.experimental.map_and_batch_with_legacy_function")
@deprecated(None, "Use `tf.data.experimental.map_and_batch()")
def map_and_batch_with_legacy_function(
    map_func: Callable[..., Any],
    batch_size: TensorLike,
    num_parallel_batches: Any = None,
    drop_remainder: TensorLike = False,
    num_parallel_calls: Any = None,
) -> Callable[[Any], Any]:
    """As `map_and_batch`.

    Args:
        map_func: a function from an element to a nested structure of tensors.
        batch_size: how many elements a batch has.
        num_parallel_batches: how many batches are worked on at the same time.
        drop_remainder: whether a last, smaller batch is left out.
        num_parallel_calls: how many elements are worked on at the same time.

    Returns:
        A function from a dataset to a dataset.

    Raises:
        ValueError: if both numbers of parallel calls and batches are given.
    """
    calls = _parallel_calls(batch_size, num_parallel_batches, num_parallel_calls)
    return _map_and_batch(map_func, batch_size, calls, drop_remainder, legacy=True)


@export("data.experimental.map_and_batch")
@deprecated(
    None,
    "Use `tf.data.Dataset.map(map_func, num_parallel_calls)` followed by "
    "`tf.data.Dataset.batch(batch_size, drop_remainder)`. Static tf.data optimizations will take "
    "care of using the fused implementation.",
)
def map_and_batch(
    map_func: Callable[..., Any],
    batch_size: TensorLike,
    num_parallel_batches: Any = None,
    drop_remainder: TensorLike = False,
    num_parallel_calls: Any = None,
) -> Callable[[Any], Any]:
    """Batches of the results of a function.

    Args:
        map_func: a function from an element to a nested structure of tensors.
        batch_size: how many elements a batch has.
        num_parallel_batches: how many batches are worked on at the same time.
        drop_remainder: whether a last, smaller batch is left out.
        num_parallel_calls: how many elements are worked on at the same time.

    Returns:
        A function from a dataset to a dataset.

    Raises:
        ValueError: if both numbers of parallel calls and batches are given.
    """
    calls = _parallel_calls(batch_size, num_parallel_batches, num_parallel_calls)
    return _map_and_batch(map_func, batch_size, calls, drop_remainder, legacy=False)


def _parallel_calls(batch_size: Any, num_parallel_batches: Any, num_parallel_calls: Any) -> Any:
    if num_parallel_batches is None and num_parallel_calls is None:
        return batch_size
    if num_parallel_batches is None:
        return num_parallel_calls
    if num_parallel_calls is None:
        return batch_size * num_parallel_batches
    raise ValueError(
        "The `num_parallel_batches` and `num_parallel_calls` arguments are mutually exclusive."
    )


def _map_and_batch(
    map_func: Callable[..., Any],
    batch_size: TensorLike,
    calls: TensorLike,
    drop_remainder: TensorLike,
    legacy: bool,
) -> Callable[[Any], Any]:
    rest = batch_size, calls, drop_remainder, legacy
    return lambda dataset: dataset._derived(*mapping.map_and_batch(dataset, map_func, *rest))


@export("data.experimental.scan")
def scan(initial_state: Any, scan_func: Callable[..., Any]) -> Callable[[Any], Any]:
    """The outputs of a function of a state and an element, which also makes the next state.

    Args:
        initial_state: a nested structure of tensors.
        scan_func: a function from a state and an element to the next state and an output.

    Returns:
        A function from a dataset to a dataset.
    """
    return lambda dataset: dataset._derived(*mapping.scan(dataset, initial_state, scan_func))


@export("data.experimental.take_while")
def take_while(predicate: Callable[..., Any]) -> Callable[[Any], Any]:
    """The elements before the first one for which a predicate is false.

    Args:
        predicate: a function from an element to a bool scalar.

    Returns:
        A function from a dataset to a dataset.
    """
    return lambda dataset: dataset._derived(*mapping.take_while(dataset, predicate))


@export("data.experimental.ignore_errors")
def ignore_errors() -> Callable[[Any], Any]:
    """The elements that have no errors.

    Returns:
        A function from a dataset to a dataset.
    """

    def apply(dataset: Any) -> Any:
        spec = dataset.element_spec
        variant = build.IgnoreErrorsDataset(dataset._variant_tensor, **structure.flat_attrs(spec))
        return dataset._derived(variant, spec)

    return apply


@export("data.experimental.Reducer")
class Reducer:
    """How elements become one value.

    Args:
        init_func: a function from a key, an int64 scalar, to the first state.
        reduce_func: a function from a state and an element to the next state.
        finalize_func: a function from the last state to the value.
    """

    def __init__(
        self,
        init_func: Callable[..., Any],
        reduce_func: Callable[..., Any],
        finalize_func: Callable[..., Any],
    ) -> None:
        self._functions = init_func, reduce_func, finalize_func

    @property
    def init_func(self) -> Callable[..., Any]:
        """The function that makes the first state."""
        return self._functions[0]

    @property
    def reduce_func(self) -> Callable[..., Any]:
        """The function that makes the next state."""
        return self._functions[1]

    @property
    def finalize_func(self) -> Callable[..., Any]:
        """The function that makes the value."""
        return self._functions[2]


# tf.contrib.data


@export("contrib.data.parallel_interleave")
@deprecated(None, "Use `tf.data.experimental.parallel_interleave(...)`.")
def contrib_parallel_interleave(
    map_func: Callable[..., Any],
    cycle_length: TensorLike,
    block_length: TensorLike = 1,
    sloppy: TensorLike = False,
    buffer_output_elements: Any = None,
    prefetch_input_elements: Any = None,
) -> Callable[[Any], Any]:
    """As `tf.data.experimental.parallel_interleave`.

    Args:
        map_func: a function from an element to a dataset.
        cycle_length: how many datasets take turns.
        block_length: how many elements a dataset gives in its turn.
        sloppy: whether a dataset that is not ready may lose its turn.
        buffer_output_elements: how many elements of a dataset may wait.
        prefetch_input_elements: how many datasets are begun before it is their turn.

    Returns:
        A function from a dataset to a dataset.
    """
    rest = sloppy, buffer_output_elements, prefetch_input_elements
    return parallel_interleave(map_func, cycle_length, block_length, *rest)


@export("contrib.data.sloppy_interleave")
@deprecated(None, "Use `tf.contrib.data.parallel_interleave(..., sloppy=True)`.")
def sloppy_interleave(
    map_func: Callable[..., Any], cycle_length: TensorLike, block_length: TensorLike = 1
) -> Callable[[Any], Any]:
    """The elements of several datasets in turns; one that is not ready may lose its turn.

    Args:
        map_func: a function from an element to a dataset.
        cycle_length: how many datasets take turns.
        block_length: how many elements a dataset gives in its turn.

    Returns:
        A function from a dataset to a dataset.
    """
    return parallel_interleave(map_func, cycle_length, block_length, sloppy=True)


@export("contrib.data.map_and_batch")
@deprecated(None, "Use `tf.data.experimental.map_and_batch(...)`.")
def contrib_map_and_batch(
    map_func: Callable[..., Any],
    batch_size: TensorLike,
    num_parallel_batches: Any = None,
    drop_remainder: TensorLike = False,
    num_parallel_calls: Any = None,
) -> Callable[[Any], Any]:
    """As `tf.data.experimental.map_and_batch`.

    Args:
        map_func: a function from an element to a nested structure of tensors.
        batch_size: how many elements a batch has.
        num_parallel_batches: how many batches are worked on at the same time.
        drop_remainder: whether a last, smaller batch is left out.
        num_parallel_calls: how many elements are worked on at the same time.

    Returns:
        A function from a dataset to a dataset.
    """
    return map_and_batch(
        map_func, batch_size, num_parallel_batches, drop_remainder, num_parallel_calls
    )


@export("contrib.data.scan")
@deprecated(None, "Use `tf.data.experimental.scan(...)`.")
def contrib_scan(initial_state: Any, scan_func: Callable[..., Any]) -> Callable[[Any], Any]:
    """As `tf.data.experimental.scan`.

    Args:
        initial_state: a nested structure of tensors.
        scan_func: a function from a state and an element to the next state and an output.

    Returns:
        A function from a dataset to a dataset.
    """
    return scan(initial_state, scan_func)


@export("contrib.data.ignore_errors")
@deprecated(None, "Use `tf.data.experimental.ignore_errors()`.")
def contrib_ignore_errors() -> Callable[[Any], Any]:
    """As `tf.data.experimental.ignore_errors`.

    Returns:
        A function from a dataset to a dataset.
    """
    return ignore_errors()


@export("contrib.data.Reducer")
class ContribReducer(Reducer):
    """As `tf.data.experimental.Reducer`.

    Args:
        init_func: a function from a key, an int64 scalar, to the first state.
        reduce_func: a function from a state and an element to the next state.
        finalize_func: a function from the last state to the value.
    """

    @deprecated(None, "Use `tf.data.experimental.Reducer(...)`.")
    def __init__(
        self,
        init_func: Callable[..., Any],
        reduce_func: Callable[..., Any],
        finalize_func: Callable[..., Any],
    ) -> None:
        super().__init__(init_func, reduce_func, finalize_func)


@export("contrib.data.reduce_dataset")
@deprecated(None, "Use `tf.data.Dataset.reduce(...)`.")
def reduce_dataset(dataset: Any, reducer: Reducer) -> Any:
    """The state of a reducer after the last element.

    Args:
        dataset: a Dataset.
        reducer: a Reducer.

    Returns:
        A nested structure of tensors: as in TensorFlow, not what `finalize_func` makes of it.

    Raises:
        TypeError: if `dataset` is not a dataset.
    """
    if not isinstance(dataset, DatasetV2):
        raise TypeError("`dataset` must be a `tf.data.Dataset` object.")
    return dataset.reduce(reducer.init_func(np.int64(0)), reducer.reduce_func)
