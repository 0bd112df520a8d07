from __future__ import annotations

import gzip
import io
import json
import struct
from pathlib import Path

import numpy as np
import pytest

from headwater.base import dtypes
from headwater.data import download, mnist, mnist_batches
from headwater.graph.default_graph import Graph

GOLDEN = json.loads((Path(__file__).parent.parent / "golden" / "mnist_batches.json").read_text())
BUNDLED_LIMIT = 3_000_000


def as_idx(array: np.ndarray) -> bytes:
    shape = struct.pack(f">{array.ndim}I", *array.shape)
    return bytes([0, 0, 8, array.ndim]) + shape + array.tobytes()


def write_files(folder: Path, rng: np.random.Generator, train: int = 20, test: int = 6) -> None:
    folder.mkdir(exist_ok=True)
    for part, count in (("train", train), ("t10k", test)):
        images = rng.integers(0, 256, (count, 3, 4), np.uint8)
        labels = rng.integers(0, 10, count, np.uint8)
        for kind, array in (("images-idx3", images), ("labels-idx1", labels)):
            path = folder / f"{part}-{kind}-ubyte.gz"
            path.write_bytes(gzip.compress(as_idx(array)))


def named_stream(content: bytes) -> io.BytesIO:
    stream = io.BytesIO(content)
    stream.name = "some.gz"
    return stream


@pytest.fixture
def offline(monkeypatch):
    monkeypatch.setenv("HEADWATER_OFFLINE", "1")


@pytest.mark.parametrize("case", GOLDEN, ids=range(len(GOLDEN)))
def test_batches_come_in_the_order_of_tensorflow(case):
    count = case["count"]
    images = np.arange(count * 4, dtype=np.uint8).reshape(count, 2, 2, 1)
    graph = Graph()
    graph.seed = case["graph_seed"]
    with graph.as_default():
        data = mnist_batches.DataSet(images, np.arange(count, dtype=np.uint8), seed=case["seed"])
    for step, size in enumerate(case["sizes"]):
        shuffle = case["shuffle"][step % len(case["shuffle"])]
        batch_images, batch_labels = data.next_batch(size, shuffle=shuffle)
        labels, first_pixels, epochs = case["steps"][step]
        assert batch_labels.tolist() == labels
        np.testing.assert_array_equal(batch_images[:, 0], np.float32(first_pixels))
        assert data.epochs_completed == epochs


def test_construction_reseeds_numpy_afresh_without_a_seed():
    np.random.seed(0)
    first = np.random.rand()
    np.random.seed(0)
    mnist_batches.DataSet(np.zeros((1, 2, 2, 1), np.uint8), np.zeros(1, np.uint8))
    assert np.random.rand() != first


def test_dtype_and_reshape():
    images = np.arange(24, dtype=np.uint8).reshape(2, 3, 4, 1)
    labels = np.array([1, 2], np.uint8)
    data = mnist_batches.DataSet(images, labels)
    assert data.images.dtype == np.float32
    assert data.images.shape == (2, 12)
    assert data.images[1, 11] == np.float32(23) * np.float32(1 / 255)
    data = mnist_batches.DataSet(images, labels, dtype=dtypes.uint8, reshape=False)
    np.testing.assert_array_equal(data.images, images)
    with pytest.raises(TypeError, match=r"Invalid image dtype tf\.int32, expected uint8 or"):
        mnist_batches.DataSet(images, labels, dtype=dtypes.int32)
    with pytest.raises(
        AssertionError, match=r"images\.shape: \(2, 3, 4, 1\) labels\.shape: \(1,\)"
    ):
        mnist_batches.DataSet(images, labels[:1])


def test_fake_data():
    sets = mnist.read_data_sets("unused", fake_data=True, one_hot=True)
    images, labels = sets.validation.next_batch(2, fake_data=True)
    assert images == [[1] * 784] * 2
    assert labels == [[1] + [0] * 9] * 2
    assert sets.train.num_examples == 10_000
    plain = mnist.read_data_sets("unused", fake_data=True)
    assert plain.test.next_batch(1, fake_data=True)[1] == [0]


def test_dense_to_one_hot():
    rows = mnist_batches.dense_to_one_hot(np.array([1, 0, 3]), 4)
    assert rows.dtype == np.float64
    np.testing.assert_array_equal(rows, np.eye(4)[[1, 0, 3]])
    with pytest.raises(IndexError):
        mnist_batches.dense_to_one_hot(np.array([1, 4]), 4)


def test_extract(capsys, rng):
    images = rng.integers(0, 256, (5, 2, 3), np.uint8)
    labels = np.arange(5, dtype=np.uint8)
    found = mnist.extract_images(named_stream(gzip.compress(as_idx(images))))
    np.testing.assert_array_equal(found, images[..., np.newaxis])
    found = mnist.extract_labels(named_stream(gzip.compress(as_idx(labels))))
    np.testing.assert_array_equal(found, labels)
    found = mnist.extract_labels(named_stream(gzip.compress(as_idx(labels))), one_hot=True)
    np.testing.assert_array_equal(found, np.eye(10)[:5])
    assert capsys.readouterr().out == "Extracting some.gz\n" * 3
    with pytest.raises(
        ValueError, match=r"Invalid magic number 2049 in MNIST image file: some\.gz"
    ):
        mnist.extract_images(named_stream(gzip.compress(as_idx(labels))))
    with pytest.raises(
        ValueError, match=r"Invalid magic number 2051 in MNIST label file: some\.gz"
    ):
        mnist.extract_labels(named_stream(gzip.compress(as_idx(images))))
    with pytest.raises(OSError, match="Not a gzipped file"):
        mnist.extract_labels(named_stream(as_idx(labels)))


def test_local_files_are_used(tmp_path, rng, capsys):
    write_files(tmp_path, rng)
    sets = mnist.read_data_sets(str(tmp_path), one_hot=True, validation_size=4)
    assert [part.num_examples for part in sets] == [16, 4, 6]
    assert sets.train.labels.shape == (16, 10)
    assert sets.train.images.shape == (16, 12)
    out = capsys.readouterr().out.splitlines()
    assert out[0] == f"Extracting {tmp_path / 'train-images-idx3-ubyte.gz'}"
    assert len(out) == 4
    with pytest.raises(ValueError, match=r"size should be between 0 and 20\. Received: 5000"):
        mnist.read_data_sets(str(tmp_path))
    with pytest.raises(ValueError, match=r"size should be between 0 and 20\. Received: -1"):
        mnist.read_data_sets(str(tmp_path), validation_size=-1)


@pytest.mark.parametrize("separator", ["-", "."])
def test_unpacked_local_files_are_used(tmp_path, rng, separator):
    write_files(tmp_path, rng)
    packed = mnist.read_data_sets(str(tmp_path), validation_size=4, dtype=dtypes.uint8)
    for path in list(tmp_path.iterdir()):
        name = path.stem.replace("-idx", f"{separator}idx")
        (tmp_path / name).write_bytes(gzip.decompress(path.read_bytes()))
        path.unlink()
    found = mnist.read_data_sets(str(tmp_path), validation_size=4, dtype=dtypes.uint8)
    np.testing.assert_array_equal(found.train.images, packed.train.images)
    np.testing.assert_array_equal(found.test.labels, packed.test.labels)


@pytest.mark.parametrize(
    ("damage", "kind", "text"),
    [
        (lambda content: content[: len(content) // 2], EOFError, "Compressed file ended before"),
        (lambda content: content[:-8] + b"\0" * 8, OSError, "CRC check failed"),
        (lambda content: b"<html>no</html>", ValueError, "Invalid magic number 1013478509"),
        (lambda content: b"", ValueError, "Invalid magic number 0"),
        (
            lambda content: gzip.compress(gzip.decompress(content)[:30]),
            ValueError,
            "array of size 14",
        ),
    ],
)
def test_damaged_file_is_named(tmp_path, rng, damage, kind, text):
    write_files(tmp_path, rng)
    path = tmp_path / "t10k-images-idx3-ubyte.gz"
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(kind, match=text) as caught:
        mnist.read_data_sets(str(tmp_path), validation_size=4)
    assert f"{str(path)!r} is damaged or incomplete. Delete it" in str(caught.value)


def test_sample_takes_the_place_of_files_that_cannot_be_had(tmp_path, offline, capsys):
    folder = tmp_path / "MNIST_data"
    sets = mnist.read_data_sets(str(folder), one_hot=True)
    assert [part.num_examples for part in sets] == [9_000, 1_000, 2_000]
    error = capsys.readouterr().err
    assert "USING THE BUNDLED SAMPLE" in error
    assert "switched off by HEADWATER_OFFLINE" in error
    assert repr(str(folder)) in error
    assert not folder.exists()


def test_sample_never_replaces_another_data_set(tmp_path, offline):
    with pytest.raises(
        download.DownloadError, match="downloads are switched off by HEADWATER_OFFLINE"
    ):
        mnist.read_data_sets(str(tmp_path), source_url="http://localhost/fashion/")


def test_sample_is_balanced_small_and_obeys_the_validation_size():
    sets = mnist.read_sample(dtype=dtypes.uint8, reshape=False, validation_size=0)
    assert sets.validation.num_examples == 0
    assert sets.train.images.shape == (10_000, 28, 28, 1)
    shares = np.bincount(sets.train.labels) / 10_000
    # Shares of the ten digits among the 60,000 training images.
    expected = np.array([5923, 6742, 5958, 6131, 5842, 5421, 5918, 6265, 5851, 5949]) / 60_000
    np.testing.assert_allclose(shares, expected, atol=0.005)
    files = list((Path(mnist.__file__).parent / "bundled").rglob("*"))
    assert sum(path.stat().st_size for path in files if path.is_file()) < BUNDLED_LIMIT
