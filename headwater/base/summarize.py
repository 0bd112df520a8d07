"""Short texts of arrays, as `tf.Print` and `tf.Assert` write them."""

from __future__ import annotations

from typing import Any

import numpy as np

_ESCAPES = {10: "\\n", 13: "\\r", 9: "\\t", 34: '\\"', 39: "\\'", 92: "\\\\"}


def summarize(array: np.ndarray, limit: int) -> str:
    """The first elements of an array: ``[1 2 3...]``, ``[[1 2][3...]...]``, ``[7]``.

    Args:
        array: any array.
        limit: the number of elements that are shown; negative for all.

    Returns:
        One line of text.
    """
    array = np.asarray(array)
    if limit < 0:
        limit = array.size
    if array.ndim == 0:
        return f"[{element_text(array[()])}]" if limit else "[...]"
    shown = [element_text(value) for value in array.ravel()[:limit]]
    text = _dimension(array.shape, 0, shown, [0])
    return f"[{text}{'...' if array.size > limit else ''}]"


def _dimension(shape: tuple[int, ...], axis: int, shown: list[str], position: list[int]) -> str:
    """The text of one dimension; `position` counts the elements that are written."""
    parts: list[str] = []
    if axis == len(shape) - 1:
        for _ in range(shape[axis]):
            if position[0] >= len(shown):
                return " ".join(parts) + ("..." if axis else "")
            parts.append(shown[position[0]])
            position[0] += 1
        return " ".join(parts)
    for _ in range(shape[axis]):
        if position[0] >= len(shown):
            break
        parts.append(f"[{_dimension(shape, axis + 1, shown, position)}]")
    return "".join(parts)


def element_text(value: Any) -> str:
    """The text of one element."""
    if isinstance(value, bytes):
        return "".join(_ESCAPES.get(byte) or _escaped(byte) for byte in value)
    if isinstance(value, (bool, np.bool_)):
        return str(int(value))
    if isinstance(value, np.floating):
        return _shortest(value)
    if isinstance(value, np.complexfloating):
        return "?"
    return str(value)


def _escaped(byte: int) -> str:
    return chr(byte) if 32 <= byte < 127 else f"\\{byte:03o}"


def _shortest(value: np.floating) -> str:
    """The fewest digits of two sizes that give the same number back."""
    few, many = (15, 17) if value.dtype == np.float64 else (6, 9)
    text = f"{float(value):.{few}g}"
    if type(value)(text) != value and not np.isnan(value):
        text = f"{float(value):.{many}g}"
    return text
