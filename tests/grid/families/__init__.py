"""The cases of the grid by family; importing the package registers them all."""

import importlib
import pathlib

for _path in sorted(pathlib.Path(__file__).parent.glob("*.py")):
    if _path.stem not in ("__init__", "gradients"):
        importlib.import_module("families." + _path.stem)
importlib.import_module("families.gradients")
