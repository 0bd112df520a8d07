"""Pretty Tensor 0.7: a chain of layers, trained."""

import json
import os
import tempfile

import numpy as np
import prettytensor as pt
import tensorflow as tf

rng = np.random.RandomState(0)
x = rng.rand(64, 8, 8, 1).astype(np.float32)
y = np.eye(2, dtype=np.float32)[(x[:, :4].mean((1, 2, 3)) > x[:, 4:].mean((1, 2, 3))).astype(int)]

tf.set_random_seed(4)
images = tf.placeholder(tf.float32, [64, 8, 8, 1])
labels = tf.placeholder(tf.float32, [64, 2])
with pt.defaults_scope(activation_fn=tf.nn.relu):
    result = (
        pt.wrap(images)
        .conv2d(3, 4)
        .max_pool(2, 2)
        .flatten()
        .fully_connected(16)
        .softmax_classifier(2, labels=labels)
    )
step = pt.apply_optimizer(tf.train.GradientDescentOptimizer(0.3), losses=[result.loss])
accuracy = result.softmax.evaluate_classifier(labels)
saver = tf.train.Saver()
folder = tempfile.mkdtemp()
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    losses = []
    for _ in range(100):
        losses.append(session.run([result.loss, step], {images: x, labels: y})[0])
    assert losses[-1] < 0.8 * losses[0], losses
    path = saver.save(session, os.path.join(folder, "model"))
    before = session.run([result.softmax, accuracy], {images: x, labels: y})
with tf.Session() as session:
    saver.restore(session, path)
    after = session.run([result.softmax, accuracy], {images: x, labels: y})
np.testing.assert_allclose(after[0], before[0], rtol=1e-5)
print(
    json.dumps(
        {
            "names": sorted(v.op.name for v in tf.trainable_variables()),
            "first": float(losses[0]),
            "later": float(losses[10]),
        }
    )
)
