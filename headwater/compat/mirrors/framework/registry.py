"""tensorflow.python.framework.registry."""

from __future__ import annotations

import sys
from collections.abc import KeysView
from typing import Any


class Registry:
    """Objects under unique names.

    Args:
      name: what the objects are, for texts of errors.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._registry: dict[str, tuple[Any, str]] = {}

    def register(self, candidate: Any, name: str | None = None) -> None:
        """Records an object.

        Args:
          candidate: the object.
          name: its name, by default its `__name__`.

        Raises:
          KeyError: if the name is taken.
        """
        name = name or candidate.__name__
        if name in self._registry:
            raise KeyError(
                f"Registering two {self._name} with name '{name}'! (Previous registration was in "
                f"{self._registry[name][1]})"
            )
        code = sys._getframe(1)
        place = f"{code.f_code.co_name} {code.f_code.co_filename}:{code.f_lineno}"
        self._registry[name] = (candidate, place)

    def list(self) -> KeysView[str]:
        """Returns the names."""
        return self._registry.keys()

    def lookup(self, name: str) -> Any:
        """Returns the object of a name.

        Args:
          name: the name.

        Returns:
          The object.

        Raises:
          LookupError: if there is none.
        """
        if name not in self._registry:
            raise LookupError(f"{self._name} registry has no entry for: {name}")
        return self._registry[name][0]
