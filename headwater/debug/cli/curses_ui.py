"""The full-screen command line: pages, links, menus, search, completion and history."""

from __future__ import annotations

import argparse
import io
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from typing import Any

from headwater.debug.cli import cli_config, command_parser, debugger_cli_common, tensor_format
from headwater.debug.cli.curses_screen import CursesScreen, curses
from headwater.debug.cli.curses_widgets import (
    SCROLL_DOWN,
    SCROLL_DOWN_A_LINE,
    SCROLL_UP,
    SCROLL_UP_A_LINE,
    CursesNavigationHistory,
    ScrollBar,
)
from headwater.debug.cli.rich_text import (
    INIT_SCROLL_POS_KEY,
    MAIN_MENU_KEY,
    REGEX_MATCH_LINES_KEY,
    MenuItem,
    RichTextLines,
    regex_find,
    wrap_rich_text_lines,
)

__all__ = ["CursesUI", "ScrollBar"]

_SCROLL_REFRESH = "refresh"
_SCROLL_UP = SCROLL_UP
_SCROLL_DOWN = SCROLL_DOWN
_SCROLL_UP_A_LINE = SCROLL_UP_A_LINE
_SCROLL_DOWN_A_LINE = SCROLL_DOWN_A_LINE
_SCROLL_HOME = "home"
_SCROLL_END = "end"
_SCROLL_TO_LINE_INDEX = "scroll_to_line_index"

_ENTER_KEYS = (ord("\n"), ord("\r"))
_TAB_KEY = ord("\t")
_DELETE_KEY = 0x7F
_SCROLL_BAR_WIDTH = 2
_TITLE_ROW, _NAVIGATION_ROW = 0, 1
_HISTORY_LIMIT = 100


class CursesUI(CursesScreen):
    """Shows what commands return on a screen that scrolls.

    PgUp, PgDn, Home and End scroll; Up and Down go through the commands that begin as the present
    one; Tab completes it. ``/regex`` finds, ``/`` finds the next line, ``@indices`` scrolls to an
    element of a tensor, ``prev`` and ``next`` go to what was shown before and after, ``mouse off``
    leaves the mouse to the terminal. Links and menus are clicked.

    Args:
        on_ui_exit: called when the command line ends.
        config: the settings; those of the user if None.
    """

    REGEX_SEARCH_PREFIX = "/"
    TENSOR_INDICES_NAVIGATION_PREFIX = "@"
    _NAVIGATION_FORWARD_COMMAND = "next"
    _NAVIGATION_BACK_COMMAND = "prev"
    _UI_WAIT_MESSAGE = "Processing..."
    _WAIT_COLOR = "magenta_on_white"
    _ERROR_COLOR = "red_on_white"
    _INFO_COLOR = "blue_on_white"
    _SEARCH_HIGHLIGHT = "black_on_white"

    def __init__(
        self,
        on_ui_exit: Callable[[], Any] | None = None,
        config: cli_config.CLIConfig | None = None,
    ) -> None:
        super().__init__(on_ui_exit=on_ui_exit, config=config)
        self.max_output_lines = 10000
        self._init_mouse_command()
        self._command_history_store = debugger_cli_common.CommandHistory()
        # The commands that Up and Down go through, the place in them, and what was typed before.
        self._active_command_history: list[str] = []
        self._command_pointer = 0
        self._pending_command = ""
        self._textbox_curr_terminator: int | None = None
        self._nav_history = CursesNavigationHistory(10)
        self._title: tuple[str, str | None] | None = None
        # What is shown, as commands have made it and as it is on the screen.
        self._curr_unwrapped_output: RichTextLines | None = None
        self._curr_wrapped_output: RichTextLines | None = None
        self._curr_search_regex: str | None = None
        self._match_rows: list[int] = []
        self._line_rows: list[int] = []
        self._output_pad: Any = None
        self._output_pad_row = 0
        self._output_num_rows = 0
        self._output_array_pointer_indices: dict[int, list[int] | None] | None = None
        self._scroll_info: str | None = None
        self._scroll_bar: ScrollBar | None = None
        self._main_menu: RichTextLines | None = None
        self._nav_bar: RichTextLines | None = None
        self._error_is_shown = False
        self._screen_init()

    def _init_mouse_command(self) -> None:
        parser = argparse.ArgumentParser(
            description="Turn the mouse on or off: while it is on, links can be clicked; while it "
            "is off, text can be selected.",
            usage=argparse.SUPPRESS,
        )
        parser.add_argument("mode", nargs="?", help="on or off; shown if there is none")
        self.register_command_handler(
            "mouse", self._mouse_mode_command_handler, parser.format_help(), prefix_aliases=["m"]
        )
        self._config.set_callback("mouse_mode", self._take_mouse_setting)

    # Keys

    def _on_textbox_keypress(self, x: int) -> int:
        """Handles a key; returns the key that the field gets, or the one that ends editing.

        Raises:
            TypeError: if the key is no integer.
        """
        if not isinstance(x, int):
            raise TypeError(f"Key validator expected type int, received type {type(x)}")
        scrolls = {
            curses.KEY_PPAGE: _SCROLL_UP_A_LINE,
            curses.KEY_NPAGE: _SCROLL_DOWN_A_LINE,
            curses.KEY_HOME: _SCROLL_HOME,
            curses.KEY_END: _SCROLL_END,
        }
        if x in scrolls:
            self._scroll_output(scrolls[x])
            return x
        if x == curses.KEY_RESIZE:
            self._resize()
        ends = (*_ENTER_KEYS, _TAB_KEY, curses.KEY_UP, curses.KEY_DOWN, curses.KEY_RESIZE)
        if x in ends or (x == curses.KEY_MOUSE and self._mouse_enabled):
            self._textbox_curr_terminator = x
            return self.CLI_TERMINATOR_KEY
        return int(curses.KEY_BACKSPACE) if x == _DELETE_KEY else x

    def _get_user_command(self, existing: str) -> tuple[str, int | None]:
        """What is typed, and the key that has ended that."""
        self._screen_create_command_textbox(existing)
        self._textbox_curr_terminator = None
        text = self._screen_get_user_command() or ""
        key = self._textbox_curr_terminator
        if key == curses.KEY_MOUSE and self._stdscr is not None:
            text = self._clicked_command()
        return text.rstrip("\n\t\r").strip(), key

    def _clicked_command(self) -> str:
        try:
            _, mouse_x, mouse_y, _, state = self._screen_getmouse()
        except curses.error:
            return ""
        if not state & (curses.BUTTON1_CLICKED | curses.BUTTON1_PRESSED):
            return ""
        return self._fetch_hyperlink_command(mouse_x, mouse_y) or ""

    def _ui_loop(self) -> Any:
        existing = ""
        while True:
            command, key = self._get_user_command(existing)
            existing = ""
            if key in (*_ENTER_KEYS, curses.KEY_MOUSE):
                token = self._dispatch_command(command)
                if token is not None:
                    return token
            elif key == _TAB_KEY:
                existing = self._tab_complete(command)
            elif key in (curses.KEY_UP, curses.KEY_DOWN):
                existing = self._from_history(command, 1 if key == curses.KEY_UP else -1)
            else:
                existing = command

    def _from_history(self, command: str, step: int) -> str:
        """The command before or after the present one; the typed one at the end."""
        if self._command_pointer == 0:
            self._pending_command = command
            history = self._command_history_store.lookup_prefix(command, _HISTORY_LIMIT)
            self._active_command_history = history
        last = len(self._active_command_history)
        self._command_pointer = min(max(self._command_pointer + step, 0), last)
        if self._command_pointer == 0:
            return self._pending_command
        return self._active_command_history[-self._command_pointer]

    def _tab_complete(self, command: str) -> str:
        """The command with what all completions have in common; shows them if there are several."""
        context, prefix, before = self._analyze_tab_complete_input(command)
        if context is None or prefix is None:
            return command
        candidates, common = self._tab_completion_registry.get_completions(context, prefix)
        candidates = candidates or []
        self._display_candidates(candidates if len(candidates) > 1 else [])
        return (before or "") + common if common else command

    def _display_candidates(self, candidates: list[str]) -> None:
        """Shows completions above the prompt."""
        if candidates:
            self._screen_show_line(
                self._max_y - 4, 0, RichTextLines(" ".join(candidates)[: self._max_x - 2])
            )

    # Commands

    def run_ui(
        self,
        init_command: str | None = None,
        title: str | None = None,
        title_color: str | None = None,
        enable_mouse_on_start: bool = True,
    ) -> Any:
        """Takes the screen and reads commands until one ends the command line.

        Args:
            init_command: the first command.
            title: what is shown above.
            title_color: its color.
            enable_mouse_on_start: whether clicks are read.

        Returns:
            The token of the command that has ended it.
        """
        self._title = (title, title_color) if title else None
        try:
            self._screen_launch(enable_mouse_on_start=enable_mouse_on_start)
            self._screen_refresh_size()
            self._draw_frame()
            token = self._dispatch_command(init_command) if init_command is not None else None
            return token if token is not None else self._ui_loop()
        finally:
            self._screen_terminate()
            if self._on_ui_exit:
                self._on_ui_exit()

    def _dispatch_command(self, command: str) -> Any:
        """Runs a command; returns the token if it ends the command line."""
        if command in self.CLI_EXIT_COMMANDS:
            return debugger_cli_common.EXPLICIT_USER_EXIT
        self._command_pointer, self._pending_command = 0, ""
        self._error_is_shown = False
        if command in (self._NAVIGATION_BACK_COMMAND, self._NAVIGATION_FORWARD_COMMAND):
            self._navigate(command)
            return None
        if not command:
            return None
        self._command_history_store.add_command(command)
        if command.startswith(self.REGEX_SEARCH_PREFIX):
            self._search(command[len(self.REGEX_SEARCH_PREFIX) :])
            return None
        if command.startswith(self.TENSOR_INDICES_NAVIGATION_PREFIX):
            self._scroll_to_element(command[len(self.TENSOR_INDICES_NAVIGATION_PREFIX) :])
            return None
        try:
            output = self._executed(command)
        except debugger_cli_common.CommandLineExit as end:
            token = end.exit_token
            return token if token is not None else debugger_cli_common.EXPLICIT_USER_EXIT
        if output is None:
            return None
        self._wait_toast()
        self._curr_search_regex = None
        self._nav_history.add_item(command, output, 0)
        self._display_output(output)
        return None

    def _executed(self, command: str) -> RichTextLines | None:
        """What a command shows; None if nothing.

        Raises:
            CommandLineExit: if it ends the command line.
        """
        try:
            prefix, arguments, output_path = self._parse_command(command)
        except SyntaxError as error:
            self._error_toast(str(error))
            return None
        if not self._command_handler_registry.is_registered(prefix):
            return RichTextLines([f'{self.ERROR_MESSAGE_PREFIX}Invalid command prefix "{prefix}"'])
        screen_info = {"cols": self._max_x - _SCROLL_BAR_WIDTH}
        # What is printed would stand in the middle of the screen.
        with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
            output = self._command_handler_registry.dispatch_command(
                prefix, arguments, screen_info=screen_info
            )
        if output is not None and output_path:
            try:
                output.write_to_file(output_path)
                self._info_toast(f"Wrote output to {output_path}")
            except Exception as error:  # whatever the file system says
                self._error_toast(f"Failed to write output to {output_path}: {error}")
        return output

    def _navigate(self, command: str) -> None:
        """Shows what was shown before or after."""
        history = self._nav_history
        goes_back = command == self._NAVIGATION_BACK_COMMAND
        if not (history.can_go_back() if goes_back else history.can_go_forward()):
            end = "OLDEST" if goes_back else "LATEST"
            self._toast(f"At the {end} in navigation history!", color=self._ERROR_COLOR)
            self._wait_toast()
            return
        item = history.go_back() if goes_back else history.go_forward()
        row = item.scroll_position
        self._wait_toast()
        self._curr_search_regex = None
        self._display_output(item.screen_output)
        if row:
            self._scroll_output(_SCROLL_TO_LINE_INDEX, line_index=row)

    def _search(self, regex: str) -> None:
        """Shows the lines that match; goes on to the next one if there is nothing to find."""
        if self._curr_unwrapped_output is None:
            return
        if regex:
            self._search_anew(regex)
            return
        if self._curr_search_regex is None:
            self._wait_toast()
            return
        rows = [row for row in self._match_rows if row > self._output_pad_row]
        if not rows:
            self._error_toast("Pattern not found", prefix="")
        self._wait_toast()
        if rows:
            self._scroll_output(_SCROLL_TO_LINE_INDEX, line_index=rows[0])

    def _search_anew(self, regex: str) -> None:
        output = self._curr_unwrapped_output
        try:
            found = regex_find(output, regex, font_attr=self._SEARCH_HIGHLIGHT) if output else None
        except ValueError as error:
            self._error_toast(str(error))
            found = None
        else:
            if found is not None and not found.annotations[REGEX_MATCH_LINES_KEY]:
                self._error_toast("Pattern not found", prefix="")
                found = None
        self._wait_toast()
        if found is not None:
            self._curr_search_regex = regex
            self._display_output(found, unwrapped=output)

    def _scroll_to_element(self, text: str) -> None:
        """Scrolls to an element of the tensor that is shown.

        Args:
            text: its indices, with or without brackets.
        """
        output = self._curr_unwrapped_output
        if output is None:
            return
        row = None
        try:
            if not text.strip():
                raise ValueError("Empty indices.")
            indices = command_parser.parse_indices(text)
            omitted, row, *_ = tensor_format.locate_tensor_element(output, indices)
            if omitted:
                self._info_toast("The element is omitted; this is the line of the ellipsis.")
        except (ValueError, AttributeError) as error:
            self._error_toast(str(error))
        self._wait_toast()
        if row is not None:
            self._scroll_output(_SCROLL_TO_LINE_INDEX, line_index=self._line_rows[row])

    def _mouse_mode_command_handler(self, args: list[str], screen_info: Any = None) -> None:
        """Turns the mouse on or off, or tells whether it is on."""
        del screen_info
        if len(args) > 1:
            self._error_toast("mouse_mode: syntax error")
        elif not args:
            self._info_toast(f"Mouse mode: {self._mouse_text().lower()}")
        elif args[0].lower() not in ("on", "1", "true", "off", "0", "false"):
            self._error_toast(f"Invalid mouse mode: {args[0]}")
        else:
            self._set_mouse(args[0].lower() in ("on", "1", "true"))
            self._info_toast(f"Mouse mode: {self._mouse_text().lower()}")

    def _take_mouse_setting(self, config: dict[str, Any]) -> None:
        self._set_mouse(config["mouse_mode"])

    def _set_mouse(self, enabled: bool) -> None:
        self._mouse_enabled = enabled
        self._screen_set_mousemask()
        if self._curr_wrapped_output is not None:
            self._draw_scroll_info()

    def _mouse_text(self) -> str:
        return "ON" if self._mouse_enabled else "OFF"

    # The screen

    @property
    def _top(self) -> int:
        """The first row of the output."""
        return _NAVIGATION_ROW + (2 if self._main_menu is not None else 1)

    @property
    def _bottom(self) -> int:
        """The row of the scroll position, below the output."""
        return self._max_y - 3

    @property
    def _visible_rows(self) -> int:
        return max(self._bottom - _NAVIGATION_ROW - 2, 1)

    def _draw_frame(self) -> None:
        """Draws what is not output."""
        if self._title is not None:
            text, color = self._title
            self._screen_draw_text_line(
                _TITLE_ROW, f"--- {text} ".ljust(self._max_x, "-"), color=color
            )
        self._display_nav_bar()
        self._screen_create_command_window()

    def _resize(self) -> None:
        self._screen_refresh_size()
        self._draw_frame()
        if self._curr_unwrapped_output is not None:
            self._display_output(self._curr_unwrapped_output)

    def _display_output(
        self, output: RichTextLines, unwrapped: RichTextLines | None = None
    ) -> None:
        """Shows lines.

        Args:
            output: the lines.
            unwrapped: the same without what a search has marked.
        """
        self._curr_unwrapped_output = unwrapped if unwrapped is not None else output
        cols = max(self._max_x - _SCROLL_BAR_WIDTH, 1)
        shown, self._line_rows = wrap_rich_text_lines(output, cols)
        if shown.num_lines() > self.max_output_lines:
            shown = shown.slice(0, self.max_output_lines)
            shown.append(
                f"Output cut off at {self.max_output_lines} lines!",
                [(0, 0, self._WAIT_COLOR)],
            )
        self._output_num_rows = shown.num_lines()
        # The last line can be scrolled to the top.
        for _ in range(self._visible_rows):
            shown.append("")
        self._curr_wrapped_output = shown
        matches = shown.annotations.get(REGEX_MATCH_LINES_KEY, ())
        self._match_rows = [self._line_rows[line] for line in matches]
        self._display_main_menu(output)
        self._display_nav_bar()
        self._draw_output()
        first = output.annotations.get(INIT_SCROLL_POS_KEY)
        if self._match_rows:
            self._scroll_output(_SCROLL_TO_LINE_INDEX, line_index=self._match_rows[0])
        elif first is not None and 0 <= first < len(self._line_rows):
            self._scroll_output(_SCROLL_TO_LINE_INDEX, line_index=self._line_rows[first])
        else:
            self._scroll_output(_SCROLL_HOME)

    def _draw_output(self) -> None:
        shown = self._curr_wrapped_output
        if shown is None:
            return
        cols = self._max_x - _SCROLL_BAR_WIDTH
        self._output_pad = self._screen_new_output_pad(shown.num_lines(), cols)
        for row, line in enumerate(shown.lines):
            self._screen_add_line_to_output_pad(
                self._output_pad, row, line, color_segments=shown.font_attr_segs.get(row)
            )

    def _display_main_menu(self, output: RichTextLines) -> None:
        """Shows the menu of an output, if it has one."""
        menu = output.annotations.get(MAIN_MENU_KEY)
        self._main_menu = None
        if menu is not None:
            self._main_menu = menu.format_as_single_line(
                prefix="| ", divider=" | ", enabled_item_attrs=["underline"]
            )
            self._screen_render_menu_pad()

    def _screen_render_menu_pad(self) -> None:
        if self._main_menu is not None:
            self._screen_show_line(_NAVIGATION_ROW + 1, 0, self._main_menu)

    def _display_nav_bar(self) -> None:
        self._nav_bar = self._nav_history.render(
            self._max_x - _SCROLL_BAR_WIDTH,
            self._NAVIGATION_BACK_COMMAND,
            self._NAVIGATION_FORWARD_COMMAND,
        )
        self._screen_render_nav_bar()

    def _screen_render_nav_bar(self) -> None:
        if self._nav_bar is not None:
            blank = RichTextLines(" " * max(self._max_x - 1, 1))
            self._screen_show_line(_NAVIGATION_ROW, 0, blank)
            self._screen_show_line(_NAVIGATION_ROW, 0, self._nav_bar)

    def _scroll_output(self, direction: str, line_index: int | None = None) -> None:
        """Scrolls what is shown.

        Args:
            direction: how.
            line_index: the row to scroll to.

        Raises:
            ValueError: if there is no such direction.
        """
        if self._curr_wrapped_output is None:
            return
        row, last = self._output_pad_row, max(self._output_num_rows - 1, 0)
        rows = {
            _SCROLL_REFRESH: row,
            _SCROLL_UP: row - self._visible_rows,
            _SCROLL_DOWN: row + self._visible_rows,
            _SCROLL_UP_A_LINE: row - 1,
            _SCROLL_DOWN_A_LINE: row + 1,
            _SCROLL_HOME: 0,
            _SCROLL_END: last,
            _SCROLL_TO_LINE_INDEX: line_index,
        }
        if direction not in rows:
            raise ValueError(f"Unsupported scroll mode: {direction}")
        wanted = rows[direction]
        if wanted is None:
            raise ValueError(f"line_index is required for {direction}")
        self._output_pad_row = min(max(wanted, 0), last)
        if self._nav_history.size():
            self._nav_history.update_scroll_position(self._output_pad_row)
        self._screen_scroll_output_pad(
            self._output_pad,
            self._output_pad_row,
            0,
            self._top,
            0,
            self._bottom,
            self._max_x - _SCROLL_BAR_WIDTH,
        )
        self._draw_scroll_bar()
        self._draw_scroll_info()
        self._show_pointers()

    def _show_pointers(self) -> None:
        """Shows the indices of the elements at the top and at the bottom."""
        pointers = self._output_array_pointer_indices or {}
        for key, row in ((0, self._top), (-1, self._top + self._visible_rows)):
            indices = pointers.get(key)
            if indices is not None:
                text = f"{self.TENSOR_INDICES_NAVIGATION_PREFIX}{indices}".replace(" ", "")
                self._toast(text, color="black_on_white", line_index=row)

    def _draw_scroll_bar(self) -> None:
        left = self._max_x - _SCROLL_BAR_WIDTH
        try:
            self._scroll_bar = ScrollBar(
                left,
                self._top,
                self._max_x - 1,
                self._bottom - 1,
                self._output_pad_row,
                self._output_num_rows,
            )
        except ValueError:  # the screen is too small for one
            self._scroll_bar = None
            return
        if self._stdscr is None:
            return
        layout = self._scroll_bar.layout()
        for number, line in enumerate(layout.lines):
            segments = layout.font_attr_segs.get(number, [])
            self._screen_show_line(
                self._top + number, left, RichTextLines(line, {0: segments} if segments else None)
            )

    def _draw_scroll_info(self) -> None:
        self._scroll_info = self._scroll_text()
        self._screen_draw_text_line(self._bottom, self._scroll_info, color="black_on_white")

    def _scroll_text(self) -> str:
        """The row below the output: where it is scrolled to, and the mouse."""
        self._output_array_pointer_indices = self._visible_elements()
        text = ""
        if self._output_num_rows > 1:
            row, last = self._output_pad_row, self._output_num_rows - 1
            keys = "PgDn" if row == 0 else "PgUp" if row == last else "PgDn/PgUp"
            text = f"--- Scroll ({keys}): {100 * row / last:.2f}% "
            if self._output_array_pointer_indices is not None:
                first, final = (
                    str(indices).replace(" ", "") if indices is not None else ""
                    for indices in self._output_array_pointer_indices.values()
                )
                text += f"{first}-{final} "
        mouse = f" Mouse: {self._mouse_text()} ---"
        dashes = self._max_x - len(text) - len(mouse)
        return text + "-" * dashes + mouse if dashes > 0 else text

    def _visible_elements(self) -> dict[int, list[int] | None] | None:
        """The indices of the elements at the top (0) and the bottom (-1), if it is a tensor."""
        output = self._curr_wrapped_output
        if output is None or "tensor_metadata" not in output.annotations:
            return None
        found: dict[int, list[int] | None] = {}
        for key, row in (
            (0, self._output_pad_row),
            (-1, self._output_pad_row + self._visible_rows),
        ):
            about = output.annotations.get(row)
            found[key] = about.get("i0") if isinstance(about, dict) else None
        return found

    def _fetch_hyperlink_command(self, mouse_x: int, mouse_y: int) -> str | None:
        """The command of what is clicked; clicks on the scroll bar scroll.

        Args:
            mouse_x: the column.
            mouse_y: the row.
        """
        if self._curr_wrapped_output is None:
            return None
        if mouse_x >= self._max_x - _SCROLL_BAR_WIDTH:
            command = self._scroll_bar.get_click_command(mouse_y) if self._scroll_bar else None
            if command is not None:
                self._scroll_output(command)
            return None
        if mouse_y == _NAVIGATION_ROW and self._nav_bar is not None:
            segments = self._nav_bar.font_attr_segs.get(0, [])
        elif mouse_y < self._top and self._main_menu is not None:
            segments = self._main_menu.font_attr_segs.get(0, [])
        elif self._top <= mouse_y < self._bottom:
            row = self._output_pad_row + mouse_y - self._top
            segments = self._curr_wrapped_output.font_attr_segs.get(row, [])
        else:
            segments = []
        for start, end, attrs in segments:
            if start <= mouse_x < end:
                for attr in attrs if isinstance(attrs, list) else [attrs]:
                    if isinstance(attr, MenuItem):
                        return attr.content
        return None

    # Messages

    def _toast(self, message: str, color: str | None = None, line_index: int | None = None) -> None:
        """Shows a message until something else is shown.

        Args:
            message: the message.
            color: its color.
            line_index: its row.
        """
        # An error stays until the next command.
        if message == self._UI_WAIT_MESSAGE and self._error_is_shown:
            return
        self._error_is_shown |= color == self._ERROR_COLOR
        row = self._max_y - 4 if line_index is None else line_index
        segments = {0: [(0, len(message), color or self._INFO_COLOR)]}
        self._screen_show_line(row, 0, RichTextLines(message, segments))

    def _wait_toast(self) -> None:
        self._toast(self._UI_WAIT_MESSAGE, color=self._WAIT_COLOR)

    def _error_toast(self, message: str, prefix: str | None = None) -> None:
        start = self.ERROR_MESSAGE_PREFIX if prefix is None else prefix
        self._toast(start + message, color=self._ERROR_COLOR)

    def _info_toast(self, message: str) -> None:
        self._toast(self.INFO_MESSAGE_PREFIX + message, color=self._INFO_COLOR)
