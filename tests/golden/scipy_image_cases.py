"""Calls of the picture functions that `scipy.misc` had; each takes the module of the functions."""

import io

import numpy as np

GRAY = np.arange(20.0).reshape(4, 5) ** 1.5 - 7
BYTES = (np.arange(60) * 7 % 256).astype(np.uint8).reshape(4, 5, 3)
FLOATS = BYTES / 100.0
ALPHA = (np.arange(48) * 5 % 256).astype(np.uint8).reshape(3, 4, 4)


def saved(misc, array, name="PNG", **reading):
    """Writes a picture and reads it again."""
    file = io.BytesIO()
    misc.imsave(file, array, format=name)
    file.seek(0)
    return misc.imread(file, **reading)


CASES = {
    "bytescale": lambda m: m.bytescale(GRAY),
    "bytescale limits": lambda m: m.bytescale(GRAY, cmin=0, cmax=30, high=200, low=10),
    "bytescale equal": lambda m: m.bytescale(np.full((2, 2), 3.0)),
    "bytescale of bytes": lambda m: m.bytescale(BYTES),
    "bytescale high": lambda m: m.bytescale(GRAY, high=300),
    "bytescale low": lambda m: m.bytescale(GRAY, low=-1),
    "bytescale order": lambda m: m.bytescale(GRAY, high=1, low=2),
    "bytescale span": lambda m: m.bytescale(GRAY, cmin=2, cmax=1),
    "gray": lambda m: m.fromimage(m.toimage(GRAY)),
    "gray float": lambda m: m.fromimage(m.toimage(GRAY, mode="F")),
    "gray int": lambda m: m.fromimage(m.toimage(GRAY, mode="I")),
    "gray palette": lambda m: m.fromimage(m.toimage(GRAY, mode="P")),
    "gray bits": lambda m: m.fromimage(m.toimage(GRAY, mode="1", high=20)),
    "channels first": lambda m: m.fromimage(m.toimage(np.moveaxis(FLOATS, 2, 0))),
    "alpha": lambda m: m.fromimage(m.toimage(ALPHA)),
    "alpha float": lambda m: m.fromimage(m.toimage(ALPHA / 9.0, cmin=1.0, cmax=20.0)),
    "flatten": lambda m: m.fromimage(m.toimage(BYTES), flatten=True),
    "as gray": lambda m: m.fromimage(m.toimage(BYTES), mode="L"),
    "complex": lambda m: m.toimage(np.ones((2, 2)) * 1j),
    "no picture": lambda m: m.toimage(np.ones((2, 2, 2))),
    "bad axis": lambda m: m.toimage(np.ones((3, 2, 2)), channel_axis=1),
    "bad mode": lambda m: m.toimage(BYTES, mode="CMYK"),
    "not an image": lambda m: m.fromimage(np.ones((2, 2))),
    "read bytes": lambda m: saved(m, BYTES),
    "read floats": lambda m: saved(m, FLOATS),
    "read gray": lambda m: saved(m, GRAY),
    "read flat": lambda m: saved(m, BYTES, flatten=True),
    "read as color": lambda m: saved(m, GRAY, mode="RGB"),
    "resize": lambda m: m.imresize(BYTES, (7, 6)),
    "resize list": lambda m: m.imresize(BYTES, [2, 3, 3]),
    "resize floats": lambda m: m.imresize(FLOATS, (3, 4), "bicubic"),
    "resize per cent": lambda m: m.imresize(BYTES, 60),
    "resize factor": lambda m: m.imresize(GRAY, 1.5, interp="nearest"),
    "resize lanczos": lambda m: m.imresize(GRAY, (3, 3), interp="lanczos"),
    "resize float mode": lambda m: m.imresize(GRAY, (2, 2), mode="F"),
    "rotate": lambda m: m.imrotate(BYTES, 90),
    "rotate some": lambda m: m.imrotate(GRAY, 30, interp="nearest"),
    "filter": lambda m: m.imfilter(BYTES, "find_edges"),
    "filter unknown": lambda m: m.imfilter(BYTES, "paint"),
}
