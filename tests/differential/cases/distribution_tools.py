# case: tools of contrib distributions
ds = tf.contrib.distributions
tfb = ds.bijectors
s = tf.Session()


def r(x):
    return (np.round(np.asarray(x, np.float64), 3) + 0.0).tolist()


def t(n, f):
    try:
        print(n, f())
    except Exception as e:
        print(n, type(e).__name__, str(e).split("\n")[0][:160])


st = ds.SeedStream(5, salt="abc")
print(st(), st())
st = ds.SeedStream(None, "a")
print(st())
x = np.array([[1.0, 5.0, 2.0, 8.0], [3.0, 3.0, 7.0, 0.0]], np.float32)
for q in (0.0, 30.0, 50.0, 100.0):
    for i in (None, "lower", "higher", "nearest"):
        t(
            ("p", q, i),
            lambda: (
                r(s.run(ds.percentile(x, q, interpolation=i))),
                r(s.run(ds.percentile(x, q, axis=[0], interpolation=i))),
                r(s.run(ds.percentile(x, q, axis=-1, keep_dims=True, interpolation=i))),
            ),
        )
t("pbad2", lambda: ds.percentile(x, [30.0], axis=0))
t("pint", lambda: r(s.run(ds.percentile(np.arange(10), 30.0))))
t(
    "ac",
    lambda: (
        r(s.run(ds.auto_correlation(x))),
        r(s.run(ds.auto_correlation(x, max_lags=2, center=False))),
        r(s.run(ds.auto_correlation(x, axis=0, normalize=False))),
    ),
)
p = ds.Normal(1.0, 2.0)
m = tf.Variable(0.0)
v = tf.Variable(1.0)
a = ds.assign_moving_mean_variance(m, v, 3.0, 0.9)
s.run(tf.global_variables_initializer())
print(r(s.run(a)), [z.name for z in a], r(s.run([m, v])), r(s.run(a)))
mm = ds.moving_mean_variance(tf.constant(3.0), 0.9)
print(
    [z.name for z in mm],
    [z.name for z in tf.global_variables()],
    [z.name for z in tf.trainable_variables()],
)
s.run(tf.global_variables_initializer())
print(r(s.run(mm)), r(s.run(mm)))
le = tf.Variable(0.5)
al = ds.assign_log_moving_mean_exp(le, tf.constant(2.0), 0.9)
s.run(tf.global_variables_initializer())
print(r(s.run(al)), r(s.run(al)))


def d(n, f, x, meth="log_prob mean mode variance stddev entropy cdf"):
    try:
        dd = f()
        print(n, dd.name, dd.batch_shape, dd.event_shape, r(s.run(dd.sample(2, seed=3))))
    except Exception as e:
        print(n, type(e).__name__, str(e).split("\n")[0][:160])
    for q in meth.split():
        t(
            "  " + q,
            lambda: r(
                s.run(
                    getattr(dd, q)(np.float32(x)) if q in ("log_prob", "cdf") else getattr(dd, q)()
                )
            ),
        )


d("kuma", lambda: ds.Kumaraswamy([1.0, 2.0], 3.0), [0.2, 0.7])
d("kuma2", lambda: ds.Kumaraswamy(0.5, 0.5, name="K2"), [0.2, 0.7])
d("sa", lambda: ds.SinhArcsinh(1.0, 2.0, skewness=0.5, tailweight=[1.0, 1.2]), [0.2, 0.7])
d("sa2", lambda: ds.SinhArcsinh(1.0, 2.0, distribution=ds.Laplace(0.0, 1.0)), [0.2, 0.7])
S = [[2.0, 0.3], [0.3, 1.0]]
d(
    "wf",
    lambda: ds.WishartFull(df=5.0, scale=S),
    [[2.0, 0.5], [0.5, 1.0]],
    "log_prob mean mode variance stddev entropy mean_log_det log_normalization",
)
d(
    "wcc",
    lambda: ds.WishartCholesky(
        df=5.0, scale=np.linalg.cholesky(S).astype(np.float32), cholesky_input_output_matrices=True
    ),
    [[2.0, 0], [0.5, 1.0]],
    "log_prob mean mode",
)
d(
    "vsa",
    lambda: ds.VectorSinhArcsinhDiag([1.0, 2.0], [1.0, 0.5], skewness=0.3, tailweight=[1.0, 1.5]),
    [0.2, 0.7],
    "log_prob",
)


def fn(x):
    return ds.Normal(x * 0.5, 1.0) if x is not None else None


d(
    "ar",
    lambda: ds.Autoregressive(
        lambda y: ds.Independent(
            ds.Bernoulli(logits=tf.cumsum(tf.cast(y, tf.float32), exclusive=True, axis=-1)), 1
        ),
        sample0=tf.zeros([3], tf.int32),
        num_steps=3,
    ),
    [1.0, 0.0, 1.0],
    "",
)
x3 = np.array([[0.5, -1.0, 2.0], [0.0, 1.0, 0.3]], np.float32)
maf = tfb.MaskedAutoregressiveFlow(
    lambda y: (
        tf.cumsum(y, axis=-1, exclusive=True) * 0.5,
        tf.cumsum(y, axis=-1, exclusive=True) * 0.1,
    )
)
print(
    "maf",
    maf.name,
    maf.forward_min_event_ndims,
    r(s.run(maf.forward(tf.constant(x3)))),
    r(s.run(maf.inverse(tf.constant(x3)))),
    r(s.run(maf.inverse_log_det_jacobian(tf.constant(x3), 1))),
)
rn = tfb.RealNVP(
    num_masked=1,
    shift_and_log_scale_fn=lambda x, o: (
        tf.concat([x * 0.5, x], -1),
        tf.concat([x * 0.1, x * 0.2], -1),
    ),
)
print(
    "rnvp",
    rn.name,
    rn.forward_min_event_ndims,
    r(s.run(rn.forward(tf.constant(x3)))),
    r(s.run(rn.inverse(tf.constant(x3)))),
    r(s.run(rn.forward_log_det_jacobian(tf.constant(x3), 1))),
    r(s.run(rn.inverse_log_det_jacobian(tf.constant(x3), 1))),
)
with tf.Graph().as_default() as g:
    s = tf.Session()
    md = tfb.masked_dense(
        tf.constant(x3),
        units=6,
        num_blocks=3,
        exclusive=True,
        kernel_initializer=tf.ones_initializer(),
    )
    s.run(tf.global_variables_initializer())
    print("md", md.name, [v.name for v in tf.global_variables()], r(s.run(md)))
    md = tfb.masked_dense(
        tf.constant(x3), units=6, num_blocks=3, kernel_initializer=tf.ones_initializer()
    )
    s.run(tf.global_variables_initializer())
    print("md", md.name, [v.name for v in tf.global_variables()], r(s.run(md)))
with tf.Graph().as_default() as g:
    s = tf.Session()
    f = tfb.masked_autoregressive_default_template(
        hidden_layers=[6, 6], kernel_initializer=tf.constant_initializer(0.3)
    )
    a, b = f(tf.constant(x3))
    s.run(tf.global_variables_initializer())
    print("madt", a.name, b.name, [v.name for v in tf.global_variables()], r(s.run([a, b])))
    f = tfb.masked_autoregressive_default_template(
        hidden_layers=[6], shift_only=True, kernel_initializer=tf.constant_initializer(0.3)
    )
    a, b = f(tf.constant(x3))
    s.run(tf.global_variables_initializer())
    print("madt", a.name, b, r(s.run(a)))
with tf.Graph().as_default() as g:
    s = tf.Session()
    f = tfb.real_nvp_default_template(
        hidden_layers=[4], kernel_initializer=tf.constant_initializer(0.3)
    )
    a, b = f(tf.constant(x3), 2)
    s.run(tf.global_variables_initializer())
    print("rnt", a.name, b.name, [v.name for v in tf.global_variables()], r(s.run([a, b])))

with tf.Graph().as_default():
    s = tf.Session()
    p = ds.Normal(tf.constant(1.0), tf.constant(2.0))
    print(
        [
            r(s.run([z.loc, z.scale]))
            for z in (
                ds.normal_conjugates_known_scale_posterior(
                    p, tf.constant(0.5), tf.constant(7.0), tf.constant(4.0)
                ),
                ds.normal_conjugates_known_scale_predictive(
                    p, tf.constant(0.5), tf.constant(7.0), tf.constant(4.0)
                ),
            )
        ]
    )
