"""Assignments to parts, handles of resources in arrays, promises about handles."""

from __future__ import annotations

import numpy as np
import pytest

import headwater as tf
from headwater.graph import build


def test_only_parts_of_variables_can_be_assigned_to() -> None:
    for part in (tf.constant([1, 2, 3])[:2], tf.strided_slice([1, 2, 3], [0], [2])):
        with pytest.raises(ValueError, match="Sliced assignment is only supported for variables"):
            part.assign([1, 2])


@pytest.mark.parametrize("use_resource", [False, True])
def test_an_empty_part_takes_values_of_any_empty_shape(use_resource: bool) -> None:
    v = tf.Variable([[1, 2, 3], [4, 5, 6]], use_resource=use_resource)
    with tf.Session() as session:
        session.run(v.initializer)
        session.run(v[8:10, 8:10].assign(np.zeros([1, 0], np.int32)))
        assert session.run(v).tolist() == [[1, 2, 3], [4, 5, 6]]


def test_handles_can_be_stacked_and_taken_apart() -> None:
    first = build.StubResourceHandleOp(container="a", shared_name="b")
    second = build.StubResourceHandleOp(container="a", shared_name="c")
    part = tf.strided_slice(tf.stack([first, second]), [1], [2])
    with tf.Session() as session:
        session.run(build.ResourceCreateOp(part))
        assert not session.run(build.ResourceInitializedOp(first))
        assert session.run(build.ResourceInitializedOp(second))
        with pytest.raises(tf.errors.AlreadyExistsError, match=r"Resource exists already\."):
            session.run(build.ResourceCreateOp(second))


def test_a_handle_is_no_constant() -> None:
    v = tf.Variable(10.0, use_resource=True)
    promise = tf.guarantee_const(v.handle)
    with tf.Session() as session:
        session.run(v.initializer)
        assert session.run(tf.guarantee_const(v)) == 10.0
        with pytest.raises(
            tf.errors.InvalidArgumentError, match="Input tensor cannot be a resource variable"
        ):
            session.run(promise)


def test_channels_are_known_where_windows_have_gaps_and_space_is_unknown() -> None:
    x = tf.placeholder(tf.float32, [1, 10, None, None])
    y = tf.nn.convolution(
        x, tf.zeros([3, 3, 10, 20]), "VALID", dilation_rate=[2, 2], data_format="NCHW"
    )
    assert y.shape.as_list() == [1, 20, None, None]
    types = [op.type for op in tf.get_default_graph().get_operations()]
    assert types[-5:] == ["Const", "SpaceToBatchND", "Conv2D", "Const", "BatchToSpaceND"]
    assert types.count("ConcatV2") == 2
