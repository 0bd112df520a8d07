"""AssertNextDataset: a check of what is done with the elements next, for tests of rewrites."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from headwater.base.checks import fail
from headwater.base.typing import Array, ArrayModule
from headwater.graph import RunsOn, register_op, shapes
from headwater.ops.data.dataset import (
    Dataset,
    ElementIterator,
    IteratorContext,
    dataset_of,
    input_iterator,
    variant_of,
)


class AssertNextDataset(Dataset):
    """The elements of the input, if the transformations that follow have the names expected.

    Args:
        source: the input.
        expected: the names, those of the datasets that take the elements first.
    """

    def __init__(
        self, source: Dataset, expected: Sequence[str], types: Any, component_shapes: Any
    ) -> None:
        super().__init__(types, component_shapes, [source])
        self.expected = list(expected)

    def iterate(self, context: IteratorContext) -> ElementIterator:
        # The path begins with "Iterator" and ends with this dataset.
        following = context.prefix.split("::")[-2:0:-1]
        if len(self.expected) > len(following):
            fail(
                f"Asserted next {len(self.expected)} transformations but encountered only "
                f"{len(following)}."
            )
        for i, (wanted, found) in enumerate(zip(self.expected, following)):
            if wanted != found:
                fail(
                    f"Asserted {wanted} transformation at offset {i} but encountered {found} "
                    "transformation instead."
                )
        return input_iterator(self.inputs[0], context)

    def cardinality(self) -> int:
        return self.inputs[0].cardinality()


def kernel_assert_next_dataset(
    xp: ArrayModule,
    input_dataset: Array,
    transformations: Array,
    *,
    output_types: Any,
    output_shapes: Any,
) -> Array:
    if transformations.ndim != 1:
        fail("transformations must be a vector.")
    names = [name.decode() for name in transformations.tolist()]
    source = dataset_of(input_dataset)
    return variant_of(AssertNextDataset(source, names, output_types, output_shapes))


def _register_assert_next(name: str) -> None:
    register_op(
        name,
        inputs="input_dataset: variant, transformations: string",
        outputs="handle: variant",
        attrs="output_types: list(type) >= 1, output_shapes: list(shape) >= 1",
        shape=shapes.scalar,
        kernel=kernel_assert_next_dataset,
        runs_on=RunsOn.HOST,
    )


_register_assert_next("AssertNextDataset")
_register_assert_next("ExperimentalAssertNextDataset")
