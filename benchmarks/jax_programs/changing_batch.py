"""The steps of `programs/changing_batch.py`: a perceptron trained on batches of 200 sizes.

Each new shape would be compiled, for half a second; so a batch is filled with zeros up to a power
of two, and the loss leaves them out.
"""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import timing
from optimizers import descend

BATCHES = 200

random = np.random.RandomState(0)
sizes = random.permutation(np.arange(5, 5 + BATCHES))
batches = [random.rand(size, 100).astype(np.float32) for size in sizes]
SIZES = [100, 200, 200, 200, 1]
parameters = [
    (0.07 * jax.random.truncated_normal(key, -2, 2, (rows, columns)), jnp.zeros(columns))
    for key, rows, columns in zip(jax.random.split(jax.random.key(1), 4), SIZES, SIZES[1:])
]


def loss_of(parameters, x, rows):
    values = x
    for weights, biases in parameters:
        values = jnp.tanh(values @ weights + biases)
    squares = jnp.mean((values - jnp.mean(x, 1, keepdims=True)) ** 2, 1)
    return jnp.sum(jnp.where(jnp.arange(len(x)) < rows, squares, 0)) / rows


@partial(jax.jit, donate_argnums=0)
def step(parameters, x, rows):
    return descend(parameters, jax.grad(loss_of)(parameters, x, rows), 0.1)


def filled(batch):
    size = 1 << (len(batch) - 1).bit_length()
    return np.concatenate([batch, np.zeros((size - len(batch), *batch.shape[1:]), batch.dtype)])


def train():
    global parameters
    for batch in batches:
        parameters = step(parameters, filled(batch), np.float32(len(batch)))
    jax.block_until_ready(parameters)


timing.once(train, "200 sizes")
timing.once(train, "the same again")
