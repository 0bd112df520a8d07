# case: distributions made of others
ds = tf.contrib.distributions
tfb = ds.bijectors


def r(x):
    return (np.round(np.asarray(x, np.float64), 3) + 0.0).tolist()


def check(
    name,
    make,
    x=None,
    methods="log_prob prob cdf log_cdf survival_function entropy mean mode variance stddev covariance quantile",
    n=3,
    params="",
):
    with tf.Graph().as_default():
        s = tf.Session()
        try:
            d = make()
            print(
                name,
                d.name,
                d.dtype.name,
                d.batch_shape,
                d.event_shape,
                str(d.reparameterization_type)[-22:],
                s.run([d.batch_shape_tensor(), d.event_shape_tensor()])[0].tolist(),
                sorted(d.parameters) == sorted(d.parameters),
            )
        except Exception as e:
            print(name, "MAKE", type(e).__name__, str(e).split("\n")[0])
            return
        for p in params.split():
            print("  ", p, r(s.run(getattr(d, p))))
        try:
            if name.startswith("same"):
                raise ValueError("other numbers")
            y = d.sample([2, n], seed=7)
            v = s.run(y)
            print("   sample", y.shape, v.dtype, r(v) if v.size < 80 else r(v.ravel()[:40]))
        except Exception as e:
            print("   sample", type(e).__name__, str(e).split("\n")[0])
        for m in methods.split():
            try:
                if m in (
                    "log_prob",
                    "prob",
                    "cdf",
                    "log_cdf",
                    "survival_function",
                    "log_survival_function",
                ):
                    t = getattr(d, m)(tf.constant(x, d.dtype))
                elif m == "quantile":
                    t = d.quantile(tf.constant(0.3, d.dtype))
                else:
                    t = getattr(d, m)()
                print("  ", m, t.shape, r(s.run(t)))
            except Exception as e:
                print("  ", m, type(e).__name__, str(e).split("\n")[0][:100])


N = lambda: ds.Normal([[0.0, 1.0, 2.0], [1.0, 2.0, 3.0]], [1.0, 2.0, 0.5])
X = [[0.5, 1.0, 2.0], [0.0, 1.0, 3.0]]
check("ind", lambda: ds.Independent(N()), X)
check("ind2", lambda: ds.Independent(N(), reinterpreted_batch_ndims=2), X)
check("ind3", lambda: ds.Independent(N(), reinterpreted_batch_ndims=3), X)
check("ind4", lambda: ds.Independent(ds.Bernoulli(logits=[0.0, 1.0, 2.0]), 1), [[1, 0, 1]])
check("resh", lambda: ds.BatchReshape(N(), [3, 2]), [[0.5, 1.0], [2.0, 0.0], [1.0, 3.0]])
check("resh3", lambda: ds.BatchReshape(N(), [4, 2]), X)
check(
    "quant",
    lambda: ds.QuantizedDistribution(ds.Normal([0.0, 2.0], [1.0, 3.0]), low=-2.0, high=4.0),
    [[0.0, 4.0], [-2.0, 1.0], [-3.0, 5.0]],
)
check("quant2", lambda: ds.QuantizedDistribution(ds.Uniform(0.0, 3.0)), [[0.0, 4.0], [2.0, 1.0]])
check(
    "quant3",
    lambda: ds.QuantizedDistribution(ds.Logistic(loc=2.0, scale=3.0), low=0.0, high=10.0),
    [0.0, 4.0, 10.0],
)
check(
    "mix",
    lambda: ds.Mixture(
        ds.Categorical(probs=[0.3, 0.7]), [ds.Normal(-1.0, 0.1), ds.Normal(1.0, 0.5)]
    ),
    [-1.0, 0.5, 2.0],
)
check(
    "mixs",
    lambda: ds.Mixture(
        ds.Categorical(probs=[0.3, 0.7]),
        [ds.Normal(-1.0, 0.1), ds.Normal(1.0, 0.5)],
        use_static_graph=True,
    ),
    [-1.0, 0.5, 2.0],
)
check(
    "mixb",
    lambda: ds.Mixture(
        ds.Categorical(probs=[[0.3, 0.7], [0.5, 0.5]]),
        [ds.Normal([-1.0, 0.0], 0.1), ds.Laplace([1.0, 0.0], 0.5)],
    ),
    [-1.0, 0.5],
)
for a in (
    "ds.Mixture(3,[ds.Normal(0.,1.)])",
    "ds.Mixture(ds.Categorical(probs=[.3,.7]),[])",
    "ds.Mixture(ds.Categorical(probs=[.3,.7]),[ds.Normal(0.,1.)])",
    "ds.Mixture(ds.Categorical(probs=[.3,.7]),[ds.Normal(0.,1.),3])",
):
    check(a, lambda: eval(a))
check(
    "mixelb",
    lambda: (
        ds.Mixture(
            ds.Categorical(probs=[0.3, 0.7]), [ds.Normal(-1.0, 0.1), ds.Normal(1.0, 0.5)]
        ).cat
    ),
    [0, 1],
    methods="prob",
)
check(
    "same",
    lambda: ds.MixtureSameFamily(
        ds.Categorical(probs=[0.3, 0.7]), ds.Normal([-1.0, 1.0], [0.1, 0.5])
    ),
    [-1.0, 0.5, 2.0],
)
check(
    "sameb",
    lambda: ds.MixtureSameFamily(
        ds.Categorical(probs=[[0.3, 0.7], [0.1, 0.9]]),
        ds.Normal([[-1.0, 1.0], [0.0, 2.0]], [0.1, 0.5]),
    ),
    [-1.0, 0.5],
)
check(
    "samebad",
    lambda: ds.MixtureSameFamily(
        ds.Categorical(probs=[0.3, 0.7]), ds.Normal([-1.0, 1.0, 2.0], [0.1])
    ),
    [-1.0, 0.5, 2.0],
)
with tf.Graph().as_default():
    k = ds.kl_divergence(ds.Independent(N()), ds.Independent(ds.Normal([0.0, 0.0, 0.0], 1.0), 1))
    print(k.shape, r(tf.Session().run(k)))
    m = ds.Mixture(ds.Categorical(probs=[0.3, 0.7]), [ds.Normal(-1.0, 0.1), ds.Normal(1.0, 0.5)])
    print(r(tf.Session().run(m.entropy_lower_bound())), m.num_components)

check(
    "resh2",
    lambda: ds.BatchReshape(
        ds.MultivariateNormalDiag([[0.0, 1.0], [1.0, 2.0]], [1.0, 2.0]), [1, 2]
    ),
    [[[0.5, 1.0], [2.0, 0.0]]],
    "log_prob mean variance",
)
check(
    "mixv",
    lambda: ds.Mixture(
        ds.Categorical(probs=[[0.3, 0.7], [0.5, 0.5]]),
        [
            ds.MultivariateNormalDiag([[-1.0, 0.0], [1.0, 2.0]], [0.1, 0.2]),
            ds.MultivariateNormalDiag([[-1.0, 0.0], [2.0, 2.0]], [1.0, 0.2]),
        ],
    ),
    [[-1.0, 0.1], [1.0, 1.5]],
    "log_prob mean",
)
check(
    "samev",
    lambda: ds.MixtureSameFamily(
        ds.Categorical(probs=[0.3, 0.7]),
        ds.MultivariateNormalDiag([[-1.0, 1.0], [0.0, 2.0]], [0.1, 0.5]),
    ),
    [-1.0, 0.5],
    "log_prob mean variance covariance",
)
check(
    "samev2",
    lambda: ds.MixtureSameFamily(
        ds.Categorical(probs=[0.3, 0.7]),
        ds.MultivariateNormalDiag([[[-1.0, 1.0], [0.0, 2.0]]] * 3, [0.1, 0.5]),
    ),
    [-1.0, 0.5],
    "log_prob mean variance",
)
