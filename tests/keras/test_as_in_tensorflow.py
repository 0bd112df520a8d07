"""Pieces of programs of tf.keras whose behaviour is that of TensorFlow 1.15.5."""

from __future__ import annotations

import inspect
import json

import numpy as np
import pytest

import headwater as tf

layers = tf.keras.layers


def test_the_number_of_inputs_of_a_first_layer():
    model = tf.keras.Sequential([layers.Dense(4, input_dim=3)])
    assert model.input_shape == (None, 3)
    with pytest.raises(TypeError, match="Keyword argument not understood"):
        layers.Dropout(0.5, input_dim=3)


def test_lambdas_are_loaded_with_the_names_of_their_module(tmp_path):
    inputs = layers.Input((2,))
    outputs = layers.Lambda(lambda x: np.float32(2.0) * x)(inputs)
    model = tf.keras.Model(inputs, outputs)
    path = str(tmp_path / "model.h5")
    model.compile("sgd", "mse")
    model.save(path)
    loaded = tf.keras.models.load_model(path)
    np.testing.assert_array_equal(loaded.predict(np.ones((1, 2))), [[2.0, 2.0]])
    assert json.loads(model.to_json())["config"]["layers"][1]["config"]["arguments"] == {}


def test_the_first_call_of_a_shared_layer():
    dense = layers.Dense(2)
    a, b = layers.Input((3,)), layers.Input((3,))
    first, _ = dense(a), dense(b)
    assert dense.input is a
    assert dense.output is first


def test_sequences_of_several_lengths_through_one_layer():
    layer = layers.TimeDistributed(layers.Dense(1))
    layer(layers.Input((4, 3)))
    layer(layers.Input((5, 3)))
    with pytest.raises(AttributeError, match='"time_distributed" has multiple inbound nodes'):
        _ = layer.output_shape


def test_arguments_of_recurrent_layers():
    parameters = list(inspect.signature(layers.LSTM.__init__).parameters)
    assert parameters[:4] == ["self", "units", "activation", "recurrent_activation"]
    assert parameters[-2:] == ["unroll", "kwargs"]
    assert isinstance(layers.GRU.units, property)
    with pytest.raises(ValueError, match="expected ndim=3, found ndim=2"):
        layers.LSTM(3)(layers.Input((3,)))


def test_second_forms_of_layers():
    second = tf.compat.v2.keras.layers
    assert second.LSTM(2).recurrent_activation is tf.keras.activations.sigmoid
    assert second.GRU(2).reset_after
    assert not layers.GRU(2).reset_after
    normalization = second.BatchNormalization(trainable=False)
    outputs = normalization(tf.constant([[1.0], [3.0]]), training=True)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        # The averages are 0 and 1.
        np.testing.assert_allclose(session.run(outputs), [[1.0], [3.0]], rtol=1e-3)


def test_names_of_compat_v2():
    second = tf.compat.v2
    assert second.initializers.serialize is tf.keras.initializers.serialize
    assert second.initializers.GlorotNormal is tf.keras.initializers.glorot_normal
    assert second.losses.Reduction.AUTO == "auto"


def test_names_of_contrib_keras():
    old = tf.contrib.keras
    assert old.layers.Dense is layers.Dense
    assert old.utils.get_file is tf.keras.utils.get_file
    assert old.preprocessing.text.Tokenizer is tf.keras.preprocessing.text.Tokenizer
    assert old.metrics.cosine_similarity is tf.keras.losses.cosine_similarity


class _Batches(tf.keras.utils.Sequence):
    def __len__(self):
        return 3

    def __getitem__(self, index):
        import os

        return np.full((2, 1), index, np.float32), np.full((2, 1), os.getpid(), np.float32)


def test_processes_make_batches():
    enqueuer = tf.keras.utils.OrderedEnqueuer(_Batches(), use_multiprocessing=True)
    enqueuer.start(workers=1)
    try:
        stream = enqueuer.get()
        batches = [next(stream) for _ in range(4)]
    finally:
        enqueuer.stop()
    import os

    assert [int(x[0, 0]) for x, _ in batches] == [0, 1, 2, 0]
    assert os.getpid() not in {int(y[0, 0]) for _, y in batches}
    assert tf.keras.experimental.terminate_keras_multiprocessing_pools() == []


def test_errors():
    model = tf.keras.Sequential([layers.LSTM(2, batch_input_shape=(4, 3, 1), stateful=True)])
    model.compile("sgd", "mse")
    with pytest.raises(ValueError, match=r"divided by the batch size\. Found: 6 samples"):
        model.fit(np.ones((6, 3, 1)), np.ones((6, 2)), batch_size=4, verbose=0)
    with pytest.raises(tf.errors.NotFoundError, match="any matching files for /nope"):
        model.load_weights("/nope")
    with pytest.raises(OSError, match=r"/nope.h5/\{saved_model.pbtxt\|saved_model.pb\}"):
        tf.keras.models.load_model("/nope.h5")
    with pytest.raises(ValueError, match="Weights for model sequential_1 have not yet been"):
        tf.keras.Sequential([layers.Dense(2)]).get_weights()
    other = layers.Input((3,), name="other")
    with pytest.raises(ValueError, match='at layer "other"'):
        tf.keras.Model(layers.Input((3,)), layers.Dense(1)(other))
    with pytest.raises(ValueError, match="if eager execution is enabled"):
        model.run_eagerly = True


def test_slots_are_restored_when_the_optimizer_makes_them(tmp_path):
    x, y = np.ones((4, 3), np.float32), np.ones((4, 1), np.float32)

    def made():
        model = tf.keras.Sequential([layers.Dense(1, input_shape=(3,))])
        model.compile("adam", "mse")
        return model

    model = made()
    model.fit(x, y, verbose=0)
    path = str(tmp_path / "weights")
    model.save_weights(path)
    other = made()
    other._fetches("train")
    other.load_weights(path)
    for mine, theirs in zip(other.optimizer.get_weights(), model.optimizer.get_weights()):
        np.testing.assert_array_equal(mine, theirs)
