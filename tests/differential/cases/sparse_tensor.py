# case: sparse tensors
s = tf.SparseTensor([[0, 1], [1, 0]], [1.0, 2.0], [2, 3])
print(s, s.get_shape(), s.dtype, s.op.name, s.dense_shape, s.consumers())
sess = tf.Session()
show(sess.run(s), s.eval(session=sess))
p = tf.SparseTensor(tf.placeholder(tf.int64), tf.placeholder(tf.float32, [None]), tf.placeholder(tf.int64, [2]))
show(sess.run(p, {p: tf.SparseTensorValue([[0, 0]], [3.0], [1, 1])}), sess.run(p, {p: ([[0, 0]], [3.0], [1, 1])}))
show(tf.convert_to_tensor_or_sparse_tensor(s) is s)
print(tf.convert_to_tensor_or_sparse_tensor(tf.SparseTensorValue([[0, 0]], [3.0], [1, 1])))
# case: bad rank of indices
tf.SparseTensor([0, 1], [1.0, 2.0], [2, 3])
# case: bad number of values
tf.SparseTensor([[0, 1], [1, 2], [1, 1]], [1.0, 2.0], [2, 3])
# case: bad number of dimensions
tf.SparseTensor([[0, 1, 2], [1, 2, 2]], [1.0, 2.0], [2, 3])
# case: assertions
def attempt(*args, **kwargs):
    try:
        print(tf.Session().run(tf.Assert(*args, **kwargs)))
    except tf.errors.InvalidArgumentError as e:
        print(e.message.splitlines()[0])
x = tf.constant([1.0, 2.0], name="x")
p = tf.placeholder_with_default(False, [])
attempt(p, ["msg", x, tf.constant(3), "b"], summarize=1)
attempt(p, [x, tf.constant([[True, False], [True, True]]), tf.constant("abc")])
attempt(p, [tf.range(10), tf.constant([[1.5, 2.25], [1e10, 1e-7]]), tf.constant([1.0, 2.0, 3.0, 4.0], tf.float64)])
attempt(p, [tf.constant(np.arange(24.0).reshape(2, 3, 4)), tf.constant(["a", "bb"])], summarize=7)
attempt(tf.logical_not(p), ["fine"])
# case: the shape of a sparse tensor
s = tf.SparseTensor([[0, 0]], [1], [2, 3])
show(tf.shape(s), tf.shape(s, out_type=tf.int64), tf.rank(s), tf.size(s), tf.size(s, out_type=tf.int64, name="n"))
nodes()
with tf.Session() as sess:
    show(sess.run([tf.shape(s), tf.rank(s), tf.size(s), tf.rank(tf.SparseTensorValue([[0]], [1.0], np.array([4], np.int64)))]))
