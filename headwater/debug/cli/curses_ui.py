"""The command line with colors and pages."""

from __future__ import annotations

from typing import Any

from headwater.base.lazy import LazyModule
from headwater.debug.cli.readline_ui import ReadlineUI
from headwater.debug.cli.rich_text import MAIN_MENU_KEY, MenuItem, RichTextLines

_console: Any = LazyModule("rich.console")
_text: Any = LazyModule("rich.text")

_STYLES = {"gray": "bright_black", "blink": "bold red"}
_KNOWN = frozenset("bold underline black red green yellow blue magenta cyan white reverse".split())


class CursesUI(ReadlineUI):
    """Shows what commands return in color, page by page if it is longer than the screen.

    The pages are those of the program in the environment variable PAGER, such as ``less``.
    What TensorFlow's user interface of this name offers to the mouse are commands here: the menu
    below the output shows them.
    """

    def _display_title(self, title: str, color: str | None) -> None:
        _console.Console().rule(title, style=_style(color or "bold"))

    def _display_output(self, screen_output: RichTextLines) -> None:
        console = _console.Console(highlight=False)
        text = rendered(screen_output)
        if screen_output.num_lines() > console.height - 2:
            with console.pager(styles=True):
                console.print(text)
        else:
            console.print(text)
        menu = screen_output.annotations.get(MAIN_MENU_KEY)
        commands = [item.content for item in menu._items if item.is_enabled()] if menu else []
        if commands:
            console.print(" | ".join(commands), style="bright_black")


def rendered(output: RichTextLines) -> Any:
    """RichTextLines as a ``rich.text.Text``.

    Args:
        output: the lines.
    """
    text = _text.Text()
    for number, line in enumerate(output.lines):
        part = _text.Text(line + "\n")
        for start, end, attrs in output.font_attr_segs.get(number, ()):
            for attr in attrs if isinstance(attrs, list) else [attrs]:
                if attr is not None:
                    part.stylize(_style(attr), start, end)
        text.append_text(part)
    text.rstrip()
    return text


def _style(attr: Any) -> str:
    if isinstance(attr, MenuItem):
        return "underline"
    style = _STYLES.get(attr, attr)
    return style if style in _KNOWN or attr in _STYLES else ""
