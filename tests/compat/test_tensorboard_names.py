"""Names of `tensorboard.summary` that programs for TensorFlow 1.x use."""

import importlib

import headwater as tf
from headwater.compat.install import install, uninstall


def test_first_api_while_installed(session):
    install()
    try:
        from tensorboard.plugins.custom_scalar import layout_pb2

        first = importlib.import_module("tensorboard.summary")
        layout = layout_pb2.Layout(category=[layout_pb2.Category(title="losses")])
        value = first.custom_scalar_pb(layout).value[0]
        assert value.tag == "custom_scalars__config__"
        assert layout_pb2.Layout.FromString(value.tensor.string_val[0]) == layout
        assert first.scalar_pb("loss", 1.0).value[0].tag == "loss/scalar_summary"
        read = tf.Summary.FromString(session.run(first.scalar("loss", tf.constant(2.0))))
        assert read.value[0].tag == "loss/scalar_summary"
    finally:
        uninstall()
    assert not hasattr(first, "custom_scalar_pb")
