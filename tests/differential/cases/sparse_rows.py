# case: sparse_reshape
s = tf.SparseTensor([[0, 0], [0, 1], [2, 1], [2, 3]], [5.0, 5.0, 6.0, 9.0], [3, 4])
results = [tf.sparse_reshape(s, [2, -1]), tf.sparse_reshape(s, [3, 2, 2], name="q")]
print([r.get_shape() for r in results])
indices, shape = tf.placeholder(tf.int64, [None, 2]), tf.placeholder(tf.int64, [2])
unknown = tf.SparseTensor(indices, tf.placeholder(tf.float32), shape)
results.append(tf.sparse_reshape(unknown, tf.placeholder(tf.int32)))
results.append(tf.sparse_reshape(unknown, tf.placeholder(tf.int64, [3])))
show([r.indices for r in results], [r.dense_shape for r in results])
nodes()
with tf.Session() as session:
    for r in results[:2]:
        show(session.run([r.indices, r.values, r.dense_shape]))
# case: sparse_reshape to too few elements
tf.sparse_reshape(tf.SparseTensor([[0, 0]], [1], [3, 4]), [5, -1])
# case: sparse_reshape to two unknown lengths
tf.sparse_reshape(tf.SparseTensor([[0, 0]], [1], [3, 4]), [-1, -1])
# case: sparse_reshape to fed shapes
shape = tf.placeholder(tf.int64)
s = tf.sparse_reshape(tf.SparseTensor([[0, 1], [1, 2]], [1, 2], [2, 3]), shape)
with tf.Session() as session:
    for fed in ([6], [3, -1], [1, 2, 3], [4, -1], [4, 2], [-1, -1], [-5, -1]):
        try:
            show(session.run([s.indices, s.dense_shape], {shape: fed}))
        except tf.errors.InvalidArgumentError as error:
            print(error.message.split("\n")[0])
# case: sparse_retain
s = tf.SparseTensor([[0, 0], [0, 1], [2, 1], [2, 3]], [5.0, 5.0, 6.0, 9.0], [3, 4])
r = tf.sparse_retain(s, [True, False, True, False])
nodes()
with tf.Session() as session:
    show(session.run([r.indices, r.values, r.dense_shape]))
# case: sparse_retain of too few booleans
tf.sparse_retain(tf.SparseTensor([[0, 0], [0, 1]], [1, 2], [3, 4]), [True])
# case: sparse_retain of a dense tensor
tf.sparse_retain(3, [True])
# case: sparse_fill_empty_rows
v = tf.placeholder_with_default([1.0, 2.0, 3.0], [3])
d = tf.placeholder_with_default(9.0, [])
s = tf.SparseTensor([[2, 0], [0, 1], [2, 1]], v, [4, 5])
r, empty = tf.sparse_fill_empty_rows(s, d)
words, _ = tf.sparse_fill_empty_rows(tf.SparseTensor([[1]], ["a"], [2]), "b", name="words")
gradients = tf.gradients(r.values * [1.0, 2.0, 3.0, 4.0, 5.0], [v, d])
nodes()
with tf.Session() as session:
    show(session.run([r.indices, r.values, r.dense_shape, empty, words.values, gradients]))
# case: sparse_fill_empty_rows of rows out of range
rows, shape = tf.placeholder(tf.int64, [None, 2]), tf.placeholder(tf.int64, [2])
r, _ = tf.sparse_fill_empty_rows(tf.SparseTensor(rows, tf.ones([tf.shape(rows)[0]]), shape), 2.0)
with tf.Session() as session:
    for fed in (
        ([[0, 1]], [2, 2]),
        ([[0, 1], [3, 0]], [2, 2]),
        ([[0, 1]], [0, 2]),
        ([[-1, 1]], [2, 2]),
    ):
        try:
            show(session.run([r.indices, r.values], dict(zip((rows, shape), fed))))
        except tf.errors.InvalidArgumentError as error:
            print(error.message.split("\n")[0])
