"""Element types of tensors."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

import ml_dtypes
import numpy as np

from headwater.base.export import export, export_value
from headwater.base.typing import DTypeLike

# A dtype whose enum is n has a twin, the type of a reference to a variable, whose enum is n + 100.
_REF_OFFSET: Final = 100


def _quantized(name: str, storage: type[np.generic]) -> np.dtype[Any]:
    return np.dtype([(name, storage)])


# name -> (enum, NumPy dtype, kind). Kinds: f float, i integer, u unsigned, c complex, b bool,
# q quantized, s string, h handle (no NumPy form).
_TABLE: Final[dict[str, tuple[int, np.dtype[Any] | None, str]]] = {
    "float32": (1, np.dtype(np.float32), "f"),
    "float64": (2, np.dtype(np.float64), "f"),
    "int32": (3, np.dtype(np.int32), "i"),
    "uint8": (4, np.dtype(np.uint8), "u"),
    "int16": (5, np.dtype(np.int16), "i"),
    "int8": (6, np.dtype(np.int8), "i"),
    "string": (7, np.dtype(object), "s"),
    "complex64": (8, np.dtype(np.complex64), "c"),
    "int64": (9, np.dtype(np.int64), "i"),
    "bool": (10, np.dtype(bool), "b"),
    "qint8": (11, _quantized("qint8", np.int8), "q"),
    "quint8": (12, _quantized("quint8", np.uint8), "q"),
    "qint32": (13, _quantized("qint32", np.int32), "q"),
    "bfloat16": (14, np.dtype(ml_dtypes.bfloat16), "f"),
    "qint16": (15, _quantized("qint16", np.int16), "q"),
    "quint16": (16, _quantized("quint16", np.uint16), "q"),
    "uint16": (17, np.dtype(np.uint16), "u"),
    "complex128": (18, np.dtype(np.complex128), "c"),
    "float16": (19, np.dtype(np.float16), "f"),
    "resource": (20, None, "h"),
    "variant": (21, None, "h"),
    "uint32": (22, np.dtype(np.uint32), "u"),
    "uint64": (23, np.dtype(np.uint64), "u"),
}

_BY_ENUM: dict[int, DType] = {}


@export("DType", "dtypes.DType")
class DType:
    """The element type of a tensor, or of a reference to a variable.

    There is one object per type, so dtypes may be compared by identity. Besides the public
    properties, `numpy_dtype` is the `np.dtype` (None for resource and variant).

    Args:
      type_enum: the number of the type in the DataType proto enum.

    Raises:
      TypeError: if there is no type with this number.
    """

    __slots__ = (
        "_as_ref",
        "_is_ref_dtype",
        "_kind",
        "_real",
        "_type_enum",
        "base_dtype",
        "is_bool",
        "is_complex",
        "is_floating",
        "is_integer",
        "is_numpy_compatible",
        "is_quantized",
        "is_unsigned",
        "name",
        "numpy_dtype",
    )

    _as_ref: DType
    _is_ref_dtype: bool
    _kind: str
    _real: DType
    _type_enum: int
    base_dtype: DType
    is_bool: bool
    is_complex: bool
    is_floating: bool
    is_integer: bool
    is_numpy_compatible: bool
    is_quantized: bool
    is_unsigned: bool
    name: str
    numpy_dtype: np.dtype[Any] | None

    def __new__(cls, type_enum: int) -> DType:
        try:
            return _BY_ENUM[int(type_enum)]
        except KeyError:
            raise TypeError(f"type_enum is not a valid types_pb2.DataType: {type_enum}") from None

    @property
    def is_ref_dtype(self) -> bool:
        """Whether this is the type of a reference to a variable."""
        return self._is_ref_dtype

    @property
    def as_ref(self) -> DType:
        """The type of references to variables of this type."""
        return self._as_ref

    @property
    def as_datatype_enum(self) -> int:
        """The number of the type in the DataType proto enum."""
        return self._type_enum

    @property
    def as_numpy_dtype(self) -> Any:
        """The NumPy scalar type (`bool` and `object` for bool and string), or a record dtype."""
        if self.numpy_dtype is None:
            raise KeyError(self._type_enum)
        if self._kind == "q":
            return self.numpy_dtype
        if self._kind == "b":
            return bool
        if self._kind == "s":
            return object
        return self.numpy_dtype.type

    @property
    def real_dtype(self) -> DType:
        """The dtype of the real and imaginary parts; the dtype itself if it is not complex."""
        return self._real

    @property
    def min(self) -> Any:
        """The lowest finite value.

        Raises:
          TypeError: if the type is not an integer or floating point type.
        """
        return self._extreme("minimum", lambda info: info.min)

    @property
    def max(self) -> Any:
        """The highest finite value.

        Raises:
          TypeError: if the type is not an integer or floating point type.
        """
        return self._extreme("maximum", lambda info: info.max)

    def _extreme(self, what: str, pick: Callable[[Any], Any]) -> Any:
        if self.numpy_dtype is not None and self._kind in "iu":
            return pick(np.iinfo(self.numpy_dtype))
        if self.numpy_dtype is not None and self._kind == "f":
            finfo: Callable[[Any], Any] = ml_dtypes.finfo
            return pick(finfo(self.numpy_dtype))
        raise TypeError(f"Cannot find {what} value of {self}.")

    @property
    def limits(self) -> tuple[int, int]:
        """The range of intensities of an image of this type: (0, 1) or (0, maximum).

        Raises:
          KeyError: if images of this type have no usual range.
        """
        if self._kind in "iu":
            return 0, self.max
        if self._type_enum % _REF_OFFSET in (1, 2):
            return 0, 1
        raise KeyError(self.as_numpy_dtype)

    @property
    def size(self) -> int:
        """The number of bytes of one element (of a pointer for string, 1 for handles)."""
        return 1 if self.numpy_dtype is None else self.numpy_dtype.itemsize

    def is_compatible_with(self, other: DTypeLike) -> bool:
        """True if `other` is this dtype or the reference type of it.

        Args:
          other: a DType or anything that `as_dtype` converts.

        Raises:
          TypeError: if `other` cannot be converted.
        """
        other = as_dtype(other)
        return self is other or self is other.base_dtype

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if other is None or isinstance(other, DType):
            return False
        try:
            return self is as_dtype(other)
        except TypeError:
            return False

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return self._type_enum

    def __int__(self) -> int:
        return self._type_enum

    def __str__(self) -> str:
        return f"<dtype: '{self.name}'>"

    def __repr__(self) -> str:
        return f"tf.{self.name}"

    def __reduce__(self) -> tuple[Any, ...]:
        return as_dtype, (self.name,)


def _make_types() -> None:
    for name, (enum, numpy_dtype, kind) in _TABLE.items():
        base = object.__new__(DType)
        ref = object.__new__(DType)
        for dtype, is_ref in ((base, False), (ref, True)):
            dtype._type_enum = enum + _REF_OFFSET * is_ref
            dtype._is_ref_dtype = is_ref
            dtype._kind = kind
            dtype._as_ref = ref
            dtype._real = dtype
            dtype.base_dtype = base
            dtype.name = name + "_ref" * is_ref
            dtype.numpy_dtype = numpy_dtype
            dtype.is_bool = kind == "b"
            dtype.is_complex = kind == "c"
            dtype.is_floating = kind == "f"
            dtype.is_integer = kind in "iu"
            # A reference type has no NumPy dtype of its own.
            dtype.is_numpy_compatible = numpy_dtype is not None
            dtype.is_quantized = kind == "q"
            dtype.is_unsigned = kind == "u"
            _BY_ENUM[dtype._type_enum] = dtype
    for complex_enum, real_enum in ((8, 1), (18, 2)):
        for offset in (0, _REF_OFFSET):
            _BY_ENUM[complex_enum + offset]._real = _BY_ENUM[real_enum]


_make_types()

float32 = DType(1)
float64 = double = DType(2)
int32 = DType(3)
uint8 = DType(4)
int16 = DType(5)
int8 = DType(6)
string = DType(7)
complex64 = DType(8)
int64 = DType(9)
bool_ = DType(10)
qint8 = DType(11)
quint8 = DType(12)
qint32 = DType(13)
bfloat16 = DType(14)
qint16 = DType(15)
quint16 = DType(16)
uint16 = DType(17)
complex128 = DType(18)
float16 = half = DType(19)
resource = DType(20)
variant = DType(21)
uint32 = DType(22)
uint64 = DType(23)

QUANTIZED_DTYPES: Final = frozenset(dtype for dtype in _BY_ENUM.values() if dtype.is_quantized)


def _conversions() -> dict[Any, DType]:
    """What `as_dtype` finds by one look-up."""
    table: dict[Any, DType] = dict(_BY_ENUM)
    for dtype in _BY_ENUM.values():
        table[dtype.name] = dtype
    for alias, name in (("half", "float16"), ("float", "float32"), ("double", "float64")):
        table[alias] = table[name]
        table[alias + "_ref"] = table[name + "_ref"]
    for name, (enum, numpy_dtype, kind) in _TABLE.items():
        if numpy_dtype is None:
            table[np.dtype([(name, np.ubyte)])] = _BY_ENUM[enum]
        else:
            table[numpy_dtype] = _BY_ENUM[enum]
            if kind != "q":
                table[numpy_dtype.type] = _BY_ENUM[enum]
    # C long and long long have the same width on 64-bit Unix but are distinct NumPy types.
    for c_type in (np.intc, np.int_, np.longlong, np.uintc, np.uint, np.ulonglong):
        table[c_type] = table[np.dtype(c_type).newbyteorder("=")]
    table |= {np.str_: string, np.bytes_: string, object: string, float: float32, bool: bool_}
    return table


_CONVERSIONS: Final[dict[Any, DType]] = _conversions()


@export("as_dtype", "dtypes.as_dtype")
def as_dtype(type_value: Any) -> DType:
    """Converts a value to a dtype.

    Args:
      type_value: a DType, a number of the DataType enum, a name such as "float32", "float" or
        "float32_ref", an `np.dtype`, a NumPy scalar type, or `float`, `bool`, `object`.

    Returns:
      The DType.

    Raises:
      TypeError: if there is no such type.
    """
    if type_value.__class__ is DType:
        return type_value
    try:
        return _CONVERSIONS[type_value]
    except KeyError:
        pass
    if isinstance(type_value, np.dtype):
        if type_value.kind in "SU":
            return string
        # Byte order and the platform's second name for a width do not matter.
        native = type_value.newbyteorder("=")
        for candidate in (native, getattr(native, "type", None)):
            if candidate in _CONVERSIONS:
                return _CONVERSIONS[candidate]
    raise TypeError(f"Cannot convert value {type_value!r} to a TensorFlow DType.")


def proto_name(dtype: DType) -> str:
    """The name of a type in messages of the runtime: ``float``, ``double``, ``int32``, ..."""
    return {"float32": "float", "float64": "double", "float16": "half"}.get(dtype.name, dtype.name)


if not TYPE_CHECKING:

    def __getattr__(name: str) -> DType:
        """Public names that differ from those in this module: `bool` and `float32_ref`."""
        if name == "bool" or name.endswith("_ref"):
            return _CONVERSIONS[name]
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


for _name in _TABLE:
    export_value(_name, as_dtype(_name))
    export_value("dtypes." + _name, as_dtype(_name))
for _name in ("half", "double"):
    export_value(_name, as_dtype(_name))
    export_value("dtypes." + _name, as_dtype(_name))
# The types of early releases have public references.
for _name in _TABLE:
    if _name not in ("resource", "variant", "uint32", "uint64"):
        export_value(f"{_name}_ref", as_dtype(f"{_name}_ref"))
export_value("QUANTIZED_DTYPES", QUANTIZED_DTYPES)
export_value("dtypes.QUANTIZED_DTYPES", QUANTIZED_DTYPES)
