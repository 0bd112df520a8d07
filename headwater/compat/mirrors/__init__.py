"""Internal modules of TensorFlow whose names are not public: one file for each, by its path.

`tensorflow.python.framework.test_util` has the names of `framework/test_util.py` of this folder,
`tensorflow.contrib.x.python.y` those of `contrib/x/python/y.py`. The file is imported when a
program asks for a name.
"""

from __future__ import annotations

import functools
import importlib
import pkgutil
from types import ModuleType

_ROOT = "tensorflow.python"


@functools.cache
def mirrored_paths() -> dict[str, str]:
    """Returns {path of an internal module: full name of the module here that mirrors it}."""
    return {
        _original(module.name.removeprefix(__name__)): module.name
        for module in pkgutil.walk_packages(__path__, __name__ + ".")
        if not module.ispkg
    }


def _original(name: str) -> str:
    return ("tensorflow" if name.startswith(".contrib.") else _ROOT) + name


def mirror_of(path: str) -> ModuleType | None:
    """Returns the module here that mirrors an internal module, or None."""
    name = mirrored_paths().get(path)
    return None if name is None else importlib.import_module(name)
