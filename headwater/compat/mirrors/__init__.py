"""Internal modules of TensorFlow whose names are not public: one file for each, by its path.

`tensorflow.python.framework.test_util` has the names of `framework/test_util.py` of this folder,
`tensorflow.contrib.x.python.y` those of `contrib/x/python/y.py`, and `tensorflow.tools.x` those of
`root/tools/x.py`. The file is imported when a program asks for a name. `headwater.debug` has the
modules of `tensorflow.python.debug` one by one, and `headwater.contrib.timeseries` those of its
original.
"""

from __future__ import annotations

import functools
import importlib
import pkgutil
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

_ROOT = "tensorflow.python"
# Packages of ours with the modules of the original.
_SAME_MODULES = {
    "headwater.contrib.all_reduce": "tensorflow.contrib.all_reduce.python",
    "headwater.contrib.bayesflow": "tensorflow.contrib.bayesflow.python.ops",
    "headwater.contrib.labeled_tensor": "tensorflow.contrib.labeled_tensor.python.ops",
    "headwater.contrib.optimizer_v2": "tensorflow.contrib.optimizer_v2",
    "headwater.contrib.receptive_field": "tensorflow.contrib.receptive_field.python.util",
    "headwater.contrib.specs": "tensorflow.contrib.specs.python",
    "headwater.contrib.timeseries": "tensorflow.contrib.timeseries.python.timeseries",
    "headwater.debug": "tensorflow.python.debug",
}


@functools.cache
def mirrored_paths() -> dict[str, str]:
    """Returns {path of an internal module: full name of the module here that mirrors it}."""
    found = {
        _original(module.name.removeprefix(__name__)): module.name
        for module in pkgutil.walk_packages(__path__, __name__ + ".")
        if not module.ispkg
    }
    for package, original in _SAME_MODULES.items():
        folder = Path(__path__[0]).parents[1].joinpath(*package.split(".")[1:])
        for name in _modules_below(folder, package):
            found[name.replace(package, original, 1)] = name
    # This package has names of its own, too.
    found[_SAME_MODULES["headwater.debug"]] = "headwater.debug"
    return found


def _modules_below(folder: Path, package: str) -> Iterator[str]:
    """Yields the names of modules without importing their packages."""
    for module in pkgutil.iter_modules([str(folder)], package + "."):
        if module.ispkg:
            yield from _modules_below(folder / module.name.rpartition(".")[2], module.name)
        else:
            yield module.name


def _original(name: str) -> str:
    if name.startswith(".root."):
        return name.replace(".root", "tensorflow", 1)
    return ("tensorflow" if name.startswith(".contrib.") else _ROOT) + name


def mirror_of(path: str) -> ModuleType | None:
    """Returns the module here that mirrors an internal module, or None."""
    name = mirrored_paths().get(path)
    return None if name is None else importlib.import_module(name)
