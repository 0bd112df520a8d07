"""Writes mnist_model.json: the fully connected MNIST model as TensorFlow 1.0.0 trains it.

Run it with the Python of TensorFlow 1.0.0, the last release that has the model.
"""

import json
from pathlib import Path

import numpy as np
import tensorflow as tf
from tensorflow.examples.tutorials.mnist import mnist

SEED, BATCH, STEPS = 7, 5, 4


def main():
    tf.set_random_seed(SEED)
    images = tf.placeholder(tf.float32, (BATCH, mnist.IMAGE_PIXELS))
    labels = tf.placeholder(tf.int32, (BATCH,))
    logits = mnist.inference(images, 6, 4)
    loss = mnist.loss(logits, labels)
    step = mnist.training(loss, 0.1)
    right = mnist.evaluation(logits, labels)
    nodes = [
        [op.name, op.type.replace("VariableV2", "Variable")]
        for op in tf.get_default_graph().get_operations()
        if not op.name.startswith("gradients")
    ]
    pixels = np.linspace(0, 1, BATCH * mnist.IMAGE_PIXELS, dtype=np.float32)
    feeds = {images: pixels.reshape(BATCH, -1), labels: np.arange(BATCH) % 3}
    losses = []
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        first = sess.run(logits, feeds)
        for _ in range(STEPS):
            losses.append(float(sess.run([loss, step], feeds)[0]))
        count = int(sess.run(right, feeds))
        global_step = int(sess.run("global_step:0"))
    golden = {
        "nodes": nodes,
        "logits": first.tolist(),
        "losses": losses,
        "right": count,
        "global_step": global_step,
    }
    Path(__file__).with_name("mnist_model.json").write_text(json.dumps(golden) + "\n")


if __name__ == "__main__":
    main()
