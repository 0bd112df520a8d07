"""The first run of a plan, unless all is compiled: nothing is, so JAX is not loaded."""

from __future__ import annotations

import os
import subprocess
import sys

PROGRAM = """
import sys
import numpy as np
import headwater as tf

x = tf.placeholder(tf.float32, [4, 4])
y = x
weights = tf.Variable(tf.truncated_normal([4, 4], seed=1))
for _ in range(20):
    y = tf.nn.relu(tf.matmul(y, weights) * 0.1 + tf.reduce_mean(y, 1, keepdims=True))
(gradient,) = tf.gradients(tf.reduce_sum(y), [weights])
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    found = session.run(gradient, {x: np.ones((4, 4))})
    assert found.shape == (4, 4) and np.isfinite(found).all()
assert len(tf.get_default_graph().get_operations()) > 100
print([name for name in ("jax", "jaxlib", "google.protobuf") if name in sys.modules])
"""


def test_hundred_ops_and_their_gradients_run_without_loading_jax():
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        env={**os.environ, "HEADWATER_JIT": "auto"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.strip() == "[]", done.stderr
