"""GroupByReducerDataset: one element for each key."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from headwater.base.function_runtime import CapturedFunction, FunctionRuntime
from headwater.base.typing import Array, ArrayModule
from headwater.graph import Operation, RunsOn, register_op, shapes
from headwater.ops.data.dataset import (
    Dataset,
    Element,
    ElementIterator,
    InputIterator,
    IteratorContext,
    SavedState,
    dataset_of,
    restore_elements,
    save_elements,
    variant_of,
)


class GroupByReducerDataset(Dataset):
    """The reduction of the elements of each key, in the order of the keys.

    Args:
        source: the input.
        functions: four functions, which make the key of an element, the first state of a key, a
            state of a state and an element, and the element of the last state.
    """

    def __init__(
        self,
        source: Dataset,
        functions: Sequence[CapturedFunction],
        types: Any,
        component_shapes: Any,
    ) -> None:
        super().__init__(types, component_shapes, [source])
        self.functions = list(functions)

    def iterate(self, context: IteratorContext) -> ElementIterator:
        return _GroupByReducerIterator(self, context)


class _GroupByReducerIterator(InputIterator):
    def __init__(self, dataset: GroupByReducerDataset, context: IteratorContext) -> None:
        super().__init__(dataset.inputs[0], context)
        key_func, *others = dataset.functions
        self._key_of = key_func.instantiate_remembering(context.kept)
        self._init, self._reduce, self._finalize = [f.instantiate(context.kept) for f in others]
        self._ended = False
        self._states: dict[int, Element] = {}
        self._keys: list[int] = []  # those left, the next one last

    def next(self) -> Element | None:
        while not self._ended:
            element = self._input.next()
            if element is None:
                self._ended = True
                self._keys = sorted(self._states, reverse=True)
                break
            key = int(self._key_of(element)[0])
            if key not in self._states:
                self._states[key] = self._init([np.asarray(key, np.int64)])
            self._states[key] = self._reduce([*self._states[key], *element])
        return self._finalize(self._states[self._keys.pop()]) if self._keys else None

    def save(self, state: SavedState, prefix: str) -> None:
        super().save(state, prefix)
        state[f"{prefix}/ended"] = self._ended
        state[f"{prefix}/keys"] = np.array(list(self._states), np.int64)
        state[f"{prefix}/left"] = np.array(self._keys, np.int64)
        save_elements(state, f"{prefix}/states", list(self._states.values()))

    def restore(self, state: SavedState, prefix: str) -> None:
        super().restore(state, prefix)
        self._ended = bool(state[f"{prefix}/ended"])
        self._keys = np.asarray(state[f"{prefix}/left"]).tolist()
        keys = np.asarray(state[f"{prefix}/keys"]).tolist()
        self._states = dict(zip(keys, restore_elements(state, f"{prefix}/states")))


def kernel_group_by_reducer_dataset(
    xp: ArrayModule,
    input_dataset: Array,
    key_func_other_arguments: Sequence[Array],
    init_func_other_arguments: Sequence[Array],
    reduce_func_other_arguments: Sequence[Array],
    finalize_func_other_arguments: Sequence[Array],
    *,
    key_func: Any,
    init_func: Any,
    reduce_func: Any,
    finalize_func: Any,
    output_types: Any,
    output_shapes: Any,
    op: Operation,
    functions: FunctionRuntime,
) -> Array:
    found = [
        functions.captured(op._graph, attr, values)
        for attr, values in (
            (key_func, key_func_other_arguments),
            (init_func, init_func_other_arguments),
            (reduce_func, reduce_func_other_arguments),
            (finalize_func, finalize_func_other_arguments),
        )
    ]
    source = dataset_of(input_dataset)
    return variant_of(GroupByReducerDataset(source, found, output_types, output_shapes))


def _register_group_by_reducer(name: str) -> None:
    register_op(
        name,
        inputs="input_dataset: variant, key_func_other_arguments: Tkey_func_other_arguments, "
        "init_func_other_arguments: Tinit_func_other_arguments, "
        "reduce_func_other_arguments: Treduce_func_other_arguments, "
        "finalize_func_other_arguments: Tfinalize_func_other_arguments",
        outputs="handle: variant",
        attrs="key_func: func, init_func: func, reduce_func: func, finalize_func: func, "
        "Tkey_func_other_arguments: list(type) >= 0, "
        "Tinit_func_other_arguments: list(type) >= 0, "
        "Treduce_func_other_arguments: list(type) >= 0, "
        "Tfinalize_func_other_arguments: list(type) >= 0, "
        "output_types: list(type) >= 1, output_shapes: list(shape) >= 1",
        shape=shapes.scalar,
        kernel=kernel_group_by_reducer_dataset,
        runs_on=RunsOn.HOST,
        stateful=True,
        takes_handles=True,
    )


_register_group_by_reducer("GroupByReducerDataset")
_register_group_by_reducer("ExperimentalGroupByReducerDataset")
