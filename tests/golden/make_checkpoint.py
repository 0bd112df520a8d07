"""Writes the folder checkpoint/: a checkpoint of format V2 with many types.

Run it with the Python of TensorFlow 1.15.5.
"""

from pathlib import Path

import numpy as np
import tensorflow as tf

FOLDER = Path(__file__).parent / "checkpoint"

for dtype in (
    *(tf.float16, tf.bfloat16, tf.float32, tf.float64, tf.int8, tf.int16, tf.int32, tf.int64),
    *(tf.uint8, tf.uint16, tf.bool, tf.complex64, tf.complex128),
):
    tf.Variable(tf.cast([[0, 1], [1, 0], [1, 1]], dtype), name=dtype.name)
tf.Variable(["", "one", "x" * 200], name="string")
tf.Variable(7, name="scalar")
tf.Variable(np.zeros((0, 3), np.float32), name="empty")
tf.get_variable("scope/resource", initializer=[1.5, -2.5], use_resource=True)
for axis, rows in ((0, 3), (1, 200)):
    tf.get_variable(
        f"slices_{axis}",
        [rows, 4],
        tf.int32,
        lambda shape, dtype, partition_info: tf.fill(shape, sum(partition_info.var_offset)),
        partitioner=tf.fixed_size_partitioner(2, axis),
    )
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    tf.train.Saver().save(session, str(FOLDER / "v2"), write_state=False, write_meta_graph=False)
