# case: operators of a sparse and a dense tensor
sp = tf.SparseTensor([[0, 1], [1, 0]], [2.0, 3.0], [2, 3])
d = tf.constant(np.arange(1, 7, dtype=np.float32).reshape(2, 3), name="d")
results = [sp * d, d * sp, sp / d, sp * [1.0, 2.0, 3.0], sp * 2.0, sp / d[0:1], sp * d[:, 0:1]]
ints = tf.SparseTensor([[0, 1], [1, 0]], [7, -7], [2, 3]) / tf.constant([2, 2, 2])
nodes()
with tf.Session() as sess:
    for r in results + [ints]:
        show(r.values, sess.run(r))
for call in (lambda: sp + d, lambda: sp - d, lambda: -sp, lambda: sp * tf.constant([1, 2, 3])):
    try:
        call()
    except Exception as error:
        print(type(error).__name__)
# case: gradients of operators of a sparse and a dense tensor
v = tf.constant([2.0, 3.0], name="v")
sp = tf.SparseTensor([[0, 1], [1, 0]], v, [2, 3])
d = tf.constant(np.arange(1, 7, dtype=np.float32).reshape(2, 3), name="d")
grads = tf.gradients((sp * d).values, [v, d]) + tf.gradients((sp / d).values, [v, d])
nodes()
for x in (d[0], d[0:1], d[:, 0:1]):
    grads += tf.gradients((sp * x).values, [v]) + tf.gradients((sp / x).values, [v])
with tf.Session() as sess:
    for g, value in zip(grads, sess.run(grads)):
        show(g, value)
# case: shapes and positions that do not fit
from tensorflow.python.ops import gen_sparse_ops
with tf.Session() as sess:
    show(sess.run(gen_sparse_ops.sparse_dense_cwise_add([[0, 1], [1, 0]], [1.0, 2.0], [2, 3], [1.0, 2.0, 3.0])))
    for args in (([[0, 1]], [1.0], [2, 3], [1.0, 2.0]), ([[0, 5]], [1.0], [2, 3], [1.0, 2.0, 3.0]), ([[0, 1]], [1.0], [2, 3], [[[1.0, 2.0, 3.0]]])):
        try:
            show(sess.run(gen_sparse_ops.sparse_dense_cwise_mul(*args)))
        except tf.errors.InvalidArgumentError as error:
            print(error.message.splitlines()[0])
try:
    v = tf.constant([1.0, 2.0])
    tf.gradients(gen_sparse_ops.sparse_dense_cwise_add([[0, 1], [1, 0]], v, [2, 3], [1.0, 2.0, 3.0]), v)
except NotImplementedError as error:
    print(error)
