"""The step of `programs/seq2seq_attention.py`: two GRU layers, attention, sampled softmax.

The samples are log-uniform, drawn with replacement.
"""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import timing
from optimizers import clipped, descend

WORDS, SIZE, LAYERS, BATCH, SAMPLES = 2000, 128, 2, 32, 256
SOURCE, TARGET = 10, 15

random = np.random.RandomState(0)
sources = random.randint(0, WORDS, (SOURCE, BATCH)).astype(np.int32)
outputs = random.randint(0, WORDS, (TARGET + 1, BATCH)).astype(np.int32)
keys = iter(jax.random.split(jax.random.key(1), 32))


def variable(*shape):
    return jax.random.uniform(next(keys), shape, minval=-0.1, maxval=0.1)


def layer(rows, columns, bias=0.0):
    return variable(rows, columns), jnp.full(columns, bias, jnp.float32)


def cells():
    return [(layer(2 * SIZE, 2 * SIZE, 1.0), layer(2 * SIZE, SIZE)) for _ in range(LAYERS)]


parameters = {
    "source words": variable(WORDS, SIZE),
    "encoder": cells(),
    "target words": variable(WORDS, SIZE),
    "decoder": cells(),
    "input": layer(2 * SIZE, SIZE),
    "output": layer(2 * SIZE, SIZE),
    "keys": variable(SIZE, SIZE),
    "query": layer(LAYERS * SIZE, SIZE),
    "attention": variable(SIZE),
    "projection": (variable(WORDS, SIZE), jnp.zeros(WORDS)),
}


def linear(values, weights_and_biases):
    weights, biases = weights_and_biases
    return jnp.concatenate(values, 1) @ weights + biases


def gru_layers(layers, states, value):
    found = []
    for (gates, candidate), state in zip(layers, states):
        reset, update = jnp.split(jax.nn.sigmoid(linear([value, state], gates)), 2, 1)
        new = jnp.tanh(linear([value, reset * state], candidate))
        value = update * state + (1 - update) * new
        found.append(value)
    return found, value


def attend(parameters, encoded, keys, states):
    """The mean of the encoder's outputs, weighted by how they fit to the states of the decoder."""
    query = linear(states, parameters["query"])
    fit = jnp.sum(parameters["attention"] * jnp.tanh(keys + query[:, None]), 2)
    return jnp.sum(jax.nn.softmax(fit)[:, :, None] * encoded, 1)


def log_expected(words):
    """The logarithm of how many samples of a word are expected."""
    return jnp.log(SAMPLES * jnp.log((words + 2.0) / (words + 1.0)) / np.log(WORDS + 1.0))


def sampled_loss(projection, values, labels, key):
    weights, biases = projection
    drawn = jnp.exp(jax.random.uniform(key, (SAMPLES,)) * np.log(WORDS + 1.0)).astype(np.int32)
    sampled = jnp.clip(drawn - 1, 0, WORDS - 1)
    true = jnp.sum(values * weights[labels], 1) + biases[labels] - log_expected(labels)
    noise = values @ weights[sampled].T + biases[sampled] - log_expected(sampled)
    noise = jnp.where(labels[:, None] == sampled, -jnp.inf, noise)
    return jax.nn.logsumexp(jnp.concatenate([true[:, None], noise], 1), 1) - true


def loss_of(parameters, sources, outputs, key):
    def encode(states, words):
        return gru_layers(parameters["encoder"], states, words)

    def decode(before, step):
        states, mean = before
        words, labels, key = step
        value = linear([words, mean], parameters["input"])
        states, value = gru_layers(parameters["decoder"], states, value)
        mean = attend(parameters, encoded, attention_keys, states)
        value = linear([value, mean], parameters["output"])
        loss = jnp.mean(sampled_loss(parameters["projection"], value, labels, key))
        return (states, mean), loss

    zeros = jnp.zeros((BATCH, SIZE))
    words = parameters["source words"][sources]
    states, encoded = jax.lax.scan(encode, [zeros] * LAYERS, words)
    encoded = jnp.swapaxes(encoded, 0, 1)
    attention_keys = encoded @ parameters["keys"]
    words = parameters["target words"][outputs[:-1]]
    steps = words, outputs[1:], jax.random.split(key, TARGET)
    _, losses = jax.lax.scan(decode, (states, zeros), steps)
    return jnp.mean(losses)


@partial(jax.jit, donate_argnums=0)
def step(state, sources, outputs):
    parameters, key = state
    key, used = jax.random.split(key)
    gradients = jax.grad(loss_of)(parameters, sources, outputs, used)
    return descend(parameters, clipped(gradients, 5.0), 0.5), key


state = parameters, next(keys)


def train():
    global state
    state = jax.block_until_ready(step(state, sources, outputs))


timing.measure(train)
