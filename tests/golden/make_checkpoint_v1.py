"""Writes checkpoint_v1 with a real TensorFlow: python make_checkpoint_v1.py, from release 1.15."""

from pathlib import Path

import numpy as np
import tensorflow as tf

HERE = Path(__file__).parent
VALUES = {
    "f32": np.float32([[1, 2], [3, 4]]),
    "f64": np.float64([1.5, 2]),
    "i32": np.int32([-1, 2]),
    "i64": np.int64(7),
    "u8": np.uint8([200, 3]),
    "i8": np.int8([-3]),
    "i16": np.int16([-3, 4]),
    "b": np.array([True, False]),
    "s": np.array([b"ab", b""]),
    "c64": np.complex64([1 + 2j]),
    "empty": np.zeros([0, 3], np.float32),
}

variables = [tf.Variable(VALUES[name], name=name) for name in sorted(VALUES)]
saver = tf.train.Saver(variables, write_version=tf.train.SaverDef.V1)
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    saver.save(
        session,
        str(HERE / "checkpoint_v1"),
        latest_filename="checkpoint_v1.state",
        write_meta_graph=False,
    )
(HERE / "checkpoint_v1.state").unlink()
