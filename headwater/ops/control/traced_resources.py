"""Stacks and TensorArrays while a loop is traced: all elements are rows of one array.

The traced counterpart of a resource has its methods, so kernels work on both. Errors of the
resource become value checks here (`base/checks.py`).
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

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


class Repeated(NamedTuple):
    """The elements of a stack that are all the same.

    Attributes:
        element: the element.
    """

    element: Any


class Iteration:
    """What the stacks and TensorArrays of a traced iteration compute in common.

    Most of them have the same number of elements and use the same row. What they compute of that
    is traced once: then the program has fewer ops, and equal results are the same object.

    Args:
        fixed: values that are the same in every iteration.
    """

    def __init__(self, fixed: Iterable[Any] = ()) -> None:
        self._fixed = {id(value) for value in fixed}
        # Results by function and operands, which are kept so that their ids stay theirs.
        self._results: dict[Any, tuple[Any, Any]] = {}
        self._required: dict[tuple[int, int], Any] = {}
        self._zeros: dict[Any, Any] = {}

    def once(self, function: Callable[..., Array], *operands: Any) -> Any:
        """The result of a function, traced once for the same operands."""
        key = (function, *map(id, operands))
        if key not in self._results:
            self._results[key] = function(*operands), operands
        return self._results[key][0]

    def is_fixed(self, value: Any) -> bool:
        """Whether a value is the same in every iteration."""
        return isinstance(value, np.ndarray) or id(value) in self._fixed

    def zeros(self, shape: tuple[int, ...], dtype: Any) -> Array:
        """Zeros, traced once for the same shape and type."""
        if (shape, dtype) not in self._zeros:
            self._zeros[shape, dtype] = jnp.zeros(shape, dtype)
        return self._zeros[shape, dtype]

    def require(self, condition: Array, alive: Any) -> None:
        """Requires a condition to hold where the op runs."""
        key = id(condition), id(alive)
        if key not in self._required:
            self._required[key] = condition, alive
            if alive is not None:
                condition = condition | ~alive
            checks.require(jnp, condition, NotUniform)


def _if_alive(new: Array, old: Array, alive: Any) -> Array:
    return new if alive is None else jnp.where(alive, new, old)


def _as_place(index: Array) -> Array:
    # Without a sign, JAX does not count negative indices from the end.
    return index.astype(np.uint32)


def _start(rows: Array, place: Array) -> list[Any]:
    return [place, *[np.uint32(0)] * (rows.ndim - 1)]


def _row(rows: Array, place: Array) -> Array:
    shape = rows.shape[1:]
    row = lax.dynamic_slice(rows, _start(rows, place), (1, *shape))
    return lax.reshape(row, shape)


def _with_row(rows: Array, place: Array, value: Array, alive: Any) -> Array:
    if alive is not None:
        value = jnp.where(alive, value, _row(rows, place))
    row = lax.reshape(value, (1, *value.shape))
    return lax.dynamic_update_slice(rows, row, _start(rows, place))


def _marked(marks: Array, place: Array, alive: Any) -> Array:
    return _with_row(marks, place, jnp.bool_(True), alive)


def _is_unmarked(marks: Array, place: Array) -> Array:
    return ~_row(marks, place)


def _above(count: Array, alive: Any) -> Array:
    return _if_alive(count + 1, count, alive)


def _below(count: Array, alive: Any) -> Array:
    return _if_alive(count - 1, count, alive)


def _is_positive(count: Array) -> Array:
    return count > 0


def _is_less(count: Array, end: Any) -> Array:
    return count < end


def _is_in_range(index: Array, end: Any) -> Array:
    return (index >= 0) & (index < end)


class TracedStack:
    """A stack that is traced.

    Args:
        dtype: the type of the elements.
        capacity: how many elements there can be.
        state: the rows, None as long as their shape is not known, or Repeated; and how many are in
            use.
        iteration: what it has in common with others.
        element: what all elements are known to be, if nothing else is pushed.

    Attributes:
        alive: the condition under which the next op runs; None if it always does.
    """

    def __init__(
        self,
        dtype: DType,
        capacity: int,
        state: tuple[Any, Any],
        iteration: Iteration,
        element: np.ndarray | None = None,
    ) -> None:
        self.dtype = dtype
        self._iteration = iteration
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
        self._element = None
        if self._rows is None and self._iteration.is_fixed(value):
            self._rows = self._iteration.once(Repeated, value)
        elif not isinstance(self._rows, Repeated):
            self._put(jnp.asarray(value))
        elif self._rows.element is not value:
            raise NotUniform
        has_room = self._iteration.once(_is_less, self._count, self._capacity)
        self._iteration.require(has_room, self.alive)
        self._count = self._iteration.once(_above, self._count, self.alive)

    def _put(self, value: Array) -> None:
        """Writes the row on top."""
        if self._rows is None:
            self._rows = self._iteration.zeros((self._capacity, *value.shape), value.dtype)
        if self._rows.shape[1:] != value.shape:
            raise NotUniform
        place = self._iteration.once(_as_place, self._count)
        self._rows = self._iteration.once(_with_row, self._rows, place, value, self.alive)

    def pop(self) -> Array:
        """Takes the element from the top."""
        if self._rows is None:
            raise NotUniform
        self._iteration.require(self._iteration.once(_is_positive, self._count), self.alive)
        self._count = self._iteration.once(_below, self._count, self.alive)
        if self._element is not None:
            return self._element
        if isinstance(self._rows, Repeated):
            return self._rows.element
        return _row(self._rows, self._iteration.once(_as_place, self._count))


class TracedTensorArray:
    """A TensorArray that is traced.

    Args:
        dtype: the type of the elements.
        capacity: how many rows there are.
        state: the rows, None as long as their shape is not known; which have been written; which
            have been read; the number of elements.
        iteration: what it has in common with others.
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
        iteration: Iteration,
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
        self._iteration = iteration
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
            self._rows = self._iteration.zeros((self._capacity, *value.shape), value.dtype)
        if self._rows.shape[1:] != value.shape:
            raise NotUniform
        end = self._capacity if self._dynamic_size else self._size
        place = self._checked(index, end)
        self._require_unmarked(self._read, place)
        if self._is_gradient:
            # What has not been written is zero.
            value = _row(self._rows, place) + value
        else:
            self._require_unmarked(self._written, place)
        self._rows = _with_row(self._rows, place, value, self.alive)
        self._written = self._marked(self._written, place)
        if self._dynamic_size:
            size = jnp.maximum(self._size, (index + 1).astype(np.int32))
            self._size = _if_alive(size, self._size, self.alive)

    def read(self, index: Array) -> Array:
        """Reads one element."""
        if self._rows is None:
            raise NotUniform
        place = self._checked(index, self._size)
        if self._is_gradient:
            self._written = self._marked(self._written, place)
        else:
            written = self._iteration.once(_row, self._written, place)
            self._iteration.require(written, self.alive)
        if self._clear_after_read:
            self._require_unmarked(self._read, place)
        self._read = self._marked(self._read, place)
        return _row(self._rows, place)

    def _checked(self, index: Array, end: Array) -> Array:
        """The place of an index, which has to be in range."""
        if not self._capacity:
            raise NotUniform
        self._iteration.require(self._iteration.once(_is_in_range, index, end), self.alive)
        return self._iteration.once(_as_place, index)

    def _require_unmarked(self, marks: Array, place: Array) -> None:
        unmarked = self._iteration.once(_is_unmarked, marks, place)
        self._iteration.require(unmarked, self.alive)

    def _marked(self, marks: Array, place: Array) -> Array:
        return self._iteration.once(_marked, marks, place, self.alive)
