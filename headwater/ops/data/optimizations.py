"""Rewrites of datasets that change the order of their elements, as TensorFlow makes them."""

from __future__ import annotations

import abc
from collections.abc import Iterable
from dataclasses import replace

from headwater.ops.data.dataset import (
    Dataset,
    ElementIterator,
    IteratorContext,
    input_iterator,
    without_noops,
)


class RepeatableDataset(Dataset):
    """A dataset that `shuffle_and_repeat_fusion` may make one with a RepeatDataset."""

    @property
    @abc.abstractmethod
    def can_repeat(self) -> bool:
        """Whether the rewrite applies."""

    @abc.abstractmethod
    def iterate_repeated(self, context: IteratorContext, count: int) -> ElementIterator:
        """An iterator over several epochs, which have one sequence of random numbers."""


class PassThroughDataset(Dataset):
    """The elements of the input: a dataset that tells only how they are made."""

    def __init__(self, source: Dataset) -> None:
        super().__init__(source.types, source.shapes, [source])

    def iterate(self, context: IteratorContext) -> ElementIterator:
        return input_iterator(self.inputs[0], context)

    def cardinality(self) -> int:
        return self.inputs[0].cardinality()


class NonSerializableDataset(PassThroughDataset):
    """A dataset that no graph can describe."""


class OptimizedDataset(Dataset):
    """A dataset after rewrites of it and its inputs.

    Args:
        source: the dataset.
        names: the names of the rewrites.
    """

    def __init__(self, source: Dataset, names: Iterable[str]) -> None:
        super().__init__(source.types, source.shapes, [source])
        self.names = frozenset(names)

    def iterate(self, context: IteratorContext) -> ElementIterator:
        options = {**context.options, "optimizations": context.optimizations | self.names}
        context = replace(context, options=options)
        source = without_noops(self.inputs[0], context)
        return context.measured(source, source.iterate(context.renamed(source.transformation)))

    def cardinality(self) -> int:
        return self.inputs[0].cardinality()
