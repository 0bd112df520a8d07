"""The terminal of the full-screen command line, by the standard library's curses."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from headwater.base.lazy import LazyModule
from headwater.debug.cli.base_ui import BaseUI
from headwater.debug.cli.rich_text import MenuItem, RichTextLines, Segments

# Windows has none.
curses: Any = LazyModule("curses")
_textpad: Any = LazyModule("curses.textpad")

_FOREGROUNDS = ("white", "red", "green", "yellow", "blue", "cyan", "magenta", "black", "gray")
_BACKGROUNDS = ("transparent", "white", "black")


class CursesScreen(BaseUI):
    """Draws lines, and reads keys.

    Methods whose names begin with ``_screen_`` are all that know of the terminal.
    """

    # What ends the editing of a command: Ctrl-G.
    CLI_TERMINATOR_KEY = 7

    _max_x: int
    _max_y: int

    def __init__(self, on_ui_exit: Any = None, config: Any = None) -> None:
        super().__init__(on_ui_exit=on_ui_exit, config=config)
        self._stdscr: Any = None
        self._mouse_enabled = False
        self._color_pairs: dict[str, int] = {}
        self._command_window: Any = None
        self._command_textbox: Any = None

    def _on_textbox_keypress(self, x: int) -> int:
        raise NotImplementedError

    def _screen_init(self) -> None:
        """Starts the terminal."""
        self._stdscr = curses.initscr()
        self._init_colors()

    def _init_colors(self) -> None:
        self._color_pairs = {}
        # Terminals without colors show everything in one.
        with suppress(curses.error):
            curses.start_color()
            curses.use_default_colors()
            codes = {
                "transparent": -1,
                # The second eight colors are the bright ones.
                "gray": 8 if curses.COLORS > 8 else curses.COLOR_WHITE,
                **{
                    name: getattr(curses, f"COLOR_{name.upper()}")
                    for name in _FOREGROUNDS
                    if name != "gray"
                },
            }
            number = 0
            for foreground in _FOREGROUNDS:
                for background in _BACKGROUNDS:
                    number += 1
                    curses.init_pair(number, codes[foreground], codes[background])
                    name = foreground
                    if background != "transparent":
                        name += f"_on_{background}"
                    self._color_pairs[name] = curses.color_pair(number)

    def _screen_launch(self, enable_mouse_on_start: bool) -> None:
        """Takes the whole screen.

        Args:
            enable_mouse_on_start: whether clicks are read.
        """
        curses.noecho()
        curses.cbreak()
        self._stdscr.keypad(True)
        self._mouse_enabled = enable_mouse_on_start
        self._screen_set_mousemask()

    def _screen_set_mousemask(self) -> None:
        if self._stdscr is not None:
            curses.mousemask(curses.BUTTON1_CLICKED if self._mouse_enabled else 0)

    def _screen_refresh_size(self) -> None:
        """Finds out how large the screen is."""
        self._max_y, self._max_x = self._stdscr.getmaxyx()

    def _screen_terminate(self) -> None:
        """Gives the terminal back as it was."""
        if self._stdscr is not None:
            self._stdscr.keypad(False)
            curses.nocbreak()
            curses.echo()
            curses.endwin()
            self._stdscr = None

    def _screen_refresh(self) -> None:
        self._stdscr.refresh()

    def _screen_attribute(self, attr: Any) -> int:
        """The attribute of curses for those of a segment."""
        result = curses.A_NORMAL
        for one in attr if isinstance(attr, list) else [attr]:
            if isinstance(one, MenuItem) or one == "underline":
                result |= curses.A_UNDERLINE
            elif one == "bold":
                result |= curses.A_BOLD
            elif one == "blink":
                result |= curses.A_BLINK
            elif one in self._color_pairs:
                result |= self._color_pairs[one]
        return int(result)

    def _screen_draw_text_line(
        self, row: int, line: str, attr: int = 0, color: str | None = None
    ) -> None:
        """Draws a line over the whole width.

        Args:
            row: where.
            line: the text.
            attr: an attribute of curses.
            color: the name of a color, such as "red_on_white".
        """
        if color:
            attr |= self._screen_attribute(color)
        # The last column of the last row cannot be written without scrolling.
        with suppress(curses.error):
            self._stdscr.addstr(row, 0, line[: self._max_x].ljust(self._max_x), attr)
        self._screen_refresh()

    def _screen_new_output_pad(self, rows: int, cols: int) -> Any:
        """A pad: text that is larger than what is shown of it."""
        return curses.newpad(max(rows, 1), max(cols, 1) + 1)

    def _screen_add_line_to_output_pad(
        self, pad: Any, row: int, txt: str, color_segments: Segments | None = None
    ) -> None:
        """Writes a line of a pad.

        Args:
            pad: the pad.
            row: the number of the line.
            txt: the text.
            color_segments: the attributes of parts.
        """
        with suppress(curses.error):
            pad.addstr(row, 0, txt)
            for start, end, attr in color_segments or ():
                pad.addstr(row, start, txt[start:end], self._screen_attribute(attr))

    def _screen_scroll_output_pad(
        self,
        pad: Any,
        viewport_top: int,
        viewport_left: int,
        screen_location_top: int,
        screen_location_left: int,
        screen_location_bottom: int,
        screen_location_right: int,
    ) -> None:
        """Shows a part of a pad.

        Args:
            pad: the pad.
            viewport_top: the first line of it.
            viewport_left: the first column.
            screen_location_top: the first row of the screen.
            screen_location_left: the first column.
            screen_location_bottom: the last row.
            screen_location_right: the last column.
        """
        # A screen that has just become too small shows it after the next resize.
        with suppress(curses.error):
            pad.refresh(
                viewport_top,
                viewport_left,
                screen_location_top,
                screen_location_left,
                screen_location_bottom,
                screen_location_right,
            )

    def _screen_show_line(self, row: int, left: int, output: RichTextLines) -> None:
        """Shows one line at some place of the screen."""
        width = max(min(len(output.lines[0]), self._max_x - left), 1)
        pad = self._screen_new_output_pad(1, width)
        self._screen_add_line_to_output_pad(
            pad, 0, output.lines[0][:width], output.font_attr_segs.get(0)
        )
        self._screen_scroll_output_pad(pad, 0, 0, row, left, row, left + width - 1)

    def _screen_create_command_window(self) -> None:
        """Makes the row of the prompt."""
        row = self._max_y - 1
        left = len(self.CLI_PROMPT)
        with suppress(curses.error):
            self._stdscr.addstr(row, 0, self.CLI_PROMPT, curses.A_BOLD)
        self._command_window = curses.newwin(1, max(self._max_x - left, 1), row, left)
        self._screen_refresh()

    def _screen_create_command_textbox(self, existing_command: str) -> None:
        """Makes the field in which a command is edited.

        Args:
            existing_command: what stands in it.
        """
        self._command_window.erase()
        self._command_window.keypad(True)
        self._command_textbox = _textpad.Textbox(self._command_window, insert_mode=True)
        with suppress(curses.error):
            self._command_window.addstr(0, 0, existing_command)

    def _screen_get_user_command(self) -> str:
        """Edits the command until a key ends that; returns the text."""
        text: str = self._command_textbox.edit(validate=self._on_textbox_keypress)
        return text

    def _screen_gather_textbox_str(self) -> str:
        """The text of the field."""
        return str(self._command_textbox.gather())

    def _screen_getmouse(self) -> Any:
        return curses.getmouse()
