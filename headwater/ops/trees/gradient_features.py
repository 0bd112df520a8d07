"""The features of a batch of examples, as gradient boosted trees read them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from headwater.base.checks import fail

_Arrays = list[np.ndarray]


class Features:
    """Dense numbers, sparse numbers and sparse ids.

    Args:
        dense: for each dense feature, a matrix [examples, 1].
        indices: for each sparse feature of numbers, its indices [entries, 2].
        values: for each sparse feature of numbers, its values [entries].
        shapes: for each sparse feature of numbers, its shape [2].
        id_indices: for each sparse feature of ids, its indices [entries, 2].
        ids: for each sparse feature of ids, its values [entries].
        id_shapes: for each sparse feature of ids, its shape [2].

    Attributes:
        examples: the number of examples.
    """

    def __init__(
        self,
        dense: _Arrays,
        indices: _Arrays,
        values: _Arrays,
        shapes: _Arrays,
        id_indices: _Arrays,
        ids: _Arrays,
        id_shapes: _Arrays,
    ) -> None:
        for feature in dense:
            if feature.ndim != 2 or feature.shape[1] != 1:
                fail("Dense feature must be a matrix of one column.")
        self._dense = dense
        self._numbers = list(zip(indices, values, shapes))
        self._ids = list(zip(id_indices, ids))
        counts = [len(f) for f in dense] + [int(s[0]) for s in (*shapes, *id_shapes)]
        if not counts:
            fail("Could not infer batch size due to empty feature set.")
        self.examples = counts[0]
        if counts.count(self.examples) != len(counts):
            fail(f"Features must be of the same number of examples, got {counts}.")
        self._sparse_columns: dict[tuple[int, int], tuple[np.ndarray, np.ndarray]] = {}

    def dense(self, column: int) -> np.ndarray:
        """The values of a dense feature."""
        return self._of(self._dense, column, "dense")[:, 0]

    def sparse(self, column: int, dimension: int) -> tuple[np.ndarray, np.ndarray]:
        """The values of a sparse feature, and for which examples there is one."""
        found = self._sparse_columns.get((column, dimension))
        if found is None:
            indices, numbers, _ = self._of(self._numbers, column, "sparse float")
            chosen = indices[:, 1] == dimension
            values = np.zeros(self.examples, np.float32)
            present = np.zeros(self.examples, bool)
            values[indices[chosen, 0]] = numbers[chosen]
            present[indices[chosen, 0]] = True
            found = self._sparse_columns[column, dimension] = values, present
        return found

    def has_id(self, column: int, ids: Iterable[int]) -> np.ndarray:
        """For each example, whether it has one of some ids."""
        indices, values = self._of(self._ids, column, "sparse int")
        result = np.zeros(self.examples, bool)
        result[indices[np.isin(values, list(ids)), 0]] = True
        return result

    @staticmethod
    def _of(columns: list[Any], column: int, kind: str) -> Any:
        if not 0 <= column < len(columns):
            fail(f"The tree splits on {kind} feature {column} of {len(columns)}.")
        return columns[column]
