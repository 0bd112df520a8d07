"""The step of `programs/mnist_mlp.py`: a network of 784, 128, 32 and 10 units, batch 100."""

import itertools
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import timing
from optimizers import descend

random = np.random.RandomState(0)
images = random.rand(10, 100, 784).astype(np.float32)
labels = random.randint(0, 10, (10, 100)).astype(np.int32)
SIZES = [784, 128, 32, 10]
parameters = [
    (jax.random.truncated_normal(key, -2, 2, (rows, columns)) * rows**-0.5, jnp.zeros(columns))
    for key, rows, columns in zip(jax.random.split(jax.random.key(1), 3), SIZES, SIZES[1:])
]


def loss_of(parameters, x, labels):
    *hidden, (last_weights, last_biases) = parameters
    for weights, biases in hidden:
        x = jax.nn.relu(x @ weights + biases)
    likelihoods = jax.nn.log_softmax(x @ last_weights + last_biases)
    return -jnp.mean(jnp.take_along_axis(likelihoods, labels[:, None], 1))


@partial(jax.jit, donate_argnums=0)
def step(parameters, x, labels):
    loss, gradients = jax.value_and_grad(loss_of)(parameters, x, labels)
    return descend(parameters, gradients, 0.01), loss


batches = itertools.cycle(zip(images, labels))


def train():
    global parameters
    parameters, loss = step(parameters, *next(batches))
    return float(loss)


timing.measure(train)
