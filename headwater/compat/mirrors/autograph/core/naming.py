"""tensorflow.python.autograph.core.naming."""

from __future__ import annotations

from collections.abc import Mapping, Set
from typing import Any


class Namer:
    """Makes names that a program does not use.

    Args:
      global_namespace: the names that are taken.
    """

    def __init__(self, global_namespace: Mapping[str, Any]) -> None:
        self.global_namespace = global_namespace
        self.generated_names: set[str] = set()

    def new_symbol(self, name_root: str, reserved_locals: Set[Any]) -> str:
        """Returns a name that begins as given and is new.

        Args:
          name_root: what the name begins with.
          reserved_locals: names that it must not be.
        """
        taken = {*map(str, reserved_locals), *self.global_namespace, *self.generated_names}
        name, count = name_root, 0
        while name in taken:
            count += 1
            name = f"{name_root}_{count}"
        self.generated_names.add(name)
        return name
