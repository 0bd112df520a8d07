# case: solvers of contrib
from tensorflow.contrib.solvers.python.ops import lanczos, least_squares, linear_equations, util

s = tf.Session()
rng = np.random.RandomState(0)
A = rng.randn(6, 4).astype(np.float32)
b = rng.randn(6).astype(np.float32)
r = lambda x: (np.round(np.asarray(x, np.float64), 2) + 0.0).tolist()
op = util.create_operator(tf.constant(A))
print(op._fields, op.shape, op.dtype)
print(r(s.run(op.apply(tf.ones([4, 1])))), r(s.run(op.apply_adjoint(tf.ones([6, 1])))))
st = least_squares.cgls(op, tf.constant(b), tol=1e-6, max_iter=3)
print(st._fields)
v = s.run(list(st))
print([(np.shape(x), r(x)) for x in v])
st = least_squares.cgls(op, tf.constant(b), tol=1e-6, max_iter=20)
v = s.run(list(st))
print([(np.shape(x), r(x)) for x in v])
P = (A.T @ A).astype(np.float32)
o2 = util.create_operator(tf.constant(P))
try:
    st = linear_equations.conjugate_gradient(o2, tf.constant(b[:4]), tol=1e-6, max_iter=3)
    print(st._fields)
    v = s.run(list(st))
    print([(np.shape(x), r(x)) for x in v])
    st = linear_equations.conjugate_gradient(
        o2, tf.constant(b[:4]), x=tf.constant([1.0, 2.0, 3.0, 4.0]), tol=1e-6, max_iter=2
    )
    v = s.run(list(st))
    print([(np.shape(x), r(x)) for x in v])
except Exception as e:
    print(e)
for orth in (True, False):
    lb = lanczos.lanczos_bidiag(
        op, 3, orthogonalize=orth, starting_vector=tf.ones([6]) if 1 else None
    )
    print(lb._fields)
    v = s.run(list(lb))
    print([(np.shape(x), r(x)) for x in v])
print(
    r(
        s.run(
            lanczos.bidiag_matmul(
                tf.constant(A),
                tf.constant([1.0, 2.0, 3.0]),
                tf.constant([0.1, 0.2, 0.3]),
                adjoint_b=False,
            )
        )
    ),
    r(
        s.run(
            lanczos.bidiag_matmul(
                tf.constant(A[:, :3]),
                tf.constant([1.0, 2.0, 3.0]),
                tf.constant([0.1, 0.2, 0.3]),
                adjoint_b=True,
            )
        )
    ),
)
print(
    r(
        s.run(
            [
                util.l2norm(tf.constant(b[:, None])),
                util.l2norm_squared(tf.constant(b[:, None])),
                util.dot(tf.constant(b[:, None]), tf.constant(b[:, None])),
            ]
        )
    ),
    [r(x) for x in s.run(util.l2normalize(tf.constant(b[:, None])))],
)
print(hasattr(util, "identity_operator"))
try:
    io = util.identity_operator(tf.constant(A))
    print(io._fields, r(s.run(io.apply(tf.ones([4, 1])))))
except Exception as e:
    print(e)
