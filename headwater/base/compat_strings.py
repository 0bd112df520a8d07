"""Text and bytes, and the groups of number types, for programs of both Python eras."""

from __future__ import annotations

import numbers
import os
from typing import Any, Final

import numpy as np

from headwater.base.export import export, export_value

integral_types: Final = (numbers.Integral, np.integer)
real_types: Final = (numbers.Real, np.integer, np.floating)
complex_types: Final = (numbers.Complex, np.number)
bytes_or_text_types: Final = (bytes, str)


@export("compat.as_bytes")
def as_bytes(bytes_or_text: Any, encoding: str = "utf-8") -> bytes:
    """Converts text to bytes; bytes come back as they are.

    Args:
      bytes_or_text: a str, bytes or bytearray.
      encoding: how text is encoded.

    Returns:
      The bytes.

    Raises:
      TypeError: if the value is neither.
    """
    if isinstance(bytes_or_text, str):
        return bytes_or_text.encode(encoding)
    if isinstance(bytes_or_text, bytearray):
        return bytes(bytes_or_text)
    if isinstance(bytes_or_text, bytes):
        return bytes_or_text
    raise TypeError(f"Expected binary or unicode string, got {bytes_or_text!r}")


@export("compat.as_text", "compat.as_str")
def as_text(bytes_or_text: Any, encoding: str = "utf-8") -> str:
    """Converts bytes to text; text comes back as it is.

    Args:
      bytes_or_text: a str or bytes.
      encoding: how the bytes are encoded.

    Returns:
      The text.

    Raises:
      TypeError: if the value is neither.
    """
    if isinstance(bytes_or_text, str):
        return bytes_or_text
    if isinstance(bytes_or_text, bytes):
        return bytes_or_text.decode(encoding)
    raise TypeError(f"Expected binary or unicode string, got {bytes_or_text!r}")


as_str = as_text


@export("compat.as_str_any")
def as_str_any(value: Any) -> str:
    """Converts any value to text.

    Args:
      value: anything.

    Returns:
      Bytes decoded as UTF-8, everything else as `str` gives it.
    """
    return as_text(value) if isinstance(value, bytes) else str(value)


@export("compat.path_to_str")
def path_to_str(path: Any) -> Any:
    """Converts a path object to text.

    Args:
      path: a path object, such as a `pathlib.Path`, or anything else.

    Returns:
      The text of a path object; any other value as it is.
    """
    return as_str_any(os.fspath(path)) if isinstance(path, os.PathLike) else path


export_value("compat.integral_types", integral_types)
export_value("compat.real_types", real_types)
export_value("compat.complex_types", complex_types)
export_value("compat.bytes_or_text_types", bytes_or_text_types)
