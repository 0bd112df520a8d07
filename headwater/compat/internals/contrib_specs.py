"""tensorflow.contrib.specs.python: the package has the names of all its modules."""

from __future__ import annotations

from headwater.compat.internals import internal
from headwater.contrib.specs import params_ops, specs, specs_lib, specs_ops, summaries

_ROOT = "tensorflow.contrib.specs.python"

for _module in (params_ops, specs_lib, specs_ops, specs, summaries):
    for _name, _target in vars(_module).items():
        # What the module defines itself, and the layers, which are objects.
        _defined = getattr(_target, "__module__", None) == _module.__name__
        if _defined or isinstance(_target, specs_lib.Function) or _name.isupper():
            internal(f"{_ROOT}.{_name}")(_target)
