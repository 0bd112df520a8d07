"""Modules that are imported at their first use."""

from __future__ import annotations

import importlib
import threading
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np

from headwater.base.cancellation import uninterrupted
from headwater.base.memory import without_collections

_jax_lock = threading.Lock()
_jax: ModuleType | None = None


def load_jax() -> ModuleType:
    """Imports JAX in 64-bit mode.

    Returns:
      The module `jax`. The mode is set once, at the first call; a later change by the user is kept.
    """
    global _jax
    if _jax is None:
        with _jax_lock:
            if _jax is None:
                with uninterrupted():
                    _jax = _imported_jax()
    return _jax


def _imported_jax() -> ModuleType:
    # Importing JAX draws from NumPy's global generator, whose state belongs to the user.
    state = np.random.get_state()
    with without_collections():
        module = importlib.import_module("jax")
    np.random.set_state(state)
    module.config.update("jax_enable_x64", True)
    return module


class LazyModule:
    """Stands for a module and imports it when an attribute is first asked for.

    Args:
      name: the full name of the module.
      before: called before the import.
    """

    def __init__(self, name: str, before: Callable[[], object] | None = None) -> None:
        self._lazy_name = name
        self._lazy_before = before

    def __getattr__(self, attribute: str) -> Any:
        # Python calls this only for names not yet in the instance __dict__.
        if self._lazy_before is not None:
            self._lazy_before()
        # A partially imported module cannot be imported again.
        with uninterrupted(), without_collections():
            module = importlib.import_module(self._lazy_name)
        value = getattr(module, attribute)
        self.__dict__[attribute] = value
        return value

    def __dir__(self) -> list[str]:
        if self._lazy_before is not None:
            self._lazy_before()
        return dir(importlib.import_module(self._lazy_name))

    def __repr__(self) -> str:
        return f"<lazy module '{self._lazy_name}'>"


jax: Any = LazyModule("jax", before=load_jax)
jnp: Any = LazyModule("jax.numpy", before=load_jax)
lax: Any = LazyModule("jax.lax", before=load_jax)
jax_core: Any = LazyModule("jax.extend.core", before=load_jax)
nn: Any = LazyModule("jax.nn", before=load_jax)
serialize_executable: Any = LazyModule("jax.experimental.serialize_executable", before=load_jax)
scipy_special: Any = LazyModule("scipy.special")
scipy_linalg: Any = LazyModule("scipy.linalg")
scipy_optimize: Any = LazyModule("scipy.optimize")
