"""Names that Pillow has dropped and programs of the time use."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

from headwater.compat.after_import import AfterImport

_undo: list[Callable[[], None]] = []
# Old names of filters, and what they are called today.
_FILTERS = {"ANTIALIAS": "LANCZOS", "CUBIC": "BICUBIC", "LINEAR": "BILINEAR"}


def _add(target: Any, name: str, value: Any) -> None:
    if not hasattr(target, name):
        setattr(target, name, value)
        _undo.append(lambda: delattr(target, name))


def _filters(module: ModuleType) -> None:
    for old, new in _FILTERS.items():
        _add(module, old, getattr(module.Resampling, new))


def _text_sizes(module: ModuleType) -> None:
    def size_of_text(self: Any, text: Any, *args: Any, **kwargs: Any) -> tuple[int, int]:
        """The width and the height of a text from its origin."""
        _, _, right, bottom = self.getbbox(text, *args, **kwargs)
        return right, bottom

    for font in (module.ImageFont, module.FreeTypeFont):
        _add(font, "getsize", size_of_text)


def _drawn_text_sizes(module: ModuleType) -> None:
    def size_of_text(
        self: Any, text: Any, font: Any = None, spacing: float = 4, *args: Any, **kwargs: Any
    ) -> tuple[int, int]:
        """The width and the height of a drawn text, from its origin."""
        font = font or self.getfont()
        if "\n" not in text:
            return font.getsize(text)
        box = self.multiline_textbbox((0, 0), text, font, spacing=spacing)
        return int(box[2]), int(box[3])

    _add(module.ImageDraw, "textsize", size_of_text)


_after_import = AfterImport(
    {
        "PIL.Image": _filters,
        "PIL.ImageDraw": _drawn_text_sizes,
        "PIL.ImageFont": _text_sizes,
    }
)


def add() -> None:
    """Adds what is missing, once Pillow is loaded."""
    _after_import.start()


def remove() -> None:
    """Undoes `add`."""
    _after_import.stop()
    while _undo:
        _undo.pop()()
