"""Writes mnist_batches.json: the order in which TensorFlow 1.15.5 gives out MNIST batches.

Run it with the Python of TensorFlow 1.15.5.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import tensorflow as tf
from tensorflow.contrib.learn.python.learn.datasets import mnist

CASES = [
    {"count": 7, "sizes": [3] * 8, "seed": 3, "graph_seed": None, "shuffle": [True]},
    {"count": 7, "sizes": [7] * 4, "seed": 3, "graph_seed": None, "shuffle": [True]},
    {"count": 7, "sizes": [10] * 5, "seed": 3, "graph_seed": None, "shuffle": [True]},
    {"count": 7, "sizes": [3] * 5, "seed": 3, "graph_seed": None, "shuffle": [False]},
    {"count": 7, "sizes": [2] * 9, "seed": 3, "graph_seed": None, "shuffle": [True, False]},
    {"count": 7, "sizes": [2] * 9, "seed": 3, "graph_seed": None, "shuffle": [False, True]},
    {"count": 9, "sizes": [4, 1, 9, 2, 5], "seed": None, "graph_seed": 11, "shuffle": [True]},
    {"count": 9, "sizes": [4, 1, 9, 2, 5], "seed": 5, "graph_seed": 11, "shuffle": [True]},
    {"count": 9, "sizes": [4] * 4, "seed": 0, "graph_seed": 0, "shuffle": [True]},
    {"count": 9, "sizes": [4] * 4, "seed": 0, "graph_seed": None, "shuffle": [True]},
    {"count": 9, "sizes": [4] * 4, "seed": None, "graph_seed": 0, "shuffle": [True]},
]


def run(case: dict) -> list:
    """Returns [labels, first pixels, epochs completed] of each batch."""
    tf.reset_default_graph()
    tf.set_random_seed(case["graph_seed"])
    count = case["count"]
    images = np.arange(count * 4, dtype=np.uint8).reshape(count, 2, 2, 1)
    data = mnist.DataSet(images, np.arange(count, dtype=np.uint8), seed=case["seed"])
    steps = []
    for step, size in enumerate(case["sizes"]):
        shuffle = case["shuffle"][step % len(case["shuffle"])]
        images, labels = data.next_batch(size, shuffle=shuffle)
        pixels = [float(x) for x in images[:, 0]]
        steps.append([labels.tolist(), pixels, data.epochs_completed])
    return steps


if __name__ == "__main__":
    golden = [dict(case, steps=run(case)) for case in CASES]
    text = ",\n".join(json.dumps(case) for case in golden)
    Path(__file__).with_name("mnist_batches.json").write_text(f"[\n{text}\n]\n")
