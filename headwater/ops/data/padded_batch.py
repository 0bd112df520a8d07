"""PaddedBatchDataset: elements of different sizes, padded and stacked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from headwater.base import errors
from headwater.base.checks import fail
from headwater.base.typing import Array, ArrayModule
from headwater.graph import RunsOn, register_op
from headwater.ops.data.dataset import (
    INFINITE,
    UNKNOWN,
    Dataset,
    Element,
    ElementIterator,
    InputIterator,
    IteratorContext,
    dataset_of,
    scalar_inputs,
    scalar_of,
    variant_of,
)


class PaddedBatchDataset(Dataset):
    """Stacks so many elements after padding them.

    Args:
        source: the input.
        batch_size: the number of elements.
        padded_shapes: the shapes of the padded components; -1 for the largest size of the batch.
        padding_values: what each component is padded with.
        drop_remainder: whether a last, smaller batch is left out.
    """

    makes_early = True

    def __init__(
        self,
        source: Dataset,
        batch_size: int,
        padded_shapes: Sequence[list[int]],
        padding_values: Sequence[Array],
        drop_remainder: bool,
        types: Any,
        component_shapes: Any,
    ) -> None:
        super().__init__(types, component_shapes, [source])
        self.batch_size = batch_size
        self.padded_shapes = list(padded_shapes)
        self.padding_values = list(padding_values)
        self.drop_remainder = drop_remainder

    def iterate(self, context: IteratorContext) -> ElementIterator:
        return _PaddedBatchIterator(self, context)

    def cardinality(self) -> int:
        count = self.inputs[0].cardinality()
        if count in (INFINITE, UNKNOWN):
            return count
        whole, rest = divmod(count, self.batch_size)
        return whole + (rest > 0 and not self.drop_remainder)


class _PaddedBatchIterator(InputIterator):
    def __init__(self, dataset: PaddedBatchDataset, context: IteratorContext) -> None:
        super().__init__(dataset.inputs[0], context)
        self._dataset = dataset

    def next(self) -> Element | None:
        dataset = self._dataset
        elements = self._input.next_elements(dataset.batch_size)
        missing = dataset.batch_size - len(elements)
        if not elements or (missing and dataset.drop_remainder):
            return None
        parts = zip(dataset.padded_shapes, dataset.padding_values)
        return [
            _padded([element[i] for element in elements], shape, value, i)
            for i, (shape, value) in enumerate(parts)
        ]


def _padded(values: list[Array], shape: list[int], padding: Array, component: int) -> Array:
    """Values as one array of rows of one shape.

    Raises:
        InvalidArgumentError: if a value has another rank than the shape.
        DataLossError: if a value is larger.
    """
    sizes = [value.shape for value in values]
    for found in sizes:
        if len(found) != len(shape):
            fail(
                "All elements in a batch must have the same rank as the padded shape for component"
                f"{component}: expected rank {len(shape)} but got element with rank {len(found)}"
            )
    largest = [max(dims) for dims in zip(*sizes)]
    full = [most if dim == -1 else dim for dim, most in zip(shape, largest)]
    if any(most > dim for most, dim in zip(largest, full)):
        text = "Attempted to pad to a smaller size than the input element."
        raise errors.DataLossError(None, None, text)
    if not full:
        result = np.empty(len(values), values[0].dtype)
        result[:] = [value.item() for value in values] if result.dtype == object else values
        return result
    if len(set(sizes)) == 1 and largest == full:
        return np.stack(values)
    return _filled(values, full, padding)


def _filled(values: list[Array], full: list[int], padding: Array) -> Array:
    """Values at the beginnings of rows that are padded."""
    shape, dtype = (len(values), *full), values[0].dtype
    value = padding[()]
    if dtype.hasobject or value:
        result = np.empty(shape, dtype)
        result[...] = value
    else:
        result = np.zeros(shape, dtype)
    if len(full) == 1:
        # Assignments with one index are the fastest.
        flat, width = result.reshape(-1), full[0]
        for i, row in enumerate(values):
            flat[i * width : i * width + row.shape[0]] = row
        return result
    for target, row in zip(result, values):
        target[tuple(map(slice, row.shape))] = row
    return result


def kernel_padded_batch_dataset(
    xp: ArrayModule,
    input_dataset: Array,
    batch_size: Array,
    padded_shapes: Sequence[Array],
    padding_values: Sequence[Array],
    drop_remainder: Array = False,
    *,
    Toutput_types: Any,
    output_shapes: Any,
) -> Array:
    size = int(scalar_of(batch_size, "batch_size"))
    if size <= 0:
        fail("Batch size must be greater than zero.")
    source = dataset_of(input_dataset)
    all_shapes = [_padded_shape(shape) for shape in padded_shapes]
    _check_number("padded shapes", len(all_shapes), source)
    _check_number("padding values", len(padding_values), source)
    if any(np.ndim(value) for value in padding_values):
        fail("All padding values must be scalars")
    drop = bool(scalar_of(drop_remainder, "drop_remainder"))
    values = [np.asarray(value) for value in padding_values]
    return variant_of(
        PaddedBatchDataset(source, size, all_shapes, values, drop, Toutput_types, output_shapes)
    )


def _padded_shape(value: Array) -> list[int]:
    if np.ndim(value) != 1:
        fail("All padded shapes must be vectors")
    dims: list[int] = value.tolist()
    for dim in dims:
        if dim < -1:
            fail(f"Dimension {dim} must be >= -1")
    return dims


def _check_number(kind: str, number: int, source: Dataset) -> None:
    expected = len(source.shapes)
    if number != expected:
        fail(
            f"Number of {kind} ({number}) must match the number of components in the input "
            f"dataset's elements ({expected})"
        )


register_op(
    "PaddedBatchDataset",
    inputs="input_dataset: variant, batch_size: int64, padded_shapes: N * int64, "
    "padding_values: Toutput_types",
    outputs="handle: variant",
    attrs="Toutput_types: list(type) >= 1, output_shapes: list(shape) >= 1, N: int >= 1",
    shape=scalar_inputs("batch_size"),
    kernel=kernel_padded_batch_dataset,
    runs_on=RunsOn.HOST,
)

register_op(
    "PaddedBatchDatasetV2",
    inputs="input_dataset: variant, batch_size: int64, padded_shapes: N * int64, "
    "padding_values: Toutput_types, drop_remainder: bool",
    outputs="handle: variant",
    attrs="parallel_copy: bool = false, Toutput_types: list(type) >= 1, "
    "output_shapes: list(shape) >= 1, N: int >= 1",
    shape=scalar_inputs("batch_size", "drop_remainder"),
    kernel=kernel_padded_batch_dataset,
    runs_on=RunsOn.HOST,
)
