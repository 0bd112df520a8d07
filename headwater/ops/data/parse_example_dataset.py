"""ParseExampleDataset: the features of batches of Example protos."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from headwater.base.checks import fail
from headwater.base.dtypes import DType
from headwater.base.typing import Array, ArrayModule
from headwater.graph import RunsOn, register_op, shapes
from headwater.ops.data.dataset import (
    Dataset,
    Element,
    ElementIterator,
    InputIterator,
    IteratorContext,
    dataset_of,
    scalar_of,
    variant_of,
)
from headwater.ops.parsing.example_columns import DenseColumn, SparseColumn, parse_batch
from headwater.ops.parsing.values import text_of
from headwater.ops.sparse.serialized import serialized_parts


class ParseExampleDataset(Dataset):
    """The features of each element, a vector of protos, in the order of their keys.

    Args:
        source: the dataset of vectors.
        sparse: the key and type of each sparse feature.
        dense: the key, type, shape and default of each dense feature.
        types: the types of the components of an element.
        component_shapes: their static shapes.
    """

    def __init__(
        self,
        source: Dataset,
        sparse: Sequence[tuple[str, DType]],
        dense: Sequence[tuple[str, DType, Any, Array]],
        types: Any,
        component_shapes: Any,
    ) -> None:
        super().__init__(types, component_shapes, [source])
        self.sparse = list(sparse)
        self.dense = list(dense)

    def iterate(self, context: IteratorContext) -> ElementIterator:
        return _ParseExampleIterator(self, context)

    def cardinality(self) -> int:
        return self.inputs[0].cardinality()


class _ParseExampleIterator(InputIterator):
    def __init__(self, dataset: ParseExampleDataset, context: IteratorContext) -> None:
        super().__init__(dataset.inputs[0], context)
        self._sparse = dataset.sparse
        self._dense = dataset.dense
        keys = [key for key, *_ in [*dataset.sparse, *dataset.dense]]
        self._order = sorted(range(len(keys)), key=lambda i: keys[i])

    def next(self) -> Element | None:
        element = self._input.next()
        return None if element is None else self._parsed(element[0])

    def _parsed(self, serialized: Array) -> Element:
        if serialized.ndim != 1:
            fail(f"Expected a vector of strings, got shape {shapes.show(serialized.shape)}")
        names = np.empty(0, object)
        sparse = [SparseColumn(*column) for column in self._sparse]
        dense = [DenseColumn(*column) for column in self._dense]
        parts = parse_batch(serialized, names, sparse, dense)
        count = len(sparse)
        triples = zip(parts[:count], parts[count : 2 * count], parts[2 * count : 3 * count])
        features = [_variant(*triple, dtype) for triple, (_, dtype) in zip(triples, self._sparse)]
        features += parts[3 * count :]
        return [features[i] for i in self._order]


def _variant(indices: Array, values: Array, dense_shape: Array, dtype: DType) -> Array:
    """A sparse tensor as datasets have it: a vector of three variants."""
    result = np.empty(3, object)
    result[:] = serialized_parts(indices, values, dense_shape, dtype)
    return result


def kernel_parse_example_dataset(
    xp: ArrayModule,
    input_dataset: Array,
    num_parallel_calls: Array,
    dense_defaults: Sequence[Array],
    *,
    sparse_keys: Sequence[Any],
    dense_keys: Sequence[Any],
    sparse_types: Sequence[DType],
    Tdense: Sequence[DType],
    dense_shapes: Sequence[Any],
    output_types: Any,
    output_shapes: Any,
) -> Array:
    calls = int(scalar_of(num_parallel_calls, "num_parallel_calls"))
    if calls <= 0 and calls != -1:
        fail("num_parallel_calls must be greater than zero.")
    sparse = [(text_of(key), dtype) for key, dtype in zip(sparse_keys, sparse_types)]
    keys = [text_of(key) for key in dense_keys]
    dense = list(zip(keys, Tdense, dense_shapes, dense_defaults))
    source = dataset_of(input_dataset)
    return variant_of(ParseExampleDataset(source, sparse, dense, output_types, output_shapes))


def shape_parse_example_dataset(c: shapes.ShapeContext) -> Any:
    c.with_rank("num_parallel_calls", 0)
    return ()


def _register_parse_example_dataset(name: str) -> None:
    register_op(
        name,
        inputs="input_dataset: variant, num_parallel_calls: int64, dense_defaults: Tdense",
        outputs="handle: variant",
        attrs="sparse_keys: list(string) >= 0, dense_keys: list(string) >= 0, "
        "sparse_types: list({float, int64, string}) >= 0, "
        "Tdense: list({float, int64, string}) >= 0, dense_shapes: list(shape) >= 0, "
        "output_types: list(type) >= 1, output_shapes: list(shape) >= 1, sloppy: bool = false",
        shape=shape_parse_example_dataset,
        kernel=kernel_parse_example_dataset,
        runs_on=RunsOn.HOST,
    )


_register_parse_example_dataset("ParseExampleDataset")
_register_parse_example_dataset("ExperimentalParseExampleDataset")
