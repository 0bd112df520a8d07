# case: distributions of contrib
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


L = [1.0, -2.0]
S = [0.5, 2.0]
X = [[0.3, -1.0], [2.0, 4.0]]
U = [0.2, 0.9]
check("logistic", lambda: ds.Logistic(L, S), X)
check("cauchy", lambda: ds.Cauchy(L, S), X)
check("halfnormal", lambda: ds.HalfNormal(S), [[0.3, -1.0], [2.0, 4.0]])
check("poisson", lambda: ds.Poisson(rate=[3.0, 0.5]), [[2.0, 0.0], [1.0, 4.0]])
check("poissonlog", lambda: ds.Poisson(log_rate=[1.0, 0.5]), [[2.0, 0.0], [1.0, 4.0]])
check("poissonbad", lambda: ds.Poisson())
check("poissonbad2", lambda: ds.Poisson(rate=[1]))
check("binomial", lambda: ds.Binomial(5.0, probs=[0.2, 0.7]), [[2.0, 0.0], [5.0, 4.0]])
check(
    "binomial2",
    lambda: ds.Binomial([5.0, 2.0], logits=[0.2, 0.7], validate_args=True),
    [[2.0, 0.0], [5.0, 1.0]],
)
check("geometric", lambda: ds.Geometric(probs=[0.2, 0.7]), [[2.0, 0.0], [5.0, 1.0]])
check("geometric2", lambda: ds.Geometric(logits=[0.2, 0.7]), [[2.0, 0.5], [-5.0, 1.0]])
check(
    "negbin",
    lambda: ds.NegativeBinomial(total_count=[5.0, 0.5], probs=[0.2, 0.7]),
    [[2.0, 0.0], [5.0, 1.0]],
)
check("invgamma", lambda: ds.InverseGamma([3.0, 0.5], [2.0, 1.0]), [[2.0, 0.3], [5.0, 1.0]])
check(
    "invgammanan",
    lambda: ds.InverseGamma([3.0, 0.5], [2.0, 1.0], allow_nan_stats=False),
    [[2.0, 0.3], [5.0, 1.0]],
    "mean variance",
)
check(
    "invgammasp",
    lambda: ds.InverseGammaWithSoftplusConcentrationRate([3.0, 0.5], [2.0, 1.0]),
    [[2.0, 0.3], [5.0, 1.0]],
)
check("chi2", lambda: ds.Chi2([3.0, 0.5]), [[2.0, 0.3], [5.0, 1.0]], params="df concentration rate")
check("chi2abs", lambda: ds.Chi2WithAbsDf([-3.4, 1.5]), [[2.0, 0.3], [5.0, 1.0]], params="df")
check(
    "onehot",
    lambda: ds.OneHotCategorical(logits=[[0.1, 0.2, 0.3], [2.0, 1.0, 0.0]]),
    [[1, 0, 0], [0, 1, 0]],
    params="probs event_size",
)
check(
    "onehot1",
    lambda: ds.OneHotCategorical(probs=[0.1, 0.2, 0.7], dtype=tf.float32),
    [[1, 0, 0], [0, 1, 0]],
)
check(
    "relaxedb",
    lambda: ds.RelaxedBernoulli(0.5, probs=[0.2, 0.7]),
    [[0.2, 0.3], [0.5, 0.1]],
    params="logits probs temperature",
)
check(
    "relaxedo",
    lambda: ds.RelaxedOneHotCategorical(0.5, probs=[0.1, 0.2, 0.7]),
    [[0.2, 0.3, 0.5], [0.1, 0.1, 0.8]],
)
check(
    "exprelaxed",
    lambda: ds.ExpRelaxedOneHotCategorical(0.5, probs=[0.1, 0.2, 0.7]),
    np.log([[0.2, 0.3, 0.5], [0.1, 0.1, 0.8]]),
)
check("det", lambda: ds.Deterministic([1.0, 2.0], atol=0.1), [[1.05, 2.0], [1.0, 2.5]])
check("detint", lambda: ds.Deterministic(3), [3, 4], params="atol rtol")
check("vdet", lambda: ds.VectorDeterministic([[1.0, 2.0]], rtol=0.1), [[1.05, 2.0], [1.0, 2.5]])
M = [[1.0, 2.0], [0.0, -1.0]]
Y = [[0.5, 1.0], [1.0, -2.0]]
T = [[1.0, 0.0], [0.5, 2.0]]
check("mvnd", lambda: ds.MultivariateNormalDiag(M, [1.0, 2.0]), Y, params="loc")
check(
    "mvnd2",
    lambda: ds.MultivariateNormalDiag(
        scale_diag=[[1.0, 2.0], [0.5, 1.0]], scale_identity_multiplier=0.5
    ),
    Y,
)
check(
    "mvnd3",
    lambda: ds.MultivariateNormalDiag(loc=[1.0, 2.0], scale_identity_multiplier=[0.5, 2.0]),
    Y,
)
check("mvnd4", lambda: ds.MultivariateNormalDiag(loc=[1.0, 2.0]), Y)
check("mvnd5", lambda: ds.MultivariateNormalDiag(), Y)
check("mvnd6", lambda: ds.MultivariateNormalDiag(loc=[0.0], scale_diag=[1.0, 3.0]), Y)
check("mvnsp", lambda: ds.MultivariateNormalDiagWithSoftplusScale(M, [1.0, 2.0]), Y)
check("mvntril", lambda: ds.MultivariateNormalTriL(M, T), Y)
check("mvntril2", lambda: ds.MultivariateNormalTriL(loc=M), Y)
check("mvntril3", lambda: ds.MultivariateNormalTriL(), Y)
check("mvntril4", lambda: ds.MultivariateNormalTriL(scale_tril=[T, T]), Y)
check(
    "mvnfull",
    lambda: ds.MultivariateNormalFullCovariance(M, [[2.0, 0.5], [0.5, 1.0]], validate_args=True),
    Y,
)
check(
    "mvnlow",
    lambda: ds.MultivariateNormalDiagPlusLowRank(
        M, [1.0, 2.0], scale_perturb_factor=[[1.0], [0.5]]
    ),
    Y,
)
check(
    "mvnlow2",
    lambda: ds.MultivariateNormalDiagPlusLowRank(
        M,
        [1.0, 2.0],
        scale_identity_multiplier=0.5,
        scale_perturb_factor=[[1.0], [0.5]],
        scale_perturb_diag=[0.3],
    ),
    Y,
)
check("vexp", lambda: ds.VectorExponentialDiag(M, [1.0, 2.0]), [[1.5, 3.0], [1.0, 0.0]])
for a, b in (
    ("ds.MultivariateNormalDiag(M,[1.,2.])", "ds.MultivariateNormalDiag([0.,1.],[2.,2.])"),
    ("ds.MultivariateNormalTriL(M,T)", "ds.MultivariateNormalDiag([0.,1.],[2.,2.])"),
    ("ds.OneHotCategorical(logits=L)", "ds.OneHotCategorical(logits=S)"),
    ("ds.Chi2(S)", "ds.Gamma(2.,3.)"),
    ("ds.Logistic(L,S)", "ds.Logistic(L,S)"),
    ("ds.InverseGamma(S,S)", "ds.InverseGamma(2.,1.)"),
    ("ds.Poisson(S)", "ds.Poisson(2.)"),
):
    try:
        with tf.Graph().as_default():
            k = ds.kl_divergence(eval(a), eval(b))
            print(a, b, k.shape, r(tf.Session().run(k)))
    except Exception as e:
        print(a, b, type(e).__name__, str(e)[:200])
