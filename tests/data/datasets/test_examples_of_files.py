"""Examples of record files, parsed in batches: several batches are parsed at once."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import headwater as tf
from headwater.base import errors
from headwater.base.cancellation import Cancellation
from headwater.ops.data.batch import BatchDataset
from headwater.ops.data.dataset import IteratorContext
from headwater.ops.data.tensor_datasets import TensorSliceDataset
from headwater.ops.parsing import example_columns
from headwater.protos.lazy import example_pb2

COUNT = 700
FEATURES = {
    "label": tf.FixedLenFeature([], tf.int64),
    "pair": tf.FixedLenFeature([2], tf.float32, default_value=[7.0, 8.0]),
    "ids": tf.VarLenFeature(tf.int64),
    "words": tf.VarLenFeature(tf.string),
}


def example(i: int, label: bool = True) -> bytes:
    features = example_pb2.Example()
    feature = features.features.feature
    if label:
        feature["label"].int64_list.value.append(i)
    if i % 7:
        feature["pair"].float_list.value.extend([i, -i])
    feature["ids"].int64_list.value.extend(range(i % 5))
    feature["words"].bytes_list.value.extend([b"w%d" % i] * (i % 3))
    return features.SerializeToString()


def written(path: Path, without_label: int | None = None) -> str:
    with tf.python_io.TFRecordWriter(str(path)) as writer:
        for i in range(COUNT):
            writer.write(example(i, i != without_label))
    return str(path)


def batches(name: str, size: int, single: bool) -> Any:
    dataset = tf.data.TFRecordDataset(name)
    if single:
        dataset = dataset.map(lambda text: tf.parse_single_example(text, FEATURES))
        return dataset.batch(size)
    return dataset.batch(size).map(lambda texts: tf.parse_example(texts, FEATURES))


def run_through(dataset: Any) -> list[Any]:
    following = dataset.make_one_shot_iterator().get_next()
    found: list[Any] = []
    with tf.Session() as session:
        while True:
            try:
                found.append(session.run(following))
            except tf.errors.OutOfRangeError:
                return found
            except tf.errors.OpError as error:
                found.append(type(error).__name__)


def check(parsed: Any, start: int, stop: int) -> None:
    numbers = range(start, stop)
    assert parsed["label"].tolist() == list(numbers)
    assert parsed["pair"].tolist() == [[i, -i] if i % 7 else [7.0, 8.0] for i in numbers]
    widest = max(i % 5 for i in numbers)
    assert parsed["ids"].indices.tolist() == [[i - start, j] for i in numbers for j in range(i % 5)]
    assert parsed["ids"].values.tolist() == [j for i in numbers for j in range(i % 5)]
    assert parsed["ids"].dense_shape.tolist() == [stop - start, widest]
    assert parsed["words"].values.tolist() == [b"w%d" % i for i in numbers for _ in range(i % 3)]


@pytest.mark.parametrize("single", [False, True], ids=["batch", "single"])
@pytest.mark.parametrize("size", [1, 3, 32, 600])
def test_features_of_batches(tmp_path: Path, size: int, single: bool) -> None:
    found = run_through(batches(written(tmp_path / "records"), size, single))
    starts = range(0, COUNT, size)
    assert len(found) == len(starts)
    for parsed, start in zip(found, starts):
        check(parsed, start, min(start + size, COUNT))


@pytest.mark.parametrize("single", [False, True], ids=["batch", "single"])
def test_many_elements_are_parsed_together(
    tmp_path: Path, single: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes: list[int] = []
    from_wire = example_columns._from_wire

    def noted(texts: list[bytes], *columns: Any) -> Any:
        sizes.append(len(texts))
        return from_wire(texts, *columns)

    monkeypatch.setattr(example_columns, "_from_wire", noted)
    run_through(batches(written(tmp_path / "records"), 10, single))
    assert max(sizes) == 10 if single else max(sizes) >= 100


def test_wrong_example_costs_its_batch(tmp_path: Path) -> None:
    found = run_through(batches(written(tmp_path / "records", without_label=333), 10, False))
    assert [i for i, part in enumerate(found) if part == "InvalidArgumentError"] == [33]
    assert len(found) == COUNT // 10
    check(found[34], 340, 350)


def test_damaged_record_ends_the_file(tmp_path: Path) -> None:
    path = tmp_path / "records"
    data = bytearray(Path(written(path)).read_bytes())
    place = 0
    for _ in range(205):
        place += 16 + struct.unpack_from("<Q", data, place)[0]
    data[place + 20] ^= 1
    path.write_bytes(data)
    found = run_through(batches(str(path), 10, False))
    # What precedes the record in its batch is lost with it, as in TensorFlow.
    assert found[20] == "DataLossError"
    assert len(found) == 21
    check(found[19], 190, 200)


def test_saved_iterators_go_on_with_the_next_batch(tmp_path: Path) -> None:
    dataset = batches(written(tmp_path / "records"), 10, False)
    iterator = dataset.make_initializable_iterator()
    following = iterator.get_next()
    saver = tf.train.Saver({"it": tf.data.experimental.make_saveable_from_iterator(iterator)})
    with tf.Session() as session:
        session.run(iterator.initializer)
        for _ in range(5):
            session.run(following)
        name = saver.save(session, str(tmp_path / "saved"))
        check(session.run(following), 50, 60)
        session.run(iterator.initializer)
        saver.restore(session, name)
        for i in range(5, COUNT // 10):
            check(session.run(following), 10 * i, 10 * i + 10)


def test_variables_are_read_when_their_element_is_due(tmp_path: Path) -> None:
    factor = tf.Variable(np.int64(1), use_resource=True)
    dataset = tf.data.TFRecordDataset(written(tmp_path / "records")).batch(10)
    numbers = dataset.map(lambda texts: tf.parse_example(texts, FEATURES)["label"] * factor)
    iterator = numbers.make_initializable_iterator()
    following = iterator.get_next()
    with tf.Session() as session:
        session.run(factor.initializer)
        session.run(iterator.initializer)
        for i in range(1, 20):
            factor.load(np.int64(i), session)
            assert session.run(following)[1] == i * (10 * (i - 1) + 1)


def test_python_functions_are_not_called_early() -> None:
    calls = []

    def note(x: Any) -> Any:
        calls.append(int(x))
        return x

    dataset = tf.data.Dataset.range(100).map(lambda x: tf.py_func(note, [x], tf.int64))
    following = dataset.map(lambda x: x * 2).make_one_shot_iterator().get_next()
    with tf.Session() as session:
        for i in range(10):
            session.run(following)
            assert len(calls) == i + 1


def test_sparse_elements_are_cached_in_files(tmp_path: Path) -> None:
    def sparse(x: Any) -> Any:
        words = tf.as_string(tf.reshape(x, [1]))
        return tf.SparseTensor([[0]], tf.reshape(x, [1]), [4]), tf.SparseTensor([[1]], words, [4])

    dataset = tf.data.Dataset.range(5).map(sparse).cache(str(tmp_path / "cache"))
    for _ in range(2):
        found = run_through(dataset.batch(5))
        assert found[0][0].values.tolist() == [0, 1, 2, 3, 4]
        assert found[0][1].values.tolist() == [b"0", b"1", b"2", b"3", b"4"]
        assert found[0][1].indices.tolist() == [[i, 1] for i in range(5)]


@pytest.mark.parametrize("drop", [False, True])
@pytest.mark.parametrize("wanted", [1, 2, 7])
def test_rows_of_batches(drop: bool, wanted: int) -> None:
    source = TensorSliceDataset([np.arange(23)], [tf.int64])
    dataset = BatchDataset(source, 4, drop, [tf.int64], [(None,)])
    elements = dataset.iterate(IteratorContext(Cancellation()))
    found = []
    while (rows := elements.next_rows(wanted)) is not None:
        assert len(rows[0]) <= wanted
        found += rows[0].tolist()
        state: dict[str, Any] = {}
        elements.save(state, "it")
        elements = dataset.iterate(IteratorContext(Cancellation()))
        elements.restore(state, "it")
    expected = [list(range(i, min(i + 4, 23))) for i in range(0, 23, 4)]
    assert found == expected[: 5 if drop else 6]
    assert elements.next() is None


def test_damaged_protos_are_found_in_blocks() -> None:
    texts = [example(i) for i in range(40)]
    texts[30] = texts[30][:-1]
    dataset = tf.data.Dataset.from_tensor_slices(texts)
    found = run_through(dataset.map(lambda text: tf.parse_single_example(text, FEATURES)))
    wrong = [i for i, part in enumerate(found) if isinstance(part, str)]
    assert wrong == [30]
    assert found[30] == errors.InvalidArgumentError.__name__
    assert found[31]["label"] == 31
