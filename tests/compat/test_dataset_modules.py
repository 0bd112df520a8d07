"""The internal modules through which programs reach datasets."""

from __future__ import annotations

import importlib

import pytest

import headwater as tf
from headwater.compat import install as hook


@pytest.fixture
def modules():
    hook.install()
    try:
        with tf.Graph().as_default():
            yield lambda name: importlib.import_module(f"tensorflow.{name}")
    finally:
        hook.uninstall()


def test_the_classes_of_both_eras(modules):
    ops = modules("python.data.ops.dataset_ops")
    assert ops.Dataset is ops.DatasetV1 is tf.data.Dataset
    assert issubclass(ops.DatasetV1, ops.DatasetV2)
    assert isinstance(tf.data.Dataset.range(3), ops.DatasetV2)
    old = modules("contrib.data.python.ops.dataset_ops")
    assert old.Dataset is tf.contrib.data.Dataset
    assert old.Iterator is tf.contrib.data.Iterator
    assert old.TextLineDataset is tf.contrib.data.TextLineDataset
    assert modules("python.data.ops.readers").TFRecordDataset is tf.data.TFRecordDataset
    adapted = ops.DatasetV1Adapter(tf.data.Dataset.range(3).batch(2))
    assert repr(adapted) == "<DatasetV1Adapter shapes: (?,), types: tf.int64>"


def test_a_unary_dataset(modules):
    ops = modules("python.data.ops.dataset_ops")

    class Twice(ops.UnaryUnchangedStructureDataset):
        def __init__(self, source):
            super().__init__(source, source.repeat(2)._variant_tensor)

    dataset = tf.data.Dataset.range(2).apply(Twice)
    assert dataset.element_spec == tf.TensorSpec([], tf.int64)
    element = tf.data.make_one_shot_iterator(dataset).get_next()
    with tf.Session() as session:
        assert [session.run(element) for _ in range(4)] == [0, 1, 0, 1]


def test_nested_structures(modules):
    for path in ("python.data.util.nest", "contrib.data.python.util.nest"):
        nest = modules(path)
        assert nest.flatten({"b": 1, "a": [2, 3]}) == [[2, 3], 1]
        assert nest.is_sequence((1,)) and not nest.is_sequence([1])
        assert nest.map_structure(lambda x, y: x + y, (1, (2,)), (3, (4,))) == (4, (6,))
    nest = modules("python.data.util.nest")
    assert nest.map_structure(lambda x, y: x + y, (1,), {0: 2}, check_types=False) == (3,)
    with pytest.raises(TypeError, match="don't have the same sequence type"):
        nest.map_structure(lambda x, y: x, (1,), {0: 2})


def test_sparse_components(modules):
    sparse = modules("python.data.util.sparse")
    components = tf.SparseTensor([[0]], [1], [2]), tf.constant(1)
    classes = sparse.get_classes(components)
    assert classes == (tf.SparseTensor, tf.Tensor)
    assert sparse.any_sparse(classes) and not sparse.any_sparse(tf.Tensor)
    types, shapes = (tf.int32, tf.int32), (tf.TensorShape([2]), tf.TensorShape([]))
    assert sparse.as_dense_types(types, classes) == (tf.variant, tf.int32)
    assert sparse.as_dense_shapes(shapes, classes)[0].ndims is None
    serialized = sparse.serialize_sparse_tensors(components)
    back = sparse.deserialize_sparse_tensors(serialized, types, shapes, classes)
    with tf.Session() as session:
        found = session.run(back)
    assert found[0].values.tolist() == [1] and found[1] == 1
    assert sparse.serialize_many_sparse_tensors(components)[0].dtype is tf.variant


def test_structures_and_arguments(modules):
    structure = modules("python.data.util.structure")
    spec = {"a": tf.TensorSpec([2], tf.int32), "b": tf.TensorSpec(None, tf.string)}
    assert structure.get_flat_tensor_types(spec) == [tf.int32, tf.string]
    assert structure.get_flat_tensor_shapes(spec)[0].as_list() == [2]
    assert structure.are_compatible(spec, spec)
    assert not structure.are_compatible(spec, spec["a"])
    convert = modules("python.data.util.convert")
    text = r"The given shape .* must be a 1-D tensor of tf.int64 values, but the "
    with pytest.raises(ValueError, match=rf"{text}shape was \(2, 2\)\."):
        convert.partial_shape_to_tensor(tf.constant([[1, 1], [1, 1]], tf.int64))
    with pytest.raises(TypeError, match=f"{text}element type was float32"):
        convert.partial_shape_to_tensor(tf.constant([1.0, 1.0]))
    with tf.Session() as session:
        shapes = [[3, -1], tf.TensorShape([3, None]), (3, None)]
        tensors = [convert.partial_shape_to_tensor(shape) for shape in shapes]
        assert [list(value) for value in session.run(tensors)] == [[3, -1]] * 3
        assert session.run(convert.optional_param_to_tensor("x", None, 7)) == 7
        model = modules("python.data.experimental.ops.optimization").model()
        dataset = tf.data.Dataset.range(3).apply(model)
        assert session.run(tf.data.make_one_shot_iterator(dataset).get_next()) == 0


def test_classes_of_datasets_that_programs_make(modules):
    ops = modules("python.data.ops.dataset_ops")
    assert ops.AUTOTUNE == -1
    numbers = ops.Dataset.range(3)
    made = [
        ops.MapDataset(numbers, lambda x: x + 1, use_inter_op_parallelism=False),
        ops.ParallelMapDataset(numbers, lambda x: x + 1, num_parallel_calls=2),
        ops.PrefetchDataset(ops.MapDataset(numbers, lambda x: x + 1), None, slack_period=2),
        ops._GeneratorDataset(1, lambda x: x, lambda x: x, lambda x: x).take(3),
    ]
    assert not made[0]._variant_tensor.op.get_attr("use_inter_op_parallelism")
    assert made[2]._variant_tensor.op.get_attr("slack_period") == 2
    assert made[0]._inputs() == [numbers]
    fetches = [ops.make_one_shot_iterator(dataset).get_next() for dataset in made]
    with tf.Session() as session:
        assert [session.run(fetches) for _ in range(3)] == [
            [1, 1, 1, 1],
            [2, 2, 2, 1],
            [3, 3, 3, 1],
        ]


def test_the_second_era_keeps_the_number_of_elements(modules):
    second = modules("python.data.ops.dataset_ops").DatasetV2
    assert modules("python.data.ops.readers").TFRecordDatasetV2 is not tf.data.TFRecordDataset

    def stop(_):
        raise StopIteration

    for calls in (None, 2):
        dataset = second.from_tensors(0).map(lambda x: tf.py_func(stop, [x], tf.int64), calls)
        element = tf.compat.v1.data.make_one_shot_iterator(dataset).get_next()
        with tf.Session() as session:
            text = "Function invocation produced OutOfRangeError"
            with pytest.raises(tf.errors.InvalidArgumentError, match=text):
                session.run(element)


def test_options_of_a_program(modules):
    options = modules("python.data.util.options")

    class Own(options.OptionsBase):
        x = options.create_option("x", int, "an answer", lambda: 42)
        y = options.create_option("y", str, "a word")

    assert Own.x.__doc__ == "an answer"
    one, two = Own(), Own()
    one.x, two.y = 0, "b"
    merged = options.merge_options(one, two)
    assert (merged.x, merged.y, Own().x, Own().y) == (0, "b", 42, None)
    with pytest.raises(TypeError, match='Property "x" must be of type'):
        one.x = 2.0
    for wrong, error, text in (
        ((), ValueError, "At least one options should be provided"),
        ((0,), TypeError, "The inputs should inherit from `OptionsBase`"),
        ((one, 3), TypeError, "Incompatible options type: <class 'int'> vs"),
    ):
        with pytest.raises(error, match=text):
            options.merge_options(*wrong)


def test_the_ops_of_a_dataset(modules):
    traverse = modules("python.data.util.traverse")
    numbers = tf.data.Dataset.range(3)
    dataset = tf.data.Dataset.zip((numbers.map(lambda x: x), numbers.batch(2)))
    found = traverse.obtain_all_variant_tensor_ops(dataset)
    types = sorted(op.type for op in found)
    assert types == ["BatchDatasetV2", "MapDataset", "RangeDataset", "ZipDataset"]


def test_datasets_without_a_public_name(modules, tmp_path):
    for name in "ab":
        (tmp_path / name).write_text(name)
    numbers = tf.data.Dataset.range
    optimization = modules("python.data.experimental.ops.optimization")
    files = modules("python.data.experimental.ops.matching_files")
    order = modules("python.data.experimental.ops.interleave_ops")
    datasets = [
        optimization._ChooseFastestDataset([numbers(2), numbers(2)]),
        files.MatchingFilesDataset(str(tmp_path / "*")),
        order._DirectedInterleaveDataset(numbers(2).repeat(2), [numbers(5, 9), numbers(7, 9)]),
    ]
    expected = [[0, 1], [str(tmp_path / name).encode() for name in "ab"], [5, 7, 6, 8]]
    for dataset, values in zip(datasets, expected):
        element = tf.data.make_one_shot_iterator(dataset).get_next()
        with tf.Session() as session:
            assert [session.run(element) for _ in values] == values
            with pytest.raises(tf.errors.OutOfRangeError, match="End of sequence"):
                session.run(element)


def test_examples_as_lists_and_back(modules):
    module = modules("python.training.input")
    assert module._as_tensor_list({"b": 1, "a": 2}) == [2, 1]
    assert module._as_tensor_list([1, 2]) == [1, 2]
    assert module._as_original_type({"b": 1, "a": 2}, [3, 4]) == {"a": 3, "b": 4}
    assert module._as_original_type({"b": 1}, 3) == {"b": 3}
    assert module._as_original_type([1], 3) == 3
