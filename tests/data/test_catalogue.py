"""tf.contrib.learn.datasets and tf.keras.datasets; the numbers are TensorFlow 1.15.5's."""

from __future__ import annotations

import io
import pickle
import tarfile
import time
import zipfile

import numpy as np
import pytest

import headwater as tf
from headwater.data import census, text8
from headwater.data.catalogue import retrying
from headwater.data.cifar_files import (
    CIFAR10_BINARY,
    CIFAR10_PYTHON,
    CIFAR100_BINARY,
    CIFAR100_PYTHON,
    PIXELS,
    read_cifar,
)
from headwater.data.download import DownloadError
from headwater.data.known_files import KnownFile, find_or_download
from headwater.io import files

datasets = tf.contrib.learn.datasets


@pytest.fixture(autouse=True)
def _offline(monkeypatch):
    monkeypatch.setenv("HEADWATER_OFFLINE", "1")


def test_iris():
    iris = datasets.load_dataset("iris")
    assert isinstance(iris, datasets.base.Dataset)
    assert iris.data.dtype == np.float64 and iris.data.shape == (150, 4)
    assert iris.target.dtype == np.int64 and iris.target.tolist() == [0] * 50 + [1] * 50 + [2] * 50
    assert iris.data[0].tolist() == [5.1, 3.5, 1.4, 0.2]
    assert round(iris.data.sum(), 6) == 2078.2


def test_boston():
    boston = datasets.load_boston()
    assert boston.data.dtype == boston.target.dtype == np.float64
    assert boston.data.shape == (506, 13)
    assert boston.target[:5].tolist() == [24.0, 21.6, 34.7, 33.4, 36.2]
    assert round(boston.data.sum(), 5) == 460936.55522
    assert round(boston.target.sum(), 5) == 11401.6


def test_names():
    assert list(datasets.DATASETS) == ["iris", "boston", "mnist", "dbpedia"]
    with pytest.raises(ValueError, match="Name of dataset is not found: roses"):
        datasets.load_dataset("roses")
    with pytest.raises(ValueError, match="Synthetic dataset not found or not implemeted: squares"):
        datasets.make_dataset("squares")
    fake = datasets.load_dataset("dbpedia", test_with_fake_data=True)
    assert fake.train.data.shape == (3, 2) and fake.train.target.tolist() == [1, 2, 3]
    assert fake.test.data.shape == (1, 2) and fake.validation is None


@pytest.mark.parametrize("place", ["local", "memory"])
def test_tables(tmp_path, place):
    folder = str(tmp_path) if place == "local" else "memory://tables"
    path = files.join_path(folder, "t.csv")
    with files.open_file(path, "wb") as file:
        file.write(b"3,2,a,b\n1.5,2.5,0\n3,4,1\n5,6,1\n")
    base = datasets.base
    table = base.load_csv_with_header(path, np.int32, np.float32)
    assert table.data.tolist() == [[1.5, 2.5], [3, 4], [5, 6]] and table.target.tolist() == [
        0,
        1,
        1,
    ]
    assert table.data.dtype == np.float32 and table.target.dtype == np.int32
    table = base.load_csv_with_header(path, np.float64, np.float32, target_column=1)
    assert table.data.tolist() == [[1.5, 0], [3, 1], [5, 1]]
    base.shrink_csv(path, 2)
    small = files.join_path(folder, "t_small.csv")
    assert files.read_bytes(small) == b"3,2,a,b\n3,4,1\n"
    with files.open_file(path, "wb") as file:
        file.write(b"1.5,2.5,zero\n3,4,one\n")
    table = base.load_csv_without_header(path, np.str_, np.float32)
    assert table.data.tolist() == [[1.5, 2.5], [3, 4]] and table.target.tolist() == ["zero", "one"]
    with pytest.raises(ValueError, match="invalid literal for int"):
        base.load_csv_without_header(path, np.int32, np.float32)
    with pytest.raises(tf.errors.NotFoundError):
        base.load_csv_without_header(files.join_path(folder, "none.csv"), np.int32, np.float32)


def test_rows_beyond_the_number_in_the_header(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("1,2,a,b\n1.5,2.5,0\n3,4,1\n")
    with pytest.raises(IndexError, match="index 1 is out of bounds"):
        datasets.base.load_csv_with_header(path, np.int32, np.float32)


def test_circles():
    even = datasets.synthetic.circles(6, noise=0.1, seed=2)
    assert even.target.dtype == np.int32 and even.target.tolist() == [1, 0, 1, 0, 1, 0]
    np.testing.assert_allclose(
        even.data,
        [[-0.79584606, -0.11179254], [-0.94971186, -0.12452881], [0.8551454, 0.2292208],
         [0.89420478, -0.09090076], [0.85390583, -0.05961597], [0.82065644, -0.08417474]],
        atol=1e-8,
    )  # fmt: skip
    rest = datasets.synthetic.circles(5, seed=1, n_classes=3)
    assert rest.target.tolist() == [2, 0, 1, 0, 0]
    np.testing.assert_allclose(
        rest.data,
        [[0.64, 0], [-0.867139572, 0.000718638110], [0.8, 0], [-0.185378188, 0.946425589], [1, 0]],
        atol=1e-9,
    )


def test_spirals():
    for mode, first in (
        ("archimedes", [[1, -1], [0.5, -0.25], [-0.5, 0.3], [0, 0], [0, 0], [-1, 1]]),
        ("fermat", None),
        ("bernoulli", None),
    ):
        found = datasets.synthetic.spirals(6, seed=1, mode=mode)
        if first is not None:
            assert found.target.tolist() == [0, 0, 1, 0, 1, 1]
            np.testing.assert_allclose(found.data, first, atol=1e-9)
    found = datasets.synthetic.spirals(6, seed=2, mode="bernoulli")
    np.testing.assert_allclose(
        found.data,
        [[-0.53348809, 0.32009285], [0.53348809, -0.26674405], [-0.28460954, 0.05692191], [1, -1],
         [-1, 1], [0.28460954, 0]],
        atol=1e-8,
    )  # fmt: skip
    odd = datasets.synthetic.spirals(5, seed=1)
    assert odd.target.tolist() == [1, 1, 0, 0, 0]
    np.testing.assert_allclose(odd.data, [[-1, 1], [0, 0], [1, -1], [0, 0], [-1, 1]], atol=1e-9)
    with pytest.raises(ValueError, match="Cannot generate spiral with mode round"):
        datasets.synthetic.spirals(6, mode="round")


def test_retry(monkeypatch):
    slept = []
    monkeypatch.setattr(time, "sleep", slept.append)
    calls = []

    def fails(until):
        calls.append(None)
        if len(calls) < until:
            raise OSError("busy")
        return len(calls)

    assert datasets.base.retry(1.0, 8.0, jitter=0.0)(fails)(4) == 4
    assert slept == [1, 2, 4]
    calls.clear()
    with pytest.raises(OSError, match="busy"):
        datasets.base.retry(1.0, 2.0)(fails)(99)
    assert len(calls) == 3
    calls.clear()
    with pytest.raises(OSError, match="busy"):
        datasets.base.retry(1.0, 8.0, is_retriable=lambda error: False)(fails)(99)
    assert len(calls) == 1
    with pytest.raises(ValueError, match=r"factor must be >= 1; was 0\.5"):
        datasets.base.retry(1.0, 2.0, factor=0.5)
    assert retrying._may_pass(OSError(503, "")) and not retrying._may_pass(ValueError())


def test_what_to_put_where(tmp_path):
    for load in (
        lambda: text8.read_words(tmp_path),
        lambda: census.find_files(tmp_path),
        lambda: read_cifar(tmp_path, (CIFAR10_BINARY,), "labels"),
        lambda: tf.models.rnn.ptb.reader.ptb_raw_data(tmp_path),
    ):
        with pytest.raises(DownloadError, match=r"HEADWATER_OFFLINE\)\.\nHint: put .* from http.*"):
            load()
    assert list(tmp_path.iterdir()) == []


def test_downloads_are_checked(tmp_path, monkeypatch):
    monkeypatch.delenv("HEADWATER_OFFLINE")
    with files.open_file("memory://known/x", "wb") as file:
        file.write(b"abc")
    sound, other = (
        KnownFile("x", ("memory://known/x",), f"md5:{digest}")
        for digest in ("900150983cd24fb0d6963f7d28e17f72", "0" * 32)
    )
    with pytest.raises(DownloadError, match=r"not the expected one \(md5 900150983cd24fb0"):
        find_or_download(tmp_path, other, "")
    assert not (tmp_path / "x").exists()
    assert files.read_bytes(find_or_download(tmp_path, sound, "")) == b"abc"
    (tmp_path / "x").write_bytes(b"another one, put there")
    assert files.read_bytes(find_or_download(tmp_path, sound, "")) == b"another one, put there"


def cifar_contents(form, rng):
    """The files of a form, two records each, and the pixels of the records."""
    contents, pixels = {}, {}
    for number, name in enumerate((*form.train, *form.test)):
        pixels[name] = rng.integers(0, 256, (2, PIXELS), dtype=np.uint8)
        labels = {label: [number, i] for i, label in enumerate(form.labels)}
        if form.is_binary:
            columns = np.array(list(labels.values()), np.uint8).T
            contents[name] = np.hstack([columns, pixels[name]]).tobytes()
        else:
            found = {b"data": pixels[name], **{k.encode(): v for k, v in labels.items()}}
            contents[name] = pickle.dumps(found, 2)
    return contents, pixels


@pytest.mark.parametrize("packed", [True, False])
@pytest.mark.parametrize("form", [CIFAR10_BINARY, CIFAR10_PYTHON, CIFAR100_BINARY, CIFAR100_PYTHON])
def test_cifar(tmp_path, form, packed, rng):
    contents, pixels = cifar_contents(form, np.random.default_rng(3))
    archive = io.BytesIO()
    with tarfile.open(fileobj=archive, mode="w:gz") as members:
        for name, content in contents.items():
            member = tarfile.TarInfo(f"{form.folder}/{name}")
            member.size = len(content)
            members.addfile(member, io.BytesIO(content))
    if packed:
        (tmp_path / form.file.name).write_bytes(archive.getvalue())
    else:
        (tmp_path / form.folder).mkdir()
        for name, content in contents.items():
            (tmp_path / form.folder / name).write_bytes(content)
    label = form.labels[-1]
    (images, labels), (test_images, test_labels) = read_cifar(tmp_path, (form,), label)
    assert images.shape == (2 * len(form.train), 32, 32, 3) and test_images.shape == (2, 32, 32, 3)
    planes = pixels[form.train[0]][0].reshape(3, 32, 32)
    np.testing.assert_array_equal(images[0], planes.transpose(1, 2, 0))
    place = form.labels.index(label)
    assert labels.tolist() == [n for i in range(len(form.train)) for n in (i, place)]
    assert test_labels.tolist() == [len(form.train), place]


def test_damaged_cifar(tmp_path):
    (tmp_path / CIFAR10_PYTHON.file.name).write_bytes(b"no archive")
    with pytest.raises(tf.errors.DataLossError, match=r"cifar-10-python\.tar\.gz is damaged"):
        read_cifar(tmp_path, (CIFAR10_PYTHON,), "labels")
    folder = tmp_path / CIFAR10_PYTHON.folder
    folder.mkdir()
    for name in (*CIFAR10_PYTHON.train, *CIFAR10_PYTHON.test):
        (folder / name).write_bytes(pickle.dumps(time.sleep))
    with pytest.raises(tf.errors.DataLossError, match=r"time.sleep is not expected in this file"):
        read_cifar(tmp_path, (CIFAR10_PYTHON,), "labels")


def test_keras_datasets(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    keras = tf.keras.datasets
    with pytest.raises(DownloadError, match=r"put boston_housing\.npz from https"):
        keras.boston_housing.load_data()
    folder = tmp_path / ".keras" / "datasets"
    (folder / CIFAR100_PYTHON.folder).mkdir(parents=True)
    rng = np.random.RandomState(0)
    x, y = np.arange(20.0).reshape(10, 2), np.arange(10.0)
    np.savez(folder / "boston_housing.npz", x=x, y=y)
    (x_train, y_train), (x_test, y_test) = keras.boston_housing.load_data(seed=3, test_split=0.3)
    order = np.arange(10)
    np.random.RandomState(3).shuffle(order)
    np.testing.assert_array_equal(np.concatenate([y_train, y_test]), order)
    assert x_train.shape == (7, 2) and x_test.shape == (3, 2)
    digits = {f"{k}_{p}": rng.randint(0, 9, (4,) * (3 if k == "x" else 1)).astype(np.uint8)
              for k in "xy" for p in ("train", "test")}  # fmt: skip
    np.savez(folder / "mnist.npz", **digits)
    (found, _), (_, labels) = keras.mnist.load_data()
    np.testing.assert_array_equal(found, digits["x_train"])
    np.testing.assert_array_equal(labels, digits["y_test"])
    for name, content in cifar_contents(CIFAR100_PYTHON, np.random.default_rng(3))[0].items():
        (folder / CIFAR100_PYTHON.folder / name).write_bytes(content)
    (images, fine), (_, test_fine) = keras.cifar100.load_data()
    assert images.shape == (2, 32, 32, 3) and images.dtype == np.uint8
    assert (
        fine.dtype == np.int64 and fine.tolist() == [[0], [1]] and test_fine.tolist() == [[1], [1]]
    )
    assert keras.cifar100.load_data("coarse")[0][1].tolist() == [[0], [0]]
    with pytest.raises(ValueError, match='must be one of `"fine"`, `"coarse"`'):
        keras.cifar100.load_data("medium")


TEXTS = {"train": " a b a <unk> \n c a b \n", "valid": " b z a \n", "test": " c \n q \n"}


def test_penn_treebank(tmp_path):
    reader = tf.models.rnn.ptb.reader
    for part, text in TEXTS.items():
        (tmp_path / f"ptb.{part}.txt").write_text(text)
    train, valid, test, count = reader.ptb_raw_data(str(tmp_path))
    # a 3, <eos> 2, b 2, <unk> 1, c 1
    assert count == 5
    assert train == [0, 2, 0, 3, 1, 4, 0, 2, 1]
    assert (valid, test) == ([2, 0, 1], [4, 1, 1])
    archive = io.BytesIO()
    with tarfile.open(fileobj=archive, mode="w:gz") as members:
        for part, text in TEXTS.items():
            member = tarfile.TarInfo(f"./simple-examples/data/ptb.{part}.txt")
            member.size = len(text)
            members.addfile(member, io.BytesIO(text.encode()))
    with files.open_file("memory://ptb/simple-examples.tgz", "wb") as file:
        file.write(archive.getvalue())
    assert reader.ptb_raw_data("memory://ptb") == (train, valid, test, count)


def test_batches_of_the_penn_treebank():
    reader = tf.models.rnn.ptb.reader
    words = [4, 3, 2, 1, 0, 5, 6, 1, 1, 1, 1, 0, 3, 4, 1]
    batches = list(reader.ptb_iterator(words, 3, 2))
    expected = [
        ([[4, 3], [5, 6], [1, 0]], [[3, 2], [6, 1], [0, 3]]),
        ([[2, 1], [1, 1], [3, 4]], [[1, 0], [1, 1], [4, 1]]),
    ]
    assert [(x.tolist(), y.tolist()) for x, y in batches] == expected
    x, y = reader.ptb_producer(words, 3, 2)
    assert x.shape.as_list() == y.shape.as_list() == [3, 2]
    reader.ptb_producer([1, 2, 3], 3, 2, name="short")
    too_few = pytest.raises(tf.errors.InvalidArgumentError, match="epoch_size == 0, decrease")
    with tf.Session() as session, too_few:
        session.run("short/epoch_size:0")
    tf.get_collection_ref(tf.GraphKeys.QUEUE_RUNNERS).pop()
    with tf.Session() as session:
        coordinator = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(session, coordinator)
        for wanted in [*expected, expected[0]]:
            got = session.run([x, y])
            assert (got[0].tolist(), got[1].tolist()) == wanted
        coordinator.request_stop()
        coordinator.join(threads)
    with pytest.raises(ValueError, match="epoch_size == 0"):
        next(reader.ptb_iterator([1, 2, 3], 3, 2))


def test_words_of_text8(tmp_path):
    with zipfile.ZipFile(tmp_path / "text8.zip", "w") as archive:
        archive.writestr("text8", " anarchism originated as")
    assert text8.read_words(tmp_path) == ["anarchism", "originated", "as"]
    (tmp_path / "text8").write_text(" a b")
    assert text8.read_words(tmp_path) == ["a", "b"]


def test_tables_as_programs_before_release_0_11_read_them(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("2,2,a,b\n1,2,0\n3,4,1\n")
    base = tf.contrib.learn.datasets.base
    table = base.load_csv(filename=str(path), target_dtype=int)
    assert (table.data.tolist(), table.target.tolist()) == ([[1, 2], [3, 4]], [0, 1])
    path.write_text("1,2,0\n3,4,1\n")
    table = base.load_csv(str(path), int, 0, has_header=False)
    assert (table.data.tolist(), table.target.tolist()) == ([[2, 0], [4, 1]], [1, 3])
