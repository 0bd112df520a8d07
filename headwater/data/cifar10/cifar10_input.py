"""The input pipeline of the CIFAR-10 tutorial: records, distortions, batches."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from typing import Any

from headwater.base.dtypes import float32, int32, uint8
from headwater.base.export import export, export_value
from headwater.data.cifar_files import CIFAR10_BINARY
from headwater.data.input_queues.batches import batch
from headwater.data.input_queues.producers import string_input_producer
from headwater.data.input_queues.shuffled_batches import shuffle_batch
from headwater.data.readers.file_readers import FixedLengthRecordReader
from headwater.graph import Tensor
from headwater.io import files
from headwater.ops.array.getitem import strided_slice
from headwater.ops.array.reshape import reshape
from headwater.ops.array.transpose import transpose
from headwater.ops.image.adjust import per_image_standardization, random_brightness, random_contrast
from headwater.ops.image.flips import random_flip_left_right
from headwater.ops.image.pad_and_crop import resize_image_with_crop_or_pad
from headwater.ops.math.cast import cast
from headwater.ops.random.random_crop import random_crop
from headwater.ops.strings.raw import decode_raw
from headwater.ops.summary.image import image as image_summary

IMAGE_SIZE = 24
NUM_CLASSES = 10
NUM_EXAMPLES_PER_EPOCH_FOR_TRAIN = 50_000
NUM_EXAMPLES_PER_EPOCH_FOR_EVAL = 10_000

_MODULE = "models.image.cifar10.cifar10_input"
_THREADS = 16
# Before the first batch, the queue has this part of an epoch.
_QUEUED_PART = 0.4

export_value(f"{_MODULE}.IMAGE_SIZE", IMAGE_SIZE)
export_value(f"{_MODULE}.NUM_CLASSES", NUM_CLASSES)
export_value(f"{_MODULE}.NUM_EXAMPLES_PER_EPOCH_FOR_TRAIN", NUM_EXAMPLES_PER_EPOCH_FOR_TRAIN)
export_value(f"{_MODULE}.NUM_EXAMPLES_PER_EPOCH_FOR_EVAL", NUM_EXAMPLES_PER_EPOCH_FOR_EVAL)


@dataclass
class CIFAR10Record:
    """A record as tensors.

    Attributes:
        key: text that names file and record.
        label: int32 ``[1]``.
        uint8image: uint8 ``[32, 32, 3]``.
        height, width, depth: the size of a picture.
    """

    key: Tensor
    label: Tensor = field(init=False)
    uint8image: Tensor = field(init=False)
    height: int = 32
    width: int = 32
    depth: int = 3


@export(f"{_MODULE}.read_cifar10")
def read_cifar10(filename_queue: Any) -> CIFAR10Record:
    """Reads the next record.

    Args:
        filename_queue: a queue of the names of binary files.

    Returns:
        The record.
    """
    size = 32 * 32 * 3
    key, value = FixedLengthRecordReader(record_bytes=1 + size).read(filename_queue)
    record = CIFAR10Record(key)
    record_bytes = decode_raw(value, uint8)
    record.label = cast(strided_slice(record_bytes, [0], [1]), int32)
    record.label.set_shape([1])
    planes = reshape(
        strided_slice(record_bytes, [1], [1 + size]), [record.depth, record.height, record.width]
    )
    record.uint8image = transpose(planes, [1, 2, 0])
    return record


def _found(data_dir: Any, names: tuple[str, ...]) -> list[str]:
    paths = [files.join_path(data_dir, name) for name in names]
    for path in paths:
        if not files.is_file(path):
            raise ValueError(f"Failed to find file: {path}")
    return paths


def _batches(
    image: Tensor, label: Tensor, least_queued: int, batch_size: int, shuffle: bool
) -> tuple[Tensor, Tensor]:
    capacity = least_queued + 3 * batch_size
    if shuffle:
        images, labels = shuffle_batch(
            [image, label],
            batch_size=batch_size,
            num_threads=_THREADS,
            capacity=capacity,
            min_after_dequeue=least_queued,
        )
    else:
        images, labels = batch(
            [image, label], batch_size=batch_size, num_threads=_THREADS, capacity=capacity
        )
    image_summary("images", images)
    return images, reshape(labels, [batch_size])


def _count_queued(paths: list[str]) -> int:
    records = sum(files.file_statistics(path).length for path in paths) // (1 + 32 * 32 * 3)
    return int(records * _QUEUED_PART)


@export(f"{_MODULE}.distorted_inputs")
def distorted_inputs(data_dir: Any, batch_size: int) -> tuple[Tensor, Tensor]:
    """Builds batches for training: random crops, mirrored, darker or lighter.

    Args:
        data_dir: the folder of the binary files, a path or a URL.
        batch_size: the number of pictures in a batch.

    Returns:
        float32 ``[batch_size, 24, 24, 3]`` and int32 ``[batch_size]``.

    Raises:
        ValueError: if a file is missing.
    """
    paths = _found(data_dir, CIFAR10_BINARY.train)
    record = read_cifar10(string_input_producer(paths))
    picture = random_crop(cast(record.uint8image, float32), [IMAGE_SIZE, IMAGE_SIZE, 3])
    picture = random_flip_left_right(picture)
    picture = random_brightness(picture, max_delta=63)
    picture = random_contrast(picture, lower=0.2, upper=1.8)
    picture = per_image_standardization(picture)
    picture.set_shape([IMAGE_SIZE, IMAGE_SIZE, 3])
    least_queued = _count_queued(paths)
    sys.stdout.write(
        f"Filling queue with {least_queued} CIFAR images before starting to train. "
        "This will take a few minutes.\n"
    )
    return _batches(picture, record.label, least_queued, batch_size, shuffle=True)


@export(f"{_MODULE}.inputs")
def inputs(eval_data: bool, data_dir: Any, batch_size: int) -> tuple[Tensor, Tensor]:
    """Builds batches for evaluation: the middle of the pictures.

    Args:
        eval_data: whether to use the test files rather than those to train with.
        data_dir: the folder of the binary files, a path or a URL.
        batch_size: the number of pictures in a batch.

    Returns:
        float32 ``[batch_size, 24, 24, 3]`` and int32 ``[batch_size]``.

    Raises:
        ValueError: if a file is missing.
    """
    paths = _found(data_dir, CIFAR10_BINARY.test if eval_data else CIFAR10_BINARY.train)
    record = read_cifar10(string_input_producer(paths))
    picture = cast(record.uint8image, float32)
    picture = resize_image_with_crop_or_pad(picture, IMAGE_SIZE, IMAGE_SIZE)
    picture = per_image_standardization(picture)
    picture.set_shape([IMAGE_SIZE, IMAGE_SIZE, 3])
    return _batches(picture, record.label, _count_queued(paths), batch_size, shuffle=False)
