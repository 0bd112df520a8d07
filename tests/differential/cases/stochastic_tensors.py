# These are recorded with TensorFlow 1.0.0: later releases do not have stochastic tensors.
# case: samples and means
st = tf.contrib.bayesflow.stochastic_tensor
ds = tf.contrib.distributions
x = st.StochasticTensor(ds.Normal(tf.zeros([2]), tf.ones([2])))
show(x.value().shape, x.dtype, x.name, x.value_type.shape, x.value_type.stop_gradient, x.graph is tf.get_default_graph())
show(tf.convert_to_tensor(x) is x.value(), tf.add(x, 1.0), x.loss(tf.constant(1.0)))
with st.value_type(st.MeanValue(stop_gradient=True)):
    y = st.StochasticTensor(ds.Normal([1.0, 2.0], 1.0), name="y")
    print(type(st.get_current_value_type()).__name__)
    with st.value_type(st.SampleValue(shape=[3])):
        z = st.StochasticTensor(ds.Bernoulli(p=[0.1, 0.2]), name="z")
    print(type(st.get_current_value_type()).__name__)
show(y.value(), z.value(), z.loss(tf.constant(1.0)), y.loss(tf.constant(1.0)))
show(tf.Session().run([y.mean(), y.entropy()]))
show(tf.Session().run(y.value()), [t.name for t in tf.get_collection(st.STOCHASTIC_TENSOR_COLLECTION)])
none = st.StochasticTensor(ds.Bernoulli(p=[0.5]), loss_fn=None)
show(none.loss(tf.constant(1.0)), isinstance(none.distribution, ds.Bernoulli))
w = st.StochasticTensor(ds.Normal(0.0, 1.0), dist_value_type=st.SampleValue(4))
show(w.value().shape)

# case: no value type
st = tf.contrib.bayesflow.stochastic_tensor
try:
    st.get_current_value_type()
except st.NoValueTypeSetError as e:
    print(type(e).__bases__, str(e).split("(")[0])

# case: wrong distribution
tf.contrib.bayesflow.stochastic_tensor.StochasticTensor(3)

# case: wrong loss function
st = tf.contrib.bayesflow.stochastic_tensor
st.StochasticTensor(tf.contrib.distributions.Normal(0.0, 1.0), loss_fn=3)

# case: observed
st = tf.contrib.bayesflow.stochastic_tensor
ds = tf.contrib.distributions
x = st.ObservedStochasticTensor(ds.Normal(tf.zeros([2]), 1.0), value=[1.0, 2.0], name="o")
show(x.value(), x.name, x.loss(tf.constant(1.0)))
y = st.ObservedStochasticTensor(ds.Normal(tf.zeros([2]), 1.0), value=np.ones([5, 2], np.float32))
show(y.value())
p = st.ObservedStochasticTensor(ds.Normal(tf.zeros([2]), 1.0), value=tf.placeholder(tf.float32))
show(p.value())
try:
    st.ObservedStochasticTensor(ds.Normal(tf.zeros([2]), 1.0), value=np.ones([3], np.float32))
except ValueError as e:
    print(e)
try:
    st.ObservedStochasticTensor(ds.Normal(tf.zeros([2]), 1.0), value=np.ones([2], np.int32))
except ValueError as e:
    print(e)

# case: score functions
st = tf.contrib.bayesflow.stochastic_tensor
sge = tf.contrib.bayesflow.stochastic_gradient_estimators
ds = tf.contrib.distributions
x = st.StochasticTensor(ds.Normal(tf.constant([1.0, 2.0]), 1.0), dist_value_type=st.SampleValue(stop_gradient=True))
value = tf.constant([0.5, 1.0])
loss = tf.constant([2.0, -1.0])
session = tf.Session()
show(session.run(sge.score_function(x, value, loss)))
show(session.run(sge.score_function(x, value, loss, baseline=tf.constant(0.5))))
show(session.run(sge.get_score_function_with_constant_baseline(tf.constant(2.0))(x, value, loss)))
show(session.run(sge.get_score_function_with_baseline(lambda s, l: tf.reduce_max(l))(x, value, loss)))
show(session.run(sge.get_score_function_with_advantage(lambda s, l: l * 2)(x, value, loss)))
mean = sge.get_score_function_with_baseline()(x, value, loss)
session.run(tf.global_variables_initializer())
for _ in range(3):
    show(session.run(mean))
losses = tf.constant([[1.0, 2.0], [3.0, 0.5], [0.25, 4.0]])
show(session.run(sge.get_vimco_advantage_fn()(x, losses)))
show(session.run(sge.get_vimco_advantage_fn(have_log_loss=True)(x, losses)))
show(tf.gradients(sge.score_function(x, value, loss), loss))

# case: surrogate loss
st = tf.contrib.bayesflow.stochastic_tensor
sg = tf.contrib.bayesflow.stochastic_graph
ds = tf.contrib.distributions
mu = tf.constant([0.0, 0.1, 0.2])
sigma = tf.constant([1.1, 1.2, 1.3])
with st.value_type(st.MeanValue(stop_gradient=True)):
    prior = st.StochasticTensor(ds.Normal(mu, sigma))
    likelihood = st.StochasticTensor(ds.Normal(prior, sigma))
    coupling = tf.constant([0.5, 1.0, 2.0])
    loss1 = tf.square(tf.identity(likelihood) - coupling)
    loss2 = tf.square(prior.value() * 3.0)
session = tf.Session()
total = sg.surrogate_loss([loss1, loss2])
show(session.run(total), session.run(tf.gradients(total, [mu, sigma])))
total = sg.surrogate_loss([loss1], stochastic_tensors=[prior])
show(session.run(total), session.run(tf.gradients(total, [mu, sigma])))
with st.value_type(st.SampleValue(stop_gradient=True)):
    b = st.StochasticTensor(ds.Normal(mu, sigma))
total = sg.surrogate_loss([b.value(), tf.constant([1.0, 2.0, 3.0])])
show(total, tf.gradients(total, mu)[0].shape)

# case: surrogate loss of other things
sg = tf.contrib.bayesflow.stochastic_graph
show(sg.surrogate_loss([tf.zeros([2]), tf.ones([2])]))
for wrong in (tf.zeros([]), tf.placeholder(tf.float32)):
    try:
        sg.surrogate_loss([wrong])
    except ValueError as e:
        print(e)

# case: evidence lower bounds
st = tf.contrib.bayesflow.stochastic_tensor
vi = tf.contrib.bayesflow.variational_inference
ds = tf.contrib.distributions
session = tf.Session()


def model(continuous=True):
    with st.value_type(st.MeanValue()):
        q = st.StochasticTensor(ds.Normal(tf.constant([[0.5, -0.5], [1.0, 2.0]]), 1.5))
    p = ds.Normal(tf.zeros([2, 2]), 1.0)
    return q, p, tf.reduce_sum(-tf.square(q.value()), 1)


q, p, likelihood = model()
for form in (None, vi.ELBOForms.default, vi.ELBOForms.analytic_kl, vi.ELBOForms.sample, vi.ELBOForms.analytic_entropy):
    for keep in (True, False):
        show(session.run(vi.elbo(likelihood, {q: p}, keep_batch_dim=keep, form=form)))
vi.register_prior(q, p)
show(session.run(vi.elbo(likelihood)))
joint = likelihood + tf.reduce_sum(p.log_prob(q.value()), 1)
for form in (None, vi.ELBOForms.sample, vi.ELBOForms.analytic_entropy):
    for keep in (True, False):
        show(session.run(vi.elbo_with_log_joint(joint, [q], keep_batch_dim=keep, form=form)))
show(session.run(vi.elbo_with_log_joint(joint)))
for call in (
    lambda: vi.elbo(likelihood, {q: p}, form="x"),
    lambda: vi.elbo_with_log_joint(joint, [q], form=vi.ELBOForms.analytic_kl),
    lambda: vi.elbo(tf.constant(1.0)),
    lambda: vi.register_prior(p, p),
    lambda: vi.register_prior(q, q),
):
    try:
        call()
    except (TypeError, ValueError) as e:
        print(type(e).__name__, str(e).split(": ")[0])

# case: prior that is not registered
st = tf.contrib.bayesflow.stochastic_tensor
vi = tf.contrib.bayesflow.variational_inference
q = st.StochasticTensor(tf.contrib.distributions.Normal(0.0, 1.0))
vi.elbo(tf.square(q.value()))

# case: distributions without a known divergence
st = tf.contrib.bayesflow.stochastic_tensor
vi = tf.contrib.bayesflow.variational_inference
ds = tf.contrib.distributions
with st.value_type(st.MeanValue()):
    q = st.StochasticTensor(ds.Laplace([[2.0, 3.0]], 2.0))
p = ds.Normal([[1.0, 2.0]], 1.0)
session = tf.Session()
show(session.run(vi.elbo(tf.constant([1.0]), {q: p})))
show(session.run(vi.elbo(tf.constant([1.0]), {q: p}, keep_batch_dim=False)))

# case: stochastic variables
st = tf.contrib.bayesflow.stochastic_tensor
sv = tf.contrib.bayesflow.stochastic_variables
vi = tf.contrib.bayesflow.variational_inference
ds = tf.contrib.distributions
getter = sv.make_stochastic_variable_getter(ds.NormalWithSoftplusSigma)
with tf.variable_scope("model", custom_getter=getter):
    v = tf.get_variable("w", (2, 3))
show(isinstance(v, st.StochasticTensor), v.value().shape, v.name)
print([x.get_shape().as_list() for x in tf.global_variables()])


def prior(shape, dtype):
    return ds.Normal(tf.zeros(shape, dtype), 1.0)


with tf.variable_scope("other", custom_getter=sv.make_stochastic_variable_getter(ds.Normal, prior=prior)):
    v = tf.get_variable("w", [2])
print([x.get_shape().as_list() for x in tf.trainable_variables()])
print([(a.name, type(b).__name__) for a, b in tf.get_collection(vi.VI_PRIORS)])

# case: priors of a wrong kind
sv = tf.contrib.bayesflow.stochastic_variables
ds = tf.contrib.distributions
with tf.variable_scope("m", custom_getter=sv.make_stochastic_variable_getter(ds.Normal, prior=3)):
    tf.get_variable("w", [2])

# case: entropies and ratios
en = tf.contrib.bayesflow.entropy
ds = tf.contrib.distributions
session = tf.Session()
p = ds.Normal([0.0, 1.0], [1.0, 2.0])
q = ds.Normal([0.5, 0.5], [1.5, 2.0])
z = tf.constant([[0.1, 0.2], [1.0, -1.0], [0.5, 0.0]])
show(session.run(en.entropy_shannon(p)))
show(session.run(en.entropy_shannon(p, z=z, form=en.ELBOForms.sample)))
show(session.run(en.elbo_ratio(p.log_prob, q, z=z)))
show(session.run(en.elbo_ratio(p.log_prob, q, z=z, form=en.ELBOForms.sample)))
show(session.run(en.elbo_ratio(p.log_prob, q, z=z, form=en.ELBOForms.analytic_entropy)))
for alpha in (0.0, 0.3, 0.9):
    show(session.run(en.renyi_ratio(p.log_prob, q, alpha, z=z)))
for step in (0, 10, 50, 1000):
    show(session.run(en.renyi_alpha(step, decay_time=100.0, alpha_min=0.1)))
for call in (
    lambda: en.entropy_shannon(p, form="x"),
    lambda: en.elbo_ratio(p.log_prob, q),
    lambda: en.elbo_ratio(p.log_prob, q, z=None, n=None),
):
    try:
        show(call())
    except (TypeError, ValueError) as e:
        print(type(e).__name__, str(e))

# case: normal distribution functions
sm = tf.contrib.bayesflow.special_math
x = np.array([-30.0, -12.0, -6.0, -1.0, 0.0, 0.5, 4.0, 9.0])
session = tf.Session()
for dtype in (np.float32, np.float64):
    show(session.run(sm.ndtr(x.astype(dtype))), session.run(sm.log_ndtr(x.astype(dtype))))
print(int(sm.LOGNDTR_FLOAT32_LOWER), int(sm.LOGNDTR_FLOAT64_UPPER))
