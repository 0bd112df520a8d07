"""Writes the MNIST sample that comes with the package, from the four original files.

    python tools/make_mnist_sample.py FOLDER_WITH_THE_FOUR_GZ_FILES

Takes each sixth of the 60,000 training images and each fifth of the 10,000 test images, in file
order, so that the sample has the classes and writers of the whole in nearly the same proportions.
"""

from __future__ import annotations

import argparse
import gzip
import lzma
import sys
from pathlib import Path

import numpy as np

TARGET = Path(__file__).resolve().parent.parent / "headwater" / "data" / "bundled" / "mnist"
STEPS = {"train": 6, "t10k": 5}
# Four literal context bits suit pixel rows best: 0.3 % smaller than the preset.
FILTERS = [{"id": lzma.FILTER_LZMA2, "preset": 9 | lzma.PRESET_EXTREME, "lc": 4, "lp": 0, "pb": 0}]


def thin_out(content: bytes, step: int) -> bytes:
    """Keeps each `step`-th item of a file in IDX format with byte elements."""
    rank = content[3]
    header_size = 4 + 4 * rank
    shape = np.frombuffer(content, ">u4", rank, 4)
    items = np.frombuffer(content, np.uint8, offset=header_size).reshape(shape)[::step]
    return content[:4] + np.array(items.shape, ">u4").tobytes() + items.tobytes()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("source", type=Path, help="folder with the four original .gz files")
    source = parser.parse_args().source
    TARGET.mkdir(parents=True, exist_ok=True)
    for part, step in STEPS.items():
        for kind in ("images-idx3", "labels-idx1"):
            name = f"{part}-{kind}-ubyte"
            content = thin_out(gzip.decompress((source / f"{name}.gz").read_bytes()), step)
            packed = lzma.compress(content, lzma.FORMAT_XZ, filters=FILTERS)
            (TARGET / f"{name}.xz").write_bytes(packed)
            sys.stdout.write(f"{name}.xz: {len(packed):,} bytes, {len(content):,} unpacked\n")


if __name__ == "__main__":
    main()
