"""IgnoreErrorsDataset: the elements that can be made."""

from __future__ import annotations

from typing import Any

from headwater.base import cancellation, errors
from headwater.base.typing import Array, ArrayModule
from headwater.graph import RunsOn, register_op, shapes
from headwater.ops.data.dataset import (
    Dataset,
    Element,
    ElementIterator,
    InputIterator,
    IteratorContext,
    SavedState,
    dataset_of,
    variant_of,
)


class IgnoreErrorsDataset(Dataset):
    """Leaves out the elements that have errors."""

    def __init__(self, source: Dataset, types: Any, component_shapes: Any) -> None:
        super().__init__(types, component_shapes, [source])

    def iterate(self, context: IteratorContext) -> ElementIterator:
        return _IgnoreErrorsIterator(self.inputs[0], context)


class _IgnoreErrorsIterator(InputIterator):
    _ended = False

    def next(self) -> Element | None:
        while not self._ended:
            cancellation.check()
            try:
                element = self._input.next()
                self._ended = element is None
                return element
            except (errors.CancelledError, errors.DeadlineExceededError):
                raise
            except Exception:
                continue
        return None

    def save(self, state: SavedState, prefix: str) -> None:
        super().save(state, prefix)
        state[f"{prefix}/ended"] = int(self._ended)

    def restore(self, state: SavedState, prefix: str) -> None:
        super().restore(state, prefix)
        self._ended = bool(int(state[f"{prefix}/ended"]))


def kernel_ignore_errors_dataset(
    xp: ArrayModule, input_dataset: Array, *, output_types: Any, output_shapes: Any
) -> Array:
    return variant_of(IgnoreErrorsDataset(dataset_of(input_dataset), output_types, output_shapes))


def _register_ignore_errors(name: str) -> None:
    register_op(
        name,
        inputs="input_dataset: variant",
        outputs="handle: variant",
        attrs="output_types: list(type) >= 1, output_shapes: list(shape) >= 1",
        shape=shapes.scalar,
        kernel=kernel_ignore_errors_dataset,
        runs_on=RunsOn.HOST,
    )


_register_ignore_errors("IgnoreErrorsDataset")
_register_ignore_errors("ExperimentalIgnoreErrorsDataset")
