"""TensorLayer 1.11: layers, its own training loop, parameters in an .npz file and back."""

import json
import os
import tempfile

import numpy as np
import tensorflow as tf
import tensorlayer as tl

rng = np.random.RandomState(0)
x = rng.rand(128, 8, 8, 1).astype(np.float32)
y = (x[:, :4].mean((1, 2, 3)) > x[:, 4:].mean((1, 2, 3))).astype(np.int64)

tf.set_random_seed(3)
np.random.seed(3)
session = tf.InteractiveSession()
images = tf.placeholder(tf.float32, [None, 8, 8, 1])
labels = tf.placeholder(tf.int64, [None])


def model(images, is_train, reuse):
    w = tf.truncated_normal_initializer(stddev=0.2, seed=5)
    with tf.variable_scope("model", reuse=reuse):
        net = tl.layers.InputLayer(images, name="input")
        net = tl.layers.Conv2d(net, 4, (3, 3), act=tf.nn.relu, W_init=w, name="conv")
        net = tl.layers.BatchNormLayer(net, is_train=is_train, name="bn")
        net = tl.layers.MaxPool2d(net, (2, 2), name="pool")
        net = tl.layers.FlattenLayer(net, name="flatten")
        net = tl.layers.DenseLayer(net, 16, act=tf.nn.relu, W_init=w, name="dense")
        return tl.layers.DenseLayer(net, 2, W_init=w, name="out")


net = model(images, True, False)
test = model(images, False, True)
cost = tl.cost.cross_entropy(net.outputs, labels, name="cost")
accuracy = tf.reduce_mean(tf.cast(tf.equal(tf.argmax(test.outputs, 1), labels), tf.float32))
step = tf.train.MomentumOptimizer(0.05, 0.9).minimize(cost, var_list=net.all_params)
tl.layers.initialize_global_variables(session)
first = session.run(cost, {images: x, labels: y})
costs = []
for epoch in range(15):
    for xs, ys in tl.iterate.minibatches(x, y, batch_size=32, shuffle=False):
        costs.append(session.run([cost, step], {images: xs, labels: ys})[0])
assert costs[-1] < first
path = os.path.join(tempfile.mkdtemp(), "model.npz")
tl.files.save_npz_dict(net.all_params, name=path, sess=session)
before = session.run(test.outputs, {images: x})
tl.layers.initialize_global_variables(session)
tl.files.load_and_assign_npz_dict(name=path, sess=session)
np.testing.assert_allclose(session.run(test.outputs, {images: x}), before, rtol=1e-4, atol=1e-4)
print(
    json.dumps(
        {
            "first": float(first),
            "costs": [float(c) for c in costs[:4]],
            "names": [p.name for p in net.all_params],
            "parameters": int(net.count_params()),
        }
    )
)
