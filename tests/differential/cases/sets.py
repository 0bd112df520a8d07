# case: sets of dense tensors
a, b = tf.constant([[1, 2, 2], [3, 1, 7]]), tf.constant([[2, 9], [7, 7]])
results = [tf.sets.set_intersection(a, b), tf.sets.set_union(a, b), tf.sets.set_difference(a, b)]
results.append(tf.sets.difference(a, b, aminusb=False))
words = tf.constant([["a", "b"], ["c", "d"]]), tf.constant([["b"], ["a"]])
results += [tf.sets.intersection(*words), tf.sets.union(*words)]
grid = tf.constant(np.arange(24).reshape(2, 3, 4) % 5), tf.constant(np.arange(12).reshape(2, 3, 2))
results.append(tf.sets.intersection(*grid))
nodes()
with tf.Session() as session:
    for result in results:
        show(session.run([result.indices, result.values, result.dense_shape]))
# case: sets of sparse tensors
a = tf.SparseTensor([[0, 0], [0, 1], [2, 1], [2, 3]], [5, 5, 6, 9], [3, 4])
b = tf.constant([[5, 1], [2, 3], [9, 8]])
results = [tf.sets.intersection(a, b), tf.sets.intersection(b, a), tf.sets.difference(a, b)]
results += [tf.sets.difference(b, a), tf.sets.difference(a, b, False), tf.sets.union(a, a)]
size = tf.sets.size(a)
nodes()
with tf.Session() as session:
    show(session.run(size))
    for result in results:
        show(session.run([result.indices, result.values, result.dense_shape]))
# case: shapes of sets
x, y = tf.placeholder(tf.int32), tf.placeholder(tf.int32, [3, None, 2])
for result in (tf.sets.intersection(x, x), tf.sets.union(x, y), tf.sets.union(y, x)):
    print(result.indices.shape, result.values.shape, result.dense_shape.shape)
# case: sets of vectors
tf.sets.intersection(tf.constant([1, 2]), tf.constant([2]))
# case: sets of different ranks
tf.sets.intersection(tf.constant([[1, 2]]), tf.constant([2]))
# case: different numbers of sets
tf.sets.intersection(tf.constant([[1, 2]]), tf.constant([[2], [3]]))
# case: sets of different types
tf.sets.intersection(tf.constant([1]), tf.constant(["a"]))
# case: sets of floats
tf.sets.intersection(tf.constant([[1.0]]), tf.constant([[1.0]]))
# case: sizes of dense sets
tf.sets.size(tf.constant([[1]]))
# case: sets of unfit shapes
x = tf.placeholder(tf.int32)
result = tf.sets.intersection(x, tf.constant([[2], [3]]))
unsorted = tf.sets.size(tf.SparseTensor([[0, 1], [0, 0]], [1, 2], [1, 2]))
with tf.Session() as session:
    for value in ([1], [[1]], [[[1]]]):
        try:
            session.run(result.values, {x: value})
        except tf.errors.InvalidArgumentError as error:
            print(error.message.split("\n")[0])
    try:
        session.run(unsorted)
    except tf.errors.InvalidArgumentError as error:
        print(error.message.split("\n")[0])
# case: dense tensors of sparse values
results = [tf.sparse_to_dense([0, 2], [4], [1.0, 2.0])]
results.append(tf.sparse_to_dense([[0, 2], [1, 1]], [4, 3], [1.0, 2.0], 7.0))
results.append(tf.sparse_to_dense([[2, 1], [1, 1]], [4, 3], [1, 2], 7, validate_indices=False))
results += [tf.sparse_to_dense(2, [4], 1.0), tf.sparse_to_dense([[2, 1], [3, 1]], [4, 3], 1.0)]
results.append(tf.sparse_to_dense([2], [4], ["a"], "b"))
shape = tf.placeholder(tf.int64, [2])
show(tf.sparse_to_dense(tf.placeholder(tf.int64), shape, tf.placeholder(tf.float32)))
nodes()
with tf.Session() as session:
    show(session.run(results))
# case: gradients of dense tensors
v, d = tf.placeholder(tf.float32, [2]), tf.placeholder(tf.float32, [])
x = tf.sparse_to_dense([[2, 1], [3, 1]], [4, 3], v, d)
gradients = tf.gradients(x, [v, d], tf.constant(np.arange(12.0, dtype=np.float32).reshape(4, 3)))
nodes()
with tf.Session() as session:
    show(session.run(gradients, {v: [1, 2], d: 3}))
# case: unfit sparse values
rows, shape = tf.placeholder(tf.int64), tf.placeholder(tf.int64)
x = tf.sparse_to_dense(rows, shape, tf.placeholder_with_default([1.0, 2.0], None))
checks = [([[2, 0], [1, 1]], [4, 3]), ([[1, 1], [1, 1]], [4, 3]), ([[2, 7], [1, 1]], [4, 3])]
checks += [([[1, 1]], [4, 3]), ([[1, 1], [2, 2]], [4, 3, 2]), ([-2, 1], [4])]
with tf.Session() as session:
    for fed in checks:
        try:
            session.run(x, dict(zip((rows, shape), fed)))
        except tf.errors.InvalidArgumentError as error:
            print(error.message.split("\n")[0])
