"""The names that tf.contrib.graph_editor had up to release 0.12; edges as 0.12.1 leaves them."""

from __future__ import annotations

import pytest

import headwater as tf

ge = tf.contrib.graph_editor


@pytest.mark.parametrize(
    ("name", "edges"),
    [
        ("reroute_a2b", "aaxx"),
        ("reroute_b2a", "bbyy"),
        ("swap", "bayx"),
        ("reroute_a2b_inputs", "aaxy"),
        ("reroute_b2a_inputs", "bbxy"),
        ("reroute_a2b_outputs", "abxx"),
        ("reroute_b2a_outputs", "abyy"),
    ],
)
def test_edges_between_subgraphs(name, edges):
    with tf.Graph().as_default():
        a, b = tf.constant(1.0, name="a"), tf.constant(2.0, name="b")
        x, y = tf.negative(a, name="x"), tf.negative(b, name="y")
        z, w = tf.negative(x, name="z"), tf.negative(y, name="w")
        views = ge.sgv(x.op), ge.sgv(y.op)
        changed = getattr(ge, name)(*views)
    assert "".join(tensor.op.inputs[0].op.name for tensor in (x, y, z, w)) == edges
    assert [[op.name for op in view.ops] for view in changed] == [["x"], ["y"]]


@pytest.mark.parametrize(("name", "taken"), [("reroute_a2b_ts", "a"), ("reroute_b2a_ts", "b")])
def test_edges_of_tensors(name, taken):
    with tf.Graph().as_default():
        a, b = tf.constant(1.0, name="a"), tf.constant(2.0, name="b")
        x, y = tf.negative(a, name="x"), tf.negative(b, name="y")
        assert getattr(ge, name)([a], [b]) == 1
    assert [tensor.op.inputs[0].op.name for tensor in (x, y)] == [taken, taken]
