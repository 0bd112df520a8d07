from __future__ import annotations

import headwater as tf
from headwater.model import resources


def test_reports():
    with tf.Graph().as_default(), tf.Session() as session:
        handle = tf.constant(0, name="handle")
        made = tf.Variable(False, name="made")
        session.run(made.initializer)
        resources.register_resource(handle, made.assign(True).op, made.read_value())
        resources.register_resource(handle, tf.no_op(), tf.constant(False), is_shared=False)
        assert len(resources.shared_resources()) == len(resources.local_resources()) == 1
        everything = resources.report_uninitialized_resources()
        shared = resources.report_uninitialized_resources(resources.shared_resources())
        assert session.run([everything, shared])[0].tolist() == [b"handle:0"] * 2
        session.run(resources.initialize_resources(resources.shared_resources()))
        assert session.run(shared).size == 0
        assert session.run(resources.report_uninitialized_resources([])).size == 0
        assert resources.initialize_resources([]).type == "NoOp"
