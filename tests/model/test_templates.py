"""make_template."""

from __future__ import annotations

import pytest

import headwater as tf


def scaled(x, name="w"):
    return x * tf.get_variable(name, [], initializer=tf.ones_initializer())


def test_templates():
    one, two = tf.make_template("scale", scaled), tf.make_template("scale", scaled)
    for template in (one, one, two):
        template(1.0)
    assert [v.name for v in tf.global_variables()] == ["scale/w:0", "scale_1/w:0"]
    with pytest.raises(ValueError, match=r"name cannot be None\."):
        tf.make_template(None, scaled)
    plain = tf.make_template("plain", lambda: tf.Variable(1.0))
    plain()
    with pytest.raises(
        ValueError, match="Trainable variable created when calling a template after the"
    ):
        plain()
    names = iter("ab")
    changing = tf.make_template("changing", lambda: scaled(1.0, next(names)))
    changing()
    with pytest.raises(
        ValueError, match="Variable changing/b does not exist, or was not created with"
    ):
        changing()
    early = tf.make_template("early", scaled, create_scope_now_=True)
    assert early(1.0).op.name == "early/mul" and early(1.0).op.name == "early_1/mul"
    assert tf.global_variables()[-1].name == "early/w:0"
