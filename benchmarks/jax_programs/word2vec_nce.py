"""The step of `programs/word2vec_nce.py`: skip-gram vectors with NCE.

The samples are log-uniform, drawn with replacement; rows are gathered and updated by themselves.
"""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import timing

WORDS, SIZE, BATCH, SAMPLED = 50000, 128, 128, 64

random = np.random.RandomState(0)
centres = random.randint(0, WORDS, BATCH).astype(np.int32)
contexts = random.randint(0, WORDS, (BATCH, 1)).astype(np.int32)
keys = jax.random.split(jax.random.key(1), 3)
tables = (
    jax.random.uniform(keys[0], (WORDS, SIZE), minval=-1.0, maxval=1.0),
    jax.random.truncated_normal(keys[1], -2, 2, (WORDS, SIZE)) * SIZE**-0.5,
    jnp.zeros(WORDS),
)


def log_expected(words):
    """The logarithm of how many samples of a word are expected."""
    return jnp.log(SAMPLED * jnp.log((words + 2.0) / (words + 1.0)) / np.log(WORDS + 1.0))


def loss_of(rows, labels, sampled):
    inputs, true_weights, true_biases, weights, biases = rows
    true = jnp.sum(inputs * true_weights, 1) + true_biases - log_expected(labels)
    noise = inputs @ weights.T + biases - log_expected(sampled)
    return jnp.mean(jax.nn.softplus(-true) + jnp.sum(jax.nn.softplus(noise), 1))


@partial(jax.jit, donate_argnums=0)
def step(state, centres, labels):
    (embeddings, weights, biases), key = state
    labels = labels.reshape(-1)
    key, used = jax.random.split(key)
    uniform = jax.random.uniform(used, (SAMPLED,))
    sampled = jnp.exp(uniform * np.log(WORDS + 1.0)).astype(np.int32) - 1
    sampled = jnp.clip(sampled, 0, WORDS - 1)
    rows = embeddings[centres], weights[labels], biases[labels], weights[sampled], biases[sampled]
    gradients = jax.grad(loss_of)(rows, labels, sampled)
    inputs, true_weights, true_biases, sample_weights, sample_biases = (
        -0.1 * gradient for gradient in gradients
    )
    both = jnp.concatenate([labels, sampled])
    tables = (
        embeddings.at[centres].add(inputs),
        weights.at[both].add(jnp.concatenate([true_weights, sample_weights])),
        biases.at[both].add(jnp.concatenate([true_biases, sample_biases])),
    )
    return tables, key


state = tables, keys[2]


def train():
    global state
    state = jax.block_until_ready(step(state, centres, contexts))


timing.measure(train)
