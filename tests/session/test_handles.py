from __future__ import annotations

import gc

import numpy as np
import pytest

import headwater as tf
from headwater.base import errors
from headwater.session.handles import TensorHandle


def kept(session, value):
    return session.run(tf.get_session_handle(tf.constant(value)))


def test_a_handle_is_fed_by_its_text(session):
    handle = kept(session, 50)
    assert isinstance(handle, TensorHandle)
    assert handle.handle.startswith("GetSessionHandle;")
    holder, tensor = tf.get_session_tensor(handle.handle, tf.int32)
    assert session.run(tensor * 10, {holder: handle.handle}) == 500
    assert handle.eval() == 50


def test_a_handle_is_fed_in_the_place_of_a_tensor(session):
    x = tf.placeholder(tf.float32, [2])
    handle = kept(session, np.array([1.0, 2.0], np.float32))
    np.testing.assert_array_equal(session.run(x * 2.0, {x: handle}), [2.0, 4.0])
    with pytest.raises(errors.InvalidArgumentError, match="to be int32 but float is provided"):
        y = tf.placeholder(tf.int32)
        session.run(y, {y: handle})


def test_a_chain_of_handles_keeps_one_tensor(session):
    handle = kept(session, 0)
    holder, tensor = tf.get_session_tensor(handle.handle, tf.int32)
    following = tf.get_session_handle(tensor + 1)
    for _ in range(10):
        handle = session.run(following, {holder: handle.handle})
    gc.collect()
    assert handle.eval() == 10
    assert session._kept_handles == {handle.handle}


def test_deleted_tensors_are_gone(session):
    handle = kept(session, 1.0)
    raw = handle.get_raw_handle()
    with pytest.raises(TypeError, match="may have already been deleted"):
        handle.eval()
    holder, delete = tf.delete_session_tensor(raw)
    session.run(delete, {holder: raw})
    with pytest.raises(errors.InvalidArgumentError, match="Failed to delete a tensor with handle"):
        session.run(delete, {holder: raw})
    source, tensor = tf.get_session_tensor(raw, tf.float32)
    with pytest.raises(errors.InvalidArgumentError, match="is not in the session store"):
        session.run(tensor, {source: raw})


def test_a_closed_session_keeps_nothing():
    x = tf.constant(1.0)
    with tf.Session() as session:
        handle = session.run(tf.get_session_handle(x))
    with pytest.raises(errors.InvalidArgumentError, match="is not in the session store"):
        handle.eval()


@pytest.mark.parametrize("use_resource", [False, True])
def test_handles_fed_to_variables(session, use_resource):
    variable = tf.get_variable("v", initializer=[0.0, 0.0], use_resource=use_resource)
    session.run(variable.initializer)
    handle = kept(session, [2.0, 4.0])
    assert session.run(variable, {variable: handle}).tolist() == [2, 4]
    # Sums read a resource variable again, so a fed value does not show.
    shown = [1, 1] if use_resource else [3, 5]
    assert session.run(variable + 1, {variable: handle}).tolist() == shown
    assert session.make_callable(variable + 1, feed_list=[variable])(handle).tolist() == shown
    number = tf.placeholder(tf.float32)
    assert session.run(number + variable, {number: handle, variable: handle}).tolist() == (
        [2, 4] if use_resource else [4, 8]
    )
    assert session.run(variable).tolist() == [0, 0]


@pytest.mark.parametrize("kind", ["handle", "array"])
def test_a_fed_variable_is_not_assigned(session, kind):
    variable = tf.Variable([0.0, 0.0])
    session.run(variable.initializer)
    fed = kept(session, [2.0, 4.0]) if kind == "handle" else [2.0, 4.0]
    loss = tf.reduce_sum(variable * variable)
    for update in (
        variable.assign([1.0, 2.0]),
        variable.assign_add([1.0, 2.0]),
        tf.scatter_update(variable, [0], [1.0]),
        tf.train.GradientDescentOptimizer(0.1).minimize(loss),
    ):
        op = update.op if isinstance(update, tf.Tensor) else update
        name = op.name if op.type != "NoOp" else op.control_inputs[0].name
        with pytest.raises(tf.errors.InvalidArgumentError) as raised:
            session.run(update, {variable: fed})
        assert raised.value.message == (
            f"Input 0 of node {name} was passed float from _arg_Variable_0_0:0 incompatible with "
            "expected float_ref."
        )
    assert session.run(variable).tolist() == [0, 0]
