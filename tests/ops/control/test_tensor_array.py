"""TensorArrays: the array behind a handle, all versions of the ops, and what runs return."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

import headwater as tf
from headwater.base import dtypes
from headwater.graph import build
from headwater.ops.control.tensor_array_resource import TensorArrayResource

VERSIONS = ("", "V2", "V3")


def resource(size: int = 3, **keywords) -> TensorArrayResource:
    return TensorArrayResource("a", dtypes.float32, size, **keywords)


def ops_of(version: str, what: str, *inputs, **attrs):
    return getattr(build, f"TensorArray{what}{version}")(*inputs, **attrs)


def new_array(version: str, size: int, **attrs):
    made = ops_of(version, "", size, dtype=tf.float32, **attrs)
    return made if version == "V3" else (made, tf.constant(0.0))


def test_elements_are_handed_on_as_they_are():
    array = resource()
    host, device = np.ones(2, np.float32), jnp.ones(3, jnp.float32)
    array.write(0, host)
    array.write(1, device)
    assert array.read(0) is host
    assert array.read(1) is device


def test_gradients_of_device_arrays_are_added_up():
    gradient = resource().gradient("gradients")
    gradient.write(1, jnp.array([1.0, 2.0], jnp.float32))
    gradient.write(1, np.array([10.0, 20.0], np.float32))
    np.testing.assert_array_equal(np.asarray(gradient.read(1)), [11.0, 22.0])


def test_an_unwritten_element_is_zeros_if_the_shape_was_given():
    array = resource(element_shape=(None,), identical_element_shapes=True)
    with pytest.raises(tf.errors.InvalidArgumentError, match="is not fully defined"):
        array.read(0)
    array.write(1, np.ones(2, np.float32))
    np.testing.assert_array_equal(array.read(0), np.zeros(2, np.float32))
    gradient = array.gradient("gradients")
    np.testing.assert_array_equal(gradient.read(2), np.zeros(2, np.float32))
    np.testing.assert_array_equal(gradient.read(7), np.zeros(2, np.float32))


def test_an_unwritten_element_is_an_error_if_only_writes_have_told_the_shape():
    array = resource(identical_element_shapes=True)
    array.write(1, np.ones(2, np.float32))
    with pytest.raises(tf.errors.InvalidArgumentError, match="it has not yet been written to"):
        array.read(0)
    np.testing.assert_array_equal(array.gradient("gradients").read(0), np.zeros(2, np.float32))


def test_an_array_has_one_gradient_array_for_each_source():
    array = resource()
    first = array.gradient("gradients")
    assert array.gradient("gradients") is first
    assert array.gradient("gradients_1") is not first


def test_a_gradient_array_knows_the_shapes_that_were_written():
    array = resource()
    array.write(0, np.ones((2, 3), np.float32))
    assert array.gradient("gradients").read(0).shape == (2, 3)
    assert array.gradient("other", (4,)).read(0).shape == (4, 2, 3)
    with pytest.raises(tf.errors.InvalidArgumentError, match="the element shape is not fully"):
        array.gradient("gradients").read(1)


def test_an_array_with_gradients_keeps_its_size():
    array = resource(dynamic_size=True)
    array.write(4, np.float32(1.0))
    assert len(array.gradient("gradients")) == 5
    with pytest.raises(tf.errors.InvalidArgumentError, match="not resizeable and size is: 5"):
        array.write(5, np.float32(1.0))


@given(
    arrays.arrays(
        np.float32,
        st.tuples(st.integers(1, 5), st.integers(0, 3)),
        elements=st.floats(-9, 9, width=32),
    ),
    st.randoms(use_true_random=False),
)
def test_gather_is_the_inverse_of_scatter(values, random):
    order = list(range(len(values)))
    random.shuffle(order)
    with tf.Graph().as_default(), tf.Session() as session:
        array = tf.TensorArray(tf.float32, len(values), clear_after_read=False)
        array = array.scatter(order, values)
        by_order, in_turn = session.run([array.gather(order), array.stack()])
    np.testing.assert_array_equal(by_order, values)
    np.testing.assert_array_equal(in_turn[order], values)


@given(st.lists(st.integers(0, 3), min_size=1, max_size=5))
def test_concat_is_the_inverse_of_split(lengths):
    values = np.arange(2 * sum(lengths), dtype=np.float32).reshape(-1, 2)
    with tf.Graph().as_default(), tf.Session() as session:
        array = tf.TensorArray(tf.float32, len(lengths), infer_shape=False).split(values, lengths)
        np.testing.assert_array_equal(session.run(array.concat()), values)


@pytest.mark.parametrize("version", VERSIONS)
def test_all_versions_of_the_ops_do_the_same(version):
    values = np.arange(6, dtype=np.float32).reshape(3, 2)
    with tf.Graph().as_default(), tf.Session() as session:
        handle, flow = new_array(version, 3, clear_after_read=False)
        flow = ops_of(version, "Scatter", handle, [2, 1], values[:2], flow)
        flow = ops_of(version, "Write", handle, 0, values[2], flow)
        read = ops_of(version, "Read", handle, 1, flow, dtype=tf.float32)
        gathered = ops_of(version, "Gather", handle, [0, 2], flow, dtype=tf.float32)
        joined = ops_of(version, "Concat", handle, flow, dtype=tf.float32)
        size = ops_of(version, "Size", handle, flow)
        results = session.run([read, gathered, *joined, size])
        handle, flow = new_array(version, 2)
        flow = ops_of(version, "Split", handle, values, np.array([1, 2]), flow)
        part = session.run(ops_of(version, "Read", handle, 1, flow, dtype=tf.float32))
        session.run(ops_of(version, "Close", handle))
    np.testing.assert_array_equal(results[0], values[1])
    np.testing.assert_array_equal(results[1], values[[2, 0]])
    np.testing.assert_array_equal(results[2], values[[2, 1, 0]].reshape(-1))
    np.testing.assert_array_equal(results[3], [2, 2, 2])
    assert results[4] == 3
    np.testing.assert_array_equal(part, values[1:])


@pytest.mark.parametrize("version", VERSIONS)
def test_all_versions_collect_gradients(version):
    with tf.Graph().as_default(), tf.Session() as session:
        handle, flow = new_array(version, 2)
        made = ops_of(version, "Grad", handle, flow, source="gradients")
        gradient = made[0] if version == "V3" else made
        for value in (1.0, 2.0):
            flow = ops_of(version, "Write", gradient, 0, value, flow)
        assert session.run(ops_of(version, "Read", gradient, 0, flow, dtype=tf.float32)) == 3.0


def test_pack_and_unpack_take_all_elements():
    values = np.arange(6, dtype=np.float32).reshape(3, 2)
    with tf.Graph().as_default(), tf.Session() as session:
        handle, flow = new_array("", 3)
        flow = build.TensorArrayUnpack(handle, values, flow)
        packed = session.run(build.TensorArrayPack(handle, flow, dtype=tf.float32))
        np.testing.assert_array_equal(packed, values)
        handle, flow = new_array("", 4)
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"array size \(3 vs. 4\)"):
            session.run(build.TensorArrayUnpack(handle, values, flow))


def test_each_run_has_an_array_of_its_own():
    with tf.Graph().as_default(), tf.Session() as session:
        array = tf.TensorArray(tf.float32, 1).write(0, 1.0)
        value = array.read(0)
        assert [session.run(value) for _ in range(3)] == [1.0, 1.0, 1.0]


def test_old_method_names_do_what_the_new_ones_do():
    with tf.Graph().as_default(), tf.Session() as session:
        array = tf.TensorArray(tf.int32, 2).unpack([3, 4])
        np.testing.assert_array_equal(session.run(array.pack()), [3, 4])


def test_a_change_of_a_result_does_not_reach_the_array():
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, [2, 2])
        array = tf.TensorArray(tf.float32, 2, clear_after_read=False).unstack(x)
        fed = np.ones((2, 2), np.float32)
        first, whole = session.run([array.read(0), array.stack()], {x: fed})
        first[:] = 5.0
        np.testing.assert_array_equal(whole, np.ones((2, 2)))
        np.testing.assert_array_equal(fed, np.ones((2, 2)))


def test_the_gradient_of_a_split_has_the_elements_of_the_split_alone():
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.constant([1.0, 2.0, 3.0])
        array = tf.TensorArray(tf.float32, size=3, dynamic_size=True)
        whole = array.split(x, [1, 1, 1]).write(3, [4.0]).concat()
        (gradient,) = tf.gradients(whole, x)
        for _ in range(2):
            values = session.run([whole, gradient])
            np.testing.assert_array_equal(values[0], [1.0, 2.0, 3.0, 4.0])
            np.testing.assert_array_equal(values[1], [1.0, 1.0, 1.0])
