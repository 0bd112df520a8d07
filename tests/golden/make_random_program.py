"""Writes random_program.npz: what a seeded program draws under TensorFlow 1.15.

Run it under TensorFlow 1.15: `python make_random_program.py [out.npz]`. Tests run `program` too.
"""

import sys

import numpy as np


def program(tf):
    """Initial values of variables, and three steps of numbers that change from step to step."""
    tf.set_random_seed(1234)
    weights = tf.Variable(tf.truncated_normal([5, 5, 1, 32], stddev=0.1), name="weights")
    hidden = tf.Variable(tf.random_normal([30, 7], mean=2.0, stddev=0.5, seed=9), name="hidden")
    scale = tf.Variable(tf.random_uniform([11], -0.05, 0.05, tf.float64), name="scale")
    order = tf.random_shuffle(tf.range(20))
    noise = tf.random_normal(tf.shape(hidden))
    # What dropout does: a uniform number per element, rounded down after the rate is added.
    mask = tf.floor(0.5 + tf.random_uniform([30, 7], seed=4))
    step = {
        "order": order,
        "noise": hidden * mask + noise,
        "sum": tf.reduce_sum(noise * mask),
        "label": tf.multinomial(tf.zeros([3, 50]), 4),
    }
    results = {}
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        values = session.run({"weights": weights, "hidden": hidden, "scale": scale})
        results.update(values)
        for number in range(3):
            for name, value in session.run(step).items():
                results[f"{name}/{number}"] = value
    return results


def main():
    import tensorflow as tf

    path = sys.argv[1] if len(sys.argv) > 1 else "random_program.npz"
    np.savez_compressed(path, **program(tf))


if __name__ == "__main__":
    main()
