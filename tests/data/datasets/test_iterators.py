"""Iterators: saving them, handing them on, and what happens when they end or are closed."""

import gc
import weakref

import numpy as np
import pytest

import headwater as tf
from headwater.base import errors


def elements_of(session, tensors):
    """All elements, until the OutOfRangeError."""
    found = []
    with pytest.raises(errors.OutOfRangeError, match="End of sequence"):
        while True:
            found.append(session.run(tensors))
    return found


def variant_range(limit):
    return tf.raw_ops.RangeDataset(
        start=tf.constant(0, tf.int64),
        stop=tf.constant(limit, tf.int64),
        step=tf.constant(1, tf.int64),
        output_types=[tf.int64],
        output_shapes=[[]],
    )


def test_a_saver_saves_iterators_and_they_go_on_from_there(session, tmp_path):
    dataset = tf.data.Dataset.range(4).flat_map(lambda x: tf.data.Dataset.range(x)).batch(2)
    iterator = dataset.map(lambda x: x * 10).make_initializable_iterator()
    element = iterator.get_next()
    tf.add_to_collection(
        tf.GraphKeys.SAVEABLE_OBJECTS, tf.data.experimental.make_saveable_from_iterator(iterator)
    )
    saver = tf.train.Saver()
    session.run(iterator.initializer)
    np.testing.assert_array_equal(session.run(element), [0, 0])
    path = saver.save(session, str(tmp_path / "model"))
    rest = elements_of(session, element)
    assert [list(e) for e in rest] == [[10, 0], [10, 20]]
    saver.restore(session, path)
    np.testing.assert_equal(elements_of(session, element), rest)
    reader = tf.train.NewCheckpointReader(path)
    name = f"{iterator._iterator_resource.name}-state"
    assert reader.get_variable_to_dtype_map() == {name: tf.variant}
    assert reader.get_variable_to_shape_map() == {name: []}


def test_a_state_of_another_dataset_is_refused(session, tmp_path):
    first = tf.data.Dataset.range(4).make_initializable_iterator()
    other = tf.data.Dataset.range(4).flat_map(lambda x: tf.data.Dataset.range(x))
    other = other.make_initializable_iterator()
    saved = tf.raw_ops.SerializeIterator(resource_handle=first._iterator_resource)
    restored = tf.raw_ops.DeserializeIterator(
        resource_handle=other._iterator_resource, serialized=saved
    )
    with pytest.raises(errors.FailedPreconditionError, match=r"Save\(\) failed because the iter"):
        session.run(saved)
    session.run([first.initializer])
    with pytest.raises(errors.FailedPreconditionError, match=r"Restore\(\) failed because the it"):
        session.run(restored)
    session.run(other.initializer)
    with pytest.raises(errors.InvalidArgumentError, match="is one of another dataset"):
        session.run(restored)
    assert session.run(other.get_next()) == 0


def test_saved_iterators_must_be_variants_of_iterators(session):
    iterator = tf.data.Dataset.range(4).make_initializable_iterator()
    wrong = tf.raw_ops.DeserializeIterator(
        resource_handle=iterator._iterator_resource, serialized=variant_range(3)
    )
    session.run(iterator.initializer)
    with pytest.raises(errors.InvalidArgumentError, match="Could not find a saved iterator"):
        session.run(wrong)


def test_anonymous_iterators(session):
    iterator = tf.raw_ops.AnonymousIterator(output_types=[tf.int64], output_shapes=[[]])
    both = tf.raw_ops.AnonymousIteratorV2(output_types=[tf.int64], output_shapes=[[]])
    for handle in (iterator, both.handle):
        start = tf.raw_ops.MakeIterator(dataset=variant_range(3), iterator=handle)
        with tf.control_dependencies([start]):
            (element,) = tf.raw_ops.IteratorGetNextSync(
                iterator=handle, output_types=[tf.int64], output_shapes=[[]]
            )
        assert session.run(element) == 0
    deleted = tf.raw_ops.DeleteIterator(handle=both.handle, deleter=both.deleter)
    session.run(deleted)


def test_old_batches_and_wrapped_variants(session):
    wrapped = tf.raw_ops.WrapDatasetVariant(input_handle=variant_range(5))
    plain = tf.raw_ops.UnwrapDatasetVariant(input_handle=wrapped)
    batches = tf.raw_ops.BatchDataset(
        input_dataset=plain,
        batch_size=tf.constant(2, tf.int64),
        output_types=[tf.int64],
        output_shapes=[[None]],
    )
    dataset = tf.data.experimental.from_variant(batches, tf.TensorSpec([None], tf.int64))
    element = tf.data.make_one_shot_iterator(dataset).get_next()
    assert [list(e) for e in elements_of(session, element)] == [[0, 1], [2, 3], [4]]


def test_a_variant_of_something_else_is_no_dataset(session):
    optional = tf.data.experimental.Optional.from_value(1.0)
    dataset = tf.data.experimental.from_variant(
        optional._variant_tensor, tf.TensorSpec([], tf.float32)
    )
    element = tf.data.experimental.get_single_element(dataset)
    with pytest.raises(errors.InvalidArgumentError, match="does not contain a dataset"):
        session.run(element)


def test_sessions_have_iterators_of_their_own():
    element = tf.data.Dataset.range(3).make_one_shot_iterator().get_next()
    with tf.Session() as one, tf.Session() as two:
        assert [one.run(element), two.run(element), one.run(element)] == [0, 0, 1]


def test_an_imported_graph_has_the_same_elements(session):
    dataset = tf.data.Dataset.range(3).map(lambda x: x + 1)
    dataset = dataset.flat_map(lambda x: tf.data.Dataset.range(x).map(lambda y: y * x))
    tf.identity(dataset.make_one_shot_iterator().get_next(), name="element")
    text = tf.get_default_graph().as_graph_def().SerializeToString()
    with tf.Graph().as_default():
        (element,) = tf.import_graph_def(
            tf.GraphDef.FromString(text), return_elements=["element:0"]
        )
        with tf.Session() as other:
            assert elements_of(other, element) == [0, 0, 2, 0, 3, 6]


def test_an_iterator_lives_as_long_as_its_session():
    element = tf.data.Dataset.range(3).make_one_shot_iterator().get_next()
    session = tf.Session()
    session.run(element)
    (slot,) = [s for s in session._state._slots.values() if "IteratorResource" in str(s.value)]
    iterator = weakref.ref(slot.value)
    del slot
    session.close()
    del session
    gc.collect()
    assert iterator() is None


def test_many_calls_of_get_next_are_warned_about():
    iterator = tf.data.Dataset.range(3).make_one_shot_iterator()
    for _ in range(32):
        iterator.get_next()
    with pytest.warns(UserWarning, match="An unusually high number of"):
        iterator.get_next()


PROGRAM = """
import tensorflow as tf
graph = tf.GraphDef.FromString(open({path!r}, "rb").read())
(element,) = tf.import_graph_def(graph, return_elements=["element:0"])
with tf.Session() as session:
    for name in {initializers!r}:
        session.run("import/" + name)
    print([session.run(element).tolist() for _ in range(3)])
"""


@pytest.mark.oracle
@pytest.mark.parametrize("one_shot", [True, False])
def test_tensorflow_runs_our_graphs(one_shot, tmp_path, oracle):
    dataset = tf.data.Dataset.range(3).map(lambda x: tf.cast(x, tf.float32) / 2.0)
    dataset = dataset.flat_map(lambda x: tf.data.Dataset.from_tensors([x, x])).batch(1)
    if one_shot:
        iterator = dataset.make_one_shot_iterator()
    else:
        iterator = dataset.make_initializable_iterator()
    tf.identity(iterator.get_next(), name="element")
    path = tmp_path / "graph.pb"
    path.write_bytes(tf.get_default_graph().as_graph_def().SerializeToString())
    initializers = [] if one_shot else [iterator.initializer.name]
    found = oracle(PROGRAM.format(path=str(path), initializers=initializers))
    assert "[[[0.0, 0.0]], [[0.5, 0.5]], [[1.0, 1.0]]]" in found


@pytest.mark.oracle
def test_graphs_of_tensorflow(tmp_path, session, oracle):
    path = tmp_path / "graph.pb"
    oracle(
        f"""
import tensorflow as tf
dataset = tf.data.Dataset.range(5).map(lambda x: x * x).flat_map(lambda x: tf.data.Dataset.range(x))
tf.identity(dataset.batch(3).make_one_shot_iterator().get_next(), name="element")
open({str(path)!r}, "wb").write(tf.get_default_graph().as_graph_def().SerializeToString())
"""
    )
    graph = tf.GraphDef.FromString(path.read_bytes())
    (element,) = tf.import_graph_def(graph, return_elements=["element:0"])
    assert len(elements_of(session, element)) == 10


def test_a_text_that_is_no_handle_of_this_device(session):
    handle = tf.placeholder(tf.string, [])
    element = tf.data.Iterator.from_string_handle(handle, tf.int64, []).get_next()
    text = (
        'Attempted create an iterator on device "/job:localhost/replica:0/task:0/device:CPU:0" '
        'from handle defined on device ""'
    )
    with pytest.raises(errors.InvalidArgumentError, match=text):
        session.run(element, {handle: b""})
    with pytest.raises(errors.InvalidArgumentError, match="Could not parse string_handle as a"):
        session.run(element, {handle: b"junk"})


def test_a_dataset_of_another_graph_is_copied_but_its_functions_are_not(caplog):
    with tf.Graph().as_default():
        plain = tf.data.Dataset.range(3).batch(2)
        mapped = tf.data.Dataset.range(3).map(lambda x: x)
    with tf.Graph().as_default(), tf.Session() as session:
        batch = tf.data.make_one_shot_iterator(plain).get_next()
        assert session.run(batch).tolist() == [0, 1]
        assert "An iterator is made in graph" in caplog.text
        element = tf.data.make_one_shot_iterator(mapped).get_next()
        with pytest.raises(
            errors.FailedPreconditionError, match="Could not find required function definition"
        ):
            session.run(element)


def test_iterators_of_one_name_have_elements_of_one_kind(session):
    numbers = tf.data.Dataset.range(5)
    first = numbers.make_initializable_iterator("shared")
    session.run(first.initializer)
    assert session.run(first.get_next()) == 0
    for other, text in (
        (numbers.map(tf.as_string), "mismatch at component 0: expected string but got int64"),
        (numbers.batch(2), r"Incompatible shapes at component 0: expected \[\?\] but got \[\]"),
    ):
        iterator = other.make_initializable_iterator("shared")
        for fetch in (iterator._iterator_resource, iterator.initializer, iterator.get_next()):
            with pytest.raises(errors.InvalidArgumentError, match=text):
                session.run(fetch)
    assert session.run(first.get_next()) == 1
