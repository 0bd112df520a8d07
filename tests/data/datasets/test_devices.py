"""Elements on other devices: copies, and iterators of several devices."""

import pytest

import headwater as tf
from headwater.base import errors
from headwater.data.datasets.devices import MultiDeviceIterator


def elements_of(session, tensors):
    """All elements, until the OutOfRangeError."""
    found = []
    with pytest.raises(errors.OutOfRangeError, match="End of sequence"):
        while True:
            found.append(session.run(tensors))
    return found


@pytest.fixture
def two_devices():
    config = tf.ConfigProto(device_count={"CPU": 2})
    with tf.Graph().as_default(), tf.Session(config=config) as session:
        yield session


def test_iterators_of_copied_datasets_end_with_their_epoch(session):
    dataset = tf.data.Dataset.range(3).apply(tf.data.experimental.copy_to_device("/cpu:0"))
    iterator = dataset.make_initializable_iterator()
    element = iterator.get_next()
    for _ in range(3):
        session.run(iterator.initializer)
        assert elements_of(session, element) == [0, 1, 2]
    assert not session._state.anonymous
    session.run(iterator.initializer)
    session.run(element)
    session.run(iterator.initializer)
    session.run(element)
    assert len(session._state.anonymous) == 1


def test_a_session_closes_while_copies_are_made_ahead(caplog):
    with tf.Graph().as_default():
        dataset = tf.data.Dataset.range(1000)
        dataset = dataset.apply(tf.data.experimental.prefetch_to_device("/cpu:0", 2))
        iterator = dataset.make_initializable_iterator()
        element = iterator.get_next()
        with tf.Session() as session:
            session.run(iterator.initializer)
            assert session.run(element) == 0
        with pytest.raises(RuntimeError, match="Attempted to use a closed Session"):
            session.run(element)
    assert not caplog.records


def test_devices_take_elements_in_turns(two_devices):
    devices = ["/cpu:0", "/cpu:1"]
    iterator = MultiDeviceIterator(tf.data.Dataset.range(5), devices)
    elements = iterator.get_next()
    second = iterator.get_next("/cpu:1")
    assert [t.device for t in elements] == ["/device:CPU:0", "/device:CPU:1"]
    assert iterator.element_spec == tf.TensorSpec([], tf.int64)
    for _ in range(2):
        two_devices.run(iterator.initializer)
        assert two_devices.run(elements) == [0, 1]
        assert two_devices.run(second) == 3
        assert two_devices.run(elements[0]) == 2
        assert two_devices.run(elements[0]) == 4
        assert elements_of(two_devices, second) == []


def test_optionals_of_devices(two_devices):
    iterator = MultiDeviceIterator(tf.data.Dataset.range(3), ["/cpu:0", "/cpu:1"])
    first, second = iterator.get_next_as_optional()
    values = [first.has_value(), second.has_value()]
    two_devices.run(iterator.initializer)
    assert two_devices.run(values) == [True, True]
    assert two_devices.run(values) == [True, False]


def test_an_error_belongs_to_the_device_whose_turn_it_was(two_devices):
    dataset = tf.data.Dataset.range(4).map(lambda x: 6 // (x - 1))
    iterator = MultiDeviceIterator(dataset, ["/cpu:0", "/cpu:1"], prefetch_buffer_size=0)
    first, second = iterator.get_next()
    two_devices.run(iterator.initializer)
    assert two_devices.run(first) == -6
    assert two_devices.run(first) == 6
    with pytest.raises(errors.InvalidArgumentError, match="Integer division by zero"):
        two_devices.run(second)
    assert two_devices.run(second) == 3


def raw_iterator(kind):
    attrs = {"output_types": [tf.int64], "output_shapes": [[]]}
    if kind == "anonymous":
        return tf.raw_ops.AnonymousMultiDeviceIterator(devices=["/cpu:0", "/cpu:0"], **attrs)
    handle = tf.raw_ops.MultiDeviceIterator(
        devices=["/cpu:0", "/cpu:0"], shared_name="", container="", **attrs
    )
    return handle, None


def take(handle, shard, incarnation):
    return tf.raw_ops.MultiDeviceIteratorGetNextFromShard(
        multi_device_iterator=handle,
        shard_num=shard,
        incarnation_id=incarnation,
        output_types=[tf.int64],
        output_shapes=[[]],
    )[0]


def begin(handle, limit):
    return tf.raw_ops.MultiDeviceIteratorInit(
        dataset=tf.data.Dataset.range(limit)._variant_tensor,
        multi_device_iterator=handle,
        max_buffer_size=tf.constant(1, tf.int64),
    )


def test_an_iterator_that_has_begun_anew(session):
    handle, _ = raw_iterator("named")
    text = tf.raw_ops.MultiDeviceIteratorToStringHandle(multi_device_iterator=handle)
    again = tf.raw_ops.MultiDeviceIteratorFromStringHandle(string_handle=text)
    number = tf.placeholder(tf.int64, [])
    element = take(again, 0, number)
    with pytest.raises(errors.FailedPreconditionError, match="has not yet been initialized"):
        session.run(element, {number: 0})
    start = begin(handle, 5)
    assert session.run(start) == 0
    assert session.run(element, {number: 0}) == 0
    assert session.run(start) == 1
    with pytest.raises(errors.InvalidArgumentError, match="Provided: 0; Expected: 1"):
        session.run(element, {number: 0})
    assert session.run(element, {number: 1}) == 0
    with pytest.raises(errors.InvalidArgumentError, match="Invalid shard_num: 2"):
        session.run(take(handle, 2, number), {number: 1})


def test_an_anonymous_iterator_lives_until_it_is_deleted(session):
    handle, deleter = raw_iterator("anonymous")
    element = take(handle, 1, begin(handle, 5))
    delete = tf.raw_ops.DeleteMultiDeviceIterator(
        multi_device_iterator=handle, iterators=[], deleter=deleter
    )
    assert session.run(element) == 1
    assert len(session._state.anonymous) == 1
    session.run(delete)
    assert len(session._state.anonymous) == 1  # each run makes one


def test_a_destroyed_iterator(session):
    iterator = tf.data.Dataset.range(3).make_initializable_iterator()
    element = iterator.get_next()
    destroy = tf.raw_ops.DestroyResourceOp(resource=iterator._iterator_resource)
    session.run(iterator.initializer)
    assert session.run(element) == 0
    session.run(destroy)
    with pytest.raises(errors.NotFoundError, match="IteratorResourceE does not exist"):
        session.run(element)
