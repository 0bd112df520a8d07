# case: mixtures of normal distributions
import numpy as np
close = lambda x: show(np.asarray(np.round(x, 2) + 0, np.float32))
rng = np.random.RandomState(0)
X = np.concatenate([rng.randn(20, 2) * [0.6, 0.9] + 2, rng.randn(15, 2) * [0.4, 0.5] - 1]).astype(np.float32)
for kind in ("full", "diag"):
    for init, params in (("random", "wmc"), ([[2.0, 2.0], [-1.0, -1.0]], "w"), ([[2.0, 2.0], [-1.0, -1.0]], "mc"), ([[2.0, 2.0], [-1.0, -1.0]], "c")):
        with tf.Graph().as_default():
            d = tf.constant(X)
            ll, scores, assigned, train, init_op, flag = tf.contrib.factorization.gmm([d], init, 2, random_seed=4, covariance_type=kind, params=params)
            with tf.Session() as s:
                s.run(tf.global_variables_initializer())
                show(s.run(flag))
                s.run(init_op)
                show(s.run(flag))
                for _ in range(3):
                    s.run(train)
                for v in sorted(tf.global_variables(), key=lambda v: v.name):
                    print(v.name)
                    (show if v.dtype.base_dtype == tf.bool else close)(s.run(v))
                close(s.run(ll))
                close(s.run(scores)[:5])
                show(s.run(assigned)[0][0])

# case: mixtures with two tensors of points
import numpy as np
X = np.random.RandomState(0).randn(34, 2).astype(np.float32)
ll, scores, assigned, train, init_op, flag = tf.contrib.factorization.gmm([tf.constant(X[:17]), tf.constant(X[17:])], [[1.0, 1.0], [0.0, 0.0]], 2, random_seed=4)
with tf.Session() as s:
    s.run(tf.global_variables_initializer())
    s.run(init_op)
    s.run(train)
    show(np.round(s.run(ll), 2))
    print([[len(y) for y in x] for x in s.run(assigned)])

# case: a wrong kind of covariance
tf.contrib.factorization.GmmAlgorithm([tf.zeros([3, 2])], 3, covariance_type="x")

# case: weighted alternating least squares
import numpy as np
close = lambda x: show(np.asarray(np.round(x, 2) + 0, np.float32))
rng = np.random.RandomState(1)
X = (rng.rand(5, 7) * (rng.rand(5, 7) > 0.5)).astype(np.float32)
C = rng.randn(7, 3).astype(np.float32)
R = rng.randn(5, 3).astype(np.float32)
def sp(rows=None, cols=None, transpose=False):
    at = [(i, j) for i in range(5) for j in range(7) if X[i, j] and (rows is None or i in rows) and (cols is None or j in cols)]
    values = [X[i, j] for i, j in at]
    at = [(j, i) for i, j in at] if transpose else at
    return tf.SparseTensorValue(np.array(at, np.int64), np.array(values, np.float32), np.array([7, 5] if transpose else [5, 7], np.int64))
for name, more in (
    ("weighted", dict(row_weights=[0.1, 0.2, 0.3, 0.4, 0.5], col_weights=[0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7])),
    ("unweighted", dict(row_weights=None, col_weights=None)),
    ("shards", dict(row_weights=2.0, col_weights=0.5, num_row_shards=2, num_col_shards=3, row_init=[R[:3], R[3:]], col_init=[C[:3], C[3:5], C[5:]], use_gramian_cache=False, use_factors_weights_cache=False)),
):
    with tf.Graph().as_default():
        arguments = dict(regularization=0.01, unobserved_weight=0.2, row_init=R, col_init=C)
        arguments.update(more)
        m = tf.contrib.factorization.WALSModel(5, 7, 3, **arguments)
        f = tf.sparse_placeholder(tf.float32)
        rows = m.update_row_factors(f)
        cols = m.update_col_factors(f, transpose_input=True)
        projected = m.project_row_factors(f, projection_weights=None if name == "unweighted" else [0.3, 0.4])
        print(name, [v.name for v in tf.global_variables()], [v.name for v in tf.local_variables()], [v.name for v in tf.trainable_variables()])
        print([str(v.get_shape()) for v in m.row_factors + m.col_factors])
        with tf.Session() as s:
            s.run(m.initialize_op)
            s.run(m.worker_init)
            s.run(m.row_update_prep_gramian_op)
            s.run(m.initialize_row_update_op)
            for x in s.run([rows[0], rows[2], rows[3], rows[4]], {f: sp([1, 3])}):
                close(x)
            s.run(rows[1], {f: sp([1, 3])})
            s.run(rows[1], {f: sp([0, 2, 4])})
            for x in s.run([v.value() for v in m.row_factors]):
                close(x)
            close(s.run(projected, {f: sp([0, 2])}))
            s.run(m.col_update_prep_gramian_op)
            s.run(m.initialize_col_update_op)
            for x in s.run([cols[0], cols[2], cols[3], cols[4]], {f: sp(None, [1, 3], True)}):
                close(x)
            s.run(cols[1], {f: sp(None, [0, 1, 2, 4, 5], True)})
            for x in s.run([v.value() for v in m.col_factors]):
                close(x)

# case: weights of rows without weights of columns
tf.contrib.factorization.WALSModel(5, 7, 3, row_weights=[[1.0] * 5], col_weights=None)

