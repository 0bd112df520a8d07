"""Sources of datasets: saved iterators, lost files, databases, generators that are closed."""

import gc
import gzip
import threading

import numpy as np
import pytest

import headwater as tf
from headwater.base import errors
from headwater.ops.data.dataset import IteratorContext

STRING, NUMBER = tf.TensorSpec([], tf.string), tf.TensorSpec([], tf.int64)


def dataset_of(session, dataset):
    """The value of a dataset's variant."""
    return session.run(dataset._variant_tensor)


def elements_of(session, dataset):
    element = dataset.make_one_shot_iterator().get_next()
    found = []
    with pytest.raises(errors.OutOfRangeError, match="End of sequence"):
        while True:
            found.append(session.run(element))
    return found


def from_variant(variant, spec=STRING):
    dataset = tf.data.experimental.from_variant(variant, spec)
    return tf.data.Dataset.range(1).flat_map(lambda _: dataset)


@pytest.fixture
def files(tmp_path):
    """Names of two files of each kind: lines, records, CSV, fixed length, damaged records."""
    names = {}
    for kind in ("lines", "records", "csv", "fixed"):
        names[kind] = [str(tmp_path / f"{kind}{i}") for i in range(2)]
    for i in range(2):
        with tf.gfile.GFile(names["lines"][i], "w") as file:
            file.write("".join(f"line {i} {j}\n" for j in range(600)))
        with tf.gfile.GFile(names["csv"][i], "w") as file:
            file.write("".join(f"{j},{'x' if j == 5 else j * 2}\n" for j in range(9)))
        with tf.gfile.GFile(names["fixed"][i], "wb") as file:
            file.write(b"H" + b"".join(b"%02d" % j for j in range(9)) + b"FF")
        with tf.python_io.TFRecordWriter(names["records"][i]) as writer:
            for j in range(600):
                writer.write(b"record %d %d" % (i, j))
    return names


def sources(files):
    """Datasets whose iterators are saved and restored."""
    rng = np.random.RandomState(0)
    indices = np.stack([np.sort(rng.randint(0, 6, 8)), np.arange(8)], 1)
    sparse = tf.SparseTensor(indices, rng.rand(8), [6, 8])
    number = tf.constant(7, tf.int64)
    random = tf.raw_ops.RandomDataset(
        seed=number, seed2=number, output_types=[tf.int64], output_shapes=[[]]
    )
    patterns = [files["lines"][0][:-1] + "*", files["csv"][0][:-1] + "?"]
    matching = tf.raw_ops.MatchingFilesDataset(patterns=patterns)
    return {
        "lines": tf.data.TextLineDataset(files["lines"]),
        "records": tf.data.TFRecordDataset(files["records"]),
        "fixed": tf.data.FixedLengthRecordDataset(files["fixed"], 2, 1, 2),
        "csv": tf.data.experimental.CsvDataset(files["lines"], [""]),
        "matching": tf.data.experimental.from_variant(matching, STRING),
        "random": tf.data.experimental.from_variant(random, NUMBER),
        "sparse": tf.data.Dataset.from_sparse_tensor_slices(sparse),
        "generator": tf.data.Dataset.from_generator(lambda: iter(range(12)), tf.int64, ()),
    }


@pytest.mark.parametrize("before", [0, 1, 4, 300, 700])
def test_restored_iterators_go_on_with_the_next_element(session, files, before):
    for name, dataset in sources(files).items():
        made = dataset_of(session, dataset)
        first, second = (made.iterate(IteratorContext()) for _ in range(2))
        for _ in range(before):
            first.next()
        state = {}
        first.save(state, "x")
        second.restore(state, "x")
        for _ in range(3):
            np.testing.assert_equal(first.next(), second.next(), err_msg=name)
        rows, other = first.next_rows(5), second.next_rows(5)
        assert (rows is None) == (other is None), name
        if rows is not None:
            count = min(len(rows[0]), len(other[0]))
            np.testing.assert_equal([r[:count] for r in rows], [r[:count] for r in other], name)


def test_rows_are_the_elements_stacked(session, files):
    for name, dataset in sources(files).items():
        if name in ("sparse", "random"):
            continue
        made = dataset_of(session, dataset)
        one, many = (made.iterate(IteratorContext()) for _ in range(2))
        found = [[] for _ in made.types]
        # Single elements and rows of several sizes in turns.
        sizes = iter([1, 3, 1, 500, 1, 7] * 1000)
        while (rows := many.next_rows(next(sizes))) is not None:
            for component, array in zip(found, rows):
                component.extend(array.tolist())
            if (element := many.next()) is None:
                break
            for component, array in zip(found, element):
                component.append(array.item())
        expected = []
        while (element := one.next()) is not None:
            expected.append([array.item() for array in element])
        assert [list(e) for e in zip(*found)] == expected, name
        assert one.next() is many.next() is many.next_rows(2) is None


def test_skipped_elements(session, files):
    for name, dataset in sources(files).items():
        made = dataset_of(session, dataset)
        one, other = (made.iterate(IteratorContext()) for _ in range(2))
        assert one.skip(3) == 3
        for _ in range(3):
            other.next()
        np.testing.assert_equal(one.next(), other.next(), err_msg=name)


def test_errors_in_csv_records_leave_the_other_records(session, files):
    dataset = tf.data.experimental.CsvDataset(files["csv"], [tf.int32, tf.int32])
    element = dataset.make_one_shot_iterator().get_next()
    found = []
    for _ in range(20):
        try:
            found.append(session.run(element)[0])
        except errors.InvalidArgumentError as error:
            assert "Field 1 in record is not a valid int32: x" in error.message
            found.append(None)
        except errors.OutOfRangeError:
            break
    epoch = [0, 1, 2, 3, 4, None, 6, 7, 8]
    assert found == epoch * 2


def test_errors_name_the_file(session, files, tmp_path):
    data = bytearray((tmp_path / "records0").read_bytes())
    data[-5] ^= 1
    (tmp_path / "records0").write_bytes(bytes(data))
    datasets = [
        (tf.data.TFRecordDataset(files["records"]).skip(599), "records0", errors.DataLossError),
        (tf.data.TextLineDataset(str(tmp_path / "lost")), "lost", errors.NotFoundError),
        (tf.data.TextLineDataset(files["lines"], "ZLIB"), "lines0", errors.DataLossError),
    ]
    for dataset, name, kind in datasets:
        element = dataset.make_one_shot_iterator().get_next()
        with pytest.raises(kind, match=f"(?s)Hint: .*{name}|{name}"):
            session.run(element)


def test_a_file_that_vanishes_is_left_out(session, files, tmp_path):
    dataset = tf.data.TextLineDataset([*files["lines"], str(tmp_path / "lost"), files["csv"][0]])
    element = dataset.make_one_shot_iterator().get_next()
    session.run(element)
    (tmp_path / "lines1").unlink()
    found, lost = 1, 0
    while True:
        try:
            session.run(element)
            found += 1
        except errors.NotFoundError:
            lost += 1
        except errors.OutOfRangeError:
            break
    assert (found, lost) == (600 + 9, 2)


@pytest.mark.parametrize("piece", [1, 2, 3, 7, 64])
def test_csv_records_across_pieces_of_a_file(session, tmp_path, monkeypatch, piece):
    text = b'a,"b ""c"",\r\nd"\r\n"e",f\rg,"h"\n"",\n\ni,"j\n'
    (tmp_path / "c").write_bytes(text)
    monkeypatch.setattr("headwater.io.input_stream._PIECE", piece)
    dataset = tf.data.experimental.CsvDataset(str(tmp_path / "c"), ["x", "y"])
    element = dataset.make_one_shot_iterator().get_next()
    assert session.run(element) == (b"a", b'b "c",\r\nd')
    assert session.run(element) == (b"e", b"f")
    assert session.run(element) == (b"g", b"h")
    assert session.run(element) == (b"x", b"y")
    with pytest.raises(errors.InvalidArgumentError, match="Expect 2 fields but have 1 in record"):
        session.run(element)
    with pytest.raises(errors.InvalidArgumentError, match="Reached end of file without closing"):
        session.run(element)
    with pytest.raises(errors.OutOfRangeError):
        session.run(element)


@pytest.mark.parametrize("piece", [1, 2, 5, 100])
def test_lines_across_pieces_of_a_file(session, tmp_path, monkeypatch, piece):
    (tmp_path / "t").write_bytes(b"one\ntwo\r\n\nfour\rx\r\n\r\nlast\r")
    monkeypatch.setattr("headwater.io.input_stream._PIECE", piece)
    dataset = tf.data.TextLineDataset(str(tmp_path / "t"))
    assert elements_of(session, dataset) == [b"one", b"two", b"", b"fourx", b"", b"last"]


# Generators


def test_a_generator_is_closed_with_its_session():
    events = []

    def endless():
        try:
            while True:
                yield 1
        finally:
            events.append("closed")

    dataset = tf.data.Dataset.from_generator(endless, tf.int32, ())
    element = dataset.map(lambda x: x + 1, num_parallel_calls=2).prefetch(2)
    element = element.make_one_shot_iterator().get_next()
    with tf.Session() as session:
        assert session.run(element) == 2
    gc.collect()
    for thread in threading.enumerate():
        if thread.name == "headwater worker":
            thread.join(10)
    assert events == ["closed"]
    assert not [t for t in threading.enumerate() if t.name == "headwater worker"]


def test_each_iterator_has_a_generator_of_its_own(session):
    calls = []

    def numbers(limit):
        calls.append(limit)
        return range(limit)

    dataset = tf.data.Dataset.from_generator(numbers, tf.int64, (), args=(3,))
    assert elements_of(session, dataset) == [0, 1, 2]
    iterator = dataset.make_initializable_iterator()
    element = iterator.get_next()
    for _ in range(2):
        session.run(iterator.initializer)
        assert session.run([element]) == [0]
    assert calls == [3, 3, 3]


# Databases


def write_lmdb(path, entries):
    lmdb = pytest.importorskip("lmdb")
    with lmdb.open(str(path), subdir=False) as environment, environment.begin(write=True) as txn:
        for key, value in entries.items():
            txn.put(key, value)


def test_lmdb(session, tmp_path):
    write_lmdb(tmp_path / "one", {b"b": b"B", b"a": b"A"})
    write_lmdb(tmp_path / "two", {b"c": b"C"})
    dataset = tf.contrib.data.LMDBDataset([str(tmp_path / "one"), str(tmp_path / "two")])
    assert repr(dataset) == "<LMDBDataset shapes: ((), ()), types: (tf.string, tf.string)>"
    assert elements_of(session, dataset) == [(b"a", b"A"), (b"b", b"B"), (b"c", b"C")]
    made = dataset_of(session, dataset)
    first, second = (made.iterate(IteratorContext()) for _ in range(2))
    first.next()
    state = {}
    first.save(state, "x")
    second.restore(state, "x")
    assert [v.item() for v in second.next()] == [b"b", b"B"]
    with pytest.raises(errors.NotFoundError):
        lost = tf.contrib.data.LMDBDataset(str(tmp_path / "lost"))
        session.run(lost.make_one_shot_iterator().get_next())


def test_a_saved_iterator_of_a_query(session, tmp_path):
    sqlite3 = pytest.importorskip("sqlite3")
    with sqlite3.connect(tmp_path / "db") as connection:
        connection.execute("create table t (x integer)")
        connection.executemany("insert into t values (?)", [(i,) for i in range(200)])
    query = "select x, x / 2.0 from t order by x"
    types = (tf.int32, tf.float64)
    dataset = tf.data.experimental.SqlDataset("sqlite", str(tmp_path / "db"), query, types)
    made = dataset_of(session, dataset)
    first, second = (made.iterate(IteratorContext()) for _ in range(2))
    for _ in range(70):
        first.next()
    assert len(first.next_rows(3)[0]) == 3
    state = {}
    first.save(state, "x")
    second.restore(state, "x")
    assert [v.item() for v in first.next()] == [v.item() for v in second.next()] == [73, 36.5]
    first.close()
    second.close()


def test_a_database_that_cannot_be_opened(session, tmp_path):
    path = str(tmp_path / "none" / "db")
    dataset = tf.data.experimental.SqlDataset("sqlite", path, "select 1", tf.int32)
    element = dataset.make_one_shot_iterator().get_next()
    with pytest.raises(errors.InvalidArgumentError, match="Failed to connect to database: unable"):
        session.run(element)
    with pytest.raises(errors.OutOfRangeError):
        session.run(element)


# Ops that Python functions do not make


def test_experimental_twins_and_first_versions(session, files, tmp_path):
    ops = tf.raw_ops
    no, yes = tf.constant(False), tf.constant(True)
    zero, one, two = (tf.constant(i, tf.int64) for i in range(3))
    none, types = tf.constant(""), {"output_types": [tf.int64], "output_shapes": [[]]}
    csv = ops.ExperimentalCSVDataset(
        filenames=files["csv"][0],
        compression_type=none,
        buffer_size=two,
        header=yes,
        field_delim=",",
        use_quote_delim=no,
        na_value=none,
        select_cols=tf.constant([0], tf.int64),
        record_defaults=[zero],
        output_shapes=[[]],
    )
    assert elements_of(session, from_variant(csv, NUMBER)) == [1, 2, 3, 4, 5, 6, 7, 8]
    fixed = ops.FixedLengthRecordDataset(
        filenames=files["fixed"],
        header_bytes=one,
        record_bytes=two,
        footer_bytes=two,
        buffer_size=zero,
    )
    assert elements_of(session, from_variant(fixed))[7:10] == [b"07", b"08", b"00"]
    random = [
        op(seed=one, seed2=two, **types)
        for op in (ops.ExperimentalRandomDataset, ops.RandomDataset)
    ]
    numbers = [elements_of(session, from_variant(v, NUMBER).take(3)) for v in random]
    assert numbers[0] == numbers[1] == [3878945999, 2364392915, 1057429302]
    pattern = files["csv"][0][:-1]
    for op in (ops.MatchingFilesDataset, ops.ExperimentalMatchingFilesDataset):
        names = from_variant(op(patterns=[f"{pattern}*", f"{pattern}1"]))
        assert elements_of(session, names) == [n.encode() for n in [*files["csv"], files["csv"][1]]]
    length = ops.ExperimentalDatasetCardinality(
        input_dataset=tf.data.Dataset.range(5)._variant_tensor
    )
    assert session.run(length) == 5
    path = str(tmp_path / "written")
    lines = tf.data.TextLineDataset(files["lines"][0])._variant_tensor
    write = ops.ExperimentalDatasetToTFRecord(
        input_dataset=lines, filename=path, compression_type="GZIP"
    )
    session.run(write)
    with gzip.open(path) as file:
        assert file.read(20)[12:] == b"line 0 0"


def test_no_files_match(session, tmp_path):
    variant = tf.raw_ops.MatchingFilesDataset(patterns=[str(tmp_path / "x*")])
    element = from_variant(variant).make_one_shot_iterator().get_next()
    with pytest.raises(errors.NotFoundError, match="Don't find any matched files"):
        session.run(element)
    with pytest.raises(errors.OutOfRangeError):
        session.run(element)


def test_experimental_databases_and_examples(session, tmp_path):
    types = {"output_types": [tf.int64], "output_shapes": [[]]}
    query = tf.raw_ops.ExperimentalSqlDataset(
        driver_name="sqlite", data_source_name=str(tmp_path / "db"), query="select 3", **types
    )
    assert elements_of(session, from_variant(query, NUMBER)) == [3]
    example = tf.train.Example()
    example.features.feature["a"].int64_list.value.append(4)
    batches = tf.data.Dataset.from_tensors([example.SerializeToString()] * 2)._variant_tensor
    parsed = tf.raw_ops.ExperimentalParseExampleDataset(
        input_dataset=batches,
        num_parallel_calls=tf.constant(1, tf.int64),
        dense_defaults=[tf.constant([], tf.int64)],
        sparse_keys=[],
        dense_keys=["a"],
        sparse_types=[],
        dense_shapes=[[]],
        output_types=[tf.int64],
        output_shapes=[[2]],
    )
    found = elements_of(session, from_variant(parsed, tf.TensorSpec([2], tf.int64)))
    np.testing.assert_array_equal(found, [[4, 4]])
    write_lmdb(tmp_path / "lmdb", {b"a": b"A"})
    entries = tf.raw_ops.ExperimentalLMDBDataset(
        filenames=str(tmp_path / "lmdb"),
        output_types=[tf.string, tf.string],
        output_shapes=[[], []],
    )
    assert elements_of(session, from_variant(entries, (STRING, STRING))) == [(b"a", b"A")]


def test_saved_batches_of_examples(session):
    def example(n):
        made = tf.train.Example()
        made.features.feature["a"].int64_list.value.append(n)
        made.features.feature["b"].int64_list.value.extend(range(n % 4))
        return made.SerializeToString()

    protos = [example(n) for n in range(40)]
    # The batch from 20 on has a damaged proto: it has an error, and the others have none.
    protos[22] = b"\xff\xff"
    features = {"a": tf.FixedLenFeature([], tf.int64), "b": tf.VarLenFeature(tf.int64)}
    dataset = tf.data.Dataset.from_tensor_slices(protos).batch(4)
    dataset = dataset.apply(tf.data.experimental.parse_example_dataset(features))
    iterator = dataset.make_one_shot_iterator()
    element = iterator.get_next()
    found = []
    for i in range(10):
        if i == 5:
            with pytest.raises(errors.InvalidArgumentError, match="Could not parse example input"):
                session.run(element)
        else:
            found.append(session.run(element))
    with pytest.raises(errors.OutOfRangeError):
        session.run(element)
    assert [list(e["a"]) for e in found] == [
        list(range(4 * i, 4 * i + 4)) for i in range(10) if i != 5
    ]
    assert [list(e["b"].dense_shape) for e in found] == [[4, 3]] * 9
    assert found[-1]["b"].indices.tolist() == [[1, 0], [2, 0], [2, 1], [3, 0], [3, 1], [3, 2]]
    made = dataset_of(session, dataset)
    first, second = (made.iterate(IteratorContext()) for _ in range(2))
    for _ in range(3):
        first.next()
    state = {}
    first.save(state, "x")
    second.restore(state, "x")
    for one in (first, second):
        assert one.next()[0].tolist() == [12, 13, 14, 15]
        assert one.next()[0].tolist() == [16, 17, 18, 19]
        with pytest.raises(errors.InvalidArgumentError):
            one.next()
        assert one.next()[0].tolist() == [24, 25, 26, 27]


def test_the_dataset_of_file_names_is_an_input_of_tf_record_datasets():
    names = tf.data.Dataset.from_tensors("x")
    assert tf.data.TFRecordDataset(names)._inputs() == [names]
    (made,) = tf.data.TFRecordDataset(["x", "y"], num_parallel_reads=2)._inputs()
    assert made.element_spec == tf.TensorSpec([], tf.string)
    assert tf.data.TextLineDataset("x")._inputs() == []


@pytest.mark.parametrize(
    ("error", "kind", "text"),
    [
        (ValueError("boom"), errors.InvalidArgumentError, "ValueError: boom\n"),
        (KeyError("k"), errors.UnknownError, "KeyError: 'k'\n"),
        (errors.DataLossError(None, None, "lost"), errors.UnknownError, "DataLossError: lost\n"),
        (
            errors.OutOfRangeError(None, None, "over"),
            errors.UnknownError,
            "OutOfRangeError: over\n",
        ),
    ],
)
def test_errors_of_a_generator(session, error, kind, text):
    # As in TensorFlow 1.15.5: only StopIteration ends the dataset.
    def numbers():
        yield 1
        raise error

    element = tf.data.Dataset.from_generator(numbers, tf.int64).make_one_shot_iterator().get_next()
    assert session.run(element) == 1
    with pytest.raises(kind) as raised:
        session.run(element)
    assert raised.value.message.startswith(text)
    with pytest.raises(errors.OutOfRangeError):
        session.run(element)


def test_slices_of_scalars():
    text = r"Value Tensor\(.*component_1:0.*\) has insufficient rank for batching"
    with pytest.raises(ValueError, match=text):
        tf.data.Dataset.from_tensor_slices(([1, 2], 3))
