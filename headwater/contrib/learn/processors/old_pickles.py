"""Pickles in which our classes have the module names of TensorFlow's: both can read them."""

from __future__ import annotations

import io
import pickle
import pickletools
from typing import Any

_OURS = "headwater.contrib.learn.processors."
_THEIRS = "tensorflow.contrib.learn.python.learn.preprocessing."
# Our module and what TensorFlow calls it.
_MODULES = {
    f"{_OURS}texts": f"{_THEIRS}text",
    f"{_OURS}categories": f"{_THEIRS}categorical_vocabulary",
}
_BY_THEIRS = {
    **{theirs: ours for ours, theirs in _MODULES.items()},
    f"{_THEIRS}categorical": f"{_OURS}categories",
}
# The newest protocol in which classes are lines of text, and the newest of Python 2.
_PROTOCOL = 2


def dumps(value: Any) -> bytes:
    """Pickles a value under TensorFlow's module names."""
    data = pickle.dumps(value, protocol=_PROTOCOL)
    result = bytearray()
    copied = 0
    for opcode, argument, position in pickletools.genops(data):
        if opcode.name != "GLOBAL":
            continue
        module, _, name = str(argument).partition(" ")
        if module in _MODULES:
            old, new = (f"c{text}\n{name}\n".encode() for text in (module, _MODULES[module]))
            assert position is not None
            result += data[copied:position] + new
            copied = position + len(old)
    return bytes(result + data[copied:])


def loads(data: bytes) -> Any:
    """Reads a pickle of TensorFlow's or of ours."""
    return _Unpickler(io.BytesIO(data)).load()


class _Unpickler(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        return super().find_class(_BY_THEIRS.get(module, module), name)
