"""Static shapes: TensorShape and its plain form, a tuple of int or None."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

from headwater.base.dimension import Dimension as Dimension
from headwater.base.dimension import as_dimension as as_dimension
from headwater.base.dimension import as_size as as_size
from headwater.base.dimension import dimension_value as dimension_value
from headwater.base.export import export

# A size, or None where it is unknown; a whole shape is None where even the rank is unknown.
Dims: TypeAlias = tuple["int | None", ...]

# Set by a higher layer, which may import protos.
proto_makers: dict[str, Callable[[Any], Any]] = {}


def as_tuple(shape: Any) -> Dims | None:
    """Converts a shape in any form to the plain form.

    Args:
      shape: a TensorShape, an iterable of sizes (int, None, Dimension, NumPy integer), one size
        (a shape of rank 1), None (unknown rank), or a TensorShapeProto.

    Returns:
      A tuple with an int or None per axis, or None for unknown rank.

    Raises:
      TypeError: for text, or where a size is not a number.
      ValueError: if a size is negative or not a whole number.
    """
    if shape is None:
        return None
    if isinstance(shape, TensorShape):
        return shape._dims
    if isinstance(shape, (str, bytes)):
        raise TypeError(
            "A string has ambiguous TensorShape, please wrap in a "
            f"list or convert to an int: {shape!s}"
        )
    if hasattr(shape, "unknown_rank") and hasattr(shape, "dim"):
        if shape.unknown_rank:
            return None
        return tuple(None if dim.size == -1 else as_size(dim.size) for dim in shape.dim)
    try:
        sizes = iter(shape)
    except TypeError:
        return (as_size(shape),)
    return tuple(as_size(size) for size in sizes)


def format_dims(dims: Dims | None) -> str:
    """Writes a shape in the plain form as error texts show it: (2, ?), (3,), <unknown>."""
    if dims is None:
        return "<unknown>"
    sizes = ["?" if size is None else str(size) for size in dims]
    return f"({sizes[0]},)" if len(sizes) == 1 else f"({', '.join(sizes)})"


def dims_compatible(a: Dims | None, b: Dims | None) -> bool:
    """True if some shape fits both descriptions."""
    if a is None or b is None:
        return True
    return len(a) == len(b) and all(
        x is None or y is None or x == y for x, y in zip(a, b, strict=True)
    )


def merge_dims(a: Dims | None, b: Dims | None) -> Dims | None:
    """Merges two descriptions of one shape, in the plain form.

    Raises:
      ValueError: if no shape fits both.
    """
    if a is None or b is None:
        return b if a is None else a
    if not dims_compatible(a, b):
        raise ValueError(f"Shapes {format_dims(a)} and {format_dims(b)} are not compatible")
    return tuple(y if x is None else x for x, y in zip(a, b, strict=True))


@export("TensorShape")
class TensorShape:
    """The static shape of a tensor: fully known, partly known, or of unknown rank.

    Args:
      dims: an iterable of sizes, one size, None (unknown rank), a TensorShape, or a
        TensorShapeProto.

    Raises:
      TypeError: if `dims` cannot be a shape.
      ValueError: if a size is negative or not a whole number.
    """

    __slots__ = ("_dims",)

    _dims: Dims | None

    def __init__(self, dims: Any) -> None:
        self._dims = as_tuple(dims)

    def to_tuple(self) -> Dims | None:
        """The plain form: a tuple with an int or None per axis, or None for unknown rank."""
        return self._dims

    @property
    def dims(self) -> list[Dimension] | None:
        """The axes as a new list of Dimensions, or None for unknown rank."""
        return None if self._dims is None else [Dimension(size) for size in self._dims]

    @property
    def ndims(self) -> int | None:
        """The rank, or None if unknown."""
        return None if self._dims is None else len(self._dims)

    rank = ndims

    def as_list(self) -> list[int | None]:
        """The sizes as a list with None where a size is unknown.

        Raises:
          ValueError: if the rank is unknown.
        """
        if self._dims is None:
            raise ValueError("as_list() is not defined on an unknown TensorShape.")
        return list(self._dims)

    def as_proto(self) -> Any:
        """This shape as a TensorShapeProto."""
        return proto_makers["shape"](self._dims)

    def num_elements(self) -> int | None:
        """The product of the sizes, or None if the shape is not fully known."""
        if self._dims is None:
            return None
        product = 1
        for size in self._dims:
            if size is None:
                return None
            product *= size
        return product

    def is_fully_defined(self) -> bool:
        """True if every size is known."""
        return self._dims is not None and None not in self._dims

    def assert_is_fully_defined(self) -> None:
        """Raises ValueError if a size is unknown."""
        if not self.is_fully_defined():
            raise ValueError(f"Shape {self} is not fully defined")

    def is_compatible_with(self, other: Any) -> bool:
        """True if some shape fits both descriptions."""
        return dims_compatible(self._dims, as_tuple(other))

    def assert_is_compatible_with(self, other: Any) -> None:
        """Raises ValueError if no shape fits both descriptions."""
        if not self.is_compatible_with(other):
            raise ValueError(f"Shapes {self} and {other} are incompatible")

    def merge_with(self, other: Any) -> TensorShape:
        """Merges two descriptions of one shape.

        Raises:
          ValueError: if no shape fits both.
        """
        return TensorShape(merge_dims(self._dims, as_tuple(other)))

    def most_specific_compatible_shape(self, other: Any) -> TensorShape:
        """The most precise description that both shapes fit: unknown where they differ."""
        dims = as_tuple(other)
        if self._dims is None or dims is None or len(self._dims) != len(dims):
            return TensorShape(None)
        return TensorShape(x if x == y else None for x, y in zip(self._dims, dims, strict=True))

    def concatenate(self, other: Any) -> TensorShape:
        """The axes of this shape followed by those of `other`; unknown if either rank is."""
        dims = as_tuple(other)
        return TensorShape(None if self._dims is None or dims is None else self._dims + dims)

    def __add__(self, other: Any) -> TensorShape:
        return self.concatenate(other)

    def __radd__(self, other: Any) -> TensorShape:
        return as_shape(other).concatenate(self)

    __concat__ = concatenate

    def assert_same_rank(self, other: Any) -> None:
        """Raises ValueError if both ranks are known and differ."""
        other = as_shape(other)
        if self.ndims is not None and other.ndims is not None and self.ndims != other.ndims:
            raise ValueError(f"Shapes {self} and {other} must have the same rank")

    def assert_has_rank(self, rank: int) -> None:
        """Raises ValueError if the rank is known and is not `rank`."""
        if self.ndims not in (None, rank):
            raise ValueError(f"Shape {self} must have rank {rank}")

    def with_rank(self, rank: int) -> TensorShape:
        """This shape, with the rank filled in if it was unknown.

        Raises:
          ValueError: if the rank is known and is not `rank`.
        """
        try:
            return self.merge_with(unknown_shape(rank))
        except ValueError:
            raise ValueError(f"Shape {self} must have rank {rank}") from None

    def with_rank_at_least(self, rank: int) -> TensorShape:
        """This shape.

        Raises:
          ValueError: if the rank is known and lower than `rank`.
        """
        if self.ndims is not None and self.ndims < rank:
            raise ValueError(f"Shape {self} must have rank at least {rank}")
        return self

    def with_rank_at_most(self, rank: int) -> TensorShape:
        """This shape.

        Raises:
          ValueError: if the rank is known and higher than `rank`.
        """
        if self.ndims is not None and self.ndims > rank:
            raise ValueError(f"Shape {self} must have rank at most {rank}")
        return self

    def __len__(self) -> int:
        if self._dims is None:
            raise ValueError("Cannot take the length of shape with unknown rank.")
        return len(self._dims)

    def __bool__(self) -> bool:
        return self._dims is not None

    __nonzero__ = __bool__

    def __iter__(self) -> Iterator[Dimension]:
        if self._dims is None:
            raise ValueError("Cannot iterate over a shape with unknown rank.")
        return iter([Dimension(size) for size in self._dims])

    def __getitem__(self, key: Any) -> Any:
        if self._dims is not None:
            if isinstance(key, slice):
                return TensorShape(self._dims[key])
            try:
                return Dimension(self._dims[key])
            except IndexError:
                raise IndexError("list index out of range") from None
        if not isinstance(key, slice):
            return Dimension(None)
        if key.step is not None:
            raise ValueError("Steps are not yet handled")
        start = 0 if key.start is None else operator.index(key.start)
        stop = None if key.stop is None else operator.index(key.stop)
        # A slice that counts from the end of a shape of unknown rank has an unknown length.
        if stop is None or stop < 0 or start < 0:
            return TensorShape(None)
        return unknown_shape(max(stop - start, 0))

    def __eq__(self, other: object) -> bool:
        try:
            dims = as_tuple(other)
        except (TypeError, ValueError):
            return NotImplemented
        if self._dims is None or dims is None:
            return self._dims is dims
        # An unknown size equals nothing, not even another unknown size.
        return self._dims == dims and None not in dims

    def __ne__(self, other: object) -> bool:
        try:
            dims = as_tuple(other)
        except (TypeError, ValueError):
            return NotImplemented
        if self._dims is None or dims is None:
            raise ValueError("The inequality of unknown TensorShapes is undefined.")
        return not self == other

    __hash__ = None  # type: ignore[assignment]

    def __str__(self) -> str:
        return format_dims(self._dims)

    def __repr__(self) -> str:
        return f"TensorShape({self.dims})"

    def __reduce__(self) -> tuple[Any, ...]:
        return TensorShape, (self._dims,)


def as_shape(shape: Any) -> TensorShape:
    """Converts `shape` to a TensorShape; a TensorShape comes back as it is."""
    return shape if isinstance(shape, TensorShape) else TensorShape(shape)


def unknown_shape(ndims: int | None = None, rank: int | None = None) -> TensorShape:
    """A shape with unknown dimensions, or of unknown rank."""
    ndims = rank if ndims is None else ndims
    return TensorShape(None if ndims is None else [None] * ndims)


def scalar() -> TensorShape:
    """The shape of rank 0."""
    return TensorShape([])


def vector(length: Any) -> TensorShape:
    """A shape of rank 1."""
    return TensorShape([length])


def matrix(rows: Any, cols: Any) -> TensorShape:
    """A shape of rank 2."""
    return TensorShape([rows, cols])


@export("dimension_at_index", "compat.dimension_at_index")
def dimension_at_index(shape: TensorShape, index: int) -> Dimension:
    """Picks one axis of a shape.

    Args:
      shape: a TensorShape.
      index: the number of the axis.

    Returns:
      The Dimension; one of unknown size if the rank is unknown.
    """
    return Dimension(None) if shape.ndims is None else shape[index]
