"""tensorflow-estimator: canned estimators, one of its own, trees, exports, train_and_evaluate."""

import json
import os
import tempfile

import numpy as np
import tensorflow as tf
import tensorflow_estimator
from tensorflow_estimator import estimator
from tensorflow_estimator.python.estimator.canned import dnn

assert os.sep + "tensorflow_estimator" in tensorflow_estimator.__file__
assert estimator.DNNClassifier is dnn.DNNClassifier
rng = np.random.RandomState(0)
x = rng.randn(64, 3).astype(np.float32)
y = (x[:, 0] + x[:, 1] > 0).astype(np.int32)
config = estimator.RunConfig(tf_random_seed=1)
made = {}


def training():
    return tf.data.Dataset.from_tensor_slices(({"x": x}, y)).repeat().batch(16)


def evaluation():
    return tf.data.Dataset.from_tensor_slices(({"x": x}, y)).batch(16)


def numbers(metrics):
    return {key: float(value) for key, value in sorted(metrics.items())}


class FixedWeights(tf.train.SessionRunHook):
    """Starts from weights that do not depend on the number of nodes."""

    def begin(self):
        self.values = [
            tf.assign(v, np.linspace(-1, 1, v.shape.num_elements()).reshape(v.shape.as_list()))
            for v in tf.trainable_variables()
        ]

    def after_create_session(self, session, coord):
        session.run(self.values)


column = tf.feature_column.numeric_column("x", shape=[3])
classifier = estimator.DNNClassifier([4], [column], config=config)
classifier.train(training, steps=8, hooks=[FixedWeights()])
made["dnn"] = numbers(classifier.evaluate(evaluation))
made["variables"] = sorted(classifier.get_variable_names())
made["probabilities"] = [
    p["probabilities"].tolist() for p in classifier.predict(evaluation, ["probabilities"])
][:3]


def receiver():
    inputs = {"x": tf.placeholder(tf.float32, [None, 3])}
    return estimator.export.ServingInputReceiver(inputs, inputs)


export = classifier.export_saved_model(tempfile.mkdtemp(), receiver)
with tf.Session(graph=tf.Graph()) as session:
    signatures = tf.saved_model.load(session, ["serve"], export).signature_def
    made["signatures"] = sorted(signatures)
    outputs = signatures["predict"]
    fed = {outputs.inputs["x"].name: x[:2]}
    made["served"] = session.run(outputs.outputs["logits"].name, fed).tolist()


def model_fn(features, labels, mode, params):
    start = tf.constant_initializer(params["start"])
    hidden = tf.layers.dense(features["x"], 5, tf.nn.relu, kernel_initializer=start)
    logits = tf.layers.dense(hidden, 2, kernel_initializer=tf.glorot_uniform_initializer(seed=3))
    if mode == estimator.ModeKeys.PREDICT:
        return estimator.EstimatorSpec(mode, predictions={"logits": logits})
    loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
    if mode == estimator.ModeKeys.EVAL:
        accuracy = tf.metrics.accuracy(labels, tf.argmax(logits, 1))
        return estimator.EstimatorSpec(mode, loss=loss, eval_metric_ops={"accuracy": accuracy})
    optimizer = tf.train.AdamOptimizer(0.05)
    train = optimizer.minimize(loss, tf.train.get_global_step())
    return estimator.EstimatorSpec(mode, loss=loss, train_op=train)


own = estimator.Estimator(model_fn, params={"start": 0.1}, config=config)
metrics, _ = estimator.train_and_evaluate(
    own,
    estimator.TrainSpec(training, max_steps=20),
    estimator.EvalSpec(evaluation, steps=None),
)
made["own"] = numbers(metrics)
made["logits"] = [p["logits"].tolist() for p in own.predict(evaluation)][:2]

limits = [-0.5, 0.0, 0.5]
buckets = [
    tf.feature_column.bucketized_column(tf.feature_column.numeric_column(name), limits)
    for name in ("a", "b")
]


def whole():
    return {"a": tf.constant(x[:, :1]), "b": tf.constant(x[:, 1:2])}, tf.constant(y[:, None])


trees = estimator.BoostedTreesClassifier(
    buckets, n_batches_per_layer=1, n_trees=3, max_depth=2, config=config
)
trees.train(whole, max_steps=20)
made["trees"] = numbers(trees.evaluate(whole, steps=1))
made["importances"] = numbers(trees.experimental_feature_importances(normalize=True))
print(json.dumps(made))
