"""Which tensors stand for a variable: chains of aliases, fed tensors, changes of the graph."""

from __future__ import annotations

import numpy as np
import pytest

import headwater as tf
from headwater.engine.analysis.variables import variable_of
from headwater.engine.nodes.layout import Layout
from headwater.graph import build


class Counted(set):
    """A set that counts the questions whether something is in it."""

    asked = 0

    def __contains__(self, item):
        self.asked += 1
        return super().__contains__(item)


def chain(tensor, length):
    tensors = [tensor]
    for _ in range(length):
        tensors.append(build.Identity(tensors[-1]))
    return tensors


def variable(value=1.0):
    return build.VariableV2(shape=np.shape(value), dtype=tf.float32)


@pytest.mark.parametrize("backwards", [False, True])
@pytest.mark.parametrize("of", ["variable", "value"])
def test_walks_over_a_chain_are_linear_in_its_length(of, backwards):
    source = variable() if of == "variable" else tf.constant(1.0)
    tensors = chain(source, 2000)
    fed = Counted([tf.placeholder(tf.float32, [])])
    found = {variable_of(t, fed) for t in (reversed(tensors) if backwards else tensors)}
    assert found == {source.op if of == "variable" else None}
    assert fed.asked < 40 * len(tensors)


def test_a_fed_tensor_ends_a_chain():
    ref = variable()
    tensors = chain(ref, 100)
    for _ in range(2):  # before and after the whole chain has been walked
        assert variable_of(tensors[100], {tensors[50]}) is None
        assert variable_of(tensors[49], {tensors[50]}) is ref.op
        assert variable_of(tensors[100], {tensors[100]}) is None
        assert variable_of(tensors[100], {tensors[0]}) is None
        assert variable_of(tensors[100]) is ref.op


def test_a_chain_whose_source_is_replaced():
    first, second = variable(), variable()
    tensors = chain(first, 60)
    assert {variable_of(t) for t in tensors} == {first.op}
    tensors[1].op._update_input(0, second)
    assert {variable_of(t) for t in tensors[1:]} == {second.op}
    tensors[1].op._update_input(0, tf.constant(2.0))
    assert {variable_of(t) for t in tensors[1:]} == {None}


def test_long_chains_run_with_feeds(session):
    ref = variable()
    tensors = chain(ref, 300)
    x = tf.placeholder(tf.float32, [])
    total = build.Add(tensors[-1], x)
    session.run(build.Assign(ref, 3.0))
    assert session.run(total, {x: 1.0}) == 4
    assert session.run(total, {x: 1.0, tensors[150]: 5.0}) == 6
    assert session.run([total, tensors[100]], {x: 1.0, tensors[150]: 5.0}) == [6, 3]


@pytest.mark.parametrize("use_resource", [False, True])
def test_whether_a_variable_is_initialized_does_not_read_it(session, use_resource, monkeypatch):
    v = tf.get_variable("v", initializer=[1.0, 2.0], use_resource=use_resource)
    known = tf.is_variable_initialized(v)
    with tf.control_dependencies([v.initializer]):
        after = tf.is_variable_initialized(v)
    read = []
    monkeypatch.setattr(Layout, "read", lambda *args: read.append(args))
    assert not session.run(known)
    assert session.run(after)
    assert session.run(known) and session.run(known)
    assert read == []
