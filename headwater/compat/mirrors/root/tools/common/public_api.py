"""tensorflow.tools.common.public_api."""

from __future__ import annotations

from typing import Any

from headwater.compat.mirrors.root.tools.common.traverse import Visitor

__all__ = ["PublicAPIVisitor"]


class PublicAPIVisitor:
    """A visitor for `traverse` that hides private members from another one.

    Args:
        visitor: a function of a path, a module or class, and the list of its public members.
    """

    def __init__(self, visitor: Visitor) -> None:
        self._visitor = visitor
        self._root_name = "tf"
        self._private_map = {"tf.flags": ["cpp_flags"]}
        self._do_not_descend_map = {
            "tf": [
                "compiler",
                "core",
                "examples",
                "flags",
                "platform",
                "pywrap_tensorflow",
                "user_ops",
                "python",
                "tools",
                "tensorboard",
            ],
            "tf.app": ["flags"],
            "tf.test": ["mock"],
            "tf.keras": ["applications", "preprocessing"],
        }

    @property
    def private_map(self) -> dict[str, list[str]]:
        """The members that are hidden, by the path of their parent; may be changed."""
        return self._private_map

    @property
    def do_not_descend_map(self) -> dict[str, list[str]]:
        """The members that are shown, but not visited, by the path of their parent."""
        return self._do_not_descend_map

    def set_root_name(self, root_name: str) -> None:
        """Sets the name that paths begin with."""
        self._root_name = root_name

    def _is_private(self, path: str, name: str, obj: Any = None) -> bool:
        if name in self._private_map.get(path, ()) or name in ("__base__", "__class__"):
            return True
        return name.startswith("_") and not (name.startswith("__") and name.endswith("__"))

    def _do_not_descend(self, path: str, name: str) -> bool:
        return name in self._do_not_descend_map.get(path, ())

    def __call__(self, path: str, parent: Any, children: list[tuple[str, Any]]) -> None:
        full_path = ".".join(part for part in (self._root_name, path) if part)
        children[:] = [
            (name, child) for name, child in children if not self._is_private(full_path, name)
        ]
        self._visitor(path, parent, children)
        children[:] = [
            (name, child) for name, child in children if not self._do_not_descend(full_path, name)
        ]
