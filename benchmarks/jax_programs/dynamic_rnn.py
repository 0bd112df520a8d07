"""The step of `programs/dynamic_rnn.py`: two LSTM layers of 200 in a scan over 35 steps."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import timing
from optimizers import descend

SIZE, LAYERS, BATCH, STEPS = 200, 2, 20, 35

texts = np.random.RandomState(0).randn(BATCH, STEPS, SIZE).astype(np.float32)
parameters = [
    (jax.random.uniform(key, (2 * SIZE, 4 * SIZE), minval=-0.1, maxval=0.1), jnp.zeros(4 * SIZE))
    for key in jax.random.split(jax.random.key(1), LAYERS)
]


def loss_of(parameters, inputs):
    def cells(states, value):
        found = []
        for (weights, biases), (cell, hidden) in zip(parameters, states):
            gates = jnp.concatenate([value, hidden], 1) @ weights + biases
            i, j, f, o = jnp.split(gates, 4, 1)
            cell = cell * jax.nn.sigmoid(f + 1) + jax.nn.sigmoid(i) * jnp.tanh(j)
            value = jnp.tanh(cell) * jax.nn.sigmoid(o)
            found.append((cell, value))
        return found, value

    zeros = jnp.zeros((BATCH, SIZE))
    _, outputs = jax.lax.scan(cells, [(zeros, zeros)] * LAYERS, jnp.swapaxes(inputs, 0, 1))
    return jnp.mean(outputs**2)


@partial(jax.jit, donate_argnums=0)
def step(parameters, inputs):
    return descend(parameters, jax.grad(loss_of)(parameters, inputs), 0.1)


def train():
    global parameters
    parameters = jax.block_until_ready(step(parameters, texts))


timing.measure(train)
