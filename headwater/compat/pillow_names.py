"""Names that Pillow has dropped and programs of the time use."""

from __future__ import annotations

from typing import Any

from headwater.compat.old_names import Find, OldNames, constant, same


def _size_of_text(self: Any, text: Any, *args: Any, **kwargs: Any) -> tuple[int, int]:
    """The width and the height of a text from its origin."""
    _, _, right, bottom = self.getbbox(text, *args, **kwargs)
    return right, bottom


def _size_of_drawn_text(
    self: Any, text: Any, font: Any = None, spacing: float = 4, *args: Any, **kwargs: Any
) -> tuple[int, int]:
    """The width and the height of a drawn text, from its origin."""
    font = font or self.getfont()
    if "\n" not in text:
        return font.getsize(text)
    box = self.multiline_textbbox((0, 0), text, font, spacing=spacing)
    return int(box[2]), int(box[3])


_NAMES: dict[str, dict[str, Find]] = {
    "PIL.Image": {
        "ANTIALIAS": same("Resampling", "LANCZOS"),
        "CUBIC": same("Resampling", "BICUBIC"),
        "LINEAR": same("Resampling", "BILINEAR"),
    },
    "PIL.ImageDraw": {"ImageDraw.textsize": constant(_size_of_drawn_text)},
    "PIL.ImageFont": {
        "ImageFont.getsize": constant(_size_of_text),
        "FreeTypeFont.getsize": constant(_size_of_text),
    },
}
_names = OldNames(_NAMES)
add = _names.add
remove = _names.remove
