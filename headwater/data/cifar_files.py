"""The files of CIFAR-10 and CIFAR-100: archives or folders, in the form of C or of Python."""

from __future__ import annotations

import io
import pickle
import tarfile
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from headwater.base import errors
from headwater.data.known_files import KnownFile, find_or_download
from headwater.io import files
from headwater.io.atomic_file import write_atomically

PIXELS = 32 * 32 * 3
_SITE = "https://www.cs.toronto.edu/~kriz/"
# What NumPy's arrays need to be unpickled.
_PICKLED = {
    ("numpy.core.multiarray", "_reconstruct"),
    ("numpy._core.multiarray", "_reconstruct"),
    ("numpy", "ndarray"),
    ("numpy", "dtype"),
    ("_codecs", "encode"),
}


@dataclass(frozen=True)
class Archive:
    """One form of a data set.

    Attributes:
        file: the archive.
        folder: the folder in it.
        train, test: the names of the files in the folder.
        labels: the names of the labels, in the order in which a record has them.
    """

    file: KnownFile
    folder: str
    train: tuple[str, ...]
    test: tuple[str, ...]
    labels: tuple[str, ...]

    @property
    def is_binary(self) -> bool:
        """Whether the files have records of bytes rather than pickles."""
        return self.train[0].endswith(".bin")


def _archive(name: str, digest: str, folder: str, train: Any, test: str, labels: Any) -> Archive:
    file = KnownFile(name, (_SITE + name,), digest)
    return Archive(file, folder, tuple(train), (test,), tuple(labels))


CIFAR10_BINARY = _archive(
    "cifar-10-binary.tar.gz",
    "md5:c32a1d4ab5d03f1284b67883e8d87530",
    "cifar-10-batches-bin",
    [f"data_batch_{i}.bin" for i in range(1, 6)],
    "test_batch.bin",
    ["labels"],
)
CIFAR10_PYTHON = _archive(
    "cifar-10-python.tar.gz",
    "sha256:6d958be074577803d12ecdefd02955f39262c83c16fe9348329d7fe0b5c001ce",
    "cifar-10-batches-py",
    [f"data_batch_{i}" for i in range(1, 6)],
    "test_batch",
    ["labels"],
)
CIFAR100_BINARY = _archive(
    "cifar-100-binary.tar.gz",
    "md5:03b5dce01913d631647c71ecec9e9cb8",
    "cifar-100-binary",
    ["train.bin"],
    "test.bin",
    ["coarse_labels", "fine_labels"],
)
CIFAR100_PYTHON = _archive(
    "cifar-100-python.tar.gz",
    "sha256:85cd44d02ba6437773c5bbd22e183051d648de2e7d6b014e1ef29b855ba677a7",
    "cifar-100-python",
    ["train"],
    "test",
    ["coarse_labels", "fine_labels"],
)


class _Unpickler(pickle.Unpickler):
    """Reads arrays, lists and texts, nothing that could run code."""

    def find_class(self, module: str, name: str) -> Any:
        if (module, name) not in _PICKLED:
            raise pickle.UnpicklingError(f"{module}.{name} is not expected in this file")
        return super().find_class(module, name)


def read_cifar(
    folder: Any, forms: Sequence[Archive], label: str
) -> tuple[tuple[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]:
    """Reads a data set from a folder; downloads its first form if there is none.

    Args:
        folder: a path or a URL, with one of the folders or archives of the forms.
        forms: the forms, the best first.
        label: which labels to read.

    Returns:
        ((images, labels), (images, labels)) of training and test: uint8
        ``[images, 32, 32, 3]`` and int64 ``[images]``.

    Raises:
        DownloadError: if there is none and it cannot be downloaded; says what to put where.
        DataLossError: if a file is damaged.
    """
    form = _form_in(folder, forms)
    if form is None:
        form = _downloaded(folder, forms)
    contents = _contents(folder, form)
    train, test = (
        [_records(form, name, contents[name], label) for name in names]
        for names in (form.train, form.test)
    )
    return _joined(train), _joined(test)


def unpack(folder: Any, form: Archive) -> None:
    """Makes sure that a form is unpacked in a folder; downloads the archive if need be.

    Args:
        folder: a path or a URL.
        form: the form.

    Raises:
        DownloadError: if it is not there and cannot be downloaded; says what to put where.
        DataLossError: if the archive is damaged.
    """
    if _is_unpacked(folder, form):
        return
    if _form_in(folder, [form]) is None:
        _downloaded(folder, [form])
    target = files.join_path(folder, form.folder)
    contents = _contents(folder, form)
    files.make_folders(target)
    for name, content in contents.items():
        write_atomically(files.join_path(target, name), content)


def _downloaded(folder: Any, forms: Sequence[Archive]) -> Archive:
    """Downloads the archive of the first form."""
    others = " or ".join(f"the folder {form.folder}" for form in forms)
    find_or_download(folder, forms[0].file, others)
    return forms[0]


def _is_unpacked(folder: Any, form: Archive) -> bool:
    unpacked = files.join_path(folder, form.folder)
    return all(files.is_file(files.join_path(unpacked, n)) for n in (*form.train, *form.test))


def _form_in(folder: Any, forms: Sequence[Archive]) -> Archive | None:
    """The first form that is unpacked in a folder, or else that has its archive there."""
    for form in forms:
        if _is_unpacked(folder, form):
            return form
    packed = (form for form in forms if files.is_file(files.join_path(folder, form.file.name)))
    return next(packed, None)


def _contents(folder: Any, form: Archive) -> dict[str, bytes]:
    """The files of a form by their names."""
    names = (*form.train, *form.test)
    if _is_unpacked(folder, form):
        unpacked = files.join_path(folder, form.folder)
        return {name: files.read_bytes(files.join_path(unpacked, name)) for name in names}
    path = files.join_path(folder, form.file.name)
    try:
        with tarfile.open(fileobj=io.BytesIO(files.read_bytes(path))) as archive:
            return {name: _member(archive, f"{form.folder}/{name}") for name in names}
    except (tarfile.TarError, OSError, EOFError, KeyError) as error:
        raise errors.DataLossError(
            None,
            None,
            f"{path} is damaged: {error}",
            hint="Delete it, so that it is fetched again.",
        ) from error


def _member(archive: tarfile.TarFile, name: str) -> bytes:
    source = archive.extractfile(name)
    if source is None:
        raise KeyError(name)
    return source.read()


def _records(form: Archive, name: str, content: bytes, label: str) -> tuple[np.ndarray, np.ndarray]:
    """The pixels ``[records, 3072]``, plane by plane, and the labels of a file."""
    count = len(form.labels)
    try:
        if form.is_binary:
            rows = np.frombuffer(content, np.uint8).reshape(-1, count + PIXELS)
            return rows[:, count:], rows[:, form.labels.index(label)].astype(np.int64)
        found = _Unpickler(io.BytesIO(content), encoding="bytes").load()
        pixels = np.asarray(found[b"data"], np.uint8).reshape(-1, PIXELS)
        labels = np.asarray(found[label.encode()], np.int64)
        if len(labels) != len(pixels):
            raise ValueError(f"{len(pixels)} images have {len(labels)} labels")
        return pixels, labels
    except (ValueError, KeyError, TypeError, EOFError, pickle.UnpicklingError) as error:
        raise errors.DataLossError(
            None,
            None,
            f"{form.folder}/{name} is damaged: {error}",
            hint="Put a sound copy in its place.",
        ) from error


def _joined(parts: list[tuple[np.ndarray, np.ndarray]]) -> tuple[np.ndarray, np.ndarray]:
    pixels = np.concatenate([part[0] for part in parts]).reshape(-1, 3, 32, 32)
    images = np.ascontiguousarray(pixels.transpose(0, 2, 3, 1))
    return images, np.concatenate([part[1] for part in parts])
