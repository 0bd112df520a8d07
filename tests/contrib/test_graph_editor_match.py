"""`tf.contrib.graph_editor.OpMatcher`, as releases before 1.2 have it."""

from __future__ import annotations

import re

import headwater as tf

ge = tf.contrib.graph_editor


def test_an_op_and_its_neighbours():
    a = tf.constant([1.0], name="a")
    b = tf.constant([2.0], name="b")
    c = tf.add(a, b, name="c")
    d = tf.multiply(c, a, name="d")
    assert ge.OpMatcher("c").input_ops("a", "b").output_ops("d")(c.op)
    assert not ge.OpMatcher("d").input_ops("a", "c")(d.op)
    assert ge.OpMatcher(re.compile("^d$")).input_ops(ge.op_type("Add"), True)(d.op)
    assert ge.op_type(["Mul", "Add"], d.op)
    assert ge.match.OpMatcher is ge.OpMatcher
