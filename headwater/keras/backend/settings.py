"""The settings of a process: the default type, epsilon, the order of image axes."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import numpy as np

from headwater.base.export import export
from headwater.base.typing import Array

_settings: dict[str, Any] = {
    "floatx": "float32",
    "epsilon": 1e-7,
    "image_data_format": "channels_last",
}


@export("keras.backend.backend")
def backend() -> str:
    """Returns "tensorflow"."""
    return "tensorflow"


@export("keras.backend.epsilon")
def epsilon() -> float:
    """Returns the number that is added to avoid division by zero, 1e-7 by default."""
    value: float = _settings["epsilon"]
    return value


@export("keras.backend.set_epsilon")
def set_epsilon(value: float) -> None:
    """Sets the number that is added to avoid division by zero.

    Args:
        value: a small positive number.

    Returns:
        None.
    """
    _settings["epsilon"] = value


@export("keras.backend.floatx")
def floatx() -> str:
    """Returns the name of the default type of floating-point numbers, "float32" at first."""
    name: str = _settings["floatx"]
    return name


@export("keras.backend.set_floatx")
def set_floatx(value: str) -> None:
    """Sets the default type of floating-point numbers.

    Args:
        value: "float16", "float32" or "float64".

    Returns:
        None.

    Raises:
        ValueError: if it is another name.
    """
    if value not in {"float16", "float32", "float64"}:
        raise ValueError(f"Unknown floatx type: {value}")
    _settings["floatx"] = str(value)


@export("keras.backend.cast_to_floatx")
def cast_to_floatx(x: Any) -> Array:
    """Converts an array to the default floating-point type.

    Args:
        x: an array, or what NumPy turns into one.

    Returns:
        A NumPy array.
    """
    return np.asarray(x, dtype=floatx())


@export("keras.backend.image_data_format")
def image_data_format() -> str:
    """Returns "channels_last" or "channels_first", the default order of the axes of images."""
    name: str = _settings["image_data_format"]
    return name


@export("keras.backend.set_image_data_format")
def set_image_data_format(data_format: str) -> None:
    """Sets the default order of the axes of images.

    Args:
        data_format: "channels_last" or "channels_first".

    Returns:
        None.

    Raises:
        ValueError: if it is another name.
    """
    if data_format not in {"channels_last", "channels_first"}:
        raise ValueError(f"Unknown data_format: {data_format}")
    _settings["image_data_format"] = str(data_format)


def checked_format(data_format: str | None) -> str:
    """Returns the order of image axes that an argument asks for; the default one if it is None.

    Raises:
        ValueError: if the name is unknown.
    """
    data_format = image_data_format() if data_format is None else data_format
    if data_format not in {"channels_last", "channels_first"}:
        raise ValueError(f"Unknown data_format: {data_format}")
    return data_format


def keras_folder() -> Path:
    """The folder of the settings and of downloaded files."""
    home = os.environ.get("KERAS_HOME")
    return Path(home) if home else Path.home() / ".keras"


def _read_settings() -> None:
    """Takes the settings of `keras.json`, where a user has written one."""
    try:
        written = json.loads((keras_folder() / "keras.json").read_text(encoding="utf-8"))
    except (OSError, ValueError, RuntimeError):
        return
    set_floatx(written.get("floatx", floatx()))
    set_epsilon(written.get("epsilon", epsilon()))
    set_image_data_format(written.get("image_data_format", image_data_format()))


_read_settings()
