# case: nodes of a normal distribution
d = tf.distributions.Normal(0.0, [1.0, 2.0])
show(d.sample(3, seed=1), d.log_prob(1.0), d.cdf(1.0), d.log_cdf(1.0), d.quantile(0.3))
show(d.mean(), d.stddev(), d.variance(), d.mode(), d.entropy())
nodes()
# case: nodes of a normal distribution of unknown shape
d = tf.distributions.Normal(tf.placeholder(tf.float32), tf.placeholder(tf.float32, [None]))
show(d.sample(tf.placeholder(tf.int32)), d.prob(1.0), d.mean(), d.is_scalar_batch())
show(d.batch_shape_tensor(), d.is_scalar_event(), d.batch_shape, d.event_shape)
nodes()
# case: nodes of checked parameters
show(tf.distributions.Normal(0.0, 1.0, validate_args=True).sample())
show(tf.distributions.Bernoulli(probs=[0.5], validate_args=True).prob([1]))
show(tf.distributions.Categorical(probs=[0.5, 0.5], validate_args=True).log_prob([1, 0]))
show(tf.distributions.Beta(1.0, 2.0, validate_args=True).log_prob(0.5))
nodes()
# case: nodes of bernoulli and uniform distributions
d = tf.distributions.Bernoulli(logits=[0.2, 0.3])
show(d.sample(3), d.log_prob(1), d.entropy(), d.mean(), d.mode(), d.variance())
d = tf.distributions.Uniform(0.0, 2.0)
show(d.sample(3), d.prob(1.0), d.cdf(1.0), d.entropy(), d.mean(), d.stddev(), d.variance())
show(d.survival_function(0.5), d.log_survival_function(0.5), d.range())
nodes()
# case: nodes of laplace and exponential distributions
d = tf.distributions.Laplace(0.0, 2.0)
show(d.sample(3), d.prob(1.0), d.cdf(1.0), d.log_cdf(1.0), d.log_survival_function(1.0))
show(d.entropy(), d.mean(), d.stddev())
d = tf.distributions.Exponential([3.0, 4.0])
show(d.sample(3), d.log_prob(0.5), d.cdf(0.5), d.mean(), d.mode())
nodes()
# case: nodes of gamma and beta distributions
d = tf.distributions.Gamma([3.0, 4.0], 2.0)
show(d.sample(3), d.log_prob(1.0), d.cdf(1.0), d.entropy(), d.variance(), d.mode())
d = tf.distributions.Beta([3.0, 4.0], 2.0)
show(d.sample(3, seed=1), d.log_prob(0.5), d.cdf(0.5), d.entropy(), d.variance(), d.mode())
nodes()
# case: nodes of a t-distribution
d = tf.distributions.StudentT(5.0, [3.0, 4.0], 2.0)
show(d.sample(3, seed=1), d.log_prob(0.5), d.cdf(0.5), d.entropy(), d.mean(), d.variance())
nodes()
# case: nodes of a categorical distribution
d = tf.distributions.Categorical(probs=[[0.1, 0.2, 0.7], [0.3, 0.3, 0.4]])
show(d.sample(3), d.log_prob([1, 2]), d.entropy(), d.mode(), d.cdf([1, 2]), d.event_size)
d = tf.distributions.Categorical(logits=tf.placeholder(tf.float32))
show(d.sample(3), d.prob(1), d.batch_shape_tensor())
nodes()
# case: nodes of distributions of counts
d = tf.distributions.Multinomial(5.0, probs=[0.1, 0.2, 0.7])
show(d.sample(3, seed=1), d.log_prob([1.0, 2.0, 2.0]), d.variance(), d.covariance())
d = tf.distributions.DirichletMultinomial(5.0, [1.0, 2.0, 3.0])
show(d.sample(3, seed=1), d.log_prob([1.0, 2.0, 2.0]), d.variance(), d.covariance())
nodes()
# case: nodes of a dirichlet distribution
d = tf.distributions.Dirichlet([[1.0, 2.0, 3.0]])
show(d.sample(3), d.log_prob([[0.2, 0.3, 0.5]]), d.variance(), d.covariance(), d.entropy())
nodes()
# case: nodes of divergences
ds = tf.distributions
show(ds.kl_divergence(ds.Normal(0.0, 1.0), ds.Normal(1.0, [2.0]), allow_nan_stats=False))
show(ds.kl_divergence(ds.Bernoulli(0.5), ds.Bernoulli([0.2])))
show(ds.kl_divergence(ds.Beta(1.0, 2.0), ds.Beta(2.0, 3.0)))
show(ds.kl_divergence(ds.Gamma(1.0, 2.0), ds.Gamma(2.0, 3.0)))
show(ds.kl_divergence(ds.Categorical([0.1, 0.2]), ds.Categorical([0.3, 0.1])))
show(ds.kl_divergence(ds.Dirichlet([1.0, 2.0]), ds.Dirichlet([0.3, 0.1])))
show(ds.Normal(0.0, 1.0).cross_entropy(ds.Normal(1.0, 2.0)))
nodes()
# case: seeded samples
tf.set_random_seed(7)
ds = tf.distributions
given = [
    ds.Normal(0.5, [1.0, 2.0]).sample([2, 3]),
    ds.Bernoulli(probs=[0.2, 0.7]).sample(5),
    ds.Uniform([0.0, 5.0], 6.0).sample(3, seed=4),
    ds.Laplace(1.0, 2.0).sample(4),
    ds.Exponential([0.5, 2.0]).sample(3),
    ds.Categorical(probs=[[0.1, 0.2, 0.7], [0.3, 0.3, 0.4]]).sample([2, 2]),
    ds.Multinomial([5.0], logits=[0.1, 0.2, 0.7]).sample(3),
]
with tf.Session() as session:
    for value in session.run(given):
        show(value)
# case: values of functions of samples
ds = tf.distributions
x = np.array([-3.0, -0.5, 0.0, 0.3, 0.99, 2.0, 30.0])
p = np.array([0.0, 0.01, 0.3, 0.5, 0.9, 1.0])
for dtype in (np.float32, np.float64):
    one, two = dtype(1.0), dtype(2.0)
    with tf.Session() as session:
        for d in (ds.Normal(one, two), ds.Laplace(one, two), ds.StudentT(dtype(3), one, two)):
            show(session.run([d.log_prob(x.astype(dtype)), d.cdf(x.astype(dtype))]))
        d = ds.Normal(one, two)
        show(session.run([d.log_cdf(x.astype(dtype)), d.quantile(p.astype(dtype))]))
        d = ds.Uniform(-one, two)
        show(session.run([d.prob(x.astype(dtype)), d.cdf(x.astype(dtype))]))
        for d in (ds.Gamma(two, one), ds.Exponential(two)):
            show(session.run([d.log_prob(x[3:].astype(dtype)), d.cdf(x[3:].astype(dtype))]))
        d = ds.Beta(two, dtype(3))
        show(session.run([d.log_prob(p.astype(dtype)), d.cdf(p.astype(dtype))]))
# case: values of statistics
ds = tf.distributions
with tf.Session() as session:
    for d in (
        ds.Normal(1.0, 2.0), ds.Laplace(1.0, 2.0), ds.Uniform(1.0, 2.0), ds.Gamma([0.5, 3.0], 2.0),
        ds.Exponential(2.0), ds.Beta([0.5, 3.0], 2.0), ds.StudentT([0.5, 1.5, 3.0], 1.0, 2.0),
        ds.Bernoulli(0.3), ds.Dirichlet([2.0, 3.0]),
    ):
        show(session.run([d.mean(), d.variance(), d.stddev(), d.entropy(), d.mode()]))
    for d in (ds.Multinomial(4.0, [0.1, 0.2]), ds.DirichletMultinomial(4.0, [1.0, 2.0])):
        show(session.run([d.mean(), d.covariance(), d.log_prob([1.0, 3.0])]))
    d = ds.Categorical(probs=[0.1, 0.6, 0.3])
    show(session.run([d.mode(), d.entropy(), d.log_prob([0, 2]), d.cdf([0, 1, 2, 3])]))
# case: values of divergences
ds = tf.distributions
with tf.Session() as session:
    for a, b in (
        (ds.Normal(0.0, 1.0), ds.Normal(1.0, 2.0)),
        (ds.Bernoulli(probs=0.2), ds.Bernoulli(probs=0.7)),
        (ds.Beta(1.0, 2.0), ds.Beta(2.0, 3.0)),
        (ds.Gamma(1.0, 2.0), ds.Gamma(2.0, 3.0)),
        (ds.Categorical([0.1, 0.2]), ds.Categorical([0.3, 0.1])),
        (ds.Dirichlet([1.0, 2.0]), ds.Dirichlet([0.3, 0.1])),
    ):
        show(session.run([a.kl_divergence(b), b.kl_divergence(a), a.kl_divergence(a)]))
# case: gradients
ds = tf.distributions
x = tf.constant([-100.0, -5.5, 0.0, 1.0, 100.0])
with tf.Session() as session:
    d = ds.Normal(0.0, 1.0)
    show(session.run([tf.gradients(f(x), x) for f in (d.log_prob, d.cdf, d.log_cdf)]))
    loc, scale = tf.constant(1.0), tf.constant(2.0)
    show(session.run(tf.gradients(ds.Normal(loc, scale).sample(5, seed=3), loc)))
    show(tf.gradients(ds.Bernoulli(loc).sample(5, seed=3), loc))
# case: invalid arguments
ds = tf.distributions
def wrong(f):
    try:
        show(f())
    except Exception as error:
        print(type(error).__name__, str(error).split("\n")[0])
wrong(lambda: ds.Normal(0.0, tf.constant(1.0, tf.float64)))
wrong(lambda: ds.Normal(0, 1))
wrong(lambda: ds.Normal(0.0, 1.0).sample([[1]]))
wrong(lambda: ds.Uniform(low=2.0, high=1.0, validate_args=True))
wrong(lambda: ds.Bernoulli(probs=0.5, logits=0.5))
wrong(lambda: ds.Bernoulli())
wrong(lambda: ds.Bernoulli(logits=1))
wrong(lambda: ds.Dirichlet(1.0, validate_args=True))
wrong(lambda: ds.Bernoulli(0.5).cdf(1.0))
wrong(lambda: ds.Uniform().quantile(0.5))
wrong(lambda: ds.kl_divergence(ds.Normal(0.0, 1.0), ds.Laplace(0.0, 1.0)))
wrong(lambda: ds.RegisterKL(ds.Normal, ds.Normal)(1))
wrong(lambda: ds.Normal.param_static_shapes(tf.placeholder(tf.int32)))
wrong(lambda: ds.Gamma(0.5, 1.0, allow_nan_stats=False).mode().eval(session=tf.Session()))
wrong(lambda: ds.Distribution(tf.float32, ds.FULLY_REPARAMETERIZED, False, True, None, [1]))
# case: a distribution of one's own
class Own(tf.distributions.Distribution):
    def __init__(self, name="Own"):
        super(Own, self).__init__(
            tf.float32, tf.distributions.NOT_REPARAMETERIZED, False, True, name=name
        )
    def _prob(self, value):
        return value * 2.0
    def _variance(self):
        return tf.constant(4.0)
d = Own()
print(d, repr(d), d.parameters, d.reparameterization_type)
show(d.log_prob(3.0), d.stddev(), d.batch_shape, d.event_shape)
for name in ("mean", "entropy", "mode", "covariance", "sample", "batch_shape_tensor"):
    try:
        getattr(d, name)()
    except NotImplementedError as error:
        print(error)
nodes()
# case: copies and parameters
d = tf.distributions.Normal(0.0, [1.0, 2.0])
print(d, repr(d.copy(scale=3.0)), sorted(d.parameters.items()), d.name, d.dtype)
print(tf.distributions.Normal.param_static_shapes([3]), d.allow_nan_stats, d.validate_args)
show(tf.distributions.StudentT.param_shapes([2, 3]))
nodes()
