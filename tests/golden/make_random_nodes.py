"""Writes random_nodes.json: the nodes that TensorFlow 1.15 makes for calls of random functions.

Run it under TensorFlow 1.15: `python make_random_nodes.py [out.json]`. Each call is evaluated in a
graph with a seed; an exception is recorded in place of the nodes.
"""

import json
import sys
from pathlib import Path

import numpy as np
import tensorflow as tf

CALLS = (
    "tf.random_normal([2, 3], seed=3)",
    "tf.random_normal(tf.placeholder(tf.int64, [2]), 1, 2, tf.float64, name='foo')",
    "tf.random_normal([2], mean=tf.constant([1.0, 2.0]), stddev=[1.0, 3.0])",
    "tf.random_normal([2, 3], dtype=tf.bfloat16)",
    "tf.random_normal([2], dtype=tf.int32)",
    "tf.random.normal([], dtype=tf.float16)",
    "tf.random_uniform([2, 3], seed=3)",
    "tf.random_uniform((), -1, 2, name='u')",
    "tf.random_uniform([2, 3], maxval=3, dtype=tf.int64)",
    "tf.random_uniform([2, 3], dtype=tf.int32)",
    "tf.random_uniform([2, 3], maxval=3, dtype=tf.int8)",
    "tf.random_uniform(3)",
    "tf.random_uniform([2.0, 3.0])",
    "tf.random_uniform([tf.constant(2), 3], 0, 2)",
    "tf.random_uniform(tf.TensorShape([2, 3]))",
    "tf.random_uniform(tf.TensorShape([2, None]))",
    "tf.random_uniform(tf.placeholder(tf.int32))",
    "tf.random_uniform([2], [1, 2], 5, tf.int32)",
    "tf.random.uniform([2], [1.0, 2.0], 5.0)",
    "tf.truncated_normal([2], mean=1, stddev=tf.constant(2.0))",
    "tf.random.truncated_normal([2], dtype=tf.int32)",
    "tf.random_shuffle([1, 2, 3], name='sh')",
    "tf.random_shuffle(['a', 'b'], seed=0)",
    "tf.multinomial([[1.0, 2.0]], 5, seed=1)",
    "tf.multinomial(tf.zeros([2, 3]), 5, output_dtype=tf.int32, name='q')",
    "tf.multinomial([1.0, 2.0], 3)",
    "tf.multinomial([[1.0, 2.0]], [3])",
    "tf.multinomial([[1.0, 2.0]], -3)",
    "tf.multinomial(tf.placeholder(tf.float32), tf.placeholder(tf.int32))",
    "tf.random.categorical([[1.0, 2.0]], 5)",
    "tf.random_gamma([2], [1.0, 2.0])",
    "tf.random_gamma([2], [1.0, 2.0], beta=[[3.0], [4.0]], dtype=tf.float64, name='g')",
    "tf.random_gamma(3, [1.0])",
    "tf.random_gamma(tf.placeholder(tf.int32, [2]), tf.placeholder(tf.float32, [3, None]))",
    "tf.random_poisson([1.0, 2.0], [2])",
    "tf.random_poisson(tf.constant([1.0, 2.0]), [2], dtype=tf.int32, name='p')",
    "tf.random_poisson([1.0], 3)",
    "tf.random.stateless_uniform([2], [1, 2])",
    "tf.random.stateless_uniform([2], [1, 2], maxval=5, dtype=tf.int32)",
    "tf.random.stateless_uniform([2], [1, 2], dtype=tf.int32)",
    "tf.random.stateless_uniform([2], [1, 2, 3])",
    "tf.random.stateless_uniform([2], 1)",
    "tf.random.stateless_uniform([2], [1.0, 2.0])",
    "tf.random.stateless_normal([2], [1, 2], 1.0, 2.0)",
    "tf.random.stateless_truncated_normal([2], [1, 2], name='t')",
    "tf.random.stateless_categorical([[1.0, 2.0]], 3, [1, 2])",
    "tf.random.stateless_multinomial([[1.0, 2.0]], 3, [1, 2])",
    "tf.random_crop(np.zeros([5, 4], np.float32), [2, 3], seed=1)",
    "tf.random_crop(tf.placeholder(tf.float32), [2, 3], name='crop')",
    "tf.random_crop(tf.placeholder(tf.float32, [5, 5]), tf.placeholder(tf.int32, [2]))",
    "tf.random_crop(np.zeros([2, 2]), [1])",
)


def attr(value):
    if isinstance(value, (int, float, bool)):
        return value
    if isinstance(value, list):
        return [attr(v) for v in value]
    return value.name if isinstance(value, tf.DType) else str(value)


def row(op):
    """Name, type, inputs, attrs, and the static shapes of the outputs."""
    names = sorted(set(op.node_def.attr) - {"value", "shape", "_class"})
    shapes = [None if t.shape.ndims is None else t.shape.as_list() for t in op.outputs]
    attrs = {name: attr(op.get_attr(name)) for name in names}
    return [op.name, op.type, [t.name for t in op.inputs], attrs, shapes]


def nodes_of(call):
    with tf.Graph().as_default() as graph:
        tf.set_random_seed(7)
        try:
            eval(call, {"tf": tf, "np": np})
        except (TypeError, ValueError) as error:
            return {"error": [type(error).__name__, str(error)]}
        return {"nodes": [row(op) for op in graph.get_operations()]}


def main():
    results = {call: nodes_of(call) for call in CALLS}
    with Path(sys.argv[1] if len(sys.argv) > 1 else "random_nodes.json").open("w") as out:
        json.dump(results, out, indent=0, sort_keys=True)
        out.write("\n")


if __name__ == "__main__":
    main()
