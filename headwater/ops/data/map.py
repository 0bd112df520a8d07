"""MapDataset: a function of each element."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from headwater.base.function_runtime import CapturedFunction, FunctionRuntime
from headwater.base.typing import Array, ArrayModule, DTypeLike, ShapeLike
from headwater.graph import Operation, RunsOn, register_op, shapes
from headwater.ops.data.dataset import (
    UNKNOWN,
    Dataset,
    Element,
    ElementIterator,
    InputIterator,
    IteratorContext,
    dataset_of,
    variant_of,
)


class MapDataset(Dataset):
    """The results of a function for each element."""

    def __init__(
        self,
        source: Dataset,
        function: CapturedFunction,
        preserves_cardinality: bool,
        types: Any,
        component_shapes: ShapeLike,
    ) -> None:
        super().__init__(types, component_shapes, [source])
        self.function = function
        self._preserves_cardinality = preserves_cardinality

    def iterate(self, context: IteratorContext) -> ElementIterator:
        return _MapIterator(self, context)

    def cardinality(self) -> int:
        return self.inputs[0].cardinality() if self._preserves_cardinality else UNKNOWN


class _MapIterator(InputIterator):
    def __init__(self, dataset: MapDataset, context: IteratorContext) -> None:
        super().__init__(dataset.inputs[0], context)
        self._function = dataset.function.instantiate()

    def next(self) -> Element | None:
        element = self._input.next()
        return None if element is None else self._function(element)


def kernel_map_dataset(
    xp: ArrayModule,
    input_dataset: Array,
    other_arguments: Sequence[Array],
    *,
    f: Any,
    output_types: DTypeLike | Sequence[DTypeLike],
    output_shapes: Sequence[ShapeLike],
    preserve_cardinality: bool,
    op: Operation,
    functions: FunctionRuntime,
) -> Array:
    function = functions.captured(op._graph, f, other_arguments)
    return variant_of(
        MapDataset(
            dataset_of(input_dataset), function, preserve_cardinality, output_types, output_shapes
        )
    )


register_op(
    "MapDataset",
    inputs="input_dataset: variant, other_arguments: Targuments",
    outputs="handle: variant",
    attrs="f: func, Targuments: list(type) >= 0, output_types: list(type) >= 1, "
    "output_shapes: list(shape) >= 1, use_inter_op_parallelism: bool = true, "
    "preserve_cardinality: bool = false",
    shape=shapes.scalar,
    kernel=kernel_map_dataset,
    runs_on=RunsOn.HOST,
    takes_handles=True,
)
