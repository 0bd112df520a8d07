"""`HDF5Matrix`: rows of a data set in an HDF5 file, read when they are used."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from headwater.base.export import export
from headwater.base.typing import Array


@export("keras.utils.HDF5Matrix")
class HDF5Matrix:
    """Rows of a data set in an HDF5 file, which models read batch by batch.

    Args:
        datapath: the file.
        dataset: the name of the data set.
        start: the first row.
        end: the row after the last one; all if None.
        normalizer: a function that is applied to what is read.

    Raises:
        ImportError: if h5py is not installed.
    """

    refs: ClassVar[dict[str, Any]] = {}

    def __init__(
        self,
        datapath: str,
        dataset: str,
        start: int = 0,
        end: int | None = None,
        normalizer: Callable[[Array], Array] | None = None,
    ) -> None:
        try:
            # h5py is optional and loads slowly.
            import h5py
        except ImportError:
            raise ImportError("The use of HDF5Matrix requires HDF5 and h5py installed.") from None
        if datapath not in self.refs:
            self.refs[datapath] = h5py.File(datapath, "r")
        self.data = self.refs[datapath][dataset]
        self.start = start
        self.end = self.data.shape[0] if end is None else end
        self.normalizer = normalizer
        first = self._normalized(self.data[0:1])
        self._dtype, self._inner = first.dtype, first.shape[1:]

    def _normalized(self, rows: Array) -> Array:
        return rows if self.normalizer is None else self.normalizer(rows)

    def __len__(self) -> int:
        return int(self.end - self.start)

    def __getitem__(self, key: Any) -> Array:
        if isinstance(key, slice):
            first, last = key.start or 0, len(self) if key.stop is None else key.stop
            if last + self.start > self.end:
                raise IndexError
            found: Any = slice(first + self.start, last + self.start, key.step)
            return self._normalized(self.data[found])
        if isinstance(key, (int, np.integer)):
            if key + self.start >= self.end:
                raise IndexError
            return self._normalized(self.data[key + self.start])
        numbers = np.asarray(key)
        if numbers.size and numbers.max() + self.start >= self.end:
            raise IndexError
        # HDF5 reads rows in increasing order only.
        rows, inverse = np.unique(numbers + self.start, return_inverse=True)
        return self._normalized(self.data[rows][inverse])

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the rows, normalized."""
        return (len(self), *self._inner)

    @property
    def dtype(self) -> Any:
        """The type of the rows, normalized."""
        return self._dtype

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return int(self.data.ndim)

    @property
    def size(self) -> int:
        """The number of elements."""
        return int(np.prod(self.shape))
