"""Where in the user's program an op was made."""

from __future__ import annotations

import linecache
import sys
from collections.abc import Collection, Iterator
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

_PACKAGE = str(Path(__file__).resolve().parent.parent)
_MAX_FRAMES = 64

# Files whose functions run the user's program, and those that they do it with.
_runners: set[str] = set()
_launchers: set[str] = set()

# Code object and instruction offset of each frame in turn, innermost first.
Stack = tuple[CodeType | int, ...]


def capture(skip: int) -> Stack:
    """The calling frames, innermost first, as code objects and instruction offsets.

    Line numbers are computed on demand, and frames are not stored as objects: a
    graph has thousands of nodes.
    """
    frame: FrameType | None = sys._getframe(skip + 1)
    frames: list[CodeType | int] = []
    add = frames.append
    while frame is not None and len(frames) < 2 * _MAX_FRAMES:
        add(frame.f_code)
        add(frame.f_lasti)
        frame = frame.f_back
    return tuple(frames)


def _frames(stack: Stack) -> Iterator[tuple[CodeType, int]]:
    items: Any = iter(stack)
    return zip(items, items)


def begin_below(file: str, launchers: Collection[str]) -> None:
    """Leaves the frames that run the user's program, and those above them, out of stacks.

    Args:
        file: the file whose functions run the program.
        launchers: files of the library that they call for it.
    """
    _runners.add(file)
    _launchers.update(launchers)


def _outermost_first(stack: Stack) -> list[tuple[CodeType, int]]:
    """The frames of the user's program, and of what it calls."""
    frames = list(_frames(stack))[::-1]
    running = [i for i, (code, _) in enumerate(frames) if code.co_filename in _runners]
    if running:
        frames = frames[running[-1] + 1 :]
        while frames and frames[0][0].co_filename in _launchers:
            del frames[0]
    return frames


def lines(stack: Stack) -> list[tuple[str, int, str, str]]:
    """The frames as (file, line, function, text), outermost first."""
    result = []
    for code, offset in _outermost_first(stack):
        line = _line(code, offset)
        text = linecache.getline(code.co_filename, line).strip()
        result.append((code.co_filename, line, code.co_name, text))
    return result


def lines_with_starts(stack: Stack) -> list[tuple[str, int, str, str, int]]:
    """As `lines`, with the line in which each function begins as a fifth element."""
    starts = [code.co_firstlineno for code, _ in _outermost_first(stack)]
    return [(*entry, start) for entry, start in zip(lines(stack), starts)]


def user_line(stack: Stack) -> tuple[str, int, str] | None:
    """File, line and text of the innermost frame outside this package, if there is one."""
    for code, offset in _frames(stack):
        if not code.co_filename.startswith(_PACKAGE):
            line = _line(code, offset)
            return code.co_filename, line, linecache.getline(code.co_filename, line).strip()
    return None


def defined_at(stack: Stack) -> str:
    """Where the user's program made an op, as error texts say it: " (defined at FILE:LINE)"."""
    where = user_line(stack)
    return f" (defined at {where[0]}:{where[1]})" if where else ""


def user_lines(stack: Stack) -> list[tuple[str, int, str, str]]:
    """The frames outside this package as (file, line, function, text), innermost first."""
    return [entry for entry in reversed(lines(stack)) if not entry[0].startswith(_PACKAGE)]


def _line(code: CodeType, offset: int) -> int:
    line = code.co_firstlineno
    for start, end, number in code.co_lines():
        if start <= offset < end and number is not None:
            line = number
    return line
