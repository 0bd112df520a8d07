"""Runs a TensorFlow 1.x program in TensorFlow 2.x: `as_tensorflow1.py PROGRAM [ARGUMENTS]`.

The name `tensorflow` then means `tensorflow.compat.v1` with the behaviour of version 1. Started by
the Python of the peer, so it imports nothing of this package.
"""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.machinery
import runpy
import sys
from pathlib import Path


class CompatFinder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Answers the first `import tensorflow` with the module `tensorflow.compat.v1`."""

    def find_spec(self, name, path=None, target=None):
        if name != "tensorflow":
            return None
        sys.meta_path.remove(self)
        return importlib.machinery.ModuleSpec(name, self)

    def create_module(self, spec):
        module = importlib.import_module("tensorflow.compat.v1")
        module.disable_v2_behavior()
        return module

    def exec_module(self, module):
        sys.modules["tensorflow"] = module


if __name__ == "__main__":
    sys.argv = sys.argv[1:]
    sys.path[0] = str(Path(sys.argv[0]).resolve().parent)
    sys.meta_path.insert(0, CompatFinder())
    runpy.run_path(sys.argv[0], run_name="__main__")
