"""The step of `programs/softmax.py`: softmax regression, batch 100."""

import itertools
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import timing
from optimizers import descend

random = np.random.RandomState(0)
images = random.rand(10, 100, 784).astype(np.float32)
labels = np.eye(10, dtype=np.float32)[random.randint(0, 10, (10, 100))]
parameters = jnp.zeros((784, 10)), jnp.zeros(10)


def loss_of(parameters, x, y):
    weights, biases = parameters
    return jnp.mean(-jnp.sum(y * jnp.log(jax.nn.softmax(x @ weights + biases)), 1))


@partial(jax.jit, donate_argnums=0)
def step(parameters, x, y):
    return descend(parameters, jax.grad(loss_of)(parameters, x, y), 0.01)


batches = itertools.cycle(zip(images, labels))


def train():
    global parameters
    parameters = jax.block_until_ready(step(parameters, *next(batches)))


timing.measure(train, check=lambda: jax.jit(loss_of)(parameters, images[0], labels[0]))
