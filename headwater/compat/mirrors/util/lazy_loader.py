"""tensorflow.python.util.lazy_loader."""

from __future__ import annotations

import importlib
from types import ModuleType
from typing import Any


class LazyLoader(ModuleType):
    """A proxy for a module, which is imported at the first access to an attribute.

    Args:
      local_name: the name under which it stands in the globals of another module.
      parent_module_globals: those globals; the loaded module takes its place in them.
      name: the full name of the module.
    """

    def __init__(self, local_name: str, parent_module_globals: dict[str, Any], name: str) -> None:
        super().__init__(name)
        self._local_name = local_name
        self._parent_module_globals = parent_module_globals

    def _load(self) -> ModuleType:
        module = importlib.import_module(self.__name__)
        self._parent_module_globals[self._local_name] = module
        self.__dict__.update(module.__dict__)
        return module

    def __getattr__(self, item: str) -> Any:
        return getattr(self._load(), item)

    def __dir__(self) -> list[str]:
        return dir(self._load())
