# case: positions of indicators
from tensorflow.contrib.layers.python.ops import sparse_ops
with tf.Session() as session:
    for rows, options in [
        ([[1, 0, 0, 2], [0, 0, 0, 0], [0, 3, 0, 0]], {}),
        ([[0, 1], [1, 1]], {"dtype": tf.int32}),
        ([[b"", b"a", b"b"]], {}),
        ([[b"x", b"q"]], {"ignore_value": "x"}),
        ([-1.0, 2.0, 0.0, -1.0], {"ignore_value": -1.0}),
        ([[[0, 1], [0, 0]], [[1, 0], [1, 1]]], {}),
        (np.zeros([2, 3]), {}),
    ]:
        show(session.run(sparse_ops.indicators_to_sparse_ids(rows, **options)))
made = sparse_ops.indicators_to_sparse_ids(tf.placeholder(tf.string, [None, 3]))
print(made.indices, made.values, made.dense_shape)
# case: envelopes of rows
from tensorflow.contrib.layers.python.ops import sparse_ops
flat = tf.SparseTensor([[0, 0], [0, 3], [2, 0], [2, 1]], [1, 2, 3, 4], [3, 5])
deep = tf.SparseTensor([[0, 0, 0], [0, 2, 1], [1, 1, 0]], [1, 2, 3], [2, 5, 2])
empty = tf.SparseTensor(np.zeros([0, 2], np.int64), np.zeros([0], np.int64), [3, 5])
made = [sparse_ops.sparse_row_envelope(x) for x in (flat, deep, empty)]
made.append(sparse_ops.sparse_row_envelope(deep, row_axis=1, col_axis=2))
with tf.Session() as session:
    show(session.run(made))
print(made)
