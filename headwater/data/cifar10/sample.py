"""A made-up sample in the form of CIFAR-10's binary files."""

from __future__ import annotations

from typing import Any

import numpy as np

from headwater.data.cifar_files import CIFAR10_BINARY
from headwater.io import files
from headwater.io.atomic_file import write_atomically

FOLDER = "cifar-10-sample-bin"
RECORDS_PER_FILE = 50
_SIDE = 32
_NOISE = 24


def _picture(label: int, rng: np.random.RandomState) -> np.ndarray:
    """Stripes whose direction and colour tell the class, ``[3, 32, 32]``."""
    angle = np.pi * label / 10 + rng.uniform(-0.1, 0.1)
    y, x = np.mgrid[:_SIDE, :_SIDE]
    waves = np.sin((x * np.cos(angle) + y * np.sin(angle)) / 2 + rng.uniform(0, 2 * np.pi))
    colour = np.cos(2 * np.pi * (label / 10 + np.arange(3) / 3))
    pixels = 128 + 48 * colour[:, None, None] + 40 * waves
    return np.clip(pixels + rng.uniform(-_NOISE, _NOISE, pixels.shape), 0, 255).astype(np.uint8)


def _file(seed: int) -> bytes:
    rng = np.random.RandomState(seed)
    labels = np.arange(RECORDS_PER_FILE) % 10
    return b"".join(bytes([label]) + _picture(label, rng).tobytes() for label in labels.tolist())


def write_sample(data_dir: Any) -> str:
    """Writes the sample unless it is there: 250 pictures to train with and 50 for tests.

    Args:
        data_dir: a folder, a path or a URL.

    Returns:
        The folder in it with the files, whose names are those of CIFAR-10.
    """
    folder = files.join_path(data_dir, FOLDER)
    files.make_folders(folder)
    for seed, name in enumerate((*CIFAR10_BINARY.train, *CIFAR10_BINARY.test)):
        path = files.join_path(folder, name)
        if not files.is_file(path):
            write_atomically(path, _file(seed))
    return folder
