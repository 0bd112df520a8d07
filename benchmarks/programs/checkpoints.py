"""Saving and restoring a gigabyte in 100 variables, in both formats of checkpoints."""

import os
import shutil
import tempfile

import tensorflow as tf
from timing import measure

COUNT = 100
MEGABYTES = int(os.environ.get("CHECKPOINT_MEGABYTES", "1000"))
FORMATS = (("V2", tf.train.SaverDef.V2), ("V1", tf.train.SaverDef.V1))

size = MEGABYTES * 1000000 // 4 // COUNT
variables = [
    tf.get_variable("v%d" % i, initializer=tf.random_uniform([size], seed=i)) for i in range(COUNT)
]
emptied = tf.group(*[v.assign(tf.zeros([size])) for v in variables])
total = tf.add_n([tf.reduce_sum(v) for v in variables])
folder = tempfile.mkdtemp()
try:
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for name, version in FORMATS:
            saver = tf.train.Saver(variables, write_version=version)
            path = os.path.join(folder, name)

            def save(saver=saver, path=path):
                saver.save(session, path, write_meta_graph=False, write_state=False)

            def restore(saver=saver, path=path):
                saver.restore(session, path)

            def check():
                session.run(emptied)
                restore()
                return session.run(total)

            measure(save, "save, %s" % name, block=1)
            measure(restore, "restore, %s" % name, check=check, block=1)
            for file in os.listdir(folder):
                os.remove(os.path.join(folder, file))
finally:
    shutil.rmtree(folder)
