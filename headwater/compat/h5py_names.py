"""What h5py 3 has dropped and programs of its second release use, Keras 2 among them.

An attribute of a file that was stored as bytes used to be read as bytes and is read as a string
today. Old programs decode it, so the strings get a method `decode`; newer programs see strings.
"""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable
from typing import Any

import numpy as np

from headwater.compat.old_names import ChangeOfFunction, Find, OldNames, constant


class _Text(str):
    """A string that can be decoded as if it were bytes."""

    __slots__ = ()

    def decode(self, encoding: str = "utf-8", errors: str = "strict") -> str:
        """The string itself."""
        return str(self)


def _with_decode(value: Any) -> Any:
    if isinstance(value, str):
        return _Text(value)
    if isinstance(value, np.ndarray) and value.dtype == object:
        texts = [_Text(item) if isinstance(item, str) else item for item in value.flat]
        return np.array(texts, value.dtype).reshape(value.shape)
    return value


def _decodable(read: Callable[..., Any]) -> Callable[..., Any]:
    """Lets what is read from an attribute be decoded."""
    return lambda self, name: _with_decode(read(self, name))


def _with_old_mode(init: Callable[..., Any]) -> Callable[..., Any]:
    """Gives `File(name)` its old mode: a file is made, or opened to be changed if it may be."""
    default = inspect.signature(init).parameters["mode"].default

    def new_init(self: Any, name: Any, mode: str | None = None, *args: Any, **kwargs: Any) -> None:
        if mode is None and isinstance(name, (str, bytes, os.PathLike)):
            mode = "a" if os.access(name, os.W_OK) or not os.path.lexists(name) else "r"
        init(self, name, mode or default, *args, **kwargs)

    return new_init


_NAMES: dict[str, dict[str, Find]] = {
    "h5py._hl.dataset": {
        "Dataset.value": constant(property(lambda self: self[()], doc="The dataset as an array."))
    }
}
_CHANGES: dict[str, dict[str, ChangeOfFunction]] = {
    "h5py._hl.attrs": {"AttributeManager.__getitem__": _decodable},
    "h5py._hl.files": {"File.__init__": _with_old_mode},
}
_names = OldNames(_NAMES, changes=_CHANGES)
add = _names.add
remove = _names.remove
