"""The value of a ragged tensor: RaggedTensorValue."""

from __future__ import annotations

from typing import Any

import numpy as np

from headwater.base.export import export
from headwater.base.typing import Array


@export("ragged.RaggedTensorValue")
class RaggedTensorValue:
    """Rows of different lengths as arrays.

    Args:
        values: the values of all rows, an array or another RaggedTensorValue.
        row_splits: where each row begins, and the end of the last one, an integer vector.

    Raises:
        TypeError: if they are not arrays of such a kind.
        ValueError: if the splits are not a vector.
    """

    def __init__(self, values: np.ndarray | RaggedTensorValue, row_splits: np.ndarray) -> None:
        if not isinstance(row_splits, (np.ndarray, np.generic)) or row_splits.dtype.kind != "i":
            raise TypeError("row_splits must be a numpy int32 or int64 array")
        if row_splits.ndim != 1:
            raise ValueError("row_splits must be rank 1")
        if not isinstance(values, (np.ndarray, np.generic, RaggedTensorValue)):
            raise TypeError("values must be a numpy array or a RaggedTensorValue")
        self._values: np.ndarray | RaggedTensorValue = values
        self._row_splits: Array = row_splits

    @property
    def row_splits(self) -> np.ndarray:
        """Where each row begins, and the end of the last one."""
        return self._row_splits

    @property
    def values(self) -> Array:
        """The values of all rows."""
        return self._values

    @property
    def dtype(self) -> Any:
        """The NumPy dtype of the values."""
        return self._values.dtype

    @property
    def flat_values(self) -> np.ndarray:
        """The values inside of all levels of rows."""
        values = self._values
        return values.flat_values if isinstance(values, RaggedTensorValue) else values

    @property
    def nested_row_splits(self) -> tuple[np.ndarray, ...]:
        """The splits of all levels, the outermost first."""
        values = self._values
        inner = values.nested_row_splits if isinstance(values, RaggedTensorValue) else ()
        return (self._row_splits, *inner)

    @property
    def ragged_rank(self) -> int:
        """The number of levels of rows."""
        return len(self.nested_row_splits)

    @property
    def shape(self) -> tuple[int | None, ...]:
        """The sizes of the dimensions, None for rows of different lengths."""
        return (len(self._row_splits) - 1, None, *self._values.shape[1:])

    def to_list(self) -> list[Any]:
        """The rows as nested lists.

        Returns:
            A list with an item for each row.
        """
        inner = self._values
        flat = inner.to_list() if isinstance(inner, RaggedTensorValue) else inner.tolist()
        ends = self._row_splits.tolist()
        return [flat[ends[i] : ends[i + 1]] for i in range(len(ends) - 1)]

    def __str__(self) -> str:
        return f"<tf.RaggedTensorValue {self.to_list()}>"

    def __repr__(self) -> str:
        return f"tf.RaggedTensorValue(values={self._values!r}, row_splits={self._row_splits!r})"
