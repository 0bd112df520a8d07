"""An autoencoder of four layers with summaries: 400 steps, then the reconstructions."""

import tempfile

import numpy as np
import tensorflow as tf

tf.set_random_seed(1)
random = np.random.RandomState(1)
codes = random.rand(3000, 8)
images = (1 / (1 + np.exp(-codes.dot(random.randn(8, 784))))).astype(np.float32)

x = tf.placeholder(tf.float32, [None, 784])
hidden = x
for number, size in enumerate([256, 64, 256, 784]):
    inputs = hidden.get_shape().as_list()[1]
    with tf.variable_scope(f"layer{number}"):
        weights = tf.get_variable("weights", [inputs, size])
        biases = tf.get_variable("biases", [size], initializer=tf.zeros_initializer())
        hidden = tf.nn.sigmoid(tf.matmul(hidden, weights) + biases)
        tf.summary.histogram("activations", hidden)
loss = tf.reduce_mean(tf.square(hidden - x))
tf.summary.scalar("loss", loss)
train = tf.train.RMSPropOptimizer(0.002).minimize(loss)
merged = tf.summary.merge_all()

with tf.Session() as session:
    writer = tf.summary.FileWriter(tempfile.mkdtemp(), session.graph)
    session.run(tf.global_variables_initializer())
    for step in range(400):
        batch = images[random.randint(3000, size=128)]
        if step % 20 == 0:
            summary, _ = session.run([merged, train], {x: batch})
            writer.add_summary(summary, step)
        else:
            session.run(train, {x: batch})
    writer.close()
    decoded = session.run(hidden, {x: images[:100]})
    print("error", np.abs(decoded - images[:100]).mean())
    print(f"result {session.run(loss, {x: images}):.6f}")
