"""MatchingFilesDataset: the names of the files that match patterns."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from headwater.base import dtypes, errors
from headwater.base.checks import fail
from headwater.base.typing import Array, ArrayModule
from headwater.graph import RunsOn, register_op, shapes
from headwater.io.files import is_file
from headwater.io.matching import matching_names
from headwater.ops.data.dataset import (
    Dataset,
    Element,
    ElementIterator,
    IteratorContext,
    Rows,
    SavedState,
    rows_to_element,
    variant_of,
)
from headwater.ops.data.file_dataset import string_array


class MatchingFilesDataset(Dataset):
    """The files that match patterns, sorted for each pattern."""

    def __init__(self, patterns: Sequence[bytes]) -> None:
        super().__init__([dtypes.string], [()])
        self.patterns = patterns

    def iterate(self, context: IteratorContext) -> ElementIterator:
        return _MatchingFilesIterator(self.patterns)


class _MatchingFilesIterator(ElementIterator):
    def __init__(self, patterns: Sequence[bytes]) -> None:
        self._patterns = patterns
        # The index of the next pattern, and what the one before it has matched.
        self._next = 0
        self._names = string_array([])
        self._place = 0
        self._found = False

    def next(self) -> Element | None:
        rows = self.next_rows(1)
        return None if rows is None else rows_to_element(rows, 0)

    def next_rows(self, count: int) -> Rows | None:
        while self._place == len(self._names):
            if self._next == len(self._patterns):
                if not self._found:
                    self._found = True
                    raise errors.NotFoundError(None, None, "Don't find any matched files")
                return None
            self._names, self._place = string_array([]), 0
            self._next += 1
            self._names = self._matching(self._next - 1)
        first, end = self._place, min(self._place + count, len(self._names))
        self._place = end
        return [self._names[first:end]]

    def _matching(self, index: int) -> Array:
        names = matching_names(os.fsdecode(self._patterns[index]))
        found = sorted(os.fsencode(name) for name in names if is_file(name))
        self._found = self._found or bool(found)
        return string_array(found)

    def save(self, state: SavedState, prefix: str) -> None:
        state[f"{prefix}/next"] = self._next
        if len(self._names):
            state[f"{prefix}/names"] = self._names
        state[f"{prefix}/place"] = self._place
        state[f"{prefix}/found"] = self._found

    def restore(self, state: SavedState, prefix: str) -> None:
        self._next = int(state[f"{prefix}/next"])
        self._names = np.asarray(state.get(f"{prefix}/names", ()), object)
        self._place = int(state[f"{prefix}/place"])
        self._found = bool(state[f"{prefix}/found"])


def kernel_matching_files_dataset(xp: ArrayModule, patterns: Array) -> Array:
    if np.ndim(patterns) > 1:
        fail("`patterns` must be a scalar or a vector.")
    return variant_of(MatchingFilesDataset(list(np.ravel(patterns))))


def shape_matching_files_dataset(c: shapes.ShapeContext) -> Any:
    patterns = c.shape("patterns")
    if patterns is not None and len(patterns) > 1:
        c.fail(f"Shape must be at most rank 1 but is rank {len(patterns)}")
    return ()


def _register_matching_files(name: str) -> None:
    register_op(
        name,
        inputs="patterns: string",
        outputs="handle: variant",
        shape=shape_matching_files_dataset,
        kernel=kernel_matching_files_dataset,
        runs_on=RunsOn.HOST,
        stateful=True,
    )


_register_matching_files("MatchingFilesDataset")
_register_matching_files("ExperimentalMatchingFilesDataset")
