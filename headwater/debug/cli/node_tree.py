"""Trees of the inputs, or of the recipients, of a node."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from headwater.debug.cli.rich_text import MenuItem, RichTextLines
from headwater.debug.lib.debug_graphs import get_node_name

HANG_UNFINISHED = "|  "
HANG_FINISHED = "   "
HANG_SUFFIX = "|- "
DEPTH_TEMPLATE = "(%d) "
OP_TYPE_TEMPLATE = "[%s] "
CTRL_LABEL = "(Ctrl) "
ELLIPSIS = "..."


class NodeTree:
    """Draws a tree.

    Args:
        neighbors: a function of a node that gives its neighbors, and whether they are those of
            control edges.
        op_type: a function of a node that gives its op type; None if types are not shown.
        max_depth: how deep the tree is.
        command: the command of a node, with its name left open.
    """

    def __init__(
        self,
        neighbors: Callable[[str, bool], list[str]],
        include_control: bool,
        op_type: Callable[[str], str] | None,
        max_depth: int,
        command: str,
    ) -> None:
        self._neighbors = neighbors
        self._include_control = include_control
        self._op_type = op_type
        self._max_depth = max_depth
        self._command = command
        self._out = RichTextLines([])

    def draw(self, node_name: str) -> RichTextLines:
        """The lines of the tree below a node."""
        found = self._below(node_name)
        if not found:
            self._out.append("  [None]")
            return self._out
        # The neighbors that are left at each depth, the next one at the end.
        left = [list(reversed(found))]
        while left:
            if not left[-1]:
                left.pop()
                continue
            name, is_control = left[-1].pop()
            depth = len(left)
            hang = "".join(HANG_UNFINISHED if rest else HANG_FINISHED for rest in left)
            self._line(name, is_control, hang[: -len(HANG_FINISHED)] + HANG_SUFFIX, depth)
            below = self._below(get_node_name(name))
            if below and depth >= self._max_depth:
                self._out.append(hang + HANG_SUFFIX + ELLIPSIS)
            else:
                left.append(list(reversed(below)))
        return self._out

    def _below(self, node_name: str) -> list[tuple[str, bool]]:
        found = [(name, False) for name in self._neighbors(node_name, False)]
        if self._include_control:
            found.extend((name, True) for name in self._neighbors(node_name, True))
        return found

    def _line(self, name: str, is_control: bool, hang: str, depth: int) -> None:
        line = hang + DEPTH_TEMPLATE % depth
        if is_control:
            line += CTRL_LABEL
        if self._op_type is not None:
            line += OP_TYPE_TEMPLATE % self._op_type(get_node_name(name))
        item: Any = MenuItem("", self._command % name)
        self._out.append(line + name, [(len(line), len(line) + len(name), item)])
