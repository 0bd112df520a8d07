"""Writes `object_checkpoint/` with TensorFlow 1.15.5: a checkpoint of objects after two steps.

Run as `DIR/tf-1.15.5/bin/python tests/golden/make_object_checkpoint.py`; `build` is what both
sides run.
"""

from pathlib import Path


def build(tf):
    """The objects of the checkpoint: (root, op of a training step, table)."""
    dense = tf.layers.Dense(2, name="dense")
    weight = tf.Variable([1.0, 2.0], name="weight")
    outputs = dense(tf.ones([3, 4])) * weight
    optimizer = tf.train.AdamOptimizer(0.1)
    step = tf.Variable(0, name="step", use_resource=True, trainable=False)
    train = optimizer.minimize(tf.reduce_sum(outputs**2), global_step=step)
    cell = tf.nn.rnn_cell.MultiRNNCell(
        [tf.nn.rnn_cell.BasicLSTMCell(2), tf.nn.rnn_cell.ResidualWrapper(tf.nn.rnn_cell.GRUCell(2))]
    )
    tf.nn.dynamic_rnn(cell, tf.ones([2, 3, 2]), dtype=tf.float32)
    table = tf.contrib.lookup.MutableHashTable(tf.string, tf.int64, -1)
    root = tf.train.Checkpoint(dense=dense, optimizer=optimizer, step=step, cell=cell, table=table)
    root.parts = [weight, {"same": weight}]
    return root, train, table


def main():
    import tensorflow as tf

    folder = Path(__file__).parent / "object_checkpoint"
    root, train, table = build(tf)
    filled = table.insert(["a", "b"], tf.constant([1, 2], tf.int64))
    with tf.Session() as session:
        session.run([tf.global_variables_initializer(), filled])
        for _ in range(2):
            session.run(train)
        root.save(str(folder / "model"), session)


if __name__ == "__main__":
    main()
