"""GeneratorDataset: elements that a function makes from a state until it reaches the end."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from headwater.base import errors, logging
from headwater.base.function_runtime import CapturedFunction, FunctionRuntime
from headwater.base.typing import Array, ArrayModule
from headwater.graph import Operation, RunsOn, register_op, shapes
from headwater.ops.data.dataset import (
    Dataset,
    Element,
    ElementIterator,
    IteratorContext,
    SavedState,
    variant_of,
)


class GeneratorDataset(Dataset):
    """What a function returns for a state, again and again, until it raises OutOfRangeError.

    Args:
        init: makes the state of an iterator.
        following: makes an element from the state.
        finalize: is called with the state at the end, or when the iterator is closed before.
        types: the types of the components of an element.
        component_shapes: their static shapes.
    """

    def __init__(
        self,
        init: CapturedFunction,
        following: CapturedFunction,
        finalize: CapturedFunction,
        types: Any,
        component_shapes: Any,
    ) -> None:
        super().__init__(types, component_shapes)
        self.init = init
        self.following = following
        self.finalize = finalize

    def iterate(self, context: IteratorContext) -> ElementIterator:
        return _GeneratorIterator(self)


class _GeneratorIterator(ElementIterator):
    def __init__(self, dataset: GeneratorDataset) -> None:
        self._init = dataset.init.instantiate()
        self._following = dataset.following.instantiate()
        self._finalize: Callable[[Sequence[Array]], Any] | None = dataset.finalize.instantiate()
        self._state: Sequence[Array] | None = None
        self._count = 0

    def next(self) -> Element | None:
        if self._finalize is None:
            return None
        if self._state is None:
            self._state = self._init(())
        try:
            element = self._following(self._state)
        except errors.OutOfRangeError:
            self._end()
            return None
        self._count += 1
        return element

    def save(self, state: SavedState, prefix: str) -> None:
        state[f"{prefix}/count"] = self._count
        state[f"{prefix}/ended"] = self._finalize is None

    def restore(self, state: SavedState, prefix: str) -> None:
        if bool(state[f"{prefix}/ended"]):
            self.close()
        else:
            # The position in a Python generator cannot be set: the elements are made again.
            self.skip(int(state[f"{prefix}/count"]))

    def close(self) -> None:
        try:
            self._end()
        except Exception as error:
            # Nobody waits for the iterator any more.
            logging.warning("Error occurred when finalizing GeneratorDataset iterator: %s", error)

    def _end(self) -> None:
        finalize, self._finalize = self._finalize, None
        if finalize is not None and self._state is not None:
            finalize(self._state)


def kernel_generator_dataset(
    xp: ArrayModule,
    init_func_other_args: Sequence[Array],
    next_func_other_args: Sequence[Array],
    finalize_func_other_args: Sequence[Array],
    *,
    init_func: Any,
    next_func: Any,
    finalize_func: Any,
    output_types: Any,
    output_shapes: Any,
    op: Operation,
    functions: FunctionRuntime,
) -> Array:
    graph = op._graph
    return variant_of(
        GeneratorDataset(
            functions.captured(graph, init_func, init_func_other_args, tags_errors=False),
            functions.captured(graph, next_func, next_func_other_args, tags_errors=False),
            functions.captured(graph, finalize_func, finalize_func_other_args, tags_errors=False),
            output_types,
            output_shapes,
        )
    )


register_op(
    "GeneratorDataset",
    inputs="init_func_other_args: Tinit_func_args, next_func_other_args: Tnext_func_args, "
    "finalize_func_other_args: Tfinalize_func_args",
    outputs="handle: variant",
    attrs="init_func: func, next_func: func, finalize_func: func, "
    "Tinit_func_args: list(type) >= 0, Tnext_func_args: list(type) >= 0, "
    "Tfinalize_func_args: list(type) >= 0, output_types: list(type) >= 1, "
    "output_shapes: list(shape) >= 1",
    shape=shapes.scalar,
    kernel=kernel_generator_dataset,
    runs_on=RunsOn.HOST,
    takes_handles=True,
    stateful=True,
)
