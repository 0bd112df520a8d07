"""What h5py 3 has dropped and programs of its second release use, Keras 2 among them.

An attribute of a file that was stored as bytes used to be read as bytes and is read as a string
today. Old programs decode it, so the strings get a method `decode`; newer programs see strings.
"""

from __future__ import annotations

import functools
import inspect
import os
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np

from headwater.compat.after_import import AfterImport

_undo: list[Callable[[], None]] = []


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


def _decodable_attributes(module: ModuleType) -> None:
    manager = module.AttributeManager
    read = manager.__getitem__

    @functools.wraps(read)
    def getitem(self: Any, name: Any) -> Any:
        return _with_decode(read(self, name))

    manager.__getitem__ = getitem
    _undo.append(lambda: setattr(manager, "__getitem__", read))


def _datasets_with_value(module: ModuleType) -> None:
    if hasattr(module.Dataset, "value"):
        return
    module.Dataset.value = property(lambda self: self[()], doc="The whole dataset as an array.")
    _undo.append(lambda: delattr(module.Dataset, "value"))


def _files_to_write(module: ModuleType) -> None:
    """Gives `File(name)` its old mode: a file is made, or opened to be changed if it may be."""
    init = module.File.__init__
    parameters = inspect.signature(init).parameters

    @functools.wraps(init)
    def new_init(self: Any, name: Any, mode: str | None = None, *args: Any, **kwargs: Any) -> None:
        if mode is None and isinstance(name, (str, bytes, os.PathLike)):
            mode = "a" if os.access(name, os.W_OK) or not os.path.lexists(name) else "r"
        init(self, name, mode or parameters["mode"].default, *args, **kwargs)

    module.File.__init__ = new_init
    _undo.append(lambda: setattr(module.File, "__init__", init))


_after_import = AfterImport(
    {
        "h5py._hl.attrs": _decodable_attributes,
        "h5py._hl.dataset": _datasets_with_value,
        "h5py._hl.files": _files_to_write,
    }
)


def add() -> None:
    """Adds what is missing, once h5py is loaded."""
    _after_import.start()


def remove() -> None:
    """Undoes `add`."""
    _after_import.stop()
    while _undo:
        _undo.pop()()
