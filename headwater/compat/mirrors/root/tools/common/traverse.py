"""tensorflow.tools.common.traverse."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from typing import Any

__all__ = ["traverse"]

Visitor = Callable[[str, Any, "list[tuple[str, Any]]"], object]


def traverse(root: Any, visit: Visitor) -> None:
    """Visits a module or class and those among its members, but no built-in modules.

    Args:
        root: the first one; nothing is visited if it is something else.
        visit: a function of the path (dotted names, "" for the root), the module or class, and the
            list of its members (name, value). Members that it removes from the list are not
            visited.
    """
    _traverse(root, visit, [], "")


def _traverse(root: Any, visit: Visitor, above: list[Any], path: str) -> None:
    if not inspect.isclass(root) and not inspect.ismodule(root):
        return
    if inspect.ismodule(root) and root.__name__ in sys.builtin_module_names:
        return
    children = inspect.getmembers(root)
    visit(path, root, children)
    inside = [*above, root]
    for name, child in children:
        if not any(child is one for one in inside):
            _traverse(child, visit, inside, f"{path}.{name}" if path else name)
