"""`import tensorflow_estimator` while the import hook is installed.

In TensorFlow 1.14 and 1.15 this package has what `tensorflow.python.estimator` and
`tensorflow.contrib.estimator` had before. A copy of it that is installed goes first.
"""

from __future__ import annotations

import importlib
import importlib.machinery
import sys
from types import ModuleType
from typing import Any

ROOT = "tensorflow_estimator"

# Where the modules of the package are in TensorFlow, the longest name first.
_PLACES = {
    "python.estimator.api._v1.estimator": "estimator",
    "python.estimator.api._v2.estimator": "compat.v2.estimator",
    "python.estimator.api.estimator": "estimator",
    "python.estimator.api._v1": "compat.v1",
    "python.estimator.api._v2": "compat.v2",
    "python.estimator.api": "compat.v1",
    "python.estimator.tpu": "python.tpu",
    "_api.v1.estimator": "estimator",
    "_api.v2.estimator": "compat.v2.estimator",
    "_api.v1": "compat.v1",
    "_api.v2": "compat.v2",
    "_api": "compat",
    "estimator": "estimator",
    "contrib": "contrib",
    "python": "python",
}


def place_in_tensorflow(name: str) -> str | None:
    """The name in TensorFlow of a module of the package, or None."""
    inner = name.removeprefix(f"{ROOT}.")
    for module, place in _PLACES.items():
        if inner == module or inner.startswith(f"{module}."):
            return f"tensorflow.{place}{inner[len(module) :]}"
    return None


class _Root(ModuleType):
    """The package itself."""

    def __init__(self) -> None:
        super().__init__(ROOT, __doc__)
        self.__path__: list[str] = []
        self.__version__ = "1.15.1"

    def __getattr__(self, name: str) -> Any:
        if name not in ("estimator", "python", "contrib"):
            raise AttributeError(f"module {ROOT!r} has no attribute {name!r}")
        return importlib.import_module(f"{ROOT}.{name}")


def module_of(fullname: str) -> ModuleType | None:
    """The module of a name that begins with that of the package, or None.

    Raises:
      ModuleNotFoundError: if Headwater has no such module.
    """
    if fullname == ROOT:
        installed = importlib.machinery.PathFinder.find_spec(ROOT)
        return _Root() if installed is None else None
    if not isinstance(sys.modules.get(ROOT), _Root):
        return None
    place = place_in_tensorflow(fullname)
    return None if place is None else importlib.import_module(place)
