"""Parts of the full-screen command line: what was shown before, and the scroll bar."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from headwater.debug.cli.rich_text import (
    MenuItem,
    RichLine,
    RichTextLines,
    rich_text_lines_from_rich_line_list,
)

SCROLL_UP = "up"
SCROLL_DOWN = "down"
SCROLL_UP_A_LINE = "up_a_line"
SCROLL_DOWN_A_LINE = "down_a_line"


@dataclass
class NavigationHistoryItem:
    """Something that was shown.

    Fields:
        command: the command that has shown it.
        screen_output: the RichTextLines.
        scroll_position: the number of the line at the top.
    """

    command: str
    screen_output: RichTextLines
    scroll_position: int


class CursesNavigationHistory:
    """What was shown, and the place in it.

    Args:
        capacity: how much is kept.

    Raises:
        ValueError: if the capacity is not positive.
    """

    BACK_ARROW_TEXT = "<--"
    FORWARD_ARROW_TEXT = "-->"

    def __init__(self, capacity: int) -> None:
        if capacity <= 0:
            raise ValueError(f"In valid capacity value: {capacity}")
        self._capacity = capacity
        self._items: list[NavigationHistoryItem] = []
        self._pointer = -1

    def add_item(self, command: str, screen_output: RichTextLines, scroll_position: int) -> None:
        """Adds what is shown now, in place of all after the present one."""
        del self._items[self._pointer + 1 :]
        self._items.append(NavigationHistoryItem(command, screen_output, scroll_position))
        del self._items[: -self._capacity]
        self._pointer = len(self._items) - 1

    def update_scroll_position(self, new_scroll_position: int) -> None:
        """Changes the scroll position of the present one.

        Raises:
            ValueError: if there is none.
        """
        self._present().scroll_position = new_scroll_position

    def size(self) -> int:
        """How many there are."""
        return len(self._items)

    def pointer(self) -> int:
        """The number of the present one."""
        return self._pointer

    def can_go_back(self) -> bool:
        """Whether there is one before."""
        return self._pointer >= 1

    def can_go_forward(self) -> bool:
        """Whether there is one after."""
        return self._pointer + 1 < len(self._items)

    def go_back(self) -> NavigationHistoryItem:
        """Goes to the one before, if there is one; returns the present one.

        Raises:
            ValueError: if there is none.
        """
        self._present()
        self._pointer -= self.can_go_back()
        return self._present()

    def go_forward(self) -> NavigationHistoryItem:
        """Goes to the one after, if there is one; returns the present one.

        Raises:
            ValueError: if there is none.
        """
        self._present()
        self._pointer += self.can_go_forward()
        return self._present()

    def _present(self) -> NavigationHistoryItem:
        if not self._items:
            raise ValueError("Empty navigation history")
        return self._items[self._pointer]

    def render(
        self,
        max_length: int,
        backward_command: str,
        forward_command: str,
        latest_command_attribute: Any = "black_on_white",
        old_command_attribute: Any = "magenta_on_white",
    ) -> RichTextLines:
        """The navigation bar: arrows, and the command of the present one.

        Args:
            max_length: its width.
            backward_command: the command of the first arrow.
            forward_command: that of the second arrow.
            latest_command_attribute: the font of the latest command.
            old_command_attribute: the font of others, with their distance from the latest.
        """
        bar = RichLine("| ")
        bar += RichLine(
            self.BACK_ARROW_TEXT, MenuItem("", backward_command) if self.can_go_back() else None
        )
        bar += RichLine(" ")
        bar += RichLine(
            self.FORWARD_ARROW_TEXT,
            MenuItem("", forward_command) if self.can_go_forward() else None,
        )
        if self._items:
            command = self._present().command
            distance = len(self._items) - 1 - self._pointer
            bar += RichLine(" | ")
            if distance:
                bar += RichLine(f"(-{distance}) ", old_command_attribute)
            command = command[: max(max_length - len(bar), 0)]
            bar += RichLine(
                command, old_command_attribute if distance else latest_command_attribute
            )
        return rich_text_lines_from_rich_line_list([bar])


class ScrollBar:
    """A bar that shows and changes the scroll position.

    Args:
        min_x: the first column.
        min_y: the first row.
        max_x: the last column.
        max_y: the last row.
        scroll_position: the number of the line at the top.
        output_num_rows: the number of lines.

    Raises:
        ValueError: if it has less than four rows.
    """

    BASE_ATTR = "black_on_white"

    def __init__(
        self,
        min_x: int,
        min_y: int,
        max_x: int,
        max_y: int,
        scroll_position: int,
        output_num_rows: int,
    ) -> None:
        self._min_y = min_y
        self._max_y = max_y
        self._width = max_x - min_x + 1
        self._height = max_y - min_y + 1
        self._scroll_position = scroll_position
        self._num_rows = output_num_rows
        if self._height < 4:
            raise ValueError(f"Insufficient height for ScrollBar ({self._height})")

    def _block_y(self) -> int:
        """The row that stands for the position."""
        return (
            self._min_y + 1 + int(self._scroll_position / (self._num_rows - 1) * (self._height - 3))
        )

    def layout(self) -> RichTextLines:
        """The bar as lines."""
        empty = " " * self._width
        lines = [empty] * self._height
        if self._num_rows <= 1:
            return RichTextLines(lines)
        lines[0], lines[-1] = self._captions()
        whole = [(0, self._width, self.BASE_ATTR)]
        marked = (0, self._block_y() - self._min_y, self._height - 1)
        return RichTextLines(lines, font_attr_segs={row: list(whole) for row in marked})

    def _captions(self) -> tuple[str, str]:
        if self._width == 1:
            return "U", "D"
        if self._width in (2, 3):
            return "UP".ljust(self._width), "DN".ljust(self._width)
        return " UP ", "DOWN"

    def get_click_command(self, mouse_y: int) -> str | None:
        """How a click scrolls; None if it does not.

        Args:
            mouse_y: the row.
        """
        if self._num_rows <= 1:
            return None
        if mouse_y == self._min_y:
            return SCROLL_UP_A_LINE
        if mouse_y == self._max_y:
            return SCROLL_DOWN_A_LINE
        if self._min_y < mouse_y < self._block_y():
            return SCROLL_UP
        if self._block_y() < mouse_y < self._max_y:
            return SCROLL_DOWN
        return None
