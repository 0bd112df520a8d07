"""Names of Pillow that it has dropped."""

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from headwater.compat.install import install, uninstall


def test_dropped_names_are_back_while_installed():
    install()
    try:
        picture = Image.fromarray(np.zeros((4, 4), np.uint8)).resize((2, 2), Image.ANTIALIAS)
        assert picture.size == (2, 2)
        assert (Image.ANTIALIAS, Image.LINEAR, Image.CUBIC) == (
            Image.LANCZOS,
            Image.BILINEAR,
            Image.BICUBIC,
        )
        draw, font = ImageDraw.Draw(picture), ImageFont.load_default()
        width, height = font.getsize("abc")
        assert width > 0 and height > 0
        assert draw.textsize("abc", font) == (width, height)
        assert draw.textsize("a\nb", font)[1] > height
    finally:
        uninstall()
    assert not hasattr(Image, "ANTIALIAS")
    assert not hasattr(ImageDraw.ImageDraw, "textsize")
