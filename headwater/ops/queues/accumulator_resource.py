"""The values of accumulator handles: gradients that several runs add up and one takes."""

from __future__ import annotations

import threading
from collections import deque
from typing import Any

import numpy as np

from headwater.base.cancellation import uninterrupted
from headwater.base.checks import fail
from headwater.base.dtypes import DType
from headwater.base.typing import Array
from headwater.base.waiting import Waiting
from headwater.graph import shapes
from headwater.ops.queues.resource import cancelled, fits

Shape = tuple["int | None", ...] | None

_CANCELLED = "TakeGrad operation was cancelled"


class Accumulator:
    """Accumulates gradients until there are enough of them.

    Stale gradients, whose step is older than that of the last take, are dropped.

    Args:
        dtype: the type of the gradients.
        shape: their shape, as far as it is known.
        reduction: MEAN or SUM.
    """

    def __init__(self, dtype: DType, shape: Shape, reduction: str) -> None:
        self.dtype = dtype
        self.shape = shape
        self._mean = reduction == "MEAN"
        self._lock = threading.Lock()
        self._step = 0
        self._count = 0
        self._sum: Array = None
        self._takes: deque[tuple[Waiting, int]] = deque()

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self._count} gradients>"

    @property
    def count(self) -> int:
        """The number of gradients."""
        return self._count

    def set_step(self, step: int) -> None:
        """Gradients of earlier steps are dropped from now on."""
        with self._lock:
            self._step = step

    def apply(self, step: int, gradient: Any) -> None:
        """Adds a gradient."""
        with uninterrupted(), self._lock:
            self._check(gradient)
            if step >= self._step:
                self._add(gradient)
                self._count += 1
                self._flush()

    def take(self, required: int) -> Waiting:
        """Takes the mean or sum, as soon as so many gradients are there."""
        if required <= 0:
            fail(f"Argument num_required must be positive, but was {required}")
        work = Waiting(_CANCELLED, self._withdraw)
        with uninterrupted(), self._lock:
            self._takes.append((work, required))
            self._flush()
        return work

    def _flush(self) -> None:
        while self._takes and self._count >= self._takes[0][1]:
            work, _ = self._takes.popleft()
            result = self._reduced()
            self._step += 1
            self._count, self._sum = 0, None
            work.finish(result)

    def _withdraw(self, work: Waiting) -> None:
        with uninterrupted(), self._lock:
            if not work.done:
                self._takes = deque(t for t in self._takes if t[0] is not work)
                work.fail(cancelled(_CANCELLED))
                self._flush()

    def _check(self, gradient: Any) -> None:
        wanted = self.shape if self._sum is None else self._sum.shape
        if not fits(gradient.shape, self.shape) or not fits(gradient.shape, wanted):
            fail(
                f"Shape mismatch: expected {shapes.show(wanted)}, got {shapes.show(gradient.shape)}"
            )

    def _add(self, gradient: Any) -> None:
        self._sum = np.array(gradient) if self._sum is None else self._sum + gradient

    def _reduced(self) -> Array:
        if not self._mean:
            return self._sum
        return self._sum / np.asarray(self._count, self._sum.dtype)


class SparseAccumulator(Accumulator):
    """Adds up gradients that have some rows only; a mean is over those that have the row.

    A gradient is a tuple of indices, values and a shape, which may be None.
    """

    _row_shape: tuple[int, ...] = ()

    def _check(self, gradient: Any) -> None:
        indices, values, shape = gradient
        if indices.ndim != 1:
            fail(f"Input indices should be vector but received shape: {shapes.show(indices.shape)}")
        if not values.ndim:
            fail("Values cannot be 0-dimensional.")
        if len(indices) != len(values):
            fail(f"Expected {len(indices)} non-empty input values, got {len(values)}")
        if shape is not None:
            self._check_dims("shape", [int(d) for d in shape.ravel()])
        limit = self.shape[0] if self.shape else None
        if limit is not None:
            for i in np.flatnonzero(indices >= limit)[:1]:
                fail(
                    f"Shape mismatch: index of slice {i} exceeded limits of shape; index is "
                    f"{indices[i]} exceeded {limit}"
                )
        self._check_dims("values", [None, *values.shape[1:]])
        if self._sum is not None:
            wanted = self._row_shape
            if values.ndim != len(wanted) + 1:
                fail(f"Shape mismatch: expected values rank {len(wanted) + 1}, got {values.ndim}")
            for i, (w, d) in enumerate(zip(wanted, values.shape[1:]), 1):
                if w != d:
                    fail(f"Shape mismatch: expected values dim {i} to be {w}, got {d}")

    def _check_dims(self, what: str, dims: list[int | None]) -> None:
        """Checks that dimensions are compatible with the static shape."""
        if self.shape is None:
            return
        if len(dims) < len(self.shape):
            fail(
                f"Shape mismatch: expected {what} rank at least {len(self.shape)}, got {len(dims)}"
            )
        for i, (wanted, dim) in enumerate(zip(self.shape, dims)):
            if wanted is not None and dim not in (None, -1, wanted):
                fail(f"Shape mismatch: expected {what} dim {i} to be {wanted}, got {dim}")

    def _add(self, gradient: Any) -> None:
        """Merges the rows as if both lists of indices were sorted."""
        indices, values, _ = gradient
        new = [(np.array(v), int(i), 1) for i, v in zip(indices, values)]
        old = self._sum or []
        merged = []
        i = j = 0
        while i < len(old) and j < len(new):
            if old[i][1] == new[j][1]:
                merged.append((old[i][0] + new[j][0], old[i][1], old[i][2] + 1))
                i, j = i + 1, j + 1
            elif old[i][1] < new[j][1]:
                merged.append(old[i])
                i += 1
            else:
                merged.append(new[j])
                j += 1
        self._sum = [*merged, *old[i:], *new[j:]]
        self._row_shape = values.shape[1:]

    def _reduced(self) -> tuple[np.ndarray, ...]:
        rows = self._sum or []
        values = np.zeros((len(rows), *self._row_shape), self.dtype.numpy_dtype)
        for i, (value, _, count) in enumerate(rows):
            values[i] = value / values.dtype.type(count) if self._mean else value
        indices = np.array([index for _, index, _ in rows], np.int64)
        first = self.shape[0] if self.shape else None
        shape = np.array([-1 if first is None else first, *self._row_shape], np.int64)
        return indices, values, shape
