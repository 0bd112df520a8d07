"""tf.keras.datasets: arrays of public data sets, kept in ~/.keras/datasets."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np

from headwater.base.export import export
from headwater.data.cifar_files import (
    CIFAR10_BINARY,
    CIFAR10_PYTHON,
    CIFAR100_BINARY,
    CIFAR100_PYTHON,
    read_cifar,
)
from headwater.data.idx import IMAGES_MAGIC, LABELS_MAGIC, parse_idx, read_unpacked
from headwater.data.known_files import KnownFile, find_or_download
from headwater.io import files

KERAS_SITE = "https://storage.googleapis.com/tensorflow/tf-keras-datasets/"
_BOSTON = KnownFile(
    "boston_housing.npz",
    (KERAS_SITE + "boston_housing.npz",),
    "sha256:f553886a1f8d56431e820c5b82552d9d95cfcb96d1e678153f8839538947dff5",
)
_MNIST = KnownFile(
    "mnist.npz",
    (KERAS_SITE + "mnist.npz",),
    "sha256:731c5ac602752760c8e48fbffcf8c3b850d9dc2a2aedcf2cc48468fc17b673d1",
)
_FASHION = tuple(
    KnownFile(name, (KERAS_SITE + name,), f"md5:{digest}")
    for name, digest in (
        ("train-labels-idx1-ubyte.gz", "25c81989df183df01b3e8a0aad5dffbe"),
        ("train-images-idx3-ubyte.gz", "8d4fb7e6c68d591d4c3dfef9ec88bf0d"),
        ("t10k-labels-idx1-ubyte.gz", "bb300cfdad3c16e7a12a480ee83cd310"),
        ("t10k-images-idx3-ubyte.gz", "bef4ecab320f06d8554ea6380940ec79"),
    )
)
_Arrays = tuple[tuple[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]


def _folder(name: str = "") -> str:
    return str(Path.home() / ".keras" / "datasets" / name)


def keras_file(path: Any, file: KnownFile) -> str:
    """The path of a file in the folder of Keras, or of one of its own; downloads it if needed."""
    text = files.path_text(path)
    if not (files.is_absolute(text) and files.is_file(text)):
        text = files.join_path(_folder(), text)
    if not files.is_file(text):
        named = KnownFile(files.name_of(text), file.urls, file.digest)
        text = find_or_download(files.folder_of(text), named, "")
    return str(text)


def _npz(path: Any, file: KnownFile) -> dict[str, np.ndarray]:
    """The arrays of a file."""
    content = io.BytesIO(files.read_bytes(keras_file(path, file)))
    with np.load(content, allow_pickle=False) as arrays:
        return dict(arrays)


@export("keras.datasets.boston_housing.load_data")
def load_boston_housing(
    path: str = "boston_housing.npz", test_split: float = 0.2, seed: int = 113
) -> _Arrays:
    """Prices of houses in Boston with thirteen features of their districts.

    Args:
        path: a file in ~/.keras/datasets, or an absolute path or URL of a file.
        test_split: the part that is for testing, from 0 to less than 1.
        seed: for the order.

    Returns:
        ((features, prices), (features, prices)) of training and test, float64.

    Raises:
        DownloadError: if the file cannot be obtained; says what to put where.
    """
    assert 0 <= test_split < 1
    arrays = _npz(path, _BOSTON)
    order = np.arange(len(arrays["x"]))
    np.random.RandomState(seed).shuffle(order)
    x, y = arrays["x"][order], arrays["y"][order]
    cut = int(len(x) * (1 - test_split))
    return (x[:cut], y[:cut]), (x[cut:], y[cut:])


@export("keras.datasets.mnist.load_data")
def load_mnist_arrays(path: str = "mnist.npz") -> _Arrays:
    """Handwritten digits.

    Args:
        path: a file in ~/.keras/datasets, or an absolute path or URL of a file.

    Returns:
        ((images, labels), (images, labels)) of training and test: uint8 ``[images, 28, 28]`` and
        uint8 ``[images]``.

    Raises:
        DownloadError: if the file cannot be obtained; says what to put where.
    """
    arrays = _npz(path, _MNIST)
    train, test = (tuple(arrays[f"{k}_{part}"] for k in "xy") for part in ("train", "test"))
    return (train[0], train[1]), (test[0], test[1])


@export("keras.datasets.fashion_mnist.load_data")
def load_fashion_mnist() -> _Arrays:
    """Pictures of clothes, in the form of MNIST.

    Returns:
        ((images, labels), (images, labels)) of training and test: uint8 ``[images, 28, 28]`` and
        uint8 ``[images]``.

    Raises:
        DownloadError: if a file cannot be obtained; says what to put where.
    """
    found = [find_or_download(_folder("fashion-mnist"), file, "") for file in _FASHION]
    contents = [read_unpacked(path) for path in found]
    train_labels, test_labels = (
        parse_idx(contents[i], LABELS_MAGIC, "label", found[i]) for i in (0, 2)
    )
    train_images, test_images = (
        parse_idx(contents[i], IMAGES_MAGIC, "image", found[i]) for i in (1, 3)
    )
    return (train_images, train_labels), (test_images, test_labels)


@export("keras.datasets.cifar10.load_data")
def load_cifar10() -> _Arrays:
    """Small colour pictures of ten kinds of things.

    Returns:
        ((images, labels), (images, labels)) of training and test: uint8 ``[images, 32, 32, 3]``
        and uint8 ``[images, 1]``.

    Raises:
        DownloadError: if the files cannot be obtained; says what to put where.
    """
    train, test = read_cifar(_folder(), (CIFAR10_PYTHON, CIFAR10_BINARY), "labels")
    return (train[0], train[1].astype(np.uint8)[:, None]), (
        test[0],
        test[1].astype(np.uint8)[:, None],
    )


@export("keras.datasets.cifar100.load_data")
def load_cifar100(label_mode: str = "fine") -> _Arrays:
    """Small colour pictures of a hundred kinds of things in twenty groups.

    Args:
        label_mode: "fine" for the kinds, "coarse" for the groups.

    Returns:
        ((images, labels), (images, labels)) of training and test: uint8 ``[images, 32, 32, 3]``
        and int64 ``[images, 1]``.

    Raises:
        ValueError: if there is no such mode.
        DownloadError: if the files cannot be obtained; says what to put where.
    """
    if label_mode not in ("fine", "coarse"):
        raise ValueError('`label_mode` must be one of `"fine"`, `"coarse"`.')
    forms = (CIFAR100_PYTHON, CIFAR100_BINARY)
    train, test = read_cifar(_folder(), forms, f"{label_mode}_labels")
    return (train[0], train[1][:, None]), (test[0], test[1][:, None])
