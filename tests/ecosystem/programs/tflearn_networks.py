"""TFLearn 0.3.2: a convolutional classifier, trained with callbacks, saved and loaded."""

import json
import os
import tempfile

import numpy as np
import tensorflow as tf
import tflearn

rng = np.random.RandomState(0)
x = rng.rand(96, 8, 8, 1).astype(np.float32)
labels = (x[:, :4].mean((1, 2, 3)) > x[:, 4:].mean((1, 2, 3))).astype(np.int64)
y = np.eye(2, dtype=np.float32)[labels]
found = {}
tflearn.init_graph(seed=1)
tf.set_random_seed(1)


def initial(seed):
    return tflearn.initializations.truncated_normal(stddev=0.2, seed=seed)


net = tflearn.input_data(shape=[None, 8, 8, 1], name="input")
net = tflearn.conv_2d(net, 4, 3, activation="relu", weights_init=initial(1), regularizer="L2")
net = tflearn.batch_normalization(net)
net = tflearn.max_pool_2d(net, 2)
net = tflearn.fully_connected(net, 16, activation="tanh", weights_init=initial(2))
net = tflearn.dropout(net, 1.0)
net = tflearn.fully_connected(net, 2, activation="softmax", weights_init=initial(3))
net = tflearn.regression(
    net, optimizer="adam", learning_rate=0.01, loss="categorical_crossentropy", name="target"
)
model = tflearn.DNN(net, tensorboard_verbose=0, tensorboard_dir=tempfile.mkdtemp())
found["untrained"] = np.asarray(model.predict(x[:3])).tolist()
found["variables"] = [v.op.name for v in tf.trainable_variables()]
model.fit(
    {"input": x}, {"target": y}, n_epoch=20, batch_size=32, show_metric=True, shuffle=False,
    snapshot_epoch=False, run_id="run",
)  # fmt: skip
accuracy = model.evaluate(x, y, batch_size=32)[0]
assert accuracy > 0.6, accuracy
path = os.path.join(tempfile.mkdtemp(), "model.tfl")
model.save(path)
before = np.asarray(model.predict(x))
model.fit(x, y, n_epoch=1, shuffle=False, snapshot_epoch=False, run_id="more")
assert np.abs(np.asarray(model.predict(x)) - before).max() > 0
model.load(path)
np.testing.assert_allclose(np.asarray(model.predict(x)), before, rtol=1e-4, atol=1e-5)

with tf.Graph().as_default():
    words = tflearn.input_data([None, 5])
    sequence = tflearn.embedding(words, input_dim=10, output_dim=4)
    sequence = tflearn.lstm(sequence, 8, dropout=0.9)
    sequence = tflearn.regression(tflearn.fully_connected(sequence, 2, activation="softmax"))
    text = tflearn.DNN(sequence)
    text.fit(rng.randint(0, 10, (16, 5)), np.eye(2)[rng.randint(0, 2, 16)], n_epoch=1)
    found["shape"] = list(np.asarray(text.predict(rng.randint(0, 10, (3, 5)))).shape)
print()
print(json.dumps(found))
