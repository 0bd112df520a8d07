# case: values of serialized and crossed sparse tensors
def S(indices, values, shape):
    rows = np.array(indices, np.int64).reshape(
        len(indices), len(indices[0]) if indices else len(shape)
    )
    parts = rows, np.array(values), np.array(shape, np.int64)
    return tf.SparseTensor(*[tf.placeholder_with_default(part, None) for part in parts])


def attempt(function):
    with tf.Graph().as_default(), tf.Session() as session:
        try:
            show(session.run(function()))
        except Exception as error:
            print(type(error).__name__, str(error).split("\n")[0])


attempt(lambda: tf.serialize_sparse(S([[0, 1]], [1.0], [2, 7])))
attempt(lambda: tf.serialize_many_sparse(S([[0, 1], [2, 0], [2, 3]], [1, 2, 3], [4, 7])))
attempt(lambda: tf.serialize_many_sparse(S([[0, 1], [2, 0], [2, 3]], ["a", "b", "c"], [4, 7])))
attempt(lambda: tf.serialize_many_sparse(S([[0]], [1], [4])))
attempt(
    lambda: tf.deserialize_many_sparse(
        tf.serialize_many_sparse(S([[0, 1], [2, 0], [2, 3]], [1, 2, 3], [4, 7])), tf.int64
    )
)
attempt(
    lambda: tf.deserialize_many_sparse(
        tf.stack(
            [
                tf.serialize_sparse(S([[0, 1]], [1.0], [2, 7])),
                tf.serialize_sparse(S([[1, 1]], [5.0], [3, 6])),
            ]
        ),
        tf.float64,
    )
)
attempt(
    lambda: tf.deserialize_many_sparse(
        tf.serialize_many_sparse(S([[0, 1], [2, 0], [2, 3]], [1, 2, 3], [4, 7])), tf.float32
    )
)
attempt(lambda: tf.deserialize_many_sparse([["a", "b", "c"]], tf.float32))
attempt(lambda: tf.deserialize_many_sparse([["", "b"]], tf.float32))
attempt(
    lambda: tf.deserialize_many_sparse(
        tf.stack(
            [
                tf.serialize_sparse(S([[0, 1]], [1.0], [2, 7])),
                tf.serialize_sparse(S([[1]], [5.0], [3])),
            ]
        ),
        tf.float64,
    )
)
attempt(lambda: tf.deserialize_many_sparse(tf.zeros([0, 3], tf.string), tf.float32))
attempt(
    lambda: tf.sparse.cross(
        [
            S([[0, 0], [0, 1], [1, 0]], ["a", "b", "c"], [2, 2]),
            tf.constant([["x", "y"], ["z", "w"]]),
        ]
    )
)
attempt(
    lambda: tf.sparse.cross_hashed(
        [
            S([[0, 0], [0, 1], [1, 0]], ["a", "b", "c"], [2, 2]),
            tf.constant([["x", "y"], ["z", "w"]]),
        ]
    )
)
attempt(
    lambda: tf.sparse.cross_hashed(
        [
            S([[0, 0], [0, 1], [1, 0]], ["a", "b", "c"], [2, 2]),
            tf.constant([["x", "y"], ["z", "w"]]),
        ],
        100,
    )
)
attempt(
    lambda: tf.sparse.cross_hashed(
        [S([[0, 0], [0, 1], [1, 0]], [1, 2, 3], [2, 2]), tf.constant([[7, 8], [9, 10]])], 100, 7
    )
)
attempt(
    lambda: tf.sparse.cross_hashed(
        [S([[0, 0], [0, 1], [1, 0]], [1, 2, 3], [2, 2]), tf.constant([[7, 8], [9, 10]])]
    )
)
attempt(
    lambda: tf.sparse.cross(
        [S([[0, 0], [1, 0]], [1, 3], [2, 2]), tf.constant([[7], [9]]), S([[1, 0]], ["a"], [2, 2])]
    )
)
attempt(
    lambda: tf.sparse.cross_hashed(
        [S([[0, 0], [1, 0]], [1, 3], [2, 2]), S([[1, 0]], ["a"], [2, 2])]
    )
)
attempt(lambda: tf.sparse.cross([S([[0, 0], [1, 0]], [1, 3], [2, 2]), S([[1, 0]], ["a"], [3, 2])]))
attempt(lambda: tf.sparse.cross_hashed([tf.constant([["a"]])]))
attempt(
    lambda: tf.sparse.cross([tf.constant([["a", "b"]]), tf.constant([[""]]), tf.constant([[-5]])])
)
# case: sparse_cross
numbers = tf.SparseTensor([[0, 0]], tf.constant([1], tf.int64), [1, 2])
r = tf.sparse.cross([numbers, tf.constant([["a"]])])
t = tf.sparse.cross_hashed([tf.constant([["a"]]), tf.constant([[2]])], 100, 5, "n")
show([r.indices, r.values, r.dense_shape], [t.indices, t.values, t.dense_shape])
nodes()
# case: serialize_sparse
s = tf.SparseTensor([[0, 1]], [1.0], [3, 4])
show(tf.serialize_sparse(s), tf.serialize_many_sparse(s), tf.serialize_sparse(s, "n", tf.variant))
r = tf.deserialize_many_sparse(tf.placeholder(tf.string, [None, 3]), tf.float32, rank=2)
t = tf.deserialize_many_sparse(tf.placeholder(tf.string, [None, 3]), tf.float32)
show([r.indices, r.values, r.dense_shape], [t.indices, t.values, t.dense_shape])
nodes()
