"""Records a graph of nested loops, branches and gradients as a real TensorFlow makes it.

ORACLE/bin/python tests/golden/make_control_flow_graphs.py [folder]

Run it under each release; the files are named after the release. The values are printed.
"""

import gzip
import pathlib
import sys

import tensorflow as tf


def body(i, a):
    """One iteration: an inner loop, then a branch, then a branch in a branch."""
    _, b = tf.while_loop(
        lambda j, b: tf.less(j, k), lambda j, b: (j + 1, b * x), [tf.constant(0), a]
    )
    halved = tf.cond(tf.greater(i, 1), lambda: b * 0.5, lambda: tf.sin(b))
    return i + 1, tf.cond(p, lambda: b + 1.0, lambda: halved * 2.0)


x = tf.placeholder(tf.float32, [2], name="x")
p = tf.placeholder(tf.bool, [], name="p")
k = tf.placeholder(tf.int32, [], name="k")
_, result = tf.while_loop(lambda i, a: tf.less(i, 3), body, [tf.constant(0), x])
_, array = tf.while_loop(
    lambda i, array: tf.less(i, 3),
    lambda i, array: (i + 1, array.write(i, x * tf.cast(i, tf.float32))),
    [tf.constant(0), tf.TensorArray(tf.float32, 3)],
)
out = tf.identity(result, name="out")
tf.identity(tf.gradients(out, x)[0], name="gradient")
tf.identity(array.stack() if hasattr(array, "stack") else array.pack(), name="stacked")

here = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else pathlib.Path(__file__).parent
release = tf.__version__
graph_def = tf.get_default_graph().as_graph_def()
for node in graph_def.node:
    node.attr.pop("_output_shapes", None)
data = gzip.compress(graph_def.SerializeToString())
(here / f"control_flow_graph-{release}.pb.gz").write_bytes(data)
with tf.Session() as session:
    for decision in (True, False):
        feed = {x: [0.5, 0.8], p: decision, k: 2}
        print(
            decision, [v.tolist() for v in session.run(["out:0", "gradient:0", "stacked:0"], feed)]
        )
