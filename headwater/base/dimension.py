"""The size of one axis of a shape."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, NoReturn

from headwater.base.export import export


def as_size(value: Any) -> int | None:
    """Converts an int, None, Dimension, NumPy integer, whole float or digits to a plain size.

    Raises:
      ValueError: if the size is negative or not a whole number.
      TypeError: if `value` is not a number at all.
    """
    if value is None or (value.__class__ is int and value >= 0):
        return value
    if isinstance(value, Dimension):
        return value.value
    size = int(value)
    if not isinstance(value, (str, bytes)) and size != value:
        raise ValueError(f"Ambiguous dimension: {value}")
    if size < 0:
        raise ValueError(f"Dimension {size} must be >= 0")
    return size


def _combine(a: Any, b: Any, function: Callable[[int, int], int]) -> Dimension:
    left, right = as_size(a), as_size(b)
    return Dimension(None if left is None or right is None else function(left, right))


def _operand(value: Any) -> bool:
    """True if `value` may be an operand of Dimension arithmetic (floats and text may not)."""
    return value is None or isinstance(value, Dimension) or hasattr(value, "__index__")


def _arithmetic(function: Callable[[int, int], int]) -> tuple[Any, Any]:
    """The left-hand and right-hand methods of one binary operator."""

    def left(self: Dimension, other: Any) -> Any:
        return _combine(self, other, function) if _operand(other) else NotImplemented

    def right(self: Dimension, other: Any) -> Any:
        return _combine(other, self, function) if _operand(other) else NotImplemented

    return left, right


def _comparison(function: Callable[[int, int], bool]) -> Any:
    def compare(self: Dimension, other: Any) -> bool | None:
        size = as_size(other)
        return None if self.value is None or size is None else function(self.value, size)

    return compare


@export("Dimension")
class Dimension:
    """The size of one axis of a shape; None if it is not known.

    Arithmetic with an unknown size gives an unknown size, comparison with it gives None.

    Args:
      value: a Dimension, an integer >= 0, or None.

    Raises:
      ValueError: if `value` is negative or not a whole number.
    """

    __slots__ = ("value",)

    value: int | None

    def __init__(self, value: Any) -> None:
        self.value = as_size(value)

    @property
    def _value(self) -> int | None:
        return self.value

    __add__, __radd__ = _arithmetic(operator.add)
    __sub__, __rsub__ = _arithmetic(operator.sub)
    __mul__, __rmul__ = _arithmetic(operator.mul)
    __floordiv__, __rfloordiv__ = _arithmetic(operator.floordiv)
    __mod__, __rmod__ = _arithmetic(operator.mod)
    __lt__ = _comparison(operator.lt)
    __le__ = _comparison(operator.le)
    __gt__ = _comparison(operator.gt)
    __ge__ = _comparison(operator.ge)
    # Python 2's operator for `/`; programs call it by name.
    __div__ = __floordiv__

    def __truediv__(self, other: Any) -> NoReturn:
        raise TypeError(
            f"unsupported operand type(s) for /: 'Dimension' and '{type(other).__name__}', "
            "please use // instead"
        )

    def __rtruediv__(self, other: Any) -> NoReturn:
        raise TypeError(
            f"unsupported operand type(s) for /: '{type(other).__name__}' and 'Dimension', "
            "please use // instead"
        )

    __rdiv__ = __rtruediv__

    def __eq__(self, other: object) -> bool | None:  # type: ignore[override]
        try:
            size = as_size(other)
        except (TypeError, ValueError):
            return False
        return None if self.value is None or size is None else self.value == size

    def __ne__(self, other: object) -> bool | None:  # type: ignore[override]
        equal = self == other
        return None if equal is None else not equal

    # An unknown size is not even equal to itself, so it cannot be a key.
    __hash__ = None  # type: ignore[assignment]

    def __int__(self) -> int:
        return self.value  # type: ignore[return-value]

    def __index__(self) -> int:
        return self.value  # type: ignore[return-value]

    def __bool__(self) -> bool:
        return True

    def is_compatible_with(self, other: Any) -> bool:
        """True if the sizes are equal or one of them is unknown."""
        size = as_size(other)
        return self.value is None or size is None or self.value == size

    def assert_is_compatible_with(self, other: Any) -> None:
        """Raises ValueError if the sizes are known and differ."""
        if not self.is_compatible_with(other):
            raise ValueError(f"Dimensions {self} and {other} are not compatible")

    def merge_with(self, other: Any) -> Dimension:
        """Merges two descriptions of one size.

        Raises:
          ValueError: if both are known and differ.
        """
        other = as_dimension(other)
        self.assert_is_compatible_with(other)
        return other if self.value is None else self

    def __str__(self) -> str:
        return "?" if self.value is None else str(self.value)

    def __repr__(self) -> str:
        return f"Dimension({self.value})"

    def __reduce__(self) -> tuple[Any, ...]:
        return Dimension, (self.value,)


def as_dimension(value: Any) -> Dimension:
    """Converts `value` to a Dimension; a Dimension comes back as it is."""
    return value if isinstance(value, Dimension) else Dimension(value)


@export("dimension_value", "compat.dimension_value")
def dimension_value(dimension: Any) -> Any:
    """Takes the plain size out of a Dimension.

    Args:
      dimension: a Dimension, or a plain size.

    Returns:
      The size of a Dimension as an int or None; any other value as it is.
    """
    return dimension.value if isinstance(dimension, Dimension) else dimension
