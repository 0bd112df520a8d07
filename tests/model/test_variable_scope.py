"""Variable scopes where releases of TensorFlow differ, and rules for all partitions."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import headwater as tf
from headwater.model.variables.partitions import PartitionInfo, slices
from headwater.model.variables.variable_store import variable_store


def test_a_scope_is_a_decorator_as_in_the_first_release():
    @tf.variable_scope("layer", reuse=tf.AUTO_REUSE)
    def layer():
        return tf.get_variable("w", [1])

    assert layer() is layer()
    assert layer().name == "layer/w:0"


def test_a_getter_of_the_first_release_has_fewer_arguments():
    seen = []

    def getter(
        getter, name, shape=None, dtype=None, initializer=None, regularizer=None, reuse=None,
        trainable=None, collections=None, caching_device=None, partitioner=None,
        validate_shape=None,
    ):  # fmt: skip
        seen.append((name, shape, trainable))
        return getter(name, shape, dtype, initializer)

    inner = lambda getter, *args, **kwargs: getter(*args, **kwargs)  # noqa: E731
    with tf.variable_scope("s", custom_getter=getter), tf.variable_scope("t", custom_getter=inner):
        v = tf.get_variable("a", [2])
    assert v.name == "s/t/a:0"
    assert seen == [("s/t/a", [2], True)]


def test_initializers_need_not_know_of_parts():
    v = tf.get_variable("a", [2], initializer=lambda shape, dtype: tf.fill(shape, 3.0))
    w = tf.get_variable("b", [2], tf.float64, initializer=tf.ones)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        np.testing.assert_array_equal(session.run(v), [3.0, 3.0])
        assert session.run(w).dtype == np.float64


def test_an_error_tells_where_the_variable_was_made():
    tf.get_variable("a", [2])
    with pytest.raises(ValueError, match="already exists") as caught:
        tf.get_variable("a", [2])
    lines = str(caught.value).splitlines()
    assert __file__ in lines[2]
    assert lines[3].strip() == 'tf.get_variable("a", [2])'


def test_an_error_in_a_scope_restores_the_outer_one():
    with pytest.raises(ZeroDivisionError), tf.variable_scope("s"):
        raise ZeroDivisionError
    assert tf.get_variable_scope().name == ""
    assert tf.constant(1.0).name == "Const:0"


@given(
    shape=st.lists(st.integers(1, 9), min_size=1, max_size=3),
    data=st.data(),
)
def test_parts_cover_the_whole_once(shape, data):
    axis = data.draw(st.integers(0, len(shape) - 1))
    count = data.draw(st.integers(1, shape[axis]))
    covered = np.zeros(shape, int)
    lengths = []
    for offset, part in slices(shape, axis, count):
        info = PartitionInfo(shape, offset)
        assert info.single_offset(part) == (offset[axis] if count > 1 else 0)
        covered[tuple(slice(o, o + n) for o, n in zip(offset, part))] += 1
        lengths.append(part[axis])
    assert (covered == 1).all()
    assert len(lengths) == count
    assert sorted(lengths, reverse=True) == lengths
    assert max(lengths) - min(lengths) <= 1


def test_partition_info_checks_its_arguments():
    with pytest.raises(TypeError, match="`full_shape` must be a sequence"):
        PartitionInfo(3, [0])
    with pytest.raises(ValueError, match="Expected equal length"):
        PartitionInfo([3], [0, 0])
    with pytest.raises(ValueError, match="Expected 0 <= offset < shape"):
        PartitionInfo([3], [3])
    info = PartitionInfo([4, 4], [2, 0])
    assert info.single_slice_dim([2, 4]) == 0
    assert info.single_slice_dim([2, 4]) == 0
    with pytest.raises(ValueError, match="would exceed"):
        info.single_slice_dim([3, 4])
    with pytest.raises(ValueError, match="slice dim could be either"):
        PartitionInfo([4, 4], [0, 0]).single_slice_dim([2, 2])


def test_a_store_that_is_told_nothing_makes_or_finds():
    store = variable_store()
    v = store.get_variable("v", [1])
    assert store.get_variable("v", [1]) is v
    with pytest.raises(ValueError, match="v already exists"):
        store.get_variable("v", [1], reuse=False)
    with pytest.raises(ValueError, match="w does not exist"):
        store.get_variable("w", [1], reuse=True)
