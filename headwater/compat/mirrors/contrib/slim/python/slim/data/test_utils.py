"""tensorflow.contrib.slim.python.slim.data.test_utils: small files of images and labels."""

from __future__ import annotations

import io
from collections.abc import Sequence

import numpy as np
from PIL import Image as PillowImage

from headwater.io.files import join_path
from headwater.io.record import TFRecordWriter
from headwater.protos import example_pb2


def _encoded(image: np.ndarray, image_format: str) -> bytes:
    if image_format == "raw":
        return image.tobytes()
    file = io.BytesIO()
    PillowImage.fromarray(image).save(file, format=image_format.upper())
    return file.getvalue()


def generate_image(
    image_shape: Sequence[int], image_format: str = "jpeg", label: int = 0
) -> tuple[np.ndarray, bytes]:
    """Makes a random image and its Example.

    Args:
        image_shape: height, width and channels.
        image_format: "jpeg", "png" or "raw".
        label: the label.

    Returns:
        The image, of dtype uint8, and the serialized Example with its encoded form.
    """
    image = np.random.randint(0, 256, size=image_shape, dtype=np.uint8)
    example = example_pb2.Example()
    features = example.features.feature
    features["image/encoded"].bytes_list.value.append(_encoded(image, image_format))
    features["image/format"].bytes_list.value.append(image_format.encode())
    features["image/class/label"].int64_list.value.append(label)
    return image, example.SerializeToString()


def create_tfrecord_files(
    output_dir: str, num_files: int = 3, num_records_per_file: int = 10
) -> list[str]:
    """Writes TFRecord files of random images.

    Args:
        output_dir: the folder.
        num_files: how many files.
        num_records_per_file: how many images each has.

    Returns:
        The paths of the files.
    """
    paths = [
        join_path(output_dir, f"flowers.tfrecord-{number}-of-{num_files}")
        for number in range(num_files)
    ]
    for path in paths:
        with TFRecordWriter(path) as writer:
            for _ in range(num_records_per_file):
                writer.write(generate_image((10, 10, 3))[1])
    return paths
