"""The step of `programs/convnet.py`: the convolutional network with dropout, Adam, batch 50."""

import itertools
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import timing
from optimizers import adam, adam_state

random = np.random.RandomState(0)
images = random.rand(10, 50, 784).astype(np.float32)
labels = np.eye(10, dtype=np.float32)[random.randint(0, 10, (10, 50))]

SHAPES = [(5, 5, 1, 32), (5, 5, 32, 64), (7 * 7 * 64, 1024), (1024, 10)]
keys = jax.random.split(jax.random.key(1), len(SHAPES))
parameters = [
    (0.1 * jax.random.truncated_normal(key, -2, 2, shape), jnp.full(shape[-1], 0.1, jnp.float32))
    for key, shape in zip(keys, SHAPES)
]


def convolution_and_pool(maps, weights, biases):
    maps = jax.lax.conv_general_dilated(
        maps, weights, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")
    )
    maps = jax.nn.relu(maps + biases)
    window = (1, 2, 2, 1)
    return jax.lax.reduce_window(maps, -jnp.inf, jax.lax.max, window, window, "SAME")


def loss_of(parameters, x, y, key):
    first, second, (w1, b1), (w2, b2) = parameters
    maps = convolution_and_pool(x.reshape(-1, 28, 28, 1), *first)
    maps = convolution_and_pool(maps, *second)
    hidden = jax.nn.relu(maps.reshape(len(x), -1) @ w1 + b1)
    kept = jax.random.bernoulli(key, 0.5, hidden.shape)
    logits = jnp.where(kept, hidden / 0.5, 0) @ w2 + b2
    return -jnp.mean(jnp.sum(y * jax.nn.log_softmax(logits), 1))


@partial(jax.jit, donate_argnums=0)
def step(state, x, y):
    parameters, moments, key = state
    key, used = jax.random.split(key)
    gradients = jax.grad(loss_of)(parameters, x, y, used)
    parameters, moments = adam(parameters, moments, gradients, 1e-4)
    return parameters, moments, key


state = parameters, adam_state(parameters), jax.random.key(4)
batches = itertools.cycle(zip(images, labels))


def train():
    global state
    state = jax.block_until_ready(step(state, *next(batches)))


timing.measure(train)
