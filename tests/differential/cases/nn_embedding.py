# case: embedding_lookup
show(tf.nn.embedding_lookup(tf.placeholder(tf.float32, [5, 3]), tf.placeholder(tf.int32, [4])))
params = [tf.placeholder(tf.float32, [5, 3])]
show(tf.nn.embedding_lookup(params, tf.placeholder(tf.int32, [4, 2]), max_norm=1.0, name="e"))
nodes()
# case: embedding_lookup in variables
v = tf.get_variable("v", [5, 3], initializer=tf.zeros_initializer())
show(tf.nn.embedding_lookup(v, [1, 2]))
parts = tf.fixed_size_partitioner(2)
w = tf.get_variable("w", [5, 3], initializer=tf.zeros_initializer(), partitioner=parts)
show(tf.nn.embedding_lookup(w, [1, 2], name="p"))
r = tf.get_variable("r", [5, 3], initializer=tf.zeros_initializer(), use_resource=True)
show(tf.nn.embedding_lookup(r, [1, 2], name="q"))
nodes()
# case: embedding_lookup in parts
params = [tf.placeholder(tf.float32, [5, 3]), tf.placeholder(tf.float32, [5, 3])]
show(tf.nn.embedding_lookup(params, tf.placeholder(tf.int32, [4, 2])))
show(tf.nn.embedding_lookup(params, tf.placeholder(tf.int64, [4]), "div", name="d"))
params = [tf.placeholder(tf.float32, [5, 3]), tf.placeholder(tf.float32, [None, 3])]
show(tf.nn.embedding_lookup(params, tf.placeholder(tf.int64, [4]), "div", name="z", max_norm=2.0))
params = [tf.placeholder(tf.float32), tf.placeholder(tf.float32)]
show(tf.nn.embedding_lookup(params, tf.placeholder(tf.int64), name="y"))
nodes()
# case: values of embedding_lookup
whole = np.arange(14).reshape(7, 2).astype("f")
ids = np.array([[6, 0, 3], [1, 2, 2]])
with tf.Session() as session:
    show(session.run(tf.nn.embedding_lookup(whole, ids)))
    show(session.run(tf.nn.embedding_lookup([whole[0::3], whole[1::3], whole[2::3]], ids)))
    show(session.run(tf.nn.embedding_lookup([whole[:3], whole[3:5], whole[5:]], ids, "div")))
    show(session.run(tf.nn.embedding_lookup(whole, ids, max_norm=3.0)))
# case: embedding_lookup with an unknown strategy
params = [tf.placeholder(tf.float32, [5, 3]), tf.placeholder(tf.float32, [5, 3])]
tf.nn.embedding_lookup(params, tf.placeholder(tf.int64, [4]), partition_strategy="x")
# case: embedding_lookup in an empty list
tf.nn.embedding_lookup([], tf.placeholder(tf.int64, [4]))
# case: embedding_lookup in None
tf.nn.embedding_lookup(None, tf.placeholder(tf.int64, [4]))
# case: embedding_lookup_sparse
ids = tf.SparseTensor([[0, 0], [0, 1], [1, 0]], [1, 3, 0], [2, 2])
weights = tf.SparseTensor([[0, 0], [0, 1], [1, 0]], [1.0, 3.0, 2.0], [2, 2])
params = tf.placeholder(tf.float32, [5, 3])
for combiner in ("sum", "mean", "sqrtn"):
    with tf.name_scope(combiner):
        show(tf.nn.embedding_lookup_sparse(params, ids, None, combiner=combiner))
        show(tf.nn.embedding_lookup_sparse(params, ids, weights, combiner=combiner, name="q"))
nodes()
# case: values of embedding_lookup_sparse
ids = tf.SparseTensor([[0, 0], [0, 1], [1, 0]], [1, 3, 0], [2, 2])
weights = tf.SparseTensor([[0, 0], [0, 1], [1, 0]], [1.0, 3.0, 2.0], [2, 2])
whole = np.arange(10).reshape(5, 2).astype("f")
with tf.Session() as session:
    for combiner in ("sum", "mean", "sqrtn"):
        show(session.run(tf.nn.embedding_lookup_sparse(whole, ids, None, combiner=combiner)))
        show(session.run(tf.nn.embedding_lookup_sparse(whole, ids, weights, combiner=combiner)))
# case: embedding_lookup_sparse with an unknown combiner
ids = tf.SparseTensor([[0, 0]], [1], [2, 2])
tf.nn.embedding_lookup_sparse(tf.placeholder(tf.float32, [5, 3]), ids, None, combiner="max")
# case: embedding_lookup_sparse with dense weights
ids = tf.SparseTensor([[0, 0]], [1], [2, 2])
params = tf.placeholder(tf.float32, [5, 3])
tf.nn.embedding_lookup_sparse(params, ids, tf.placeholder(tf.float32), combiner="sum")
# case: embedding_lookup_sparse with dense ids
params = tf.placeholder(tf.float32, [5, 3])
tf.nn.embedding_lookup_sparse(params, tf.placeholder(tf.int32), None, combiner="sum")
# case: safe_embedding_lookup_sparse
indices, shape = tf.placeholder(tf.int64, [None, 2]), tf.placeholder(tf.int64, [2])
s = tf.SparseTensor(indices, tf.placeholder(tf.int64, [None]), shape)
v = tf.SparseTensor(indices, tf.placeholder(tf.float32, [None]), shape)
w = tf.get_variable("w", [10, 5])
show(tf.nn.safe_embedding_lookup_sparse(w, s))
show(tf.nn.safe_embedding_lookup_sparse([w], s, v, "sum", default_id=3, name="n", max_norm=1.0))
show(tf.nn.safe_embedding_lookup_sparse([w, w], s, v))
nodes()
# case: values of safe_embedding_lookup_sparse
ids = tf.SparseTensor([[0, 0, 0], [0, 0, 1], [0, 1, 0], [1, 1, 2]], tf.constant([1, 2, -1, 3], tf.int64), [2, 2, 3])
weights = tf.SparseTensor(ids.indices, [1.0, 0.5, 1.0, 0.0], ids.dense_shape)
w = tf.constant(np.arange(10, dtype=np.float32).reshape(5, 2))
results = [tf.nn.safe_embedding_lookup_sparse(w, ids), tf.nn.safe_embedding_lookup_sparse(w, ids, weights)]
results.append(tf.nn.safe_embedding_lookup_sparse(w, ids, weights, "sum"))
results.append(tf.nn.safe_embedding_lookup_sparse(w, ids, weights, "sqrtn", default_id=4))
results.append(tf.nn.safe_embedding_lookup_sparse([w[:3], w[3:]], ids, default_id=0))
with tf.Session() as session:
    show(session.run(results))
# case: safe_embedding_lookup_sparse without a matrix
tf.nn.safe_embedding_lookup_sparse([], tf.SparseTensor([[0, 0]], [1], [1, 1]))
