"""The cases of the grid by family; importing the package registers them all."""

import importlib
import pathlib

for _path in sorted(pathlib.Path(__file__).parent.glob("*.py")):
    if _path.stem != "__init__":
        importlib.import_module("families." + _path.stem)
