"""Optimizers and clipping, as the steps of several programs need them."""

import jax
import jax.numpy as jnp


def descend(parameters, gradients, rate):
    """Gradient descent."""
    return jax.tree.map(lambda p, g: p - rate * g, parameters, gradients)


def adam_state(parameters):
    """The moments and the number of steps before the first step of `adam`."""
    zeros = jax.tree.map(jnp.zeros_like, parameters)
    return zeros, jax.tree.map(jnp.zeros_like, parameters), jnp.zeros(())


def adam(parameters, state, gradients, rate, beta1=0.9, beta2=0.999, epsilon=1e-8):
    """A step of Adam; returns the new parameters and the new state."""
    first, second, steps = state
    steps = steps + 1
    first = jax.tree.map(lambda m, g: beta1 * m + (1 - beta1) * g, first, gradients)
    second = jax.tree.map(lambda v, g: beta2 * v + (1 - beta2) * g * g, second, gradients)
    rate = rate * jnp.sqrt(1 - beta2**steps) / (1 - beta1**steps)
    parameters = jax.tree.map(
        lambda p, m, v: p - rate * m / (jnp.sqrt(v) + epsilon), parameters, first, second
    )
    return parameters, (first, second, steps)


def clipped(gradients, norm):
    """Gradients scaled so that their common norm is at most `norm`."""
    squares = sum(jnp.sum(g * g) for g in jax.tree.leaves(gradients))
    scale = norm / jnp.maximum(jnp.sqrt(squares), norm)
    return jax.tree.map(lambda g: g * scale, gradients)
