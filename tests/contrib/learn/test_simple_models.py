"""`tf.contrib.learn.ops` and `.models`: values and variables of TensorFlow 1.15.5."""

from __future__ import annotations

import numpy as np
import pytest

import headwater as tf

learn = tf.contrib.learn


def _tenths(*shape):
    return tf.constant(np.arange(np.prod(shape)).reshape(shape) / 10.0, tf.float32)


def _run(fetches):
    tf.set_random_seed(3)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        return session.run(fetches)


def test_embeddings_of_ids_of_any_rank():
    rows = learn.ops.embedding_lookup(_tenths(4, 3), [[1, 2], [0, 3]])
    assert rows.shape.as_list() == [2, 2, 3]
    np.testing.assert_allclose(_run(rows)[1], [[0, 0.1, 0.2], [0.9, 1.0, 1.1]], rtol=1e-6)
    trained = learn.ops.categorical_variable(tf.constant([[1], [0]]), 3, 2, "cat")
    assert trained.shape.as_list() == [2, 1, 2]
    assert [variable.name for variable in tf.trainable_variables()] == ["cat/cat_embeddings:0"]


def test_a_linear_model_with_its_loss():
    model = learn.ops.mean_squared_error_regressor(
        _tenths(4, 3), _tenths(4), _tenths(3, 1), _tenths(1)
    )
    predictions, loss = _run(model)
    np.testing.assert_allclose(predictions, [0.05, 0.14, 0.23, 0.32], atol=1e-6)
    np.testing.assert_allclose(loss, 0.00135, atol=1e-6)


def test_a_classifier_with_weights_of_classes():
    labels = tf.one_hot([0, 1, 0, 1], 2)
    probabilities, loss = _run(
        learn.ops.softmax_classifier(
            _tenths(4, 3), labels, _tenths(3, 2), _tenths(2), class_weight=[1.0, 2.0]
        )
    )
    np.testing.assert_allclose(probabilities[:, 0], [0.411, 0.3274, 0.2535, 0.1915], atol=1e-4)
    np.testing.assert_allclose(loss, 0.7177, atol=1e-4)


def test_linear_regression_has_the_initial_values_of_the_seed():
    tf.set_random_seed(3)
    predictions, loss = learn.models.linear_regression(_tenths(4, 3), _tenths(4))
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        values = session.run([predictions, loss])
    np.testing.assert_allclose(values[0], [0.7291, 0.5150, 0.3008, 0.0866], atol=1e-4)
    np.testing.assert_allclose(values[1], 0.1899, atol=1e-4)
    assert [variable.name for variable in tf.trainable_variables()] == [
        "linear_regression/weights:0",
        "linear_regression/bias:0",
    ]


def test_zero_initial_values_and_the_weights_of_the_graph():
    _, loss = learn.models.linear_regression_zero_init(_tenths(4, 3), _tenths(4, 2))
    np.testing.assert_allclose(_run(loss), 0.175, atol=1e-6)
    tf.constant([1.0, 0.0], name="class_weight")
    learn.models.logistic_regression_zero_init(_tenths(4, 3), tf.one_hot([0, 1, 0, 1], 2))
    graph = tf.get_default_graph()
    product = graph.get_operation_by_name("logistic_regression/softmax_classifier/Mul")
    assert product.inputs[1].name == "class_weight:0"


def test_a_decoder_is_trained_on_its_inputs_and_samples_from_its_outputs():
    encoded, inputs, outputs = learn.ops.seq2seq_inputs(_tenths(2, 3, 4), _tenths(2, 2, 3), 3, 2)
    assert (len(encoded), len(inputs), len(outputs)) == (3, 3, 3)
    cells = [tf.nn.rnn_cell.GRUCell(3) for _ in range(2)]
    decoding, states, sampling, _ = learn.ops.rnn_seq2seq(encoded, inputs, *cells)
    assert (len(states), sampling[0] is decoding[0]) == (4, True)
    predictions, loss = learn.ops.sequence_classifier(decoding, outputs, sampling)
    assert (predictions.shape.as_list(), loss.shape.as_list()) == ([2, 3, 3], [])
    assert len(tf.trainable_variables()) == 8


@pytest.mark.parametrize(
    ("cell", "bidirectional", "attention", "size"),
    [
        ("rnn", False, None, 6),
        ("gru", True, None, 12),
        ("lstm", False, 2, 36),
        ("rnn", True, 2, 60),
    ],
)
def test_recurrent_models(cell, bidirectional, attention, size):
    model = learn.models.get_rnn_model(
        3,
        cell,
        2,
        lambda x: tf.unstack(x, axis=1),
        bidirectional,
        lambda encoding, _: encoding,
        [2, 3],
        None,
        attention,
        4,
        5,
    )
    assert model(_tenths(2, 3, 4), None).shape.as_list() == [2, size]


def test_an_unknown_cell_is_an_error():
    model = learn.models.get_rnn_model(
        3, "zz", 1, lambda x: [x], False, lambda e, _: e, None, None, None, None, None
    )
    with pytest.raises(ValueError, match="cell_type zz is not supported"):
        model(_tenths(2, 3), None)
