"""tensorflow.python.util.deprecation_wrapper: modules that warn of deprecated names."""

from __future__ import annotations

from types import ModuleType


class DeprecationWrapper(ModuleType):
    """The type of wrapped modules; no module is wrapped here."""
