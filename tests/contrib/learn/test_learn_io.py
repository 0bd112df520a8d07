"""Data feeders, input functions and readers of `tf.contrib.learn.io`, beside TensorFlow 1.15.5."""

from __future__ import annotations

import numpy as np
import pytest

import headwater as tf

learn_io = tf.contrib.learn.io
data_feeder = learn_io.data_feeder

X = np.arange(12, dtype=np.float32).reshape(6, 2)
Y = np.arange(6) % 3


def _feeds(feeder, count):
    feeder.input_builder()
    next_feeds = feeder.get_feed_dict_fn()
    return [{key: value.tolist() for key, value in next_feeds().items()} for _ in range(count)]


def test_rows_come_in_the_order_of_seed_42_with_one_hot_labels():
    feeder = data_feeder.DataFeeder(X, Y, 3, 4)
    first, last, second_epoch = _feeds(feeder, 3)
    assert first["input:0"] == [[0, 1], [2, 3], [10, 11], [4, 5]]
    assert first["output:0"] == [[1, 0, 0], [0, 1, 0], [0, 0, 1], [0, 0, 1]]
    assert last["input:0"] == [[8, 9], [6, 7]]
    assert second_epoch["input:0"] == [[6, 7], [0, 1], [2, 3], [4, 5]]
    assert feeder.get_feed_params() == {"epoch": 1, "offset": 4, "batch_size": 4}


def test_the_last_epoch_ends_with_stop_iteration():
    feeder = data_feeder.DataFeeder(X, Y, None, 4, shuffle=False, epochs=1)
    assert [feeds["output:0"] for feeds in _feeds(feeder, 2)] == [[0, 1, 2, 0], [1, 2]]
    with pytest.raises(StopIteration):
        feeder.get_feed_dict_fn()()


def test_dicts_have_placeholders_by_key():
    feeder = data_feeder.DataFeeder({"a": X, "b": Y}, {"l": Y, "m": X}, {"l": 3}, 4, shuffle=False)
    features, labels = feeder.input_builder()
    assert features["b"].name == "input_b:0" and features["b"].shape.as_list() == [None, 1]
    assert labels["l"].dtype == tf.float32 and labels["m"].shape.as_list() == [None, 2]
    feeds = feeder.get_feed_dict_fn()()
    assert feeds["input_b:0"].tolist() == [[0], [1], [2], [0]]
    assert feeds["output_l:0"].tolist() == [[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 0, 0]]
    assert feeds["output_m:0"].tolist() == X[:4].tolist()


@pytest.mark.parametrize(
    ("y", "n_classes", "shape", "dtype"),
    [
        (Y, 1, [2], np.float32),
        (Y.reshape(-1, 1), 0, [2], np.float32),
        (Y.reshape(-1, 1), 3, [2, 3], np.int64),
        (X.astype(int) % 3, 3, [2, 2, 3], np.int64),
        (None, 0, None, np.float32),
    ],
)
def test_shapes_and_types_of_labels(y, n_classes, shape, dtype):
    feeder = data_feeder.DataFeeder(X, y, n_classes, 2, shuffle=False)
    assert (feeder.output_shape, feeder.output_dtype) == (shape, dtype)
    feeds = _feeds(feeder, 1)[0]
    if shape is not None:
        assert list(np.shape(feeds["output:0"])) == shape


def test_a_class_out_of_range_is_an_error():
    feeder = data_feeder.DataFeeder(X, Y, 2, 6)
    feeder.input_builder()
    with pytest.raises(IndexError):
        feeder.get_feed_dict_fn()()


@pytest.mark.parametrize("batch_size", [0, -1])
def test_batch_sizes_are_positive(batch_size):
    with pytest.raises(ValueError, match=f"Invalid batch_size {batch_size}."):
        data_feeder.DataFeeder(X, Y, 3, batch_size)
    with pytest.raises(ValueError, match=f"Invalid batch_size {batch_size}."):
        data_feeder.setup_predict_data_feeder(X, batch_size)


def test_elements_that_come_one_by_one():
    feeder = data_feeder.setup_train_data_feeder(iter(X[:3]), iter(Y[:3]), 3, batch_size=2)
    assert isinstance(feeder, data_feeder.StreamingDataFeeder)
    first, last = _feeds(feeder, 2)
    assert first == {"input:0": [[0, 1], [2, 3]], "output:0": [[1, 0, 0], [0, 1, 0]]}
    assert last == {"input:0": [[4, 5]], "output:0": [[0, 0, 1]]}
    with pytest.raises(StopIteration):
        feeder.get_feed_dict_fn()()


def test_dicts_that_come_one_by_one():
    elements = iter([{"a": np.ones(2), "b": np.ones(1)}] * 3)
    labels = iter([{"l": np.array([1])}] * 3)
    feeder = data_feeder.StreamingDataFeeder(elements, labels, None, 2)
    assert _feeds(feeder, 2)[1] == {"input_a:0": [[1, 1]], "input_b:0": [[1]], "output_l:0": [1]}


def test_only_one_of_two_iterators_is_an_error():
    with pytest.raises(ValueError, match="Both x and y should be iterators"):
        data_feeder.setup_train_data_feeder(iter(X), Y, 3)


def test_features_in_batches():
    assert [len(batch) for batch in data_feeder.setup_predict_data_feeder(X, 4)] == [4, 2]
    (column,) = data_feeder.setup_predict_data_feeder(Y)
    assert column.shape == (6, 1)
    streamed = list(data_feeder.setup_predict_data_feeder(iter(X), 3))
    assert [batch.tolist() for batch in streamed] == [X[:3].tolist(), X[3:].tolist()]


def _run(batch, count):
    """The values of `count` runs with queue runners."""
    with tf.Session() as session:
        session.run(tf.local_variables_initializer())
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(session, coord=coord)
        try:
            return [session.run(batch) for _ in range(count)]
        finally:
            coord.request_stop()
            coord.join(threads)


def _numbers():
    for i in range(5):
        yield {"a": np.ones(1) * i, "b": np.ones(1) * i + 32, "label": np.ones(1) * i - 32}


def test_a_generator_becomes_features_and_labels():
    batch = learn_io.generator_input_fn(
        _numbers, target_key="label", batch_size=2, shuffle=False, num_epochs=1
    )()
    # The batch in which the epoch ends goes on with the first row, as in TensorFlow.
    labels = [target.ravel().tolist() for _, target in _run(batch, 3)]
    assert labels == [[-32, -31], [-30, -29], [-28, -32]]
    features, targets = learn_io.generator_input_fn(_numbers, ("a", "label"), shuffle=False)()
    assert (sorted(features), sorted(targets)) == (["b"], ["a", "label"])


def _ranges():
    for i in range(5):
        yield {"a": np.arange(i + 1)}


def test_shorter_rows_of_a_generator_are_padded():
    batch = learn_io.generator_input_fn(
        _ranges, batch_size=3, shuffle=False, num_epochs=None, pad_value=-1
    )()
    first, second = _run(batch, 2)
    assert first["a"].tolist() == [[0, -1, -1], [0, 1, -1], [0, 1, 2]]
    assert second["a"].tolist() == [[0, 1, 2, 3, -1], [0, 1, 2, 3, 4], [0, -1, -1, -1, -1]]
    with pytest.raises(NotImplementedError, match="padding and shuffling data at the same time"):
        learn_io.generator_input_fn(_ranges, pad_value=-1)()


def _array():
    yield np.ones(1)


@pytest.mark.parametrize(
    ("make", "error", "text"),
    [
        (
            lambda: learn_io.generator_input_fn(3),
            TypeError,
            "x must be generator function; got int",
        ),
        (
            lambda: learn_io.generator_input_fn(_numbers, target_key=3),
            TypeError,
            "target_key must be str or Container of str; got int",
        ),
        (
            lambda: learn_io.generator_input_fn(_numbers, "zz", shuffle=False)(),
            KeyError,
            "target_key not in yielded dict",
        ),
        (
            lambda: learn_io.generator_input_fn(lambda: [1])(),
            TypeError,
            r"x\(\) must be generator; got list",
        ),
        (
            lambda: learn_io.generator_input_fn(_array)(),
            TypeError,
            r"x\(\) must yield dict; got ndarray",
        ),
    ],
)
def test_errors_of_generators(make, error, text):
    with pytest.raises(error, match=text):
        make()


@pytest.fixture
def lines(tmp_path):
    path = tmp_path / "lines.txt"
    path.write_text("ABC\nDEF\nGHK\n")
    return str(path)


def test_lines_of_files_in_order(lines):
    batch = tf.contrib.learn.read_batch_examples(
        lines, 2, tf.TextLineReader, False, num_epochs=1, queue_capacity=5, name="my_batch"
    )
    assert batch.name == "my_batch:1" and batch.shape.as_list() == [None]
    assert [part.tolist() for part in _run(batch, 2)] == [[b"ABC", b"DEF"], [b"GHK"]]


def test_keys_of_lines_of_a_queue_that_workers_share(lines):
    keys, batch = tf.contrib.learn.read_keyed_batch_examples_shared_queue(
        [lines], 3, tf.TextLineReader, False, num_epochs=1, queue_capacity=5, name="x"
    )
    with tf.Session() as session:
        session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(session, coord=coord)
        values = session.run([keys, batch])
        coord.request_stop()
        coord.join(threads)
    assert values[1].tolist() == [b"ABC", b"DEF", b"GHK"]
    assert values[0].tolist() == [f"{lines}:{i}".encode() for i in (1, 2, 3)]
    names = [variable.name for variable in tf.global_variables()]
    assert names[0] == "obtain_next/obtain_next_counter:0"


def test_parsed_features_of_records(tmp_path):
    path = str(tmp_path / "records")
    with tf.python_io.TFRecordWriter(path) as writer:
        for i in range(3):
            example = tf.train.Example()
            example.features.feature["a"].int64_list.value.append(i)
            example.features.feature["s"].int64_list.value.extend(range(i))
            writer.write(example.SerializeToString())
    columns = {"a": tf.FixedLenFeature([], tf.int64), "s": tf.VarLenFeature(tf.int64)}
    features = tf.contrib.learn.read_batch_record_features(
        path, 2, columns, randomize_input=False, num_epochs=1, queue_capacity=5
    )
    assert features["a"].name == "dequeue_record_examples/fifo_queue_1_Dequeue:0"
    # Two threads hand on the batches, in either order.
    batches = sorted(_run(features, 2), key=lambda batch: batch["a"].tolist())
    assert [batch["a"].tolist() for batch in batches] == [[0, 1], [2]]
    assert [batch["s"].values.tolist() for batch in batches] == [[0], [0, 1]]
    assert [batch["s"].dense_shape.tolist() for batch in batches] == [[2, 1], [1, 2]]


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"batch_size": None}, "Invalid batch_size None, with queue_capacity 5."),
        ({"batch_size": 5}, "Invalid batch_size 5, with queue_capacity 5."),
        ({"queue_capacity": None}, "Invalid queue_capacity None."),
        ({"num_threads": -1}, "Invalid num_threads -1."),
        ({"num_epochs": -1}, "Invalid num_epochs -1."),
        ({"read_batch_size": 0}, "Invalid read_batch_size 0."),
        ({"file_pattern": []}, "No files given to dequeue_examples."),
        ({"file_pattern": __file__ + "*.none"}, "No files match"),
    ],
)
def test_errors_of_readers(lines, options, text):
    arguments = {"file_pattern": lines, "batch_size": 2, "queue_capacity": 5} | options
    with pytest.raises(ValueError, match=text):
        tf.contrib.learn.read_batch_examples(reader=tf.TextLineReader, **arguments)


def test_numbers_of_queue_runners_of_release_0_12():
    features = {"a": tf.constant([10, 20, 30])}
    queued = learn_io.queue_parsed_features(features, num_queue_runners=3)
    assert queued["a"].shape.as_list() == [3]
    assert len(tf.get_collection(tf.GraphKeys.QUEUE_RUNNERS)) == 3
    with pytest.raises(ValueError, match="can not both be set"):
        learn_io.queue_parsed_features(features, num_queue_runners=2, num_enqueue_threads=2)


def test_a_program_replaces_the_search_for_files(monkeypatch):
    monkeypatch.setattr(tf.gfile, "Glob", lambda pattern: [f"{pattern}-b", f"{pattern}-a"])
    learn_io.read_batch_examples("any", 2, tf.TextLineReader, randomize_input=False, name="lines")
    names = tf.get_default_graph().get_tensor_by_name("lines/file_name_queue/input:0")
    assert names.eval(session=tf.Session()).tolist() == [b"any-a", b"any-b"]


def test_data_frames_of_pandas():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"a": [1, 2, 3], "b": [0.5, 1.0, 2.0]})
    labels = pandas.DataFrame({"y": [0, 1, 0]})
    feeder = data_feeder.setup_train_data_feeder(frame, labels, 2, batch_size=3, shuffle=False)
    (feeds,) = _feeds(feeder, 1)
    assert feeds["input:0"] == [[1, 0.5], [2, 1], [3, 2]]
    assert feeds["output:0"] == [[1, 0], [0, 1], [1, 0]]
    with pytest.raises(ValueError, match="Only one column for labels is allowed"):
        learn_io.extract_pandas_labels(frame)
    with pytest.raises(ValueError, match=r"must be int, float, or bool\. Found: 'c' type="):
        learn_io.extract_pandas_data(frame.assign(c="x"))


def test_data_frames_of_dask():
    pandas = pytest.importorskip("pandas")
    dataframe = pytest.importorskip("dask.dataframe")
    frame = dataframe.from_pandas(pandas.DataFrame({"a": range(6), "b": range(6)}), npartitions=3)
    labels = dataframe.from_pandas(pandas.DataFrame({"y": [0, 1] * 3}), npartitions=3)
    assert learn_io.extract_dask_data(frame).divisions == (0, 2, 4, 6)
    feeder = data_feeder.setup_train_data_feeder(frame, labels, 2, batch_size=4)
    features, classes = tf.placeholder(tf.float32), tf.placeholder(tf.float32)
    feeds = feeder.get_feed_dict_fn(features, classes)()
    rows = feeds[features.name][:, 0].astype(int)
    np.testing.assert_array_equal(feeds[classes.name].argmax(1), rows % 2)


def test_an_estimator_is_trained_with_data_frames_of_dask():
    pandas = pytest.importorskip("pandas")
    dataframe = pytest.importorskip("dask.dataframe")
    table = pandas.DataFrame({"a": np.linspace(-1, 1, 20), "b": 0.0})
    frame = dataframe.from_pandas(table, npartitions=2)
    labels = dataframe.from_pandas((table["a"] > 0).astype(np.int64), npartitions=2)
    columns = tf.contrib.learn.infer_real_valued_columns_from_input(frame)
    classifier = tf.contrib.learn.LinearClassifier(columns, n_classes=2)
    classifier.fit(frame, labels, steps=50)
    assert list(classifier.predict(table)) == [0] * 10 + [1] * 10
