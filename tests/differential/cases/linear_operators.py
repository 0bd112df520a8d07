# case: hints that contradict each other
L, M = tf.linalg, np.eye(2, dtype=np.float32)
F = lambda m, **hints: L.LinearOperatorFullMatrix(m, **hints)
def tell(make):
    try:
        print(make())
    except Exception as error:
        print(type(error).__name__, str(error).split("Found: Tensor")[0])
unknown = tf.placeholder(tf.float32)
tell(lambda: F(M, is_square=False).is_square)
tell(lambda: F(unknown, is_non_singular=True, is_square=False))
tell(lambda: F(unknown, is_positive_definite=True, is_non_singular=False))
tell(lambda: F(unknown, is_self_adjoint=True, is_square=False))
tell(lambda: F([1.0]))
tell(lambda: F([[1]]))
tell(lambda: L.LinearOperatorDiag([1.0], is_self_adjoint=False))
tell(lambda: L.LinearOperatorDiag([1.0], is_square=False))
tell(lambda: L.LinearOperatorDiag(1.0))
tell(lambda: L.LinearOperatorLowerTriangular(M, is_square=False))
tell(lambda: L.LinearOperatorIdentity(2, is_self_adjoint=False))
tell(lambda: L.LinearOperatorIdentity(2, is_non_singular=False))
tell(lambda: L.LinearOperatorIdentity(2.0))
tell(lambda: L.LinearOperatorIdentity([2]))
tell(lambda: L.LinearOperatorIdentity(-2))
tell(lambda: L.LinearOperatorIdentity(2, batch_shape=2))
tell(lambda: L.LinearOperatorIdentity(2, batch_shape=[-2]))
tell(lambda: L.LinearOperatorScaledIdentity(2, [1.0], is_square=False))
tell(lambda: L.LinearOperatorZeros(2, is_non_singular=True))
tell(lambda: L.LinearOperatorZeros(2, 3))
tell(lambda: L.LinearOperatorHouseholder([1.0, 2], is_positive_definite=True))
tell(lambda: L.LinearOperatorToeplitz([1.0, 2], [1.0, 2, 3]))
tell(lambda: L.LinearOperatorCirculant([1.0, 2], is_self_adjoint=False))
tell(lambda: L.LinearOperatorCirculant([1.0, 2], is_square=False))
tell(lambda: L.LinearOperatorCirculant2D([1.0, 2]))
# case: operators made of others
L, M, N = tf.linalg, np.eye(2, dtype=np.float32), np.ones([2, 3], np.float32)
F = lambda m, **hints: L.LinearOperatorFullMatrix(m, **hints)
def tell(make):
    try:
        print(make())
    except Exception as error:
        print(type(error).__name__, error)
for cls in (L.LinearOperatorComposition, L.LinearOperatorBlockDiag, L.LinearOperatorKronecker):
    tell(lambda: cls([]))
    tell(lambda: cls([F(M), F(M.astype(np.float64))]))
    tell(lambda: cls([F(M, is_non_singular=True)], is_non_singular=False))
    tell(lambda: cls([F(M, name="left"), F(M, name="right")]).name)
tell(lambda: L.LinearOperatorBlockDiag([F(N), F(N)]))
tell(lambda: L.LinearOperatorKronecker([F(N), F(N)]).determinant())
tell(lambda: L.LinearOperatorComposition([F(N), F(N)]).shape)
update, u = L.LinearOperatorLowRankUpdate, np.ones([2, 1], np.float32)
tell(lambda: update(F(M), u, diag_update=[1.0, 2.0]))
tell(lambda: update(F(M), np.ones([3, 1], np.float32)))
tell(lambda: update(F(M), u, is_diag_update_positive=False))
diagonal = L.LinearOperatorDiag([1.0, 2.0], is_positive_definite=True)
tell(lambda: update(diagonal, u).is_positive_definite)
tell(lambda: update(diagonal, u, is_positive_definite=False))
tell(lambda: [update(F(M), u).is_square, update(F(M), u, v=u).is_self_adjoint])
# case: operations that an operator refuses
L, N = tf.linalg, np.ones([2, 3], np.float32)
F = lambda m, **hints: L.LinearOperatorFullMatrix(m, **hints)
def tell(make):
    try:
        print(make())
    except Exception as error:
        print(type(error).__name__, str(error).split(" in tensor")[0])
for name in ("determinant", "log_abs_determinant", "cholesky", "inverse"):
    tell(lambda: getattr(F(N), name)())
tell(lambda: F(N).solve(N))
tell(lambda: F(N[:, :2], is_non_singular=False).solve(N))
tell(lambda: F(N).matmul(N))
tell(lambda: F(N).matvec([1.0, 2.0]))
tell(lambda: F(N).matmul(N.astype(np.float64)))
tell(lambda: F(N, is_square=False).assert_positive_definite())
# case: classes of adjoints, inverses, roots and products
L, M = tf.linalg, np.eye(2, dtype=np.float32)
hints = {"is_non_singular": True}
operators = [
    L.LinearOperatorFullMatrix(M, **hints),
    L.LinearOperatorDiag([1.0, 2], **hints),
    L.LinearOperatorScaledIdentity(2, 2.0, **hints),
    L.LinearOperatorIdentity(2),
    L.LinearOperatorZeros(2),
    L.LinearOperatorLowerTriangular(M, **hints),
    L.LinearOperatorCirculant([1.0, 2], input_output_dtype=tf.float32, **hints),
    L.LinearOperatorBlockDiag([L.LinearOperatorDiag([1.0, 2], **hints)]),
    L.LinearOperatorKronecker([L.LinearOperatorDiag([1.0, 2], **hints)]),
    L.LinearOperatorToeplitz([1.0, 2], [1.0, 3.0]),
    L.LinearOperatorHouseholder([1.0, 2]),
]
for a in operators:
    row = []
    for make in (lambda: a.adjoint(), lambda: a.inverse()):
        try:
            made = make()
            row.append(type(made).__name__[14:] + " " + made.name)
        except Exception as error:
            row.append(type(error).__name__)
    for b in operators:
        for name in ("matmul", "solve"):
            try:
                row.append(type(getattr(a, name)(b)).__name__[14:])
            except Exception as error:
                row.append(type(error).__name__)
    print(type(a).__name__, *row)
