"""tensorflow.python.util.module_wrapper: modules that warn of deprecated names."""

from __future__ import annotations

from types import ModuleType


class TFModuleWrapper(ModuleType):
    """The type of wrapped modules; no module is wrapped here."""
