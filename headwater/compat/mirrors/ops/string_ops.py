"""tensorflow.python.ops.string_ops: what has no public name."""

from __future__ import annotations

from typing import Any

from headwater.graph import SparseTensor
from headwater.ops.strings.split import split

__all__ = ["string_split_v2"]


def string_split_v2(source: Any, sep: Any = None, maxsplit: int = -1) -> SparseTensor:
    """Splits strings as `str.split` does.

    Args:
        source: a vector of strings.
        sep: the string at which to split; white space if None or empty.
        maxsplit: the greatest number of splits of one string; -1 for any number.

    Returns:
        A SparseTensor of shape [number of strings, greatest number of parts].
    """
    return split(source, sep, maxsplit)
