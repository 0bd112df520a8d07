"""The MNIST data set: reading, downloading, the sample that comes with the package, batches."""

from __future__ import annotations

import hashlib
import sys
from pathlib import Path
from typing import IO, Any

import numpy as np

from headwater.base import dtypes
from headwater.base.export import export, export_value
from headwater.data import download
from headwater.data.idx import (
    IMAGES_MAGIC,
    LABELS_MAGIC,
    damage_hint,
    parse_idx,
    read_stream,
    read_unpacked,
)
from headwater.data.mnist_batches import DataSet, Datasets, dense_to_one_hot
from headwater.io import files

DEFAULT_SOURCE_URL = "https://storage.googleapis.com/cvdf-datasets/mnist/"
_MIRRORS = (
    DEFAULT_SOURCE_URL,
    "https://ossci-datasets.s3.amazonaws.com/mnist/",
    "http://yann.lecun.com/exdb/mnist/",
)
# SHA-256 of the unpacked content: some mirrors have recompressed the files.
_FILES = {
    "train-images-idx3-ubyte.gz": (
        "ba891046e6505d7aadcbbe25680a0738ad16aec93bde7f9b65e87a2fc25776db"
    ),
    "train-labels-idx1-ubyte.gz": (
        "65a50cbbf4e906d70832878ad85ccda5333a97f0f4c3dd2ef09a8a9eef7101c5"
    ),
    "t10k-images-idx3-ubyte.gz": (
        "0fa7898d509279e482958e8ce81c8e77db3f2f8254e26661ceb7762c4d494ce7"
    ),
    "t10k-labels-idx1-ubyte.gz": (
        "ff7bcfd416de33731a308c3f266cc351222c34898ecbeaf847f06e48f7ec33f2"
    ),
}
_BUNDLED = Path(__file__).parent / "bundled" / "mnist"
# A validation set larger than this part of the sample would leave too little to train on.
_LARGEST_SAMPLE_VALIDATION = 1_000

export_value("contrib.learn.datasets.mnist.DEFAULT_SOURCE_URL", DEFAULT_SOURCE_URL)
export_value("contrib.learn.datasets.mnist.SOURCE_URL", DEFAULT_SOURCE_URL)


@export(
    "contrib.learn.datasets.mnist.extract_images",
    "examples.tutorials.mnist.input_data.extract_images",
)
def extract_images(f: IO[bytes]) -> np.ndarray:
    """Reads a gzip-compressed file of images.

    Args:
      f: the file, opened in binary mode.

    Returns:
      A uint8 array of shape (n, rows, columns, 1).

    Raises:
      ValueError: if the file holds something else.
    """
    _say("Extracting", f.name)
    return read_stream(f, IMAGES_MAGIC, "image")[..., np.newaxis]


@export(
    "contrib.learn.datasets.mnist.extract_labels",
    "examples.tutorials.mnist.input_data.extract_labels",
)
def extract_labels(f: IO[bytes], one_hot: bool = False, num_classes: int = 10) -> np.ndarray:
    """Reads a gzip-compressed file of labels.

    Args:
      f: the file, opened in binary mode.
      one_hot: whether to return one-hot rows.
      num_classes: length of such a row.

    Returns:
      A uint8 array of n labels, or a float64 array of shape (n, num_classes).

    Raises:
      ValueError: if the file holds something else.
    """
    _say("Extracting", f.name)
    labels = read_stream(f, LABELS_MAGIC, "label")
    return dense_to_one_hot(labels, num_classes) if one_hot else labels


@export("contrib.learn.datasets.base.maybe_download")
def maybe_download(filename: str, work_directory: str, source_url: str) -> str:
    """Downloads a file unless it exists.

    Args:
      filename: its name in `work_directory`.
      work_directory: a folder, made when missing.
      source_url: the full address of the file.

    Returns:
      The path of the file.

    Raises:
      ValueError: if `filename` leads out of `work_directory`.
      OSError: if the file cannot be obtained.
    """
    path = download.path_in(work_directory, filename)
    if not files.file_exists(path):
        download.fetch([source_url], path)
        size = files.file_statistics(path).length
        _say("Successfully downloaded", filename, size, "bytes.")
    return str(path)


@export(
    "contrib.learn.datasets.mnist.read_data_sets",
    "examples.tutorials.mnist.input_data.read_data_sets",
)
def read_data_sets(
    train_dir: str,
    fake_data: bool = False,
    one_hot: bool = False,
    dtype: Any = dtypes.float32,
    reshape: bool = True,
    validation_size: int = 5000,
    seed: int | None = None,
    source_url: str = DEFAULT_SOURCE_URL,
) -> Datasets:
    """Returns the MNIST data set.

    Files in `train_dir` are used first, packed (`train-images-idx3-ubyte.gz`) or not; what is
    missing is downloaded. Without a network (or with HEADWATER_OFFLINE=1 in the environment) the
    sample that comes with Headwater takes their place: 10,000 training images, up to 1,000 of
    them for validation, and 2,000 test images.

    Args:
      train_dir: folder of the files, made when something is downloaded.
      fake_data: returns made-up examples for tests of programs.
      one_hot: whether labels are one-hot rows of float64 instead of class numbers.
      dtype: tf.float32 for pixels from 0 to 1, tf.uint8 for 0 to 255.
      reshape: whether an image is a row of 784 pixels instead of an array of shape (28, 28, 1).
      validation_size: how many of the first training images make up the validation set.
      seed: for the order of the batches, see `DataSet`.
      source_url: address of the folder with the files. Files of the same names from another
        address than the default (Fashion-MNIST, say) are neither checked nor replaced.

    Returns:
      A `Datasets` of `DataSet`s.

    Raises:
      ValueError, OSError, EOFError: if a file is damaged or a `source_url` does not work.
    """
    options = {"dtype": dtype, "reshape": reshape, "seed": seed}
    if fake_data:
        fakes = [
            DataSet([], [], fake_data=True, one_hot=one_hot, dtype=dtype, seed=seed)
            for _ in range(3)
        ]
        return Datasets(*fakes)
    try:
        paths = [_local_file(train_dir, name, source_url or DEFAULT_SOURCE_URL) for name in _FILES]
    except download.DownloadError as error:
        if source_url not in ("", DEFAULT_SOURCE_URL):
            raise
        sys.stderr.write(_sample_notice(train_dir, error))
        return read_sample(one_hot=one_hot, validation_size=validation_size, **options)
    for path in paths:
        _say("Extracting", path)
    return _data_sets(paths, one_hot, validation_size, **options)


@export("contrib.learn.datasets.mnist.load_mnist")
def load_mnist(train_dir: str = "MNIST-data") -> Datasets:
    """`read_data_sets` with the defaults.

    Args:
      train_dir: folder of the files.

    Returns:
      A `Datasets` of `DataSet`s.
    """
    return read_data_sets(train_dir)


def read_sample(
    one_hot: bool = False,
    dtype: Any = dtypes.float32,
    reshape: bool = True,
    validation_size: int = _LARGEST_SAMPLE_VALIDATION,
    seed: int | None = None,
) -> Datasets:
    """Returns the sample that comes with the package.

    It has each sixth training image and each fifth test image of the original files.

    Args:
      one_hot, dtype, reshape, seed: as in `read_data_sets`.
      validation_size: at most 1,000 of the 10,000 training images, larger values are clipped.

    Returns:
      A `Datasets` of `DataSet`s.
    """
    paths = [(_BUNDLED / name).with_suffix(".xz") for name in _FILES]
    size = min(validation_size, _LARGEST_SAMPLE_VALIDATION)
    return _data_sets(paths, one_hot, size, dtype=dtype, reshape=reshape, seed=seed)


def _data_sets(paths: list[Any], one_hot: bool, validation_size: int, **options: Any) -> Datasets:
    train_images, train_labels, test_images, test_labels = map(_read_file, paths)
    count = len(train_images)
    if not 0 <= validation_size <= count:
        raise ValueError(
            f"Validation size should be between 0 and {count}. Received: {validation_size}."
        )
    if one_hot:
        train_labels, test_labels = (dense_to_one_hot(x, 10) for x in (train_labels, test_labels))
    cut = validation_size
    return Datasets(
        train=DataSet(train_images[cut:], train_labels[cut:], **options),
        validation=DataSet(train_images[:cut], train_labels[:cut], **options),
        test=DataSet(test_images, test_labels, **options),
    )


def _read_file(path: Any) -> np.ndarray:
    content = read_unpacked(path)
    try:
        if "images" in files.name_of(path):
            return parse_idx(content, IMAGES_MAGIC, "image", str(path))[..., np.newaxis]
        return parse_idx(content, LABELS_MAGIC, "label", str(path))
    except ValueError as error:
        raise ValueError(f"{error}\n{damage_hint(path)}") from None


def _local_file(folder: str, name: str, source_url: str) -> Any:
    """Returns the path of one of the four files, downloading it if need be."""
    unpacked = name.removesuffix(".gz")
    # Some tools unpack "train-images-idx3-ubyte" as "train-images.idx3-ubyte".
    for candidate in (name, unpacked, unpacked.replace("-idx", ".idx")):
        path = files.join_path(folder, candidate)
        if files.is_file(path):
            return path
    target = files.join_path(folder, name)
    if source_url != DEFAULT_SOURCE_URL:
        return download.fetch([source_url.rstrip("/") + "/" + name], target)
    return download.fetch([mirror + name for mirror in _MIRRORS], target, _checker(name))


def _checker(name: str) -> Any:
    def problem_of(path: Path) -> str:
        try:
            digest = hashlib.sha256(read_unpacked(path)).hexdigest()
        except Exception as error:
            return f"not a sound gzip file ({error})"
        return "" if digest == _FILES[name] else "the content is not that of MNIST (SHA-256)"

    return problem_of


def _sample_notice(train_dir: str, error: Exception) -> str:
    names = ", ".join(_FILES)
    return (
        f"headwater: MNIST is not in {train_dir!r} and cannot be downloaded ({error}).\n"
        "headwater: USING THE BUNDLED SAMPLE: 10,000 training and validation images, 2,000 test "
        "images. Accuracies will be lower than with all 70,000 images.\n"
        f"headwater: for the full data set put {names} into {train_dir!r}.\n"
    )


def _say(*words: object) -> None:
    """Prints a line that TensorFlow prints too."""
    sys.stdout.write(" ".join(map(str, words)) + "\n")
