"""TensorFlow Probability 0.8: distributions, bijectors, MCMC, layers and optimizers."""

import json
import os
import tempfile

import numpy as np
import tensorflow as tf
import tensorflow_probability as tfp

tfd = tfp.distributions
tfb = tfp.bijectors
found = {}
rng = np.random.RandomState(0)
tf.set_random_seed(1)
session = tf.InteractiveSession()

# Densities, moments and divergences.
values = {}
grid = np.array([0.1, 0.4, 0.9])
for name, made in {
    "Normal": lambda: tfd.Normal(0.5, 2.0),
    "StudentT": lambda: tfd.StudentT(3.0, 0.5, 2.0),
    "Gamma": lambda: tfd.Gamma(2.0, 3.0),
    "Beta": lambda: tfd.Beta(2.0, 3.0),
    "Kumaraswamy": lambda: tfd.Kumaraswamy(2.0, 3.0),
    "LogNormal": lambda: tfd.LogNormal(0.5, 0.7),
    "Cauchy": lambda: tfd.Cauchy(0.5, 2.0),
    "Gumbel": lambda: tfd.Gumbel(0.5, 2.0),
    "HalfNormal": lambda: tfd.HalfNormal(2.0),
    "InverseGamma": lambda: tfd.InverseGamma(3.0, 2.0),
    "Laplace": lambda: tfd.Laplace(0.5, 2.0),
    "Logistic": lambda: tfd.Logistic(0.5, 2.0),
    "TruncatedNormal": lambda: tfd.TruncatedNormal(0.5, 2.0, -1.0, 1.0),
    "Uniform": lambda: tfd.Uniform(0.0, 1.0),
    "VonMises": lambda: tfd.VonMises(0.5, 2.0),
    "SinhArcsinh": lambda: tfd.SinhArcsinh(0.5, 2.0, 0.3, 1.2),
}.items():
    values[name] = made().log_prob(grid.astype(np.float32))
found["log_prob"] = {k: v.tolist() for k, v in session.run(values).items()}
found["samples"] = session.run(
    {
        "Normal": tfd.Normal(0.0, 1.0).sample(3, seed=3),
        "Gamma": tfd.Gamma(2.0, 1.0).sample(3, seed=3),
        "Categorical": tfd.Categorical(logits=[0.1, 0.2, 0.3]).sample(5, seed=3),
        "MVN": tfd.MultivariateNormalTriL([1.0, 2.0], [[1.0, 0.0], [0.5, 2.0]]).sample(2, seed=4),
    }
)
found["samples"] = {k: v.tolist() for k, v in found["samples"].items()}
mixture = tfd.MixtureSameFamily(
    tfd.Categorical(probs=[0.3, 0.7]), tfd.Normal([-1.0, 1.0], [0.1, 0.5])
)
found["mixture"] = session.run(
    [mixture.log_prob(0.3), mixture.mean(), mixture.variance(), mixture.cdf(0.1)]
)
found["divergence"] = session.run(
    [
        tfd.kl_divergence(tfd.Normal(0.0, 1.0), tfd.Normal(1.0, 2.0)),
        tfd.kl_divergence(tfd.Gamma(2.0, 1.0), tfd.Gamma(1.0, 3.0)),
        tfd.kl_divergence(
            tfd.MultivariateNormalDiag([0.0, 1.0], [1.0, 2.0]),
            tfd.MultivariateNormalTriL([1.0, 1.0], [[1.0, 0.0], [0.5, 2.0]]),
        ),
    ]
)
found["wishart"] = session.run(
    tfd.Wishart(5.0, scale_tril=np.eye(2, dtype=np.float32)).log_prob([[2.0, 0.3], [0.3, 1.0]])
)

# Bijectors: forward, inverse and Jacobians.
flow = tfb.Chain([tfb.Softplus(), tfb.AffineScalar(0.5, 2.0), tfb.Sigmoid()])
x = tf.constant([-0.3, 0.2, 1.0])
found["bijector"] = [
    v.tolist()
    for v in session.run(
        [flow.forward(x), flow.inverse(flow.forward(x)), flow.forward_log_det_jacobian(x, 0)]
    )
]
maf = tfd.TransformedDistribution(
    tfd.MultivariateNormalDiag([0.0, 0.0], [1.0, 1.0]),
    tfb.MaskedAutoregressiveFlow(
        shift_and_log_scale_fn=tfb.masked_autoregressive_default_template([4])
    ),
)
density = maf.log_prob(rng.randn(8, 2).astype(np.float32))
flow_loss = -tf.reduce_mean(density)
flow_step = tf.train.AdamOptimizer(0.01).minimize(flow_loss)

# Hamiltonian Monte Carlo on a known posterior.
target = tfd.MultivariateNormalTriL([1.0, -1.0], [[1.0, 0.0], [0.6, 0.8]])
kernel = tfp.mcmc.SimpleStepSizeAdaptation(
    tfp.mcmc.HamiltonianMonteCarlo(target.log_prob, 0.5, 3, seed=7), 80
)
states, accepted = tfp.mcmc.sample_chain(
    200,
    tf.zeros([8, 2]),
    num_burnin_steps=100,
    kernel=kernel,
    trace_fn=lambda _, results: results.inner_results.is_accepted,
)
chain = tf.reshape(states, [-1, 2])
mean, rate = session.run([tf.reduce_mean(chain, 0), tf.reduce_mean(tf.cast(accepted, tf.float32))])
assert np.all(np.abs(mean - [1.0, -1.0]) < 0.3), mean
assert 0.5 < rate <= 1.0, rate

# A variational layer in tf.keras.
x_data = rng.rand(64, 3).astype(np.float32)
y_data = x_data @ np.array([[1.0], [-2.0], [0.5]], np.float32)
inputs = tf.placeholder(tf.float32, [None, 3])
layer = tfp.layers.DenseFlipout(4, activation=tf.nn.relu)
head = tfp.layers.DenseReparameterization(1)
outputs = head(layer(inputs))
found["losses"] = [len(layer.losses), len(head.losses)]
found["variables"] = [v.op.name for v in layer.trainable_weights + head.trainable_weights]
elbo = tf.reduce_mean(tf.square(outputs - y_data)) + sum(layer.losses + head.losses) / 6400.0
train = tf.train.AdamOptimizer(0.05).minimize(elbo)

# Optimizers.
bfgs = tfp.optimizer.bfgs_minimize(
    lambda x: tfp.math.value_and_gradient(
        lambda x: tf.reduce_sum((x - [1.0, 2.0]) ** 2 * [1.0, 5.0]), x
    ),
    initial_position=tf.constant([3.0, 0.0]),
)
langevin = tfp.optimizer.StochasticGradientLangevinDynamics(0.01, preconditioner_decay_rate=0.99)
weight = tf.get_variable("weight", [], initializer=tf.constant_initializer(2.0), use_resource=True)
langevin_step = langevin.minimize(lambda: tf.square(weight), var_list=[weight])

saver = tf.train.Saver()
session.run(tf.global_variables_initializer())
found["bfgs"] = session.run([bfgs.converged, bfgs.position])
found["bfgs"] = [bool(found["bfgs"][0]), found["bfgs"][1].round(3).tolist()]
flow_before = session.run(flow_loss)
for _ in range(60):
    session.run(flow_step)
assert session.run(flow_loss) < flow_before
first = session.run(elbo, {inputs: x_data})
for _ in range(150):
    session.run(train, {inputs: x_data})
last = session.run(elbo, {inputs: x_data})
assert last < 0.7 * first, (first, last)
session.run(langevin_step)
path = saver.save(session, os.path.join(tempfile.mkdtemp(), "model"))
before = session.run(density)
session.run(tf.global_variables_initializer())
saver.restore(session, path)
np.testing.assert_allclose(session.run(density), before, rtol=1e-5)
print(json.dumps(found, default=lambda value: np.asarray(value).tolist()))
