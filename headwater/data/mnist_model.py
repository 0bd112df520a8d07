"""The fully connected MNIST model of the tutorial "TensorFlow Mechanics 101".

Programs reach it as `tensorflow.examples.tutorials.mnist.mnist` and call the four functions in
order: inference, loss, training, and evaluation beside them.
"""

from __future__ import annotations

import math
from typing import Any

from headwater.base import dtypes
from headwater.base.export import export, export_value
from headwater.base.typing import TensorLike
from headwater.graph import name_scope
from headwater.model.nn.sparse_cross_entropy import sparse_softmax_cross_entropy_with_logits
from headwater.model.variables.variable import Variable
from headwater.ops.array.fill import zeros
from headwater.ops.math.cast import cast, to_int64
from headwater.ops.math.matmul import matmul
from headwater.ops.math.reduce_functions import reduce_mean, reduce_sum
from headwater.ops.nn.in_top_k import in_top_k
from headwater.ops.nn.relu import relu
from headwater.ops.random.normal import truncated_normal
from headwater.ops.summary.scalar import scalar
from headwater.train.optimizers.gradient_descent import GradientDescentOptimizer

NUM_CLASSES = 10
IMAGE_SIZE = 28
IMAGE_PIXELS = IMAGE_SIZE * IMAGE_SIZE

_MODULE = "examples.tutorials.mnist.mnist"
export_value(f"{_MODULE}.NUM_CLASSES", NUM_CLASSES)
export_value(f"{_MODULE}.IMAGE_SIZE", IMAGE_SIZE)
export_value(f"{_MODULE}.IMAGE_PIXELS", IMAGE_PIXELS)


def _layer(inputs: TensorLike, input_units: int, units: int) -> Any:
    """Multiplies by new weights, adds new biases; inside the scope of the caller."""
    stddev = 1.0 / math.sqrt(float(input_units))
    weights = Variable(truncated_normal([input_units, units], stddev=stddev), name="weights")
    biases = Variable(zeros([units]), name="biases")
    return matmul(inputs, weights) + biases


@export(f"{_MODULE}.inference")
def inference(images: TensorLike, hidden1_units: int, hidden2_units: int) -> Any:
    """Builds the model up to its predictions.

    Args:
      images: float32 tensor of shape (batch, IMAGE_PIXELS).
      hidden1_units: width of the first hidden layer.
      hidden2_units: width of the second.

    Returns:
      The logits, of shape (batch, NUM_CLASSES).
    """
    with name_scope("hidden1"):
        hidden1 = relu(_layer(images, IMAGE_PIXELS, hidden1_units))
    with name_scope("hidden2"):
        hidden2 = relu(_layer(hidden1, hidden1_units, hidden2_units))
    with name_scope("softmax_linear"):
        return _layer(hidden2, hidden2_units, NUM_CLASSES)


@export(f"{_MODULE}.loss")
def loss(logits: Any, labels: TensorLike) -> Any:
    """Builds the mean cross entropy of predictions and labels.

    Args:
      logits: float32 tensor of shape (batch, NUM_CLASSES).
      labels: integer tensor of shape (batch,).

    Returns:
      A scalar tensor.
    """
    cross_entropy = sparse_softmax_cross_entropy_with_logits(
        labels=to_int64(labels), logits=logits, name="xentropy"
    )
    return reduce_mean(cross_entropy, name="xentropy_mean")


@export(f"{_MODULE}.training")
def training(loss: TensorLike, learning_rate: float) -> Any:
    """Builds one step of gradient descent, a summary of the loss and a global step.

    Args:
      loss: scalar tensor.
      learning_rate: of the gradient descent.

    Returns:
      The op of one training step.
    """
    scalar("loss", loss)
    optimizer = GradientDescentOptimizer(learning_rate)
    global_step = Variable(0, name="global_step", trainable=False)
    return optimizer.minimize(loss, global_step=global_step)


@export(f"{_MODULE}.evaluation")
def evaluation(logits: TensorLike, labels: TensorLike) -> Any:
    """Builds the number of right predictions in a batch.

    Args:
      logits: float32 tensor of shape (batch, NUM_CLASSES).
      labels: int32 or int64 tensor of shape (batch,).

    Returns:
      A scalar int32 tensor.
    """
    correct = in_top_k(logits, labels, 1)
    return reduce_sum(cast(correct, dtypes.int32))
