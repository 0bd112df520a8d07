"""The metrics of tf.keras beside the values of TensorFlow 1.15.5."""

import numpy as np
import pytest

import headwater as tf

TARGETS = [[[0.0, 1, 1], [1, 0, 0]], [[1.0, 0, 0], [0, 1, 1]]]
PREDICTIONS = [[[0.2, 0.7, 0.4], [0.6, 0.3, 0.8]], [[0.9, 0.6, 0.5], [0.1, 0.8, 0.2]]]
WEIGHTS = np.array([1.0, 3.0])
x = np.array([[1, 2], [3, -4], [-1, 0.5], [2, -2]], np.float32)
y = np.array([2, 1, 0, 0])


def results(metric, weights=WEIGHTS):
    """The metric after each of two batches."""
    shape = (None, *weights.shape[1:])
    y_true = tf.placeholder(tf.float32, (None, 3))
    y_pred = tf.placeholder(tf.float32, (None, 3))
    weight = tf.placeholder(tf.float32, shape)
    result = metric(y_true, y_pred, sample_weight=weight)
    with tf.Session() as sess:
        sess.run([v.initializer for v in metric.variables])
        return [
            sess.run(result, {y_true: t, y_pred: p, weight: weights})
            for t, p in zip(TARGETS, PREDICTIONS)
        ]


@pytest.fixture(autouse=True)
def graph():
    tf.keras.backend.clear_session()
    with tf.Graph().as_default():
        yield


@pytest.mark.parametrize(
    "name, expected",
    [
        ("Accuracy", [0.0, 0.0]),
        ("BinaryAccuracy", [0.666667, 0.666667]),
        ("CategoricalAccuracy", [0.25, 0.625]),
        ("MeanSquaredError", [0.263333, 0.24375]),
        ("MeanAbsoluteError", [0.466667, 0.420833]),
        ("MeanSquaredLogarithmicError", [0.131603, 0.117106]),
        ("BinaryCrossentropy", [0.74391, 0.685648]),
        ("CategoricalCrossentropy", [1.230514, 1.473771]),
        ("Hinge", [1.05, 0.920833]),
        ("SquaredHinge", [1.43, 1.152083]),
        ("CategoricalHinge", [0.925, 0.5875]),
        ("KLDivergence", [0.701358, 1.051066]),
        ("CosineSimilarity", [0.665117, 0.746188]),
        ("LogCoshError", [0.122791, 0.113149]),
        ("Poisson", [0.76712, 0.837856]),
    ],
)
def test_weighted_means_over_batches(name, expected):
    assert results(getattr(tf.keras.metrics, name)()) == pytest.approx(expected, abs=2e-6)


@pytest.mark.parametrize(
    "name, arguments, expected",
    [
        ("RootMeanSquaredError", (), [0.51316, 0.49371]),
        ("MeanRelativeError", ([[1.0, 2, 3], [2, 4, 1]],), [0.314583, 0.293403]),
        ("TruePositives", (), [4, 8]),
        ("TrueNegatives", ([0.3, 0.7],), [[4, 4], [7, 9]]),
        ("FalsePositives", (), [3, 4]),
        ("FalseNegatives", (), [1, 4]),
        ("Precision", (), [0.571429, 0.666667]),
        ("Precision", (None, 2), [0.625, 0.75]),
        ("Recall", ([0.3, 0.7],), [[1, 0], [0.75, 0.333333]]),
    ],
)
def test_weights_of_rows(name, arguments, expected):
    metric = getattr(tf.keras.metrics, name)(*arguments)
    np.testing.assert_allclose(results(metric, WEIGHTS[:, None]), expected, atol=2e-6)


def model():
    kernel = tf.constant_initializer(np.arange(6).reshape(2, 3) / 10.0)
    dense = tf.keras.layers.Dense(
        3, activation="softmax", input_shape=(2,), kernel_initializer=kernel
    )
    made = tf.keras.models.Sequential([dense])
    made.compile(
        "sgd",
        "sparse_categorical_crossentropy",
        metrics=["accuracy"],
        weighted_metrics=["accuracy", "mse"],
    )
    return made


def test_metrics_of_a_compiled_model():
    made = model()
    assert made.metrics_names == ["loss", "acc", "weighted_acc", "weighted_mean_squared_error"]
    first = [1.0195978, 0.75, 0.75, 0.86297214]
    assert made.train_on_batch(x, y) == pytest.approx(first, abs=1e-6)
    second = [1.0075809, 0.5, 0.5, 0.8631396]
    assert made.test_on_batch(x, y) == pytest.approx(second, abs=1e-6)
    assert made.evaluate(x, y, batch_size=3, verbose=0) == pytest.approx(second, abs=1e-6)


def test_a_weighted_batch_is_counted_once():
    made = model()
    made.train_on_batch(x, y)
    weighted = made.test_on_batch(x, y, sample_weight=np.array([1.0, 2, 3, 4]))
    assert weighted == pytest.approx([2.6221929, 0.5, 0.4, 0.44540286], abs=1e-6)


def test_reset_states_and_variables():
    metric = tf.keras.metrics.Sum()
    result = metric([1.0, 2, 6], sample_weight=[1.0, 0, 1])
    assert not metric.trainable_weights
    assert not tf.global_variables()
    with tf.Session() as sess:
        tf.keras.backend.set_session(sess)
        sess.run(metric.total.initializer)
        assert [sess.run(result), sess.run(result)] == [7, 14]
        metric.reset_states()
        assert sess.run(result) == 7


def test_a_metric_of_the_program_is_updated_without_a_returned_op():
    class Count(tf.keras.metrics.Metric):
        def __init__(self):
            super().__init__(name="batches")
            self.seen = self.add_weight("seen", initializer="zeros")

        def update_state(self, y_true, y_pred, sample_weight=None):
            self.seen.assign_add(1.0)

        def result(self):
            return self.seen

    metric = Count()
    assert results(metric) == [1, 2]
    assert len(metric.updates) == 1


def test_lookup():
    metrics = tf.keras.metrics
    assert metrics.get("mse") is metrics.mean_squared_error
    assert isinstance(metrics.get("Precision"), metrics.Precision)
    config = metrics.serialize(metrics.Recall(0.3))
    assert config["class_name"] == "Recall"
    assert metrics.deserialize(config).thresholds == [0.3]


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda m: m.get("nope"), "Unknown metric function:nope"),
        (lambda m: m.get(3), "Could not interpret metric function identifier: 3"),
        (lambda m: m.Precision([2.0]), r"must be in \[0, 1\]. Invalid values: \[2.0\]"),
    ],
)
def test_errors(call, message):
    with pytest.raises(ValueError, match=message):
        call(tf.keras.metrics)


def test_predictions_outside_of_0_and_1():
    with pytest.raises(tf.errors.InvalidArgumentError, match="predictions must be <= 1"):
        tf.keras.metrics.Precision()(np.ones((2, 2)), np.ones((2, 2)) * 2)
