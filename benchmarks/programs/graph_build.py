"""Building a graph of about 10,000 nodes, half of them gradients."""

import timing
import tensorflow as tf

LAYERS = 476


def build():
    with tf.Graph().as_default() as graph:
        values = tf.placeholder(tf.float32, [None, 8])
        variables = []
        for layer in range(LAYERS):
            with tf.name_scope("layer%d" % layer):
                weight = tf.Variable(tf.ones([8, 8]), name="weight")
                bias = tf.Variable(tf.zeros([8]), name="bias")
                values = tf.nn.relu(tf.matmul(values, weight) + bias)
                variables += [weight, bias]
        tf.gradients(tf.reduce_sum(values), variables)
        return graph


timing.once(build, "build")
timing.once(build, "build again")
