"""Trains the two models of the MNIST tutorials on the bundled sample and prints how good they are.

Takes about a minute on two CPU cores and needs no network.
"""

from __future__ import annotations

import argparse
import importlib
import time
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np

from headwater.compat.install import install
from headwater.data.mnist import read_sample
from headwater.data.mnist_batches import Datasets

HELP = "train two MNIST models on a sample that comes with Headwater"

# Images per run of the accuracy: bounds the memory of the convolutional model.
TEST_BATCH = 500


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the arguments of `headwater demo`."""
    parser.add_argument(
        "--softmax-steps", type=int, default=1000, metavar="N", help="steps of 100 images"
    )
    parser.add_argument(
        "--convnet-steps", type=int, default=400, metavar="N", help="steps of 50 images"
    )
    parser.add_argument("--seed", type=int, default=1, help="for first weights and batches")


def execute(arguments: argparse.Namespace) -> int:
    """Trains both models, one after the other."""
    install()
    tf = importlib.import_module("tensorflow")
    # It imports tensorflow, which resolves to Headwater only from here on.
    from headwater.cli import demo_models as models

    data = read_sample(one_hot=True, seed=arguments.seed)
    print(
        f"MNIST sample: {data.train.num_examples:,} training images, "
        f"{data.test.num_examples:,} test images"
    )
    train(
        tf,
        "softmax regression",
        models.softmax_regression,
        data,
        100,
        arguments.softmax_steps,
        arguments.seed,
    )
    train(
        tf,
        "convolutional net",
        models.convolutional_network,
        data,
        50,
        arguments.convnet_steps,
        arguments.seed,
    )
    return 0


def train(
    tf: ModuleType,
    title: str,
    make_model: Callable[[], Any],
    data: Datasets,
    batch_size: int,
    steps: int,
    seed: int,
) -> float:
    """Trains one model with a progress bar.

    Returns:
      Its accuracy on the test images.
    """
    # rich takes 0.1 s to load; other commands do not need it.
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    started = time.monotonic()
    columns = (TextColumn(f"{title:18}"), BarColumn(), MofNCompleteColumn(), TextColumn("steps"))
    with tf.Graph().as_default():
        tf.set_random_seed(seed)
        model = make_model()
        with tf.Session() as sess, Progress(*columns) as progress:
            sess.run(tf.global_variables_initializer())
            for _ in progress.track(range(steps)):
                images, labels = data.train.next_batch(batch_size)
                feeds = {model.images: images, model.labels: labels, **model.train_feeds}
                sess.run(model.train_step, feeds)
            accuracy = test(sess, model, data)
    seconds = time.monotonic() - started
    print(f"{title:18} test accuracy {accuracy:.1%} after {steps} steps, {seconds:.0f} s")
    return accuracy


def test(sess: Any, model: Any, data: Datasets) -> float:
    """Returns the accuracy of a model on the test images."""
    parts = [
        sess.run(
            model.accuracy,
            {
                model.images: data.test.images[start : start + TEST_BATCH],
                model.labels: data.test.labels[start : start + TEST_BATCH],
                **model.test_feeds,
            },
        )
        for start in range(0, data.test.num_examples, TEST_BATCH)
    ]
    return float(np.mean(parts))
