"""The full-screen command line, without a terminal: keys go in, what is drawn comes out."""

from __future__ import annotations

import curses
import os
import pty
import re
import select
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from headwater.debug.cli import curses_ui, debugger_cli_common, tensor_format
from headwater.debug.cli.cli_config import CLIConfig
from headwater.debug.cli.curses_widgets import CursesNavigationHistory
from headwater.debug.cli.rich_text import MAIN_MENU_KEY, Menu, MenuItem, RichTextLines

UP, DOWN, PAGE_DOWN, PAGE_UP = curses.KEY_UP, curses.KEY_DOWN, curses.KEY_NPAGE, curses.KEY_PPAGE


class Screen(curses_ui.CursesUI):
    """A command line on a screen that is not there.

    Args:
        folder: where settings and history are kept.
        keys: what is typed: strings, numbers of keys, and (column, row) of clicks.
        size: rows and columns.
    """

    def __init__(self, folder: Path, *keys: Any, size: tuple[int, int] = (40, 80)) -> None:
        self._keys = [*keys, "exit\n"]
        self._size = size
        self.typed = ""
        self.shown: list[list[str]] = []
        self.infos: list[str] = []
        self.toasts: list[str] = []
        self.rows: list[int] = []
        self.candidates: list[list[str]] = []
        super().__init__(config=CLIConfig(config_file_path=str(folder / "config")))
        self._command_history_store = debugger_cli_common.CommandHistory(
            history_file_path=str(folder / "history")
        )
        self.register_command_handler("say", self._say, "Says something.", prefix_aliases=["s"])
        self.register_command_handler("ones", self._ones, "Shows ones.")

    @staticmethod
    def _say(args: list[str], screen_info: Any = None) -> RichTextLines:
        sys.stdout.write("on the screen")
        count, *options = args
        lines = [f"line {number}" for number in range(int(count))]
        links = {1: [(0, 4, MenuItem("", "say 5"))]} if "link" in options else {}
        annotations = {}
        if "menu" in options:
            annotations[MAIN_MENU_KEY] = menu = Menu()
            menu.append(MenuItem("again", "say 7"))
            menu.append(MenuItem("never", "say 8", enabled=False))
        return RichTextLines(lines, font_attr_segs=links, annotations=annotations)

    @staticmethod
    def _ones(args: list[str], screen_info: Any = None) -> Any:
        return tensor_format.format_tensor(np.ones([5, 5]), "m")

    def _screen_init(self) -> None:
        pass

    _screen_terminate = _screen_refresh = _screen_create_command_window = _screen_init

    def _screen_launch(self, enable_mouse_on_start: bool) -> None:
        self._mouse_enabled = enable_mouse_on_start

    def _screen_refresh_size(self) -> None:
        self._max_y, self._max_x = self._size

    def _screen_create_command_textbox(self, existing_command: str) -> None:
        self.typed = existing_command

    def _screen_new_output_pad(self, rows: int, cols: int) -> None:
        pass

    def _screen_add_line_to_output_pad(self, *args: Any, **kwargs: Any) -> None:
        pass

    def _screen_scroll_output_pad(self, *args: Any) -> None:
        pass

    def _screen_draw_text_line(self, row: int, line: str, *args: Any, **kwargs: Any) -> None:
        self.infos.append(line)

    def _screen_get_user_command(self) -> str:
        while True:
            key = self._keys[0]
            if isinstance(key, tuple):
                self._textbox_curr_terminator = curses.KEY_MOUSE
                return self._fetch_hyperlink_command(*self._keys.pop(0)) or ""
            number, self._keys[0] = (ord(key[0]), key[1:]) if isinstance(key, str) else (key, "")
            if not self._keys[0]:
                self._keys.pop(0)
            if self._on_textbox_keypress(number) == self.CLI_TERMINATOR_KEY:
                return self.typed
            if number < 256:
                self.typed += chr(number)

    def _scroll_output(self, direction: str, line_index: int | None = None) -> None:
        super()._scroll_output(direction, line_index=line_index)
        if self._curr_unwrapped_output is not None:
            self.shown.append(self._curr_unwrapped_output.lines)
            self.rows.append(self._output_pad_row)

    def _display_candidates(self, candidates: list[str]) -> None:
        self.candidates.append(candidates)

    def _toast(self, message: str, color: Any = None, line_index: int | None = None) -> None:
        self.toasts.append(message)

    def counts(self) -> list[int]:
        """The number of lines of what was shown."""
        return [len(lines) for lines in self.shown]


def run(folder: Path, *keys: Any, **options: Any) -> Screen:
    screen = Screen(folder, *keys, **options)
    assert screen.run_ui() == debugger_cli_common.EXPLICIT_USER_EXIT
    return screen


def test_pages(tmp_path: Path, capsys: Any) -> None:
    screen = run(tmp_path, "say 60\n", PAGE_DOWN, PAGE_DOWN, PAGE_UP, curses.KEY_END, PAGE_DOWN)
    assert screen.rows == [0, 1, 2, 1, 59, 59]
    assert [re.sub("-{4,}", "--", info) for info in screen.infos[:2]] == [
        "--- Scroll (PgDn): 0.00% -- Mouse: ON ---",
        "--- Scroll (PgDn/PgUp): 1.69% -- Mouse: ON ---",
    ]
    assert "--- Scroll (PgUp): 100.00% -" in screen.infos[4]
    # Nothing that a command prints stands on the screen.
    assert capsys.readouterr().out == ""


def test_a_screen_that_becomes_larger(tmp_path: Path) -> None:
    screen = Screen(tmp_path, "say 9\n", curses.KEY_RESIZE)
    screen._size = (40, 80)
    screen.run_ui()
    assert screen.counts() == [9, 9]
    # Two columns are those of the scroll bar: "line 9" fits, "line 10" takes two rows.
    assert run(tmp_path, "say 12\n", size=(40, 8))._output_num_rows == 10 + 2 * 2


def test_long_outputs_are_cut_off(tmp_path: Path) -> None:
    screen = Screen(tmp_path, "say 20\n")
    screen.max_output_lines = 10
    screen.run_ui()
    shown = screen._curr_wrapped_output
    assert shown is not None and shown.lines[9:11] == ["line 9", "Output cut off at 10 lines!"]


def test_up_and_down_go_through_the_history(tmp_path: Path) -> None:
    keys = ("say 1\n", "say 2\n", "ones\n", UP, UP, UP, UP, DOWN, "\n", "s", UP, "\n")
    assert run(tmp_path, *keys).counts() == [1, 2, 7, 2, 2]


def test_tab_completes(tmp_path: Path) -> None:
    screen = Screen(tmp_path, "o\t\n", "say 1\t", "2\t", "3\n", "\t", "x\n", "wobble 1\t\n")
    screen.register_tab_comp_context(["say", "s"], ["10", "120", "123"])
    screen.run_ui()
    every = ["cfg", "config", "exit", "h", "help", "m", "mouse", "ones", "quit", "s", "say"]
    assert screen.candidates == [[], ["10", "120", "123"], ["120", "123"], every]
    assert screen.counts() == [7, 123, 1, 1]
    assert screen.shown[2] == ['ERROR: Invalid command prefix "x"']


def test_search(tmp_path: Path) -> None:
    screen = run(
        tmp_path, "/\n", "say 12\n", "/\n", "/[\n", "/wobble\n", "/1\n", "/\n", "/\n", "/\n"
    )
    assert screen.rows == [0, 1, 10, 11]
    errors = [toast for toast in screen.toasts if toast != "Processing..."]
    not_found = "Pattern not found"
    assert errors == ['ERROR: Invalid regular expression: "["', not_found, not_found]
    shown = screen._curr_wrapped_output
    assert shown is not None and shown.font_attr_segs[10] == [(5, 6, "black_on_white")]
    assert screen._curr_unwrapped_output is not None
    assert screen._curr_unwrapped_output.font_attr_segs == {}


def test_elements_of_a_tensor(tmp_path: Path) -> None:
    keys = (
        "ones\n",
        PAGE_DOWN,
        "@[1,0]\n",
        "@4, 0\n",
        "@[10, 0]\n",
        "@[]\n",
        "@\n",
        "say 1\n",
        "@1\n",
    )
    screen = run(tmp_path, *keys, size=(9, 80))
    assert screen.rows == [0, 1, 3, 6, 0]
    assert [re.sub("-{4,}.*", "", info).partition("%")[2] for info in screen.infos[:4]] == [
        " -[1,0] ",
        " -[2,0] ",
        " [1,0]-[4,0] ",
        " [4,0]- ",
    ]
    assert [toast for toast in screen.toasts if toast.startswith("ERROR")] == [
        "ERROR: Indices exceed tensor dimensions.",
        "ERROR: invalid literal for int() with base 10: ''",
        "ERROR: Empty indices.",
        "ERROR: tensor_metadata is not available in annotations.",
    ]


def test_what_was_shown_before(tmp_path: Path) -> None:
    # The second arrow and the first one are clicked as well as typed.
    keys = ("prev\n", "say 2\n", PAGE_DOWN, "say 4\n", "prev\n", (7, 1), "next\n", (3, 1))
    screen = run(tmp_path, *keys)
    assert list(zip(screen.counts(), screen.rows)) == [
        (2, 0),
        (2, 1),
        (4, 0),
        (2, 0),
        (2, 1),
        (4, 0),
        (2, 0),
        (2, 1),
    ]
    assert [toast for toast in screen.toasts if toast.startswith("At")] == [
        "At the OLDEST in navigation history!",
        "At the LATEST in navigation history!",
    ]


def test_links_and_menus_are_clicked(tmp_path: Path) -> None:
    assert run(tmp_path, "say 9 link\n", (2, 3)).counts() == [9, 5]
    assert run(tmp_path, "say 9 link\n", (2, 4), (6, 3), (2, 37)).counts() == [9]
    # A menu moves the output down by a row.
    assert run(tmp_path, "say 9 link menu\n", (2, 4)).counts() == [9, 5]
    menu = run(tmp_path, "say 9 menu\n", (3, 2))
    assert menu.counts() == [9, 7]
    assert run(tmp_path, "say 9 menu\n", (11, 2), "typed", (3, 2)).counts() == [9, 7]


def test_the_scroll_bar_is_clicked(tmp_path: Path) -> None:
    screen = run(tmp_path, "say 99\n", (79, 36), (78, 30), (79, 2), (79, 3), (79, 16))
    assert screen.rows == [0, 1, 35, 34, 0, 34]


def test_the_mouse_is_turned_off(tmp_path: Path) -> None:
    screen = run(tmp_path, "say 2\n", "mouse off\n", "m\n", "mouse wobble\n", "mouse on off\n")
    assert not screen._mouse_enabled and " Mouse: OFF ---" in screen.infos[-1]
    assert screen.toasts[1:] == [
        "INFO: Mouse mode: off",
        "INFO: Mouse mode: off",
        "ERROR: Invalid mouse mode: wobble",
        "ERROR: mouse_mode: syntax error",
    ]
    assert run(tmp_path, "config set mouse_mode false\n")._mouse_enabled is False


def test_output_goes_to_files(tmp_path: Path) -> None:
    path = tmp_path / "out"
    screen = run(tmp_path, f"say 2 > {path}\n", "say 2 >\n", "say 2 > /nowhere/a\n")
    assert path.read_text() == "line 0\nline 1\n"
    assert screen.toasts[0] == f"INFO: Wrote output to {path}"
    assert "ERROR: Redirect file path is empty" in screen.toasts
    assert screen.toasts[3].startswith("ERROR: Failed to write output to /nowhere/a: ")


def test_what_the_history_of_outputs_keeps() -> None:
    history = CursesNavigationHistory(2)
    with pytest.raises(ValueError, match="Empty navigation history"):
        history.go_back()
    with pytest.raises(ValueError, match="capacity"):
        CursesNavigationHistory(0)
    for command in ("one", "two", "three"):
        history.add_item(command, RichTextLines([command]), 0)
    assert history.go_back().command == "two" and not history.can_go_back()
    assert history.render(14, "prev", "next").lines == ["| <-- --> | (-1) "]
    assert history.render(80, "prev", "next").lines == ["| <-- --> | (-1) two"]
    history.add_item("four", RichTextLines(["four"]), 0)
    assert (history.size(), history.go_back().command) == (2, "two")


@pytest.mark.parametrize(
    ("position", "block", "commands"),
    [
        (0, 1, ["up_a_line", None, *["down"] * 5, "down_a_line"]),
        (10, 3, ["up_a_line", "up", "up", None, *["down"] * 3, "down_a_line"]),
        (19, 6, ["up_a_line", *["up"] * 5, None, "down_a_line"]),
    ],
)
def test_scroll_bars(position: int, block: int, commands: list[str | None]) -> None:
    bar = curses_ui.ScrollBar(0, 0, 1, 7, position, 20)
    assert bar.layout().lines == ["UP", *["  "] * 6, "DN"]
    assert sorted(bar.layout().font_attr_segs) == [0, block, 7]
    assert [bar.get_click_command(y) for y in range(8)] == commands
    assert curses_ui.ScrollBar(0, 0, 3, 7, 0, 20).layout().lines[0] == " UP "
    assert curses_ui.ScrollBar(0, 0, 1, 7, 0, 1).layout().font_attr_segs == {}
    with pytest.raises(ValueError, match=r"Insufficient height for ScrollBar \(3\)"):
        curses_ui.ScrollBar(0, 0, 1, 2, position, 20)


_PROGRAM = """
import headwater as tf
from headwater import debug as tf_debug
y = tf.log(tf.constant([[1.0, 2.0]] * 30, name="x") - 1.0, name="y")
session = tf_debug.LocalCLIDebugWrapperSession(tf.Session(), config_file_path="config")
print(session.run(y).shape)
"""


@pytest.mark.filterwarnings("ignore:os.fork:RuntimeWarning")
# Starts a process with a terminal of its own.
@pytest.mark.slow
def test_a_session_on_a_terminal(tmp_path: Path) -> None:
    process, terminal = pty.fork()
    if process == 0:
        environment = {**os.environ, "TERM": "xterm", "HOME": str(tmp_path)}
        os.chdir(tmp_path)
        os.execvpe(sys.executable, [sys.executable, "-c", _PROGRAM], environment)
    seen = ""

    def wait_for(text: str) -> None:
        nonlocal seen
        while text not in seen:
            assert select.select([terminal], [], [], 60)[0], seen
            seen += os.read(terminal, 1 << 16).decode(errors="replace")
        seen = ""

    wait_for("tfdbg> ")
    for keys, text in (
        (b"run\n", "run-end: run #1"),
        (b"pt y:0\n", "shape: (30, 2)"),
        (b"\x1b[6~", "3.03%"),
        (b"prev\n", "(-1) lt"),
        (b"mouse off\n", "Mouse mode: off"),
        (b"run\n", "(30, 2)"),
    ):
        os.write(terminal, keys)
        wait_for(text)
    assert os.waitpid(process, 0)[1] == 0
    os.close(terminal)
