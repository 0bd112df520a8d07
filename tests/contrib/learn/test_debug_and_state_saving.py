"""DebugClassifier, DebugRegressor and StateSavingRnnEstimator: values of TensorFlow 1.15.5."""

from __future__ import annotations

import numpy as np
import pytest

import headwater as tf
from headwater.contrib.learn.canned.debug import DebugClassifier, DebugRegressor
from headwater.contrib.learn.canned.rnn_parts import RNNKeys
from headwater.contrib.learn.canned.state_saving_rnn import (
    StateSavingRnnEstimator,
    initial_states,
    parents_of,
    prepare_inputs,
    split_features,
    state_names,
)

column = tf.contrib.layers.real_valued_column
CELLS = tf.nn.rnn_cell
REGRESSION = tf.contrib.learn.ProblemType.LINEAR_REGRESSION
CLASSIFICATION = tf.contrib.learn.ProblemType.CLASSIFICATION


def classes():
    features = {"a": tf.constant([[1.0], [2.0], [3.0]]), "w": tf.constant([1.0, 2.0, 3.0])}
    return features, tf.constant([[1], [2], [0]])


def test_debug_classifier_learns_frequencies():
    classifier = DebugClassifier(n_classes=3, weight_column_name="w")
    classifier.fit(input_fn=classes, steps=3)
    bias = classifier.get_variable_value("multi_class_head/centered_bias_weight")
    np.testing.assert_allclose(bias, [0.4447045, -0.47394076, 0.04684605], rtol=1e-5)
    rate = classifier.get_variable_value("multi_class_head/OptimizeLoss/learning_rate")
    assert rate == np.float32(0.3)
    (first, *_) = classifier.predict_proba(input_fn=lambda: classes()[0])
    np.testing.assert_allclose(first, [0.4829013, 0.19270626, 0.32439238], rtol=1e-5)
    assert list(classifier.predict_classes(input_fn=lambda: classes()[0])) == [0, 0, 0]


def test_debug_regressor_learns_the_mean():
    regressor = DebugRegressor(label_dimension=2)
    regressor.fit(x=np.ones([4, 3], np.float32), y=np.ones([4, 2], np.float32), steps=2)
    scores = list(regressor.predict_scores(input_fn=lambda: tf.ones([2, 3])))
    np.testing.assert_allclose(scores, [[0.5846002] * 2] * 2, rtol=1e-5)


def test_debug_estimators_check_their_arguments():
    with pytest.raises(ValueError, match=r"n_classes must be > 1 for classification: 1\."):
        DebugClassifier(n_classes=1)
    with pytest.raises(ValueError, match="Features cannot be empty"):
        DebugClassifier().fit(input_fn=lambda: ({}, tf.constant([[1]])), steps=1)


def test_states_have_the_names_of_layers():
    lstm = CELLS.MultiRNNCell([CELLS.LSTMCell(2), CELLS.LSTMCell(3)])
    assert state_names(lstm) == [
        ["rnn_cell_state_0_c", "rnn_cell_state_0_h"],
        ["rnn_cell_state_1_c", "rnn_cell_state_1_h"],
    ]
    assert state_names(CELLS.GRUCell(2)) == "rnn_cell_state_0"
    assert state_names(CELLS.LSTMCell(2)) == ["rnn_cell_state_0_c", "rnn_cell_state_0_h"]
    found = {name: state.shape.as_list() for name, state in initial_states(lstm).items()}
    assert list(found.values()) == [[2], [2], [3], [3]]


def test_features_of_steps_and_of_sequences(session):
    keys = tf.contrib.layers.sparse_column_with_keys("k", ["a", "b"])
    assert parents_of(tf.contrib.layers.embedding_column(keys, 2)) == ["k"]
    features = {"x": tf.zeros([3, 2]), "c": tf.constant([1.0]), "other": tf.constant([1])}
    labels = tf.constant([1, 0, 1])
    steps, context = split_features(features, labels, "train", [column("x", 2)], [column("c")])
    assert steps == {"x": features["x"], RNNKeys.LABELS_KEY: labels}
    assert context == {"c": features["c"]}
    assert split_features(features, labels, "infer", [column("x", 2)], None)[0] == {
        "x": features["x"]
    }
    with pytest.raises(ValueError, match="No key in features for context feature: d"):
        split_features(features, labels, "train", [column("x", 2)], [column("d")])
    inputs = prepare_inputs(
        {"x": tf.reshape(tf.range(12.0), [2, 3, 2])},
        {"b": tf.constant([[7.0], [8.0]]), "a": tf.constant([[5.0], [6.0]])},
        [column("x", 2)],
        3,
    )
    assert [x.tolist() for x in session.run(inputs[:2])] == [
        [[0.0, 1.0, 5.0, 7.0], [6.0, 7.0, 6.0, 8.0]],
        [[2.0, 3.0, 5.0, 7.0], [8.0, 9.0, 6.0, 8.0]],
    ]


def test_state_is_carried_from_segment_to_segment(session):
    estimator = StateSavingRnnEstimator(
        REGRESSION,
        num_unroll=3,
        batch_size=2,
        sequence_feature_columns=[column("x")],
        num_units=2,
        num_threads=1,
    )
    step = tf.train.create_global_step()
    x = (np.arange(10).reshape(2, 5) / 10.0).astype(np.float32)
    y = (np.arange(10).reshape(2, 5) % 3).astype(np.float32)
    row = tf.train.range_input_producer(2, shuffle=False, num_epochs=2).dequeue()
    ops = estimator._model_fn({"x": tf.gather(x, row)[:, None]}, tf.gather(y, row), "train")
    session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
    names = []
    for number, variable in enumerate(tf.trainable_variables()):
        names.append(variable.op.name)
        size = variable.shape.num_elements()
        values = np.linspace(-0.5, 0.6 + 0.1 * number, size).reshape(variable.shape.as_list())
        session.run(tf.assign(variable, values))
    assert names == [
        "rnn/basic_rnn_cell/kernel",
        "rnn/basic_rnn_cell/bias",
        "fully_connected/weights",
        "fully_connected/biases",
    ]
    coordinator = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(session, coordinator)
    runs = [session.run([ops.predictions, ops.loss, ops.train_op]) for _ in range(2)]
    coordinator.request_stop()
    session.close()
    coordinator.join(threads, stop_grace_period_secs=5)
    first, second = (run[0] for run in runs)
    np.testing.assert_allclose([run[1] for run in runs], [1.2239294, 0.69554335], rtol=1e-5)
    np.testing.assert_allclose(
        first["scores"],
        [[0.214553, 0.237934, 0.269604], [0.223956, 0.258232, 0.291824]],
        rtol=1e-5,
    )
    # The second segment begins with the states of the first one, and is padded.
    np.testing.assert_allclose(
        second["scores"],
        [[0.606245, 0.616771, 0.540218], [0.64182, 0.650478, 0.527123]],
        rtol=1e-5,
    )
    np.testing.assert_allclose(
        second["rnn_cell_state_0"], [[-0.241512, 0.837124], [-0.26214, 0.809593]], rtol=1e-5
    )
    assert step.name == "global_step:0"


def test_state_saving_estimator_checks_its_arguments():
    options = {"num_unroll": 2, "batch_size": 2, "sequence_feature_columns": [column("x")]}
    with pytest.raises(ValueError, match="num_classes must be specified"):
        StateSavingRnnEstimator(CLASSIFICATION, **options)
    with pytest.raises(ValueError, match="problem_type must be either"):
        StateSavingRnnEstimator(5, **options)
