"""Values of the features of Example protos as arrays."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from headwater.base import errors
from headwater.base.dtypes import DType, proto_name
from headwater.base.typing import TensorLike

if TYPE_CHECKING:
    from headwater.protos.example_pb2 import Example, SequenceExample
    from headwater.protos.feature_pb2 import Feature

FIELDS = {"float": "float_list", "int64": "int64_list", "string": "bytes_list"}
KINDS = {field: kind for kind, field in FIELDS.items()}
TITLES = {"float": "float", "int64": "int64", "string": "bytes"}


def fail(text: str) -> NoReturn:
    """Raises InvalidArgumentError."""
    raise errors.InvalidArgumentError(None, None, text)


def text_of(key: str | bytes) -> str:
    """A key as a proto has it; bytes that are not UTF-8 are the key of no feature."""
    return key.decode("utf-8", "surrogateescape") if isinstance(key, bytes) else str(key)


def parsed(message_type: Any, serialized: bytes, name: str = "") -> Example | SequenceExample:
    """Parses a message.

    Raises:
        InvalidArgumentError: if the bytes are not such a message.
    """
    try:
        return message_type.FromString(serialized)
    except Exception:
        value = serialized[:200].decode("utf-8", "backslashreplace")
        who = f" (name: {name})" if name else ""
        fail(f"Could not parse example input, value: '{value}'{who}")


def array_of(feature: Any, dtype: DType) -> np.ndarray:
    """The values of a feature that holds values of this type."""
    kind = proto_name(dtype)
    values = getattr(feature, FIELDS[kind]).value
    if kind != "string":
        return np.array(values, dtype.numpy_dtype)
    result = np.empty(len(values), object)
    result[:] = list(values)
    return result


def kind_of(feature: Feature) -> str | None:
    """Which type of values a feature holds: float, int64 or string; None if it has no list."""
    field = feature.WhichOneof("kind")
    return None if field is None else KINDS[field]


def joined(parts: list[np.ndarray], dtype: DType) -> np.ndarray:
    """One vector of several."""
    return np.concatenate([np.empty(0, dtype.numpy_dtype), *parts])


def positions(lengths: TensorLike) -> np.ndarray:
    """The index vectors of the elements of rows of these lengths."""
    counts = np.asarray(lengths, np.int64)
    rows = np.arange(len(counts)).repeat(counts)
    result = np.empty((len(rows), 2), np.int64)
    result[:, 0] = rows
    before = counts.cumsum()
    before -= counts
    np.subtract(np.arange(len(rows)), before.take(rows), out=result[:, 1])
    return result


def shown(shape: Sequence[int]) -> str:
    """A shape as texts of errors show it: ``[?,2]``."""
    return "[" + ",".join("?" if d is None else str(int(d)) for d in shape) + "]"


def size_of(shape: Any) -> int:
    """The number of elements of a shape."""
    return math.prod(map(int, shape))


def empty_of(dtype: DType) -> Any:
    """The default for missing values."""
    return b"" if proto_name(dtype) == "string" else 0
