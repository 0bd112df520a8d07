"""tf.contrib.estimator: extenders (values of TensorFlow 1.15.5)."""

import tempfile

import numpy as np
import pytest

import headwater as tf

X = np.arange(8, dtype="f").reshape(4, 2)


def data():
    features = {"x": X, "id": np.arange(4)}
    return tf.data.Dataset.from_tensors((features, np.array([0, 1, 1, 0])))


def sparse_data():
    sparse = tf.SparseTensor([[0, 0], [2, 1]], [5, 6], [4, 2])
    return tf.data.Dataset.from_tensors(({"x": X, "s": sparse}, np.array([0, 1, 1, 0])))


def untrained():
    column = tf.feature_column.numeric_column("x", shape=2)
    return tf.estimator.LinearClassifier([column], tempfile.mkdtemp())


def test_forwarded_features_are_predicted_and_exported():
    forwarding = tf.contrib.estimator.forward_features(untrained(), "id")
    predictions = list(forwarding.train(data, steps=1).predict(data))
    assert [prediction["id"] for prediction in predictions] == [0, 1, 2, 3]
    spec = {
        "x": tf.FixedLenFeature([2], tf.float32),
        "id": tf.FixedLenFeature([], tf.int64),
    }
    receiver = tf.estimator.export.build_parsing_serving_input_receiver_fn(spec)
    path = forwarding.export_saved_model(tempfile.mkdtemp(), receiver)
    model = tf.saved_model.loader.load(tf.Session(), ["serve"], path)
    assert "id" in model.signature_def["predict"].outputs
    assert list(model.signature_def["regression"].outputs) == ["outputs"]


def test_sparse_features_are_forwarded_with_a_default():
    forwarding = tf.contrib.estimator.forward_features(
        untrained(), "s", sparse_default_values={"s": -1}
    )
    rows = [prediction["s"].tolist() for prediction in forwarding.predict(sparse_data)]
    assert rows == [[5, -1], [-1, -1], [-1, 6], [-1, -1]]


@pytest.mark.parametrize(
    ("keys", "error", "text"),
    [
        (5, TypeError, "keys should be either a string or a list of strings. Given: <class 'int'>"),
        ([3], TypeError, "All items in the given keys list should be a string."),
        (["z"], ValueError, 'keys should be exist in features. Key "z" is not in features dict.'),
        ("s", ValueError, r"Feature \(s\) should be a Tensor."),
    ],
)
def test_errors_of_forwarding(keys, error, text):
    with pytest.raises(error, match=text):
        next(tf.contrib.estimator.forward_features(untrained(), keys).predict(sparse_data))


def test_gradients_are_clipped_by_their_global_norm():
    optimizer = tf.contrib.estimator.clip_gradients_by_norm(
        tf.train.GradientDescentOptimizer(1.0), 0.5
    )
    assert optimizer.get_name() == "ClipByNormGradientDescent"
    v = tf.get_variable("v", initializer=[3.0, 4.0])
    w = tf.get_variable("w", initializer=[0.0, 1.0])
    train = optimizer.minimize(tf.reduce_sum(v * v) + tf.reduce_sum(w * 0.1))
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(train)
        after = session.run([v, w])
    np.testing.assert_allclose(after, [[2.70003, 3.60004], [-0.0049995, 0.9950005]], rtol=1e-6)


@pytest.mark.parametrize(
    ("make", "labels"),
    [
        (tf.contrib.estimator.DNNClassifierWithLayerAnnotations, [[1]]),
        (tf.contrib.estimator.DNNRegressorWithLayerAnnotations, [[1.0]]),
    ],
)
def test_layer_annotations_leave_the_model_as_it_is(make, labels):
    """The names of TensorFlow 1.15.5, which has no collection of annotations either."""
    estimator = make([3], [tf.feature_column.numeric_column("x", shape=[2])])
    tf.train.create_global_step()
    features = {"x": tf.constant([[0.0, 1.0]])}
    spec = estimator._call_model_fn(features, tf.constant(labels), "train", estimator.config)
    assert spec.loss.shape == ()
    names = [v.op.name for v in tf.trainable_variables()]
    assert names == [
        "dnn/hiddenlayer_0/kernel/part_0",
        "dnn/hiddenlayer_0/bias/part_0",
        "dnn/logits/kernel/part_0",
        "dnn/logits/bias/part_0",
    ]
    keys = [k for k in tf.get_default_graph().get_all_collection_keys() if "annotat" in str(k)]
    assert keys == []
