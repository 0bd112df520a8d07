"""The step of `programs/ptb_unrolled.py`: two LSTM layers of 200, 20 steps unrolled by tracing."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import timing
from optimizers import clipped, descend

WORDS, SIZE, LAYERS, STEPS, BATCH = 10000, 200, 2, 20, 20

text = np.random.RandomState(0).randint(0, WORDS, (BATCH, STEPS + 1)).astype(np.int32)
keys = iter(jax.random.split(jax.random.key(1), LAYERS + 2))


def variable(*shape):
    return jax.random.uniform(next(keys), shape, minval=-0.1, maxval=0.1)


parameters = {
    "embedding": variable(WORDS, SIZE),
    "cells": [(variable(2 * SIZE, 4 * SIZE), jnp.zeros(4 * SIZE)) for _ in range(LAYERS)],
    "softmax": (variable(SIZE, WORDS), jnp.zeros(WORDS)),
}


def loss_of(parameters, inputs, targets):
    words = parameters["embedding"][inputs]
    cells = [jnp.zeros((BATCH, SIZE)) for _ in range(LAYERS)]
    hiddens = [jnp.zeros((BATCH, SIZE)) for _ in range(LAYERS)]
    outputs = []
    for step in range(STEPS):
        value = words[:, step]
        for layer, (weights, biases) in enumerate(parameters["cells"]):
            gates = jnp.concatenate([value, hiddens[layer]], 1) @ weights + biases
            i, j, f, o = jnp.split(gates, 4, 1)
            cells[layer] = cells[layer] * jax.nn.sigmoid(f) + jax.nn.sigmoid(i) * jnp.tanh(j)
            value = hiddens[layer] = jnp.tanh(cells[layer]) * jax.nn.sigmoid(o)
        outputs.append(value)
    weights, biases = parameters["softmax"]
    logits = jnp.stack(outputs, 1).reshape(-1, SIZE) @ weights + biases
    likelihoods = jax.nn.log_softmax(logits)
    return -jnp.sum(jnp.take_along_axis(likelihoods, targets.reshape(-1, 1), 1)) / BATCH


@partial(jax.jit, donate_argnums=0)
def step(parameters, inputs, targets):
    gradients = jax.grad(loss_of)(parameters, inputs, targets)
    return descend(parameters, clipped(gradients, 5.0), 1.0)


def train():
    global parameters
    parameters = jax.block_until_ready(step(parameters, text[:, :-1], text[:, 1:]))


timing.measure(train)
