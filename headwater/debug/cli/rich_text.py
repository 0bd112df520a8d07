"""Lines of text with font attributes and annotations, and menus."""

from __future__ import annotations

import copy
import re
from collections.abc import Iterable
from typing import Any

from headwater.io.files import open_file

REGEX_MATCH_LINES_KEY = "regex_match_lines"
INIT_SCROLL_POS_KEY = "init_scroll_pos"
MAIN_MENU_KEY = "mm:"

# (first column, column after the last, attributes)
Segments = list[tuple[int, int, Any]]


class RichLine:
    """One line of text; two are joined by ``+``.

    Args:
        text: the text.
        font_attr: the attribute of all of it, or None.
    """

    def __init__(self, text: str = "", font_attr: Any = None) -> None:
        self.text = text
        self.font_attr_segs: Segments = [(0, len(text), font_attr)] if font_attr else []

    def __add__(self, other: Any) -> RichLine:
        result = RichLine()
        if isinstance(other, RichLine):
            shift = len(self.text)
            result.text = self.text + other.text
            result.font_attr_segs = [
                *self.font_attr_segs,
                *((start + shift, end + shift, attr) for start, end, attr in other.font_attr_segs),
            ]
        elif isinstance(other, str):
            result.text = self.text + other
            result.font_attr_segs = list(self.font_attr_segs)
        else:
            raise TypeError(f"{other!r} cannot be concatenated with a RichLine")
        return result

    def __len__(self) -> int:
        return len(self.text)


class RichTextLines:
    """Lines of text.

    Args:
        lines: the lines; one string is one line. RichLines bring their attributes.
        font_attr_segs: the attributes of segments of lines, by the number of the line.
        annotations: any objects, by the number of the line or another key.

    Raises:
        ValueError: if `lines` is neither a string nor a list.
    """

    def __init__(
        self,
        lines: Any,
        font_attr_segs: dict[int, Segments] | None = None,
        annotations: dict[Any, Any] | None = None,
    ) -> None:
        if isinstance(lines, list):
            self._lines: list[str] = lines
        elif isinstance(lines, str):
            self._lines = [lines]
        else:
            raise ValueError(f"Unexpected type in lines: {type(lines)}")
        self._font_attr_segs = font_attr_segs or {}
        self._annotations = annotations or {}

    @property
    def lines(self) -> list[str]:
        """The text."""
        return self._lines

    @property
    def font_attr_segs(self) -> dict[int, Segments]:
        """The attributes of segments, by the number of the line."""
        return self._font_attr_segs

    @property
    def annotations(self) -> dict[Any, Any]:
        """What belongs to lines, by their numbers, and to all, by other keys."""
        return self._annotations

    def num_lines(self) -> int:
        """The number of lines."""
        return len(self._lines)

    def slice(self, begin: int, end: int) -> RichTextLines:
        """The lines from one to another, with the annotations of the whole.

        Raises:
            ValueError: if a number is negative.
        """
        if begin < 0 or end < 0:
            raise ValueError("Encountered negative index.")
        segments = {i - begin: s for i, s in self._font_attr_segs.items() if begin <= i < end}
        annotations = {}
        for key, value in self._annotations.items():
            if not isinstance(key, int):
                annotations[key] = value
            elif begin <= key < end:
                annotations[key - begin] = value
        return RichTextLines(self._lines[begin:end], segments, annotations)

    def extend(self, other: RichTextLines) -> None:
        """Adds the lines of another one at the end."""
        shift = self.num_lines()
        self._lines.extend(other.lines)
        for line, segments in other.font_attr_segs.items():
            self._font_attr_segs[line + shift] = segments
        for key, value in other.annotations.items():
            self._annotations[key + shift if isinstance(key, int) else key] = value

    def prepend(self, line: Any, font_attr_segs: Segments | None = None) -> None:
        """Adds a line at the beginning."""
        first = RichTextLines(line)
        if font_attr_segs:
            first.font_attr_segs[0] = font_attr_segs
        rest = RichTextLines(list(self._lines), dict(self._font_attr_segs), self._annotations)
        first.extend(RichTextLines(rest.lines, rest.font_attr_segs, dict(rest.annotations)))
        self._lines[:] = first.lines
        self._font_attr_segs = first.font_attr_segs
        self._annotations = first.annotations

    def append(self, line: str, font_attr_segs: Segments | None = None) -> None:
        """Adds a line at the end."""
        self._lines.append(line)
        if font_attr_segs:
            self._font_attr_segs[len(self._lines) - 1] = font_attr_segs

    def append_rich_line(self, rich_line: RichLine) -> None:
        """Adds a RichLine at the end."""
        self.append(rich_line.text, rich_line.font_attr_segs)

    def write_to_file(self, file_path: str) -> None:
        """Writes the text to a file.

        Raises:
            OpError: of the class that fits, if it cannot be written.
        """
        with open_file(file_path, "wb") as file:
            file.write("".join(line + "\n" for line in self._lines).encode())


def rich_text_lines_from_rich_line_list(
    rich_text_list: Iterable[RichLine | str], annotations: dict[Any, Any] | None = None
) -> RichTextLines:
    """RichTextLines of RichLines and strings."""
    result = RichTextLines([], annotations=annotations)
    for line in rich_text_list:
        if isinstance(line, RichLine):
            result.append_rich_line(line)
        else:
            result.append(line)
    return result


def regex_find(orig_screen_output: RichTextLines, regex: str, font_attr: Any) -> RichTextLines:
    """The same lines with the matches of a regular expression marked.

    Args:
        orig_screen_output: the lines.
        regex: the regular expression.
        font_attr: the attribute of matches.

    Returns:
        New lines; the annotation ``regex_match_lines`` has the numbers of those with a match.

    Raises:
        ValueError: if it is no regular expression.
    """
    try:
        pattern = re.compile(regex)
    except re.error:
        raise ValueError(f'Invalid regular expression: "{regex}"') from None
    segments = copy.deepcopy(orig_screen_output.font_attr_segs)
    found = []
    for number, line in enumerate(orig_screen_output.lines):
        matches = [(m.start(), m.end(), font_attr) for m in pattern.finditer(line)]
        if matches:
            found.append(number)
            segments[number] = sorted([*segments.get(number, []), *matches], key=lambda s: s[0])
    annotations = {**orig_screen_output.annotations, REGEX_MATCH_LINES_KEY: found}
    return RichTextLines(list(orig_screen_output.lines), segments, annotations)


def wrap_rich_text_lines(inp: RichTextLines, cols: int) -> tuple[RichTextLines, list[int]]:
    """Breaks lines that are too long.

    Args:
        inp: the lines.
        cols: the width.

    Returns:
        New lines, and for each old one the number of the line that begins it.

    Raises:
        ValueError: if an argument has a wrong type.
    """
    if not isinstance(inp, RichTextLines):
        raise ValueError("Invalid type of input screen_output")
    if not isinstance(cols, int):
        raise ValueError("Invalid type of input cols")
    out = RichTextLines([])
    starts = []
    for number, line in enumerate(inp.lines):
        starts.append(out.num_lines())
        if number in inp.annotations:
            out.annotations[out.num_lines()] = inp.annotations[number]
        old = inp.font_attr_segs.get(number, [])
        for begin in range(0, max(len(line), 1), cols):
            end = begin + cols
            segments = [
                (max(start, begin) - begin, min(stop, end) - begin, attr)
                for start, stop, attr in old
                if start < end and stop > begin
            ]
            out.append(line[begin:end], segments)
    for key, value in inp.annotations.items():
        if not isinstance(key, int):
            out.annotations[key] = value
    return out, starts


class MenuItem:
    """An entry of a menu, which stands for a command.

    Args:
        caption: what is shown.
        content: the command.
        enabled: whether it can be chosen.
    """

    def __init__(self, caption: str, content: str, enabled: bool = True) -> None:
        self._caption = caption
        self._content = content
        self._enabled = enabled

    @property
    def caption(self) -> str:
        """What is shown."""
        return self._caption

    @property
    def content(self) -> str:
        """The command."""
        return self._content

    @property
    def type(self) -> str:
        """The kind of entry."""
        return "command"

    def is_enabled(self) -> bool:
        """Whether it can be chosen."""
        return self._enabled

    def disable(self) -> None:
        """Makes it an entry that cannot be chosen."""
        self._enabled = False

    def enable(self) -> None:
        """Makes it an entry that can be chosen."""
        self._enabled = True


class Menu:
    """Entries in a row.

    Args:
        name: the name of the menu.
    """

    def __init__(self, name: str | None = None) -> None:
        self._name = name
        self._items: list[MenuItem] = []

    def append(self, item: MenuItem) -> None:
        """Adds an entry at the end."""
        self._items.append(item)

    def insert(self, index: int, item: MenuItem) -> None:
        """Adds an entry before another one."""
        self._items.insert(index, item)

    def num_items(self) -> int:
        """The number of entries."""
        return len(self._items)

    def captions(self) -> list[str]:
        """What the entries show."""
        return [item.caption for item in self._items]

    def caption_to_item(self, caption: str) -> MenuItem:
        """The entry with a caption.

        Raises:
            LookupError: if there is none.
        """
        for item in self._items:
            if item.caption == caption:
                return item
        raise LookupError(f'There is no menu item with the caption "{caption}"')

    def format_as_single_line(
        self,
        prefix: str | None = None,
        divider: str = " | ",
        enabled_item_attrs: Any = None,
        disabled_item_attrs: Any = None,
    ) -> RichTextLines:
        """The menu as one line.

        Args:
            prefix: what stands before the entries.
            divider: what follows each of them.
            enabled_item_attrs: attributes of entries that can be chosen.
            disabled_item_attrs: attributes of the others.
        """
        line = prefix or ""
        segments: Segments = []
        for item in self._items:
            attrs = _listed(enabled_item_attrs if item.is_enabled() else disabled_item_attrs)
            if item.is_enabled():
                attrs = [item, *attrs]
            if attrs:
                segments.append((len(line), len(line) + len(item.caption), attrs))
            line += item.caption + divider
        return RichTextLines(line, {0: segments})


def _listed(attrs: Any) -> list[Any]:
    if attrs is None:
        return []
    return list(attrs) if isinstance(attrs, list) else [attrs]
