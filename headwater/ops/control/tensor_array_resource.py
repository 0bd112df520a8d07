"""The value of a TensorArray's handle: the array itself."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from headwater.base import cancellation, dtypes, errors
from headwater.base.dtypes import DType
from headwater.base.typing import Array, Shape
from headwater.graph.shapes import is_static, show
from headwater.ops.control.traced_resources import (
    Iteration,
    NotUniform,
    TracedTensorArray,
    padded_size,
    with_rows,
)

_numbers = itertools.count()


def invalid(text: str) -> errors.InvalidArgumentError:
    """The error of a bad value or of a bad use of an array."""
    return errors.InvalidArgumentError(None, None, text)


class Element:
    """One slot of an array: its value, and whether it was written or read."""

    __slots__ = ("cleared", "read", "shape", "value", "written")

    def __init__(self, shape: tuple[int, ...] | None = None) -> None:
        # None stands for zeros if `written` is set.
        self.value: Array = None
        self.shape = shape
        self.written = shape is not None
        self.read = False
        self.cleared = False


class TensorArrayResource:
    """An array of arrays, which lives as long as one run.

    Elements are handed on as they are, NumPy arrays or device arrays.

    Args:
        name: the name that errors show.
        dtype: the type of the elements.
        size: the number of elements.
        element_shape: what is known of the shape of the elements; if something is, unwritten
            elements are read as zeros. dynamic_size: whether writes behind the end make the array
            longer.
        clear_after_read: whether an element is dropped when it has been read.
        identical_element_shapes: whether the first write fixes the shape of all.
        is_gradient: whether the array collects gradients: repeated writes are added up.
    """

    # How many arguments of a program `in_program` gives.
    part_count = 4

    def __init__(
        self,
        name: str,
        dtype: DType,
        size: int,
        element_shape: Shape = None,
        *,
        dynamic_size: bool = False,
        clear_after_read: bool = True,
        identical_element_shapes: bool = False,
        is_gradient: bool = False,
    ) -> None:
        self.name = name
        self.dtype = dtype
        self.element_shape = element_shape
        # Release 1.8 gives zeros to gradients only, 1.15 wherever it knows a shape (dynamic_rnn
        # relies on that for the shape that it gives): a shape inferred from writes is not enough.
        self._shape_given = element_shape is not None
        self.dynamic_size = dynamic_size
        self._clear_after_read = clear_after_read
        self._identical = identical_element_shapes
        self._is_gradient = is_gradient
        self._elements: list[Element] = []
        self._grow(size)
        # The state left by a compiled program: all elements as rows, which were written, and which
        # read.
        self._rows: tuple[Any, np.ndarray, np.ndarray] | None = None
        self._gradients: dict[str, TensorArrayResource] = {}
        self._closed = False
        # The size when all elements were written at once, which is that of the gradient.
        self._filled_size: int | None = None

    @staticmethod
    def numbered(name: str) -> str:
        """A name that no other array of this process has."""
        return f"{name}_{next(_numbers)}"

    def __repr__(self) -> str:
        return f"<TensorArrayResource {self.name}: {len(self._elements)} elements>"

    def __len__(self) -> int:
        return len(self._elements)

    def size(self) -> np.ndarray:
        """The number of elements."""
        return np.asarray(len(self._elements), np.int32)

    def filled(self, size: int) -> None:
        """Notes that one op has written all of the first `size` elements."""
        if not self._is_gradient:
            self._filled_size = size

    def whole(self) -> range:
        """The indices that ops on the whole array read.

        For a gradient, those that the array had when it was filled: gradients of elements written
        after them are not requested.
        """
        if self._is_gradient and self._filled_size is not None:
            return range(self._filled_size)
        return range(len(self._elements))

    def gradient(self, source: str, prefix: tuple[int, ...] = ()) -> TensorArrayResource:
        """The array that collects the gradients of one call of `tf.gradients`.

        It is made at the first call; from then on this array keeps its size.

        Args:
            source: which call of `tf.gradients`.
            prefix: dimensions that elements of the new array have before those of this one.
        """
        found = self._gradients.get(source)
        if found is not None:
            return found
        self._open_elements()
        shape = None if self.element_shape is None else prefix + self.element_shape
        found = TensorArrayResource(
            f"{self.name}@{source}",
            self.dtype,
            0,
            shape,
            identical_element_shapes=self._identical,
            is_gradient=True,
        )
        found._elements = [
            Element(None if e.shape is None else prefix + e.shape) for e in self._elements
        ]
        found._filled_size = self._filled_size
        self.dynamic_size = False
        self._gradients[source] = found
        return found

    def merge_element_shape(self, shape: Shape) -> None:
        """Adds knowledge to the shape of the elements."""
        known = self.element_shape
        if known is None or shape is None:
            self.element_shape = shape if known is None else known
            return
        if len(known) != len(shape):
            raise invalid(
                "PartialTensorShape: Incompatible ranks during merge: "
                f"{len(known)} vs. {len(shape)}"
            )
        if not compatible(known, shape):
            raise invalid(
                "PartialTensorShape: Incompatible shapes during merge: "
                f"{show(known)} vs. {show(shape)}"
            )
        self.element_shape = tuple(b if a is None else a for a, b in zip(known, shape))

    def _grow(self, size: int) -> None:
        """Adds elements up to a size, if there are fewer."""
        missing = range(len(self._elements), size)
        self._elements.extend(Element() for _ in cancellation.checked(missing))

    def write(self, index: Array, value: Array) -> None:
        """Writes one element; in a gradient array, adds to it if there is one."""
        index = _position(index)
        self._open_elements()
        size = len(self._elements)
        if index < 0 or (not self.dynamic_size and index >= size):
            raise invalid(
                f"TensorArray {self.name}: Tried to write to index {index} but array is not "
                f"resizeable and size is: {size}"
            )
        self._grow(index + 1)
        shape = np.shape(value)
        cannot_write = f"TensorArray {self.name}: Could not write to TensorArray index {index}"
        if not compatible(self.element_shape, shape):
            raise invalid(
                f"{cannot_write} because the value shape is {show(shape)} which is incompatible "
                f"with the TensorArray's inferred element shape: {show(self.element_shape)} "
                "(consider setting infer_shape=False)."
            )
        if self._identical and not is_static(self.element_shape):
            self.element_shape = shape
        element = self._elements[index]
        if element.read:
            raise invalid(f"{cannot_write} because it has already been read.")
        if not element.written:
            element.value, element.shape, element.written = value, shape, True
            return
        if not self._is_gradient:
            raise invalid(f"{cannot_write} because it has already been written to.")
        if shape != element.shape:
            raise invalid(
                f"TensorArray {self.name}: Could not aggregate to TensorArray index {index} "
                f"because the existing shape is {show(element.shape)} but the new input shape is "
                f"{show(shape)}."
            )
        element.value = value if element.value is None else self._added(element.value, value)

    def _added(self, a: Array, b: Array) -> Array:
        if self.dtype in (dtypes.bool_, dtypes.string):
            raise invalid(f"tensor_array::AddToTensor type not supported: {self.dtype.name}")
        # The sum of NumPy scalars is not an array.
        return np.add(a, b, out=...) if isinstance(a, np.ndarray) and a.ndim == 0 else a + b

    def read(self, index: Array) -> Array:
        """Reads one element; zeros if nothing was written and the shape has been given."""
        index = _position(index)
        self._open_elements()
        size = len(self._elements)
        if index < 0 or (index >= size and not self._is_gradient):
            raise invalid(f"Tried to read from index {index} but array size is: {size}")
        if index >= size or not self._elements[index].written:
            shape = self._shape_of_unwritten(index)
            self._grow(index + 1)
            self._elements[index] = Element(shape)
        element = self._elements[index]
        if element.cleared:
            raise invalid(
                f"TensorArray {self.name}: Could not read index {index} twice because it was "
                "cleared after a previous read (perhaps try setting clear_after_read = false?)."
            )
        value = element.value
        if value is None:
            value = self._zeros(element.shape or ())
        element.read = True
        if self._clear_after_read:
            element.value, element.cleared = None, True
        else:
            element.value = value
        return value

    def _shape_of_unwritten(self, index: int) -> tuple[int, ...]:
        """The shape of the zeros for an unwritten element."""
        missing = (
            f"Could not read from TensorArray index {index} because it has not yet been written to."
        )
        if not is_static(self.element_shape):
            text = (
                f"TensorArray {self.name}: Could not read from TensorArray index {index}.  "
                "Furthermore, the element shape is not fully defined: "
                f"{show(self.element_shape)}.  It is possible you are working with a "
                "resizeable TensorArray and stop_gradients is not allowing the gradients to "
                "be written.  If you set the full element_shape property on the forward "
                "TensorArray, the proper all-zeros tensor will be returned instead of "
                "incurring this error."
            )
            raise errors.InvalidArgumentError(None, None, text, hint=missing)
        if not (self._is_gradient or self._shape_given):
            hint = "only arrays that are made with an element_shape have zeros there."
            text = f"TensorArray {self.name}: {missing}"
            raise errors.InvalidArgumentError(None, None, text, hint=hint)
        return self.element_shape

    def _zeros(self, shape: tuple[int, ...]) -> np.ndarray:
        if self.dtype is dtypes.string:
            raise invalid("tensor_array::TensorSetZero type not supported: string")
        return np.zeros(shape, self.dtype.numpy_dtype)

    def close(self) -> None:
        """Drops all elements; afterwards nothing can be written or read."""
        self._elements, self._rows = [Element() for _ in self._elements], None
        self._closed = True

    def _open_elements(self) -> None:
        if self._closed:
            raise invalid(f"TensorArray {self.name} has already been closed.")
        if self._rows is None:
            return
        rows, written, read = self._rows
        self._rows = None
        rows = np.asarray(rows)
        for i, element in enumerate(self._elements):
            element.written, element.read = bool(written[i]), bool(read[i])
            element.cleared = element.read and self._clear_after_read
            element.shape = rows.shape[1:] if element.written else None
            element.value = rows[i, ...] if element.written and not element.cleared else None

    # All at once

    def take_rows(self) -> Array | None:
        """Reads all elements at once; None if they are not rows of one array already."""
        if self._rows is None or self._closed:
            return None
        rows, written, read = self._rows
        if not written.all() or (self._clear_after_read and read.any()):
            return None
        self._rows = rows, written, np.ones_like(read)
        return rows

    def put_rows(self, rows: np.ndarray) -> bool:
        """Writes all elements at once if nothing has been written; returns whether it has."""
        fresh = self._rows is None and all(
            e.value is None and not e.read and (self._is_gradient or not e.written)
            for e in self._elements
        )
        fits = len(rows) == len(self._elements) and compatible(self.element_shape, rows.shape[1:])
        if self._closed or not fresh or not fits:
            return False
        if self._identical and not is_static(self.element_shape):
            self.element_shape = rows.shape[1:]
        size = len(rows)
        self._rows = rows, np.ones(size, np.bool_), np.zeros(size, np.bool_)
        return True

    # In programs

    @property
    def room(self) -> int | None:
        """How many elements a program can add; None if the number stays as it is."""
        return self.capacity() - len(self) if self.dynamic_size else None

    def capacity(self, padded: bool = False) -> int:
        """How many rows a program has: more than elements if the array can grow, or is padded."""
        size = len(self)
        if self.dynamic_size:
            return 1 << max(5, (size + size // 2).bit_length())
        return padded_size(size) if padded else size

    def kind(self) -> tuple[Any, ...]:
        """What tells programs for this array from others, besides shapes."""
        flags = self.dynamic_size, self._clear_after_read, self._is_gradient
        return "array", self.dtype.name, *flags

    def rows_shape(self, padded: bool = False) -> tuple[int, ...] | None:
        """The shape of the elements as rows of one array, None if no element's shape is known.

        Args:
            padded: whether there are more rows than elements, so that one program is for several
                sizes.

        Raises:
            NotUniform: if the elements cannot be rows of one array.
        """
        shape = self._element_shape()
        return None if shape is None else (self.capacity(padded), *shape)

    def _element_shape(self) -> tuple[int, ...] | None:
        if self._closed or self.dtype is dtypes.string:
            raise NotUniform
        if self._rows is not None:
            return np.shape(self._rows[0])[1:]
        found = {e.shape for e in self._elements if e.shape is not None}
        if is_static(self.element_shape):
            found.add(self.element_shape)
        if len(found) > 1:
            raise NotUniform
        return found.pop() if found else None

    def in_program(self, padded: bool = False) -> tuple[Any, Any, Any, Any]:
        """The elements as rows, None if no shape is known; which are written, which read; size."""
        if self._rows is None:
            rows = self._collected()
            written = np.array([e.written for e in self._elements], np.bool_)
            read = np.array([e.read for e in self._elements], np.bool_)
        else:
            rows, written, read = self._rows
        capacity = self.capacity(padded)
        if rows is not None:
            rows = with_rows(rows, capacity)
        return rows, with_rows(written, capacity), with_rows(read, capacity), np.int32(len(self))

    def _collected(self) -> Any:
        """The elements as rows; None if no shape is known."""
        elements = self._elements
        shape = self._element_shape()
        if shape is None:
            return None
        if not any(e.written for e in elements):
            return np.zeros((len(self), *shape), self.dtype.numpy_dtype)
        zeros = self._zeros(shape)
        return np.stack([zeros if e.value is None else np.asarray(e.value) for e in elements])

    def same_element(self) -> None:
        """Nothing is known of the elements; for stacks, see `StackResource`."""
        return None

    def traced(
        self,
        state: tuple[Any, Any, Any, Any],
        iterations: int,
        iteration: Iteration,
        padded: bool = False,
        element: np.ndarray | None = None,
    ) -> TracedTensorArray:
        """The traced counterpart of this array."""
        # Which are written: there may be no rows yet, and more elements by now.
        written = state[1]
        return TracedTensorArray(
            self.dtype,
            len(written),
            state,
            iteration,
            dynamic_size=self.dynamic_size,
            clear_after_read=self._clear_after_read,
            is_gradient=self._is_gradient,
        )

    def after_program(self, state: tuple[Any, Any, Any, Any]) -> None:
        """Takes over the elements that a program has computed."""
        rows, written, read, size = state
        count = int(size) if self.dynamic_size else len(self)
        if len(rows) > count:
            rows, written, read = (np.asarray(a)[:count] for a in (rows, written, read))
        if self.dynamic_size:
            self._elements = [Element() for _ in range(count)]
        self._rows = rows, np.asarray(written), np.asarray(read)
        if self._identical and not is_static(self.element_shape):
            self.element_shape = rows.shape[1:]


def _position(index: Array) -> int:
    if type(index) is int:
        return index
    array = np.asarray(index)
    if array.ndim:
        raise invalid(f"TensorArray index must be scalar, but had shape: {show(array.shape)}")
    return int(array)


def compatible(a: Shape, b: Shape) -> bool:
    """Whether there is a shape that is both."""
    if a is None or b is None:
        return True
    return len(a) == len(b) and all(x is None or y is None or x == y for x, y in zip(a, b))
