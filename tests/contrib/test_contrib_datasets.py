"""tf.contrib.data as TensorFlow 1.2 to 1.4 had it."""

import numpy as np
import pytest

import headwater as tf
from headwater.base import errors

Dataset = tf.contrib.data.Dataset


def elements_of(dataset):
    """The elements of a dataset."""
    element = dataset.make_one_shot_iterator().get_next()
    found = []
    with tf.Session() as session, pytest.raises(errors.OutOfRangeError):
        while True:
            found.append(session.run(element))
    return found


def test_sources_and_transformations_keep_the_methods():
    sources = [
        Dataset.range(3),
        Dataset.from_tensors([1, 2]),
        Dataset.from_tensor_slices([1, 2]),
        Dataset.from_generator(lambda: iter([1]), tf.int64),
        Dataset.zip((Dataset.range(3), Dataset.range(2))),
        Dataset.from_sparse_tensor_slices(tf.SparseTensor([[0, 0]], [1], [1, 1])),
    ]
    for source in sources:
        assert type(source) is Dataset
        derived = source.repeat(2).take(3).skip(1).shuffle(2).batch(2).prefetch(1).cache()
        derived = derived.concatenate(derived).filter(lambda *x: True)
        assert type(derived.apply(lambda d: d)) is Dataset
        assert hasattr(derived, "group_by_window")


def test_map_with_threads_and_buffer():
    dataset = Dataset.range(5).map(lambda x: x * 10, num_threads=2, output_buffer_size=3)
    assert elements_of(dataset) == [0, 10, 20, 30, 40]
    types = [op.type for op in tf.get_default_graph().get_operations()]
    assert "ParallelMapDataset" in types and "PrefetchDataset" in types
    assert elements_of(Dataset.range(3).map(lambda x: -x, num_parallel_calls=2)) == [0, -1, -2]
    assert elements_of(Dataset.range(3).map(lambda x: -x, None, 2)) == [0, -1, -2]


def test_group_by_window_gives_windows_with_the_methods():
    def reduce_func(key, window):
        assert type(window) is Dataset
        return window.map(lambda x: x + 100 * key, num_threads=1).batch(3)

    dataset = Dataset.range(7).group_by_window(lambda x: x % 2, reduce_func, window_size=3)
    assert [list(e) for e in elements_of(dataset)] == [[0, 2, 4], [101, 103, 105], [6]]


def test_sparse_batches_are_tuples():
    dataset = Dataset.from_tensor_slices([1, 2, 3]).map(lambda x: tf.fill([x], x))
    indices, values, shape = elements_of(dataset.dense_to_sparse_batch(2, [4]))[0]
    np.testing.assert_array_equal(indices, [[0, 0], [1, 0], [1, 1]])
    np.testing.assert_array_equal(values, [1, 2, 2])
    np.testing.assert_array_equal(shape, [2, 4])


def test_unbatch_enumerate_and_ignore_errors():
    dataset = Dataset.from_tensor_slices([[1, 2], [3, 4]]).unbatch().enumerate(5)
    assert elements_of(dataset) == [(5, 1), (6, 2), (7, 3), (8, 4)]
    dataset = Dataset.from_tensor_slices([1.0, 0.0, 4.0])
    dataset = dataset.map(lambda x: tf.check_numerics(1.0 / x, "error")).ignore_errors()
    assert elements_of(dataset) == [1.0, 0.25]


def test_a_subclass_makes_its_resource():
    class Odd(Dataset):
        def __init__(self, limit):
            self._limit = limit
            super().__init__()

        def make_dataset_resource(self):
            odd = Dataset.range(1, self._limit, 2)
            return odd.make_dataset_resource()

        @property
        def output_types(self):
            return tf.int64

        @property
        def output_shapes(self):
            return tf.TensorShape([])

    assert elements_of(Odd(6).map(lambda x: x * 2)) == [2, 6, 10]
    with pytest.raises(TypeError, match="has no variant tensor"):
        Dataset()


def test_a_dataset_of_the_later_era_becomes_one_of_this():
    dataset = Dataset(tf.data.Dataset.range(3).batch(2)).unbatch()
    assert type(dataset) is Dataset
    assert elements_of(dataset) == [0, 1, 2]


def test_files(tmp_path):
    path = tmp_path / "lines.txt"
    path.write_bytes(b"ab\ncd\n")
    name = str(path)
    assert elements_of(tf.contrib.data.TextLineDataset(name).map(lambda x: x, 1)) == [b"ab", b"cd"]
    fixed = tf.contrib.data.FixedLengthRecordDataset([name], 2, header_bytes=1, footer_bytes=1)
    assert elements_of(fixed) == [b"b\n", b"cd"]
    assert elements_of(Dataset.list_files(str(tmp_path / "*.txt"))) == [name.encode()]


def test_read_batch_features(tmp_path):
    name = str(tmp_path / "examples")
    with tf.python_io.TFRecordWriter(name) as writer:
        for i in range(5):
            feature = tf.train.Feature(int64_list=tf.train.Int64List(value=[i]))
            example = tf.train.Example(features=tf.train.Features(feature={"a": feature}))
            writer.write(example.SerializeToString())
    features = {"a": tf.FixedLenFeature([], tf.int64)}
    reader = tf.contrib.data.TFRecordDataset
    dataset = Dataset.read_batch_features(
        name, 2, features, reader, randomize_input=False, num_epochs=1
    )
    assert [list(e["a"]) for e in elements_of(dataset)] == [[0, 1], [2, 3], [4]]
    shuffled = Dataset.read_batch_features(name, 5, features, reader, num_epochs=1)
    assert sorted(elements_of(shuffled)[0]["a"]) == [0, 1, 2, 3, 4]


def test_iterators(session):
    Iterator = tf.contrib.data.Iterator
    dataset = Dataset.range(3)
    iterator = Iterator.from_dataset(dataset)
    assert isinstance(dataset.make_one_shot_iterator(), Iterator)
    assert isinstance(dataset.make_initializable_iterator(), Iterator)
    assert isinstance(Iterator.from_structure(tf.int64, []), Iterator)
    element = iterator.get_next()
    session.run(iterator.initializer)
    handle = session.run(iterator.string_handle())
    assert session.run(element) == 0
    assert session.run(Iterator.from_string_handle(handle, tf.int64, []).get_next()) == 1
    session.run(iterator.dispose_op())
    with pytest.raises(errors.NotFoundError, match="does not exist"):
        session.run(element)
