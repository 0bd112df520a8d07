"""Stacks and TensorArrays while a loop is traced: all elements are rows of one array.

The traced counterpart of a resource has its methods, so kernels work on both. Errors of the
resource become value checks here (`base/checks.py`).
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from headwater.base import checks
from headwater.base.dtypes import DType
from headwater.base.lazy import jnp, lax
from headwater.base.typing import Array


class NotUniform(Exception):
    """The elements differ in shape, or the resource does what only the host can do."""


@functools.lru_cache(1024)
def padded_size(size: int) -> int:
    """How many rows a program has for so many elements, if it is for several sizes."""
    power = 1 << max(4, (size - 1).bit_length())
    half_step = power * 3 // 4
    return half_step if 16 <= size <= half_step else power


def with_rows(array: Array, count: int) -> np.ndarray:
    """An array with zeros behind its rows, so that it has at least `count` of them."""
    if len(array) >= count:
        return array
    rows = np.zeros((count, *array.shape[1:]), array.dtype)
    rows[: len(array)] = array
    return rows


def _require(condition: Array, alive: Any) -> None:
    if alive is not None:
        condition = condition | ~alive
    checks.require(jnp, condition, NotUniform)


def _if_alive(new: Array, old: Array, alive: Any) -> Array:
    return new if alive is None else jnp.where(alive, new, old)


def _row(rows: Array, index: Array) -> Array:
    return lax.dynamic_index_in_dim(rows, index, keepdims=False)


def _with_row(rows: Array, index: Array, value: Array) -> Array:
    return lax.dynamic_update_index_in_dim(rows, value, index, 0)


class TracedStack:
    """A stack that is traced.

    Args:
        dtype: the type of the elements.
        capacity: how many elements there can be.
        state: the rows, None as long as their shape is not known, and how many are in use.
        element: what all elements are known to be, if nothing else is pushed.

    Attributes:
        alive: the condition under which the next op runs; None if it always does.
    """

    def __init__(
        self,
        dtype: DType,
        capacity: int,
        state: tuple[Any, Any],
        element: np.ndarray | None = None,
    ) -> None:
        self.dtype = dtype
        self._element = element
        self.alive: Array = None
        # The body of a loop is traced even if it has no iteration.
        self._capacity = max(capacity, 1)
        self._rows, self._count = state

    def state(self) -> tuple[Any, Any]:
        """The rows and how many are in use."""
        return self._rows, self._count

    def push(self, value: Array) -> None:
        """Puts an element on top."""
        value = jnp.asarray(value)
        self._element = None
        if self._rows is None:
            self._rows = jnp.zeros((self._capacity, *value.shape), value.dtype)
        if self._rows.shape[1:] != value.shape:
            raise NotUniform
        _require(self._count < self._capacity, self.alive)
        rows = _with_row(self._rows, self._count, value)
        self._rows = _if_alive(rows, self._rows, self.alive)
        self._count = _if_alive(self._count + 1, self._count, self.alive)

    def pop(self) -> Array:
        """Takes the element from the top."""
        if self._rows is None:
            raise NotUniform
        _require(self._count > 0, self.alive)
        self._count = _if_alive(self._count - 1, self._count, self.alive)
        return _row(self._rows, self._count) if self._element is None else self._element


class TracedTensorArray:
    """A TensorArray that is traced.

    Args:
        dtype: the type of the elements.
        capacity: how many rows there are.
        state: the rows, None as long as their shape is not known; which have been written; which
            have been read; the number of elements.
        dynamic_size: whether writes behind the last element make the array longer.
        clear_after_read: whether an element can be read once only.
        is_gradient: whether repeated writes are added up, and what was not written is zero.

    Attributes:
        alive: the condition under which the next op runs; None if it always does.
        gradients: the gradient arrays by source.
    """

    def __init__(
        self,
        dtype: DType,
        capacity: int,
        state: tuple[Any, Any, Any, Any],
        *,
        dynamic_size: bool,
        clear_after_read: bool,
        is_gradient: bool,
    ) -> None:
        self.dtype = dtype
        self.alive: Array = None
        self.gradients: dict[str, TracedTensorArray] = {}
        self._capacity = capacity
        self._rows, self._written, self._read, self._size = state
        self._dynamic_size = dynamic_size
        self._clear_after_read = clear_after_read
        self._is_gradient = is_gradient

    def state(self) -> tuple[Any, Any, Any, Any]:
        """The rows, which have been written, which have been read, and how many count."""
        return self._rows, self._written, self._read, self._size

    def size(self) -> Array:
        """The number of elements."""
        return self._size

    def gradient(self, source: str) -> TracedTensorArray:
        """The array that collects the gradients of one call of `tf.gradients`."""
        return self.gradients[source]

    def write(self, index: Array, value: Array) -> None:
        """Writes one element; in a gradient array, adds to it if there is one."""
        value = jnp.asarray(value)
        if self._rows is None:
            self._rows = jnp.zeros((self._capacity, *value.shape), value.dtype)
        if self._rows.shape[1:] != value.shape:
            raise NotUniform
        self._check_index(index, self._capacity if self._dynamic_size else self._size)
        _require(~_row(self._read, index), self.alive)
        written = _row(self._written, index)
        if self._is_gradient:
            value = jnp.where(written, _row(self._rows, index) + value, value)
        else:
            _require(~written, self.alive)
        self._rows = _if_alive(_with_row(self._rows, index, value), self._rows, self.alive)
        self._written = self._marked(self._written, index)
        if self._dynamic_size:
            size = jnp.maximum(self._size, (index + 1).astype(np.int32))
            self._size = _if_alive(size, self._size, self.alive)

    def read(self, index: Array) -> Array:
        """Reads one element."""
        if self._rows is None:
            raise NotUniform
        self._check_index(index, self._size)
        if self._is_gradient:
            self._written = self._marked(self._written, index)
        else:
            _require(_row(self._written, index), self.alive)
        if self._clear_after_read:
            _require(~_row(self._read, index), self.alive)
        self._read = self._marked(self._read, index)
        return _row(self._rows, index)

    def _check_index(self, index: Array, end: Array) -> None:
        if not self._capacity:
            raise NotUniform
        _require((index >= 0) & (index < end), self.alive)

    def _marked(self, marks: Array, index: Array) -> Array:
        return _if_alive(_with_row(marks, index, True), marks, self.alive)
