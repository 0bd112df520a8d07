"""Records losses of `cluster_loss`: run it in TensorFlow 1.15.5 with scikit-learn 0.22.

ORACLES/tf-1.15.5/bin/python tests/golden/make_cluster_losses.py
"""

import json
from pathlib import Path

import numpy as np
import tensorflow as tf

PATH = Path(__file__).resolve().parent / "cluster_losses.json"
KINDS = ("nmi", "ami", "ari", "vmeasure")


def main():
    """Writes a list of cases and their losses."""
    labels = tf.placeholder(tf.int32, [None])
    embeddings = tf.placeholder(tf.float32, [None, 2])
    multiplier = tf.placeholder(tf.float32, [])
    loss = tf.contrib.losses.metric_learning.cluster_loss
    losses = {
        (kind, refine): loss(labels, embeddings, multiplier, refine, kind)
        for kind in KINDS
        for refine in (True, False)
    }
    rng = np.random.RandomState(3)
    cases = []
    with tf.Session() as session:
        for number in range(8):
            count, kinds = rng.randint(5, 13), rng.randint(2, 5)
            of_all = [*range(kinds), *map(int, rng.randint(0, kinds, count - kinds))]
            points = [[round(float(x), 2) for x in row] for row in rng.rand(count, 2)]
            factor = [0.0, 0.5, 1.0, 3.0][number % 4]
            feeds = {labels: of_all, embeddings: points, multiplier: factor}
            values = {
                "{} {}".format(kind, "refined" if refine else "greedy"): round(float(value), 6)
                for (kind, refine), value in session.run(losses, feeds).items()
            }
            case = {"labels": of_all, "embeddings": points, "multiplier": factor}
            cases.append(dict(case, losses=values))
    PATH.write_text(json.dumps(cases, indent=1) + "\n")


if __name__ == "__main__":
    main()
