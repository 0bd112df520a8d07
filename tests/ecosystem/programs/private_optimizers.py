"""TensorFlow Privacy 0.2.2: optimizers that clip gradients of microbatches and add noise."""

import json
import os
import tempfile

import numpy as np
import tensorflow as tf
from tensorflow_privacy.privacy.analysis.rdp_accountant import compute_rdp, get_privacy_spent
from tensorflow_privacy.privacy.optimizers import dp_optimizer

rng = np.random.RandomState(0)
data = rng.rand(64, 6).astype(np.float32)
target = (data.sum(1) > 3).astype(np.int64)
found = {}


def train(make, noise, **options):
    """The losses of some steps, with noise or without."""
    tf.reset_default_graph()
    tf.set_random_seed(1)
    x = tf.placeholder(tf.float32, [16, 6])
    y = tf.placeholder(tf.int64, [16])
    first = tf.random_uniform_initializer(-0.5, 0.5, seed=1)
    second = tf.random_uniform_initializer(-0.5, 0.5, seed=2)
    hidden = tf.layers.dense(x, 8, tf.nn.tanh, kernel_initializer=first)
    logits = tf.layers.dense(hidden, 2, kernel_initializer=second)
    loss = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=logits)
    optimizer = make(l2_norm_clip=1.0, noise_multiplier=noise, num_microbatches=8, **options)
    step = optimizer.minimize(loss, global_step=tf.train.get_or_create_global_step())
    saver = tf.train.Saver()
    losses = []
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for i in range(12):
            rows = slice(i % 4 * 16, i % 4 * 16 + 16)
            feed = {x: data[rows], y: target[rows]}
            losses.append(float(np.mean(session.run([loss, step], feed)[0])))
        path = saver.save(session, os.path.join(tempfile.mkdtemp(), "model"))
        before = session.run(logits, feed)
        session.run(tf.global_variables_initializer())
        saver.restore(session, path)
        np.testing.assert_allclose(session.run(logits, feed), before, rtol=1e-4, atol=1e-6)
    assert np.isfinite(losses).all(), losses
    return losses


for name, make, options in (
    ("descent", dp_optimizer.DPGradientDescentGaussianOptimizer, {"learning_rate": 0.2}),
    ("adam", dp_optimizer.DPAdamGaussianOptimizer, {"learning_rate": 0.02}),
    ("adagrad", dp_optimizer.DPAdagradGaussianOptimizer, {"learning_rate": 0.1}),
):
    found[name] = train(make, 0.0, **options)
    train(make, 0.5, **options)
orders = [1 + x / 10.0 for x in range(1, 100)]
spent = get_privacy_spent(orders, compute_rdp(0.1, 1.1, 100, orders), target_delta=1e-5)
found["epsilon"] = float(spent[0])
print(json.dumps(found))
