from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import headwater as tf
from headwater.data import mnist_model as mnist

GOLDEN = json.loads((Path(__file__).parent.parent / "golden" / "mnist_model.json").read_text())
BATCH = 5


@pytest.fixture
def model():
    """The tensors of the model and feeds for them, built as the golden ones."""
    tf.set_random_seed(7)
    images = tf.placeholder(tf.float32, (BATCH, mnist.IMAGE_PIXELS))
    labels = tf.placeholder(tf.int32, (BATCH,))
    logits = mnist.inference(images, 6, 4)
    loss = mnist.loss(logits, labels)
    step = mnist.training(loss, 0.1)
    right = mnist.evaluation(logits, labels)
    pixels = np.linspace(0, 1, BATCH * mnist.IMAGE_PIXELS, dtype=np.float32)
    feeds = {images: pixels.reshape(BATCH, -1), labels: np.arange(BATCH) % 3}
    return logits, loss, step, right, feeds


def test_node_names_and_types(model):
    nodes = [
        [op.name, op.type.replace("V2", "")]
        for op in tf.get_default_graph().get_operations()
        if not op.name.startswith("gradients")
    ]
    expected = list(GOLDEN["nodes"])
    # Release 1.15 makes k an input.
    place = expected.index(["InTopK", "InTopK"])
    expected[place : place + 1] = [
        ["in_top_k/InTopKV2/k", "Const"],
        ["in_top_k/InTopKV2", "InTopK"],
    ]
    assert nodes == expected


def test_numbers(model, session):
    logits, loss, step, right, feeds = model
    session.run(tf.global_variables_initializer())
    np.testing.assert_allclose(session.run(logits, feeds), GOLDEN["logits"], rtol=1e-5, atol=1e-6)
    losses = [session.run([loss, step], feeds)[0] for _ in GOLDEN["losses"]]
    np.testing.assert_allclose(losses, GOLDEN["losses"], rtol=1e-5)
    assert session.run(right, feeds) == GOLDEN["right"]
    assert session.run("global_step:0") == GOLDEN["global_step"]


def test_loss_is_summarised(model):
    (summary,) = tf.get_collection(tf.GraphKeys.SUMMARIES)
    assert summary.op.type == "ScalarSummary"
    assert summary.name == "loss:0"
