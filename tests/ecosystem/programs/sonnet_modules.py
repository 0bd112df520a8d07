"""Sonnet 1.36: linear modules, a convolution and a recurrent core; a variable scope per module."""

import json
import os
import tempfile

import numpy as np
import sonnet as snt
import tensorflow as tf

rng = np.random.RandomState(0)
x = rng.rand(64, 8, 8, 1).astype(np.float32)
y = (x[:, :4].mean((1, 2, 3)) > x[:, 4:].mean((1, 2, 3))).astype(np.int64)


class Net(snt.AbstractModule):
    def __init__(self, name="net"):
        super().__init__(name=name)
        with self._enter_variable_scope():
            self.mlp = snt.nets.MLP([16, 2], activation=tf.nn.relu)

    def _build(self, inputs):
        init = {"w": tf.truncated_normal_initializer(0.0, 0.3, seed=3), "b": tf.zeros_initializer()}
        conv = snt.Conv2D(4, 3, initializers=init, name="conv")
        return self.mlp(snt.BatchFlatten()(tf.nn.relu(conv(inputs))))


tf.set_random_seed(4)
images = tf.placeholder(tf.float32, [None, 8, 8, 1])
labels = tf.placeholder(tf.int64, [None])
net = Net()
logits = net(images)
loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits))
again = net(images + 1)
step = tf.train.GradientDescentOptimizer(0.2).minimize(loss)
names = [v.op.name for v in snt.get_variables_in_module(net)]

core = snt.LSTM(5)
sequence = tf.placeholder(tf.float32, [7, 3, 2])
outputs, state = tf.nn.dynamic_rnn(
    core, sequence, initial_state=core.initial_state(3), time_major=True
)
bn = snt.BatchNorm()
normal = bn(tf.reshape(images, [-1, 64]), is_training=True)
saver = tf.train.Saver()
folder = tempfile.mkdtemp()
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    losses = []
    for _ in range(80):
        losses.append(session.run([loss, step], {images: x, labels: y})[0])
    assert losses[-1] < 0.7 * losses[0], losses
    out = session.run(outputs, {sequence: rng.rand(7, 3, 2)})
    mean = session.run(tf.reduce_mean(normal), {images: x})
    path = saver.save(session, os.path.join(folder, "model"))
    before = session.run(logits, {images: x})
with tf.Session() as session:
    saver.restore(session, path)
    np.testing.assert_allclose(session.run(logits, {images: x}), before, rtol=1e-5, atol=1e-6)
print(
    json.dumps(
        {
            "names": names,
            "first": float(losses[0]),
            "later": float(losses[10]),
            "shape": list(out.shape),
            "mean": round(abs(float(mean)), 4),
        }
    )
)
