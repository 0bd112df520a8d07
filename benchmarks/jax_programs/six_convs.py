"""The steps of `programs/six_convs.py`: six convolutions, forward and a training step."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import timing
from optimizers import descend

images = np.random.RandomState(0).rand(8, 32, 32, 64).astype(np.float32)
keys = jax.random.split(jax.random.key(0), 6)
parameters = [
    (0.05 * jax.random.truncated_normal(key, -2, 2, (3, 3, 64, 64)), jnp.zeros(64)) for key in keys
]


def loss_of(parameters, maps):
    for weights, biases in parameters:
        maps = jax.lax.conv_general_dilated(
            maps, weights, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")
        )
        maps = jax.nn.relu(maps + biases)
    return jnp.mean(maps * maps)


@partial(jax.jit, donate_argnums=0)
def step(parameters, maps):
    return descend(parameters, jax.grad(loss_of)(parameters, maps), 1e-3)


forward = jax.jit(loss_of)


def train():
    global parameters
    parameters = jax.block_until_ready(step(parameters, images))


timing.measure(lambda: float(forward(parameters, images)), "forward")
timing.measure(train, "train")
