"""Images made ready for networks, and the names of the classes."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from headwater.base.export import export
from headwater.base.typing import Array
from headwater.graph import Tensor
from headwater.keras.backend.settings import floatx, image_data_format
from headwater.keras.utils.files import get_file
from headwater.ops.array.stack import stack, unstack

_CLASSES = (
    "https://storage.googleapis.com/download.tensorflow.org/data/imagenet_class_index.json",
    "c2c37ea517e94d9795004a39431a14cb",
)
_MEANS = (103.939, 116.779, 123.68)
_TORCH_MEANS, _TORCH_DEVIATIONS = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)
_names: dict[str, list[str]] = {}


def _per_channel(values: tuple[float, ...], x: Any, axis: int) -> Array:
    shape = [1] * len(x.shape)
    shape[axis] = len(values)
    return np.reshape(np.asarray(values, floatx()), shape)


def preprocess(x: Any, data_format: str | None, mode: str) -> Any:
    """Scales images as the published weights expect it.

    Args:
        x: an image or a batch, from 0 to 255; an array of floats is changed in place.
        data_format: "channels_last" or "channels_first".
        mode: "caffe" (BGR, mean subtracted), "tf" (from -1 to 1) or "torch" (normalized).

    Raises:
        ValueError: if the data format is unknown.
    """
    data_format = data_format or image_data_format()
    if data_format not in ("channels_first", "channels_last"):
        raise ValueError("Unknown data_format " + str(data_format))
    axis = len(x.shape) - 1 if data_format == "channels_last" else len(x.shape) - 3
    if isinstance(x, Tensor):
        return _preprocessed_tensor(x, axis, mode)
    if not issubclass(x.dtype.type, np.floating):
        x = x.astype(floatx(), copy=False)
    if mode == "tf":
        x /= 127.5
        x -= 1.0
    elif mode == "torch":
        x /= 255.0
        x -= _per_channel(_TORCH_MEANS, x, axis)
        x /= _per_channel(_TORCH_DEVIATIONS, x, axis)
    else:
        x = np.flip(x, axis)
        x -= _per_channel(_MEANS, x, axis)
    return x


def _preprocessed_tensor(x: Tensor, axis: int, mode: str) -> Tensor:
    if mode == "tf":
        return x / 127.5 - 1.0
    if mode == "torch":
        means = _per_channel(_TORCH_MEANS, x, axis)
        return (x / 255.0 - means) / _per_channel(_TORCH_DEVIATIONS, x, axis)
    return stack(unstack(x, axis=axis)[::-1], axis=axis) - _per_channel(_MEANS, x, axis)


def _preprocessing(mode: str) -> Callable[..., Any]:
    def preprocess_input(x: Any, data_format: str | None = None, **kwargs: Any) -> Any:
        """Scales images as the published weights expect it.

        Args:
            x: an image or a batch, from 0 to 255; an array of floats is changed in place.
            data_format: "channels_last" or "channels_first".
            **kwargs: accepted.

        Returns:
            An array or tensor of the same shape.
        """
        return preprocess(x, data_format, mode)

    return preprocess_input


preprocess_caffe = export(
    "keras.applications.resnet.preprocess_input",
    "keras.applications.resnet50.preprocess_input",
    "keras.applications.vgg16.preprocess_input",
    "keras.applications.vgg19.preprocess_input",
)(_preprocessing("caffe"))
preprocess_tf = export(
    "keras.applications.inception_resnet_v2.preprocess_input",
    "keras.applications.inception_v3.preprocess_input",
    "keras.applications.mobilenet.preprocess_input",
    "keras.applications.mobilenet_v2.preprocess_input",
    "keras.applications.nasnet.preprocess_input",
    "keras.applications.resnet_v2.preprocess_input",
    "keras.applications.xception.preprocess_input",
)(_preprocessing("tf"))
preprocess_torch = export("keras.applications.densenet.preprocess_input")(_preprocessing("torch"))


@export("keras.applications.imagenet_utils.preprocess_input")
def preprocess_input(x: Any, data_format: str | None = None, mode: str = "caffe") -> Any:
    """Scales images as published weights expect it.

    Args:
        x: an image or a batch, from 0 to 255; an array of floats is changed in place.
        data_format: "channels_last" or "channels_first".
        mode: "caffe" (BGR, mean subtracted), "tf" (from -1 to 1) or "torch" (normalized).

    Returns:
        An array or tensor of the same shape.

    Raises:
        ValueError: if the data format is unknown.
    """
    return preprocess(x, data_format, mode)


@export(
    "keras.applications.densenet.decode_predictions",
    "keras.applications.imagenet_utils.decode_predictions",
    "keras.applications.inception_resnet_v2.decode_predictions",
    "keras.applications.inception_v3.decode_predictions",
    "keras.applications.mobilenet.decode_predictions",
    "keras.applications.mobilenet_v2.decode_predictions",
    "keras.applications.nasnet.decode_predictions",
    "keras.applications.resnet.decode_predictions",
    "keras.applications.resnet50.decode_predictions",
    "keras.applications.resnet_v2.decode_predictions",
    "keras.applications.vgg16.decode_predictions",
    "keras.applications.vgg19.decode_predictions",
    "keras.applications.xception.decode_predictions",
)
def decode_predictions(preds: Array, top: int = 5, **kwargs: Any) -> list[Any]:
    """Names the most probable classes.

    Args:
        preds: probabilities of shape (images, 1000).
        top: how many classes are named.
        **kwargs: accepted.

    Returns:
        For each image a list of (id, name, probability), the most probable first.

    Raises:
        ValueError: if there are not 1000 classes.
        DownloadError: if the names cannot be obtained; says what to put where.
    """
    if len(preds.shape) != 2 or preds.shape[1] != 1000:
        raise ValueError(
            "`decode_predictions` expects a batch of predictions (i.e. a 2D array of shape "
            f"(samples, 1000)). Found array with shape: {preds.shape}"
        )
    if not _names:
        url, digest = _CLASSES
        path = get_file("imagenet_class_index.json", url, cache_subdir="models", file_hash=digest)
        _names.update(json.loads(Path(path).read_text()))
    found = []
    for row in preds:
        best = row.argsort()[-top:][::-1]
        found.append([(*_names[str(i)], row[i]) for i in best])
    return found
