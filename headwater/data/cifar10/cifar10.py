"""The convolutional network of the CIFAR-10 tutorial: 1,068,298 parameters."""

from __future__ import annotations

import re
import sys
from typing import Any

from headwater.base import flags
from headwater.base.dtypes import float32, int64
from headwater.base.export import export, export_value
from headwater.base.late_flags import define_late
from headwater.data.cifar10 import cifar10_input
from headwater.data.cifar10.sample import FOLDER as SAMPLE_FOLDER
from headwater.data.cifar10.sample import write_sample
from headwater.data.cifar_files import CIFAR10_BINARY, unpack
from headwater.data.download import DownloadError
from headwater.graph import Operation, Tensor, control_dependencies
from headwater.graph.default_graph import add_to_collection, device, get_collection
from headwater.io import files
from headwater.model.nn.sparse_cross_entropy import sparse_softmax_cross_entropy_with_logits
from headwater.model.nn.zero_fraction import zero_fraction
from headwater.model.variables.initializers import Constant
from headwater.model.variables.random_initializers import TruncatedNormal
from headwater.model.variables.variable_lists import trainable_variables
from headwater.model.variables.variable_scope import get_variable, variable_scope
from headwater.ops.array.reshape import reshape
from headwater.ops.control.identity import no_op
from headwater.ops.math.add_n import add_n
from headwater.ops.math.arithmetic import add, multiply
from headwater.ops.math.cast import cast
from headwater.ops.math.matmul import matmul
from headwater.ops.math.reduce_functions import reduce_mean
from headwater.ops.nn.bias import bias_add
from headwater.ops.nn.conv2d import conv2d
from headwater.ops.nn.l2_loss import l2_loss
from headwater.ops.nn.lrn import local_response_normalization
from headwater.ops.nn.pool2d import max_pool
from headwater.ops.nn.relu import relu
from headwater.ops.summary.histogram import histogram
from headwater.ops.summary.scalar import scalar
from headwater.train.learning_rate_decay import exponential_decay
from headwater.train.moving_averages import ExponentialMovingAverage
from headwater.train.optimizers.gradient_descent import GradientDescentOptimizer

_MODULE = "models.image.cifar10.cifar10"

MOVING_AVERAGE_DECAY = 0.9999
NUM_EPOCHS_PER_DECAY = 350.0
LEARNING_RATE_DECAY_FACTOR = 0.1
INITIAL_LEARNING_RATE = 0.1
TOWER_NAME = "tower"
DATA_URL = CIFAR10_BINARY.file.urls[0]
_LOSSES = "losses"

export_value(f"{_MODULE}.IMAGE_SIZE", cifar10_input.IMAGE_SIZE)
export_value(f"{_MODULE}.NUM_CLASSES", cifar10_input.NUM_CLASSES)
export_value(
    f"{_MODULE}.NUM_EXAMPLES_PER_EPOCH_FOR_TRAIN", cifar10_input.NUM_EXAMPLES_PER_EPOCH_FOR_TRAIN
)
export_value(
    f"{_MODULE}.NUM_EXAMPLES_PER_EPOCH_FOR_EVAL", cifar10_input.NUM_EXAMPLES_PER_EPOCH_FOR_EVAL
)
export_value(f"{_MODULE}.MOVING_AVERAGE_DECAY", MOVING_AVERAGE_DECAY)
export_value(f"{_MODULE}.NUM_EPOCHS_PER_DECAY", NUM_EPOCHS_PER_DECAY)
export_value(f"{_MODULE}.LEARNING_RATE_DECAY_FACTOR", LEARNING_RATE_DECAY_FACTOR)
export_value(f"{_MODULE}.INITIAL_LEARNING_RATE", INITIAL_LEARNING_RATE)
export_value(f"{_MODULE}.TOWER_NAME", TOWER_NAME)
export_value(f"{_MODULE}.DATA_URL", DATA_URL)
export_value(f"{_MODULE}.FLAGS", flags.FLAGS)

define_late("integer", "batch_size", 128, "Number of images to process in a batch.")
define_late("string", "data_dir", "/tmp/cifar10_data", "Folder of the CIFAR-10 data.")


def _summarize_activation(x: Tensor) -> None:
    # Towers of the program for several GPUs show up as one.
    name = re.sub(f"{TOWER_NAME}_[0-9]*/", "", x.op.name)
    histogram(f"{name}/activations", x)
    scalar(f"{name}/sparsity", zero_fraction(x))


def _weights(shape: list[int], stddev: float, decay: float = 0.0) -> Any:
    """A variable on the CPU; the decay of its square is a loss."""
    with device("/cpu:0"):
        weights = get_variable(
            "weights", shape, initializer=TruncatedNormal(stddev=stddev), dtype=float32
        )
    if decay:
        add_to_collection(_LOSSES, multiply(l2_loss(weights), decay, name="weight_loss"))
    return weights


def _biases(size: int, value: float) -> Any:
    with device("/cpu:0"):
        return get_variable("biases", [size], initializer=Constant(value), dtype=float32)


def _convolved(x: Tensor, depth: int, bias: float, scope: str) -> Tensor:
    with variable_scope(scope) as opened:
        kernel = _weights([5, 5, int(x.shape[3]), depth], stddev=5e-2)
        sums = conv2d(x, kernel, [1, 1, 1, 1], padding="SAME")
        result = relu(bias_add(sums, _biases(depth, bias)), name=opened.name)
        _summarize_activation(result)
    return result


def _connected(x: Tensor, units: int, scope: str) -> Tensor:
    with variable_scope(scope) as opened:
        weights = _weights([int(x.shape[1]), units], stddev=0.04, decay=0.004)
        result = relu(add(matmul(x, weights), _biases(units, 0.1)), name=opened.name)
        _summarize_activation(result)
    return result


def _pooled(x: Tensor, name: str) -> Tensor:
    return max_pool(x, ksize=[1, 3, 3, 1], strides=[1, 2, 2, 1], padding="SAME", name=name)


def _normalized(x: Tensor, name: str) -> Tensor:
    return local_response_normalization(x, 4, bias=1.0, alpha=0.001 / 9.0, beta=0.75, name=name)


def _folder() -> str:
    """The folder of the binary files: the real ones if they are there, else the sample."""
    data_dir = flags.FLAGS.data_dir
    if not data_dir:
        raise ValueError("Please supply a data_dir")
    real = files.join_path(data_dir, CIFAR10_BINARY.folder)
    sample = files.join_path(data_dir, SAMPLE_FOLDER)
    return sample if files.is_folder(sample) and not files.is_folder(real) else real


@export(f"{_MODULE}.maybe_download_and_extract")
def maybe_download_and_extract() -> None:
    """Puts the binary files into the folder of the flag `data_dir` unless they are there.

    If they cannot be downloaded, a small made-up sample takes their place, with a notice.
    """
    data_dir = flags.FLAGS.data_dir
    try:
        unpack(data_dir, CIFAR10_BINARY)
    except DownloadError as error:
        folder = write_sample(data_dir)
        sys.stderr.write(
            f"headwater: {error}\n"
            f"headwater: USING A MADE-UP SAMPLE of 250 pictures in {folder!r} instead: striped "
            "squares. Figures say nothing about CIFAR-10.\n"
        )


@export(f"{_MODULE}.distorted_inputs")
def distorted_inputs() -> tuple[Tensor, Tensor]:
    """Builds batches for training, see `cifar10_input.distorted_inputs`.

    Returns:
        float32 ``[batch_size, 24, 24, 3]`` and int32 ``[batch_size]``.

    Raises:
        ValueError: if a file is missing or the flag `data_dir` is empty.
    """
    return cifar10_input.distorted_inputs(_folder(), flags.FLAGS.batch_size)


@export(f"{_MODULE}.inputs")
def inputs(eval_data: bool) -> tuple[Tensor, Tensor]:
    """Builds batches for evaluation, see `cifar10_input.inputs`.

    Args:
        eval_data: whether to use the test files rather than those to train with.

    Returns:
        float32 ``[batch_size, 24, 24, 3]`` and int32 ``[batch_size]``.

    Raises:
        ValueError: if a file is missing or the flag `data_dir` is empty.
    """
    return cifar10_input.inputs(eval_data, _folder(), flags.FLAGS.batch_size)


@export(f"{_MODULE}.inference")
def inference(images: Tensor) -> Tensor:
    """Builds the network.

    Args:
        images: float32 ``[batch_size, 24, 24, 3]``.

    Returns:
        The logits, float32 ``[batch_size, 10]``.
    """
    conv1 = _convolved(images, 64, 0.0, "conv1")
    norm1 = _normalized(_pooled(conv1, "pool1"), "norm1")
    conv2 = _convolved(norm1, 64, 0.1, "conv2")
    pool2 = _pooled(_normalized(conv2, "norm2"), "pool2")
    size = pool2.shape[1:].num_elements()
    local3 = _connected(reshape(pool2, [-1, size]), 384, "local3")
    local4 = _connected(local3, 192, "local4")
    with variable_scope("softmax_linear") as opened:
        weights = _weights([192, cifar10_input.NUM_CLASSES], stddev=1 / 192.0)
        sums = matmul(local4, weights)
        logits = add(sums, _biases(cifar10_input.NUM_CLASSES, 0.0), name=opened.name)
        _summarize_activation(logits)
    return logits


@export(f"{_MODULE}.loss")
def loss(logits: Tensor, labels: Tensor) -> Tensor:
    """Builds the mean cross entropy plus the weight decay.

    Args:
        logits: from `inference`.
        labels: int32 ``[batch_size]``.

    Returns:
        A float32 scalar; its terms are the collection "losses".
    """
    entropies = sparse_softmax_cross_entropy_with_logits(
        labels=cast(labels, int64), logits=logits, name="cross_entropy_per_example"
    )
    add_to_collection(_LOSSES, reduce_mean(entropies, name="cross_entropy"))
    return add_n(get_collection(_LOSSES), name="total_loss")


def _average_losses(total_loss: Tensor) -> Operation:
    """Summaries of all losses and of their moving averages."""
    averages = ExponentialMovingAverage(0.9, name="avg")
    losses = [*get_collection(_LOSSES), total_loss]
    update = averages.apply(losses)
    for each in losses:
        scalar(f"{each.op.name} (raw)", each)
        scalar(each.op.name, averages.average(each))
    return update


@export(f"{_MODULE}.train")
def train(total_loss: Tensor, global_step: Any) -> Operation:
    """Builds a training step: gradient descent with a decaying rate, moving averages, summaries.

    Args:
        total_loss: from `loss`.
        global_step: the variable that counts the steps.

    Returns:
        The op of a step.
    """
    batches = cifar10_input.NUM_EXAMPLES_PER_EPOCH_FOR_TRAIN / flags.FLAGS.batch_size
    rate = exponential_decay(
        INITIAL_LEARNING_RATE,
        global_step,
        int(batches * NUM_EPOCHS_PER_DECAY),
        LEARNING_RATE_DECAY_FACTOR,
        staircase=True,
    )
    scalar("learning_rate", rate)
    with control_dependencies([_average_losses(total_loss)]):
        optimizer = GradientDescentOptimizer(rate)
        gradients = optimizer.compute_gradients(total_loss)
    step = optimizer.apply_gradients(gradients, global_step=global_step)
    for variable in trainable_variables():
        histogram(variable.op.name, variable)
    for gradient, variable in gradients:
        if gradient is not None:
            histogram(f"{variable.op.name}/gradients", gradient)
    averages = ExponentialMovingAverage(MOVING_AVERAGE_DECAY, global_step)
    update = averages.apply(trainable_variables())
    with control_dependencies([step, update]):
        return no_op(name="train")
