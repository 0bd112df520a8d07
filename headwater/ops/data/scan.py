"""ScanDataset, TakeWhileDataset, ReduceDataset: functions that see elements in order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from headwater.base import cancellation, errors
from headwater.base.cancellation import Cancellation
from headwater.base.checks import fail
from headwater.base.function_runtime import CapturedFunction, FunctionRuntime
from headwater.base.typing import Array, ArrayModule
from headwater.graph import NOT_DIFFERENTIABLE, Operation, RunsOn, register_op, shapes
from headwater.ops.data.dataset import (
    UNKNOWN,
    Dataset,
    Element,
    ElementIterator,
    InputIterator,
    IteratorContext,
    SavedState,
    dataset_of,
    input_iterator,
    shape_components,
    variant_of,
)
from headwater.ops.data.row_calls import end_of_sequence


class ScanDataset(Dataset):
    """The results of a function of a state and an element, which also gives the next state."""

    def __init__(
        self,
        source: Dataset,
        function: CapturedFunction,
        initial_state: Sequence[Array],
        preserves_cardinality: bool,
        types: Any,
        component_shapes: Any,
    ) -> None:
        super().__init__(types, component_shapes, [source])
        self.function = function
        self.initial_state = list(initial_state)
        self.preserves_cardinality = preserves_cardinality

    def iterate(self, context: IteratorContext) -> ElementIterator:
        return _ScanIterator(self, context)

    def cardinality(self) -> int:
        return self.inputs[0].cardinality() if self.preserves_cardinality else UNKNOWN


class _ScanIterator(InputIterator):
    def __init__(self, dataset: ScanDataset, context: IteratorContext) -> None:
        super().__init__(dataset.inputs[0], context)
        self._function = dataset.function.instantiate(context.kept)
        self._state = dataset.initial_state
        self._preserves_cardinality = dataset.preserves_cardinality

    def next(self) -> Element | None:
        element = self._input.next()
        if element is None:
            return None
        size = len(self._state)
        try:
            results = self._function([*self._state, *element])
        except errors.OutOfRangeError as error:
            end_of_sequence(error, self._preserves_cardinality)
            return None
        self._state = list(results[:size])
        return results[size:]

    def save(self, state: SavedState, prefix: str) -> None:
        super().save(state, prefix)
        for i, value in enumerate(self._state):
            state[f"{prefix}/state/{i}"] = value

    def restore(self, state: SavedState, prefix: str) -> None:
        super().restore(state, prefix)
        self._state = [state[f"{prefix}/state/{i}"] for i in range(len(self._state))]


class TakeWhileDataset(Dataset):
    """The elements before the first for which a predicate is false."""

    def __init__(
        self, source: Dataset, predicate: CapturedFunction, types: Any, component_shapes: Any
    ) -> None:
        super().__init__(types, component_shapes, [source])
        self.predicate = predicate

    def iterate(self, context: IteratorContext) -> ElementIterator:
        return _TakeWhileIterator(self, context)


class _TakeWhileIterator(InputIterator):
    def __init__(self, dataset: TakeWhileDataset, context: IteratorContext) -> None:
        super().__init__(dataset.inputs[0], context)
        self._function = dataset.predicate.instantiate(context.kept)
        self._ended = False

    def next(self) -> Element | None:
        element = None if self._ended else self._input.next()
        if element is None:
            return None
        results = self._function(element)
        if len(results) != 1 or results[0].dtype != bool or results[0].size != 1:
            fail("`predicate` must returns a scalar bool tensor.")
        if results[0].item():
            return element
        self._ended = True
        self._end_input()
        return None

    def save(self, state: SavedState, prefix: str) -> None:
        super().save(state, prefix)
        state[f"{prefix}/ended"] = int(self._ended)

    def restore(self, state: SavedState, prefix: str) -> None:
        self._ended = bool(int(state[f"{prefix}/ended"]))
        if self._ended:
            self._end_input()
        else:
            super().restore(state, prefix)


def kernel_scan_dataset(
    xp: ArrayModule,
    input_dataset: Array,
    initial_state: Sequence[Array],
    other_arguments: Sequence[Array],
    *,
    f: Any,
    output_types: Any,
    output_shapes: Any,
    preserve_cardinality: bool,
    op: Operation,
    functions: FunctionRuntime,
) -> Array:
    function = functions.captured(op._graph, f, other_arguments)
    source = dataset_of(input_dataset)
    rest = initial_state, preserve_cardinality, output_types, output_shapes
    return variant_of(ScanDataset(source, function, *rest))


def kernel_take_while_dataset(
    xp: ArrayModule,
    input_dataset: Array,
    other_arguments: Sequence[Array],
    *,
    predicate: Any,
    output_types: Any,
    output_shapes: Any,
    op: Operation,
    functions: FunctionRuntime,
) -> Array:
    function = functions.captured(op._graph, predicate, other_arguments)
    return variant_of(
        TakeWhileDataset(dataset_of(input_dataset), function, output_types, output_shapes)
    )


def kernel_reduce_dataset(
    xp: ArrayModule,
    input_dataset: Array,
    initial_state: Sequence[Array],
    other_arguments: Sequence[Array],
    *,
    f: Any,
    output_types: Any,
    op: Operation,
    functions: FunctionRuntime,
) -> list[Array]:
    function = functions.captured(op._graph, f, other_arguments).instantiate()
    context = IteratorContext(Cancellation(parent=cancellation.current()))
    elements = input_iterator(dataset_of(input_dataset), context)
    values = list(initial_state)
    try:
        while (element := elements.next()) is not None:
            cancellation.check()
            results = function([*values, *element])
            if len(results) != len(values):
                fail(
                    "The number of components of the initial state and the reduce function output "
                    f"does not match. (initial_state={len(values)}, output={len(results)})."
                )
            values = list(results)
    finally:
        context.cancellation.cancel()
        elements.close()
    if len(values) != len(output_types):
        raise errors.InvalidArgumentError(
            None, None, f"Expected {len(output_types)} components but got {len(values)}."
        )
    return values


def _register_scan(name: str) -> None:
    register_op(
        name,
        inputs="input_dataset: variant, initial_state: Tstate, other_arguments: Targuments",
        outputs="handle: variant",
        attrs="f: func, Tstate: list(type) >= 1, Targuments: list(type) >= 0, "
        "output_types: list(type) >= 1, output_shapes: list(shape) >= 1, "
        "preserve_cardinality: bool = false",
        shape=shapes.scalar,
        kernel=kernel_scan_dataset,
        runs_on=RunsOn.HOST,
        takes_handles=True,
    )


_register_scan("ScanDataset")
_register_scan("ExperimentalScanDataset")


def _register_take_while(name: str) -> None:
    register_op(
        name,
        inputs="input_dataset: variant, other_arguments: Targuments",
        outputs="handle: variant",
        attrs="predicate: func, Targuments: list(type) >= 0, output_types: list(type) >= 1, "
        "output_shapes: list(shape) >= 1",
        shape=shapes.scalar,
        kernel=kernel_take_while_dataset,
        runs_on=RunsOn.HOST,
        takes_handles=True,
    )


_register_take_while("TakeWhileDataset")
_register_take_while("ExperimentalTakeWhileDataset")

register_op(
    "ReduceDataset",
    inputs="input_dataset: variant, initial_state: Tstate, other_arguments: Targuments",
    outputs="components: output_types",
    attrs="f: func, Tstate: list(type) >= 1, Targuments: list(type) >= 0, "
    "output_types: list(type) >= 1, output_shapes: list(shape) >= 1, "
    "use_inter_op_parallelism: bool = true",
    shape=shape_components,
    kernel=kernel_reduce_dataset,
    gradient=NOT_DIFFERENTIABLE,
    runs_on=RunsOn.HOST,
    stateful=True,
    takes_handles=True,
)
