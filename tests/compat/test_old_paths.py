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


def test_a_package_of_contrib_that_only_imports_show(fork):
    fork("""
    import headwater
    headwater.install()
    from tensorflow.contrib.libsvm import decode_libsvm
    from tensorflow.contrib.libsvm.python.ops import libsvm_ops

    assert decode_libsvm is libsvm_ops.decode_libsvm
    """)
