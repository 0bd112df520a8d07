# case: bijectors of contrib
tfb = tf.contrib.distributions.bijectors


def r(x):
    return (np.round(np.asarray(x, np.float64), 3) + 0.0).tolist()


def check(name, make, x, xnd=0, ynd=None, y=None):
    with tf.Graph().as_default():
        s = tf.Session()
        try:
            b = make()
            x = tf.constant(x, tf.float32)
            print(
                name,
                b.name,
                []
                if "reshape" in b.name
                else [b.forward_min_event_ndims, b.inverse_min_event_ndims],
                b.is_constant_jacobian,
                b.dtype,
            )
            fy = b.forward(x)
            print("  y", fy.shape, r(s.run(fy)))
            yy = tf.constant(s.run(fy)) if y is None else tf.constant(y, tf.float32)
            ynd = xnd if ynd is None else ynd
            iv = b.inverse(yy)
            print(
                "  x",
                [(str(v.shape), r(s.run(v))) for v in (iv if isinstance(iv, tuple) else [iv])],
            )
            for nm, f in (
                ("ildj", lambda: b.inverse_log_det_jacobian(yy, event_ndims=ynd)),
                ("fldj", lambda: b.forward_log_det_jacobian(x, event_ndims=xnd)),
            ):
                try:
                    v = f()
                    print(
                        "  ",
                        nm,
                        [(str(u.shape), r(s.run(u))) for u in (v if isinstance(v, tuple) else [v])],
                    )
                except Exception as e:
                    print("  ", nm, type(e).__name__, str(e).split("\n")[0])
            print(
                "  shapes",
                b.forward_event_shape(x.shape[x.shape.ndims - xnd :]) if xnd else "",
                s.run(
                    b.forward_event_shape_tensor(x.shape.as_list()[x.shape.ndims - xnd :])
                ).tolist()
                if xnd
                else "",
                b.inverse_event_shape(yy.shape[yy.shape.ndims - ynd :]) if ynd else "",
                s.run(
                    b.inverse_event_shape_tensor(yy.shape.as_list()[yy.shape.ndims - ynd :])
                ).tolist()
                if ynd
                else "",
            )
        except Exception as e:
            print(name, type(e).__name__, str(e).split("\n")[0])


X = np.array([[-1.5, 0.3, 2.0], [0.7, -0.2, 0.1]], np.float32)
P = np.abs(X) / 4 + 0.1
check("abs", lambda: tfb.AbsoluteValue(), X, 0)
check("gumbel", lambda: tfb.Gumbel(loc=1.0, scale=2.0), X, 1)
check("kuma", lambda: tfb.Kumaraswamy(concentration1=1.2, concentration0=0.7), P, 0)
for p in (0.0, 0.5, 2.0):
    check("power%g" % p, lambda: tfb.PowerTransform(power=p), P, 1)
check("sinh", lambda: tfb.SinhArcsinh(skewness=0.3, tailweight=1.5), X, 0)
check("softsign", lambda: tfb.Softsign(validate_args=True), X, 0)
check("square", lambda: tfb.Square(), P, 0)
check("softmaxc", lambda: tfb.SoftmaxCentered(), X, 1)
check("ordered", lambda: tfb.Ordered(validate_args=True), np.sort(X), 1)
check("perm", lambda: tfb.Permute([2, 0, 1]), X, 1)
check("permbad", lambda: tfb.Permute([2, 0, 2]), X, 1)
check("permf", lambda: tfb.Permute([2.0, 0.0, 2.0]), X, 1)
check("reshape", lambda: tfb.Reshape([3, 1], [3]), X, 1, 2)
check("reshape-1", lambda: tfb.Reshape([-1, 2], [2, 3]), X, 2, 2)
check("reshapebad3", lambda: tfb.Reshape([2, 1], [4]), X, 1, 2)
check("reshapedef", lambda: tfb.Reshape([3, 1]), X, 1, 2)
T = np.array(
    [[[1.0, 0, 0], [0.5, 2.0, 0], [-1, 0.3, 0.7]], [[0.4, 0, 0], [0.5, 1.0, 0], [-1, 0.3, 3.0]]],
    np.float32,
)
check("chol", lambda: tfb.CholeskyOuterProduct(validate_args=True), T, 2)
check("fill", lambda: tfb.FillTriangular(), np.concatenate([X, P], 1), 1, 2)
check("fillu", lambda: tfb.FillTriangular(upper=True), np.concatenate([X, P], 1), 1, 2)
check("inv", lambda: tfb.MatrixInverseTriL(), T, 2)
check("tdiag", lambda: tfb.TransformDiagonal(tfb.Exp()), T, 2)
check(
    "scaletril",
    lambda: tfb.ScaleTriL(diag_bijector=tfb.Exp(), diag_shift=0.5),
    np.concatenate([X, P], 1),
    1,
    2,
)
check("scaletrild", lambda: tfb.ScaleTriL(), np.concatenate([X, P], 1), 1, 2)
check("aff0", lambda: tfb.Affine(), X, 1)
check("aff1", lambda: tfb.Affine(shift=[1.0, 2.0, 3.0], scale_identity_multiplier=2.0), X, 1)
check(
    "aff2",
    lambda: tfb.Affine(
        shift=[1.0, 2.0, 3.0], scale_diag=[2.0, 0.5, 1.0], scale_identity_multiplier=1.0
    ),
    X,
    1,
)
check("aff3", lambda: tfb.Affine(scale_tril=T[0], scale_diag=[1.0, 2.0, 3.0]), X, 1)
check("aff4", lambda: tfb.Affine(scale_tril=T, validate_args=True), X, 1)
check(
    "aff6",
    lambda: tfb.Affine(
        scale_diag=[1.0, 2.0, 3.0],
        scale_perturb_factor=[[1.0, 0.0], [0.5, 0.1], [0.2, 1.0]],
        scale_perturb_diag=[2.0, 3.0],
    ),
    X,
    1,
)
check("affbad", lambda: tfb.Affine(scale_perturb_diag=[2.0, 3.0]), X, 1)
check(
    "alo",
    lambda: tfb.AffineLinearOperator(
        shift=[1.0, 2.0, 3.0], scale=tf.linalg.LinearOperatorLowerTriangular(T[0])
    ),
    X,
    1,
)
check("alo2", lambda: tfb.AffineLinearOperator(shift=[1.0, 2.0, 3.0]), X, 1)
check("chain", lambda: tfb.Chain([tfb.Exp(), tfb.Softplus()]), X, 1)
check(
    "chain2",
    lambda: tfb.Chain([tfb.SoftmaxCentered(), tfb.AffineScalar(shift=1.0, scale=2.0)]),
    X,
    1,
)
check("chain0", lambda: tfb.Chain([]), X, 0)
check("chainabs", lambda: tfb.Chain([tfb.AbsoluteValue()]), X, 0)
check(
    "inline",
    lambda: tfb.Inline(
        forward_fn=tf.exp,
        inverse_fn=tf.log,
        inverse_log_det_jacobian_fn=lambda y: -tf.log(y),
        forward_min_event_ndims=0,
        name="e",
    ),
    X,
    0,
)
check("inline2", lambda: tfb.Inline(forward_fn=tf.exp, forward_min_event_ndims=0, name="e"), X, 0)
check(
    "invert", lambda: tfb.Invert(tfb.SoftmaxCentered()), np.array([[0.2, 0.3, 0.5]], np.float32), 1
)
check("invertfill", lambda: tfb.Invert(tfb.FillTriangular()), T, 2, 1)
