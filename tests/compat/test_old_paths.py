"""Modules under the paths that they had in other releases."""

from __future__ import annotations


def test_modules_of_other_releases(fork):
    fork("""
    import headwater
    headwater.install()
    from tensorflow._api.v1.keras import layers
    from tensorflow.contrib.keras.api.keras.layers import Dense
    from tensorflow.contrib.keras.python.keras import backend as K
    from tensorflow.contrib.keras.python.keras.layers.core import Dropout
    from tensorflow.python.keras._impl.keras.engine import training
    from tensorflow.python.keras._impl.keras.utils.generic_utils import to_list
    from tensorflow.tools.api.generator.api.keras.models import Sequential
    from tensorflow_core.examples.tutorials.mnist import input_data
    from tensorflow_core.python.keras.layers.core import Dense as OfCore
    import tensorflow as tf
    import tensorflow_core as core

    assert core.Session is tf.Session
    assert layers is tf.keras.layers
    assert Dense is OfCore is tf.keras.layers.Dense
    assert Dropout is tf.keras.layers.Dropout
    assert Sequential is tf.keras.models.Sequential
    assert training.Model is tf.keras.Model
    assert K.floatx() == "float32" and to_list(1) == [1]
    assert hasattr(input_data, "read_data_sets")
    """)


def test_a_module_that_is_not_there_under_an_old_path_either(fork):
    fork("""
    import headwater
    headwater.install()
    try:
        import tensorflow.python.keras._impl.keras.nothing
    except ModuleNotFoundError as error:
        assert "tensorflow.python.keras.nothing" in str(error), error
    else:
        raise AssertionError
    try:
        import tensorflow.python.keras._other
    except ModuleNotFoundError as error:
        assert "_other" in str(error), error
    else:
        raise AssertionError
    """)


def test_event_files_are_read_by_tensorboard(fork):
    fork("""
    import tempfile
    import headwater
    headwater.install()
    import tensorflow as tf
    from tensorflow.python.summary import event_multiplexer
    from tensorflow.python.summary.event_accumulator import EventAccumulator
    from tensorflow.python.summary.impl.io_wrapper import IsTensorFlowEventsFile
    from tensorflow.tensorboard.backend.event_processing import event_accumulator

    folder = tempfile.mkdtemp()
    with tf.Session() as session, tf.summary.FileWriter(folder) as writer:
        writer.add_summary(session.run(tf.summary.scalar("loss", tf.constant(2.0))), 3)
    events = EventAccumulator(folder)
    events.Reload()
    assert event_accumulator.EventAccumulator is EventAccumulator
    assert [(x.step, x.value) for x in events.Scalars("loss")] == [(3, 2.0)]
    assert IsTensorFlowEventsFile("events.out.tfevents.1.host")
    assert event_multiplexer.EventMultiplexer({"run": folder}).Runs() is not None
    """)


def test_recurrent_networks_of_early_releases(fork):
    fork("""
    import headwater
    headwater.install()
    import tensorflow as tf
    from tensorflow.contrib import skflow
    from tensorflow.python.debug import debug_data
    from tensorflow.python.ops import rnn, rnn_cell

    cell = rnn_cell.OutputProjectionWrapper(rnn_cell.BasicLSTMCell(4), 3)
    outputs, _ = rnn.rnn(cell, [tf.zeros([2, 5])] * 2, dtype=tf.float32)
    assert [x.shape.as_list() for x in outputs] == [[2, 3], [2, 3]]
    assert skflow.TensorFlowDNNClassifier is tf.contrib.learn.TensorFlowDNNClassifier
    assert debug_data.has_inf_or_nan is not None
    """)


def test_a_package_of_contrib_that_only_imports_show(fork):
    fork("""
    import headwater
    headwater.install()
    from tensorflow.contrib.libsvm import decode_libsvm
    from tensorflow.contrib.libsvm.python.ops import libsvm_ops

    assert decode_libsvm is libsvm_ops.decode_libsvm
    """)
