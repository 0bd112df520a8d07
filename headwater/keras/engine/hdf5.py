"""Models in HDF5 files, as Keras writes them. Needs h5py."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from headwater.keras.backend.values import batch_get_value, batch_set_value
from headwater.keras.engine.old_weights import in_order_of_axes, of_backend, of_keras_1
from headwater.keras.settings import KERAS_VERSION

# HDF5 does not take larger attributes.
_LARGEST_ATTRIBUTE = 64512


def opened(filepath: str, mode: str) -> Any:
    """Opens an HDF5 file.

    Raises:
        ImportError: if h5py is not installed.
    """
    try:
        # h5py is optional and loads slowly.
        import h5py
    except ImportError:
        raise ImportError(
            "`save_weights` requires h5py when saving in hdf5.\n"
            "Hint: install h5py, or leave out the ending .h5 to write a checkpoint."
        ) from None
    return h5py.File(filepath, mode)


def ask_to_overwrite(filepath: str) -> bool:
    """Asks the user whether a file may be replaced."""
    answer = input(f"[WARNING] {filepath} already exists - overwrite? [y/n]").strip().lower()
    while answer not in ("y", "n"):
        answer = input('Enter "y" (overwrite) or "n" (cancel).').strip().lower()
    return answer == "y"


def set_names(group: Any, attribute: str, names: Sequence[bytes]) -> None:
    """Writes names to an attribute of a group, or to several if they are too long for one."""
    array = np.asarray(names) if names else np.zeros((0,), "S1")
    if array.nbytes <= _LARGEST_ATTRIBUTE:
        group.attrs[attribute] = array
        return
    parts = -(-array.nbytes // _LARGEST_ATTRIBUTE)
    for i, part in enumerate(np.array_split(array, parts)):
        group.attrs[f"{attribute}{i}"] = part


def names_of(group: Any, attribute: str) -> list[str]:
    """Reads what `set_names` has written; an empty list if there is nothing."""
    if attribute in group.attrs:
        found = list(group.attrs[attribute])
    else:
        found, i = [], 0
        while f"{attribute}{i}" in group.attrs:
            found.extend(group.attrs[f"{attribute}{i}"])
            i += 1
    return [n.decode("utf8") if hasattr(n, "decode") else n for n in found]


def _legacy_weights(layer: Any) -> list[Any]:
    return list(layer.weights)


def save_weights(file: Any, layers: Sequence[Any]) -> None:
    """Writes the variables of layers into a group."""
    set_names(file, "layer_names", [layer.name.encode("utf8") for layer in layers])
    file.attrs["backend"] = b"tensorflow"
    file.attrs["keras_version"] = KERAS_VERSION.encode("utf8")
    for layer in layers:
        group = file.create_group(layer.name)
        weights = _legacy_weights(layer)
        names = [w.name.encode("utf8") for w in weights]
        set_names(group, "weight_names", names)
        for name, value in zip(names, batch_get_value(weights)):
            array = np.asarray(value)
            dataset = group.create_dataset(name.decode("utf8"), array.shape, dtype=array.dtype)
            dataset[() if not array.shape else slice(None)] = array


def values_of(group: Any) -> list[Any]:
    """Returns the arrays of a group, in the order of its weight_names."""
    return [np.asarray(group[name]) for name in names_of(group, "weight_names")]


def converted_weights(layer: Any, values: list[Any]) -> list[Any]:
    """The values of a file as a layer needs them: cuDNN's layers have another layout.

    Args:
        layer: a layer, or a model inside of a model.
        values: its values in the file, in the order of its variables.

    Returns:
        A list of arrays.
    """
    if hasattr(layer, "converted_weights"):
        found: list[Any] = layer.converted_weights(values)
        return found
    inside = [(each, len(_legacy_weights(each))) for each in getattr(layer, "layers", ())]
    if sum(count for _, count in inside) != len(values) or not inside:
        return values
    converted, start = [], 0
    for each, count in inside:
        converted += converted_weights(each, values[start : start + count])
        start += count
    return converted


def preprocessed_weights(
    layer: Any,
    weights: list[Any],
    original_keras_version: str | None = None,
    original_backend: str | None = None,
) -> list[Any]:
    """The values of a file as a layer needs them, whichever Keras has written the file.

    Args:
        layer: the layer.
        weights: its values in the file, in the order of its variables.
        original_keras_version: the version of Keras; that of today if None.
        original_backend: the backend of Keras.

    Returns:
        A list of arrays.
    """
    if original_keras_version == "1":
        weights = of_keras_1(layer, weights)
    if original_backend not in (None, "tensorflow"):
        weights = of_backend(layer, weights, original_backend)
    weights = in_order_of_axes(layer, weights)
    return converted_weights(layer, weights)


def _origin(file: Any) -> tuple[str, str | None]:
    """The version of Keras and the backend that have written a file."""

    def text(name: str) -> str | None:
        value = file.attrs.get(name)
        return value.decode("utf8") if hasattr(value, "decode") else value

    return text("keras_version") or "1", text("backend")


def load_weights(file: Any, layers: Sequence[Any]) -> None:
    """Reads the variables of layers, in their order.

    Raises:
        ValueError: if the file has other numbers of layers or variables.
    """
    with_weights = [layer for layer in layers if _legacy_weights(layer)]
    names = [name for name in names_of(file, "layer_names") if names_of(file[name], "weight_names")]
    if len(names) != len(with_weights):
        raise ValueError(
            f"You are trying to load a weight file containing {len(names)} layers into a model "
            f"with {len(with_weights)} layers."
        )
    pairs: list[tuple[Any, Any]] = []
    origin = _origin(file)
    for k, (name, layer) in enumerate(zip(names, with_weights)):
        values = preprocessed_weights(layer, values_of(file[name]), *origin)
        weights = _legacy_weights(layer)
        if len(values) != len(weights):
            raise ValueError(
                f'Layer #{k} (named "{layer.name}" in the current model) was found to correspond '
                f"to layer {name} in the save file. However the new layer {layer.name} expects "
                f"{len(weights)} weights, but the saved weights have {len(values)} elements."
            )
        pairs.extend(zip(weights, values))
    batch_set_value(pairs)


def load_weights_by_name(file: Any, layers: Sequence[Any]) -> None:
    """Reads the variables of those layers whose names are in the file.

    Raises:
        ValueError: if the number or shape of a layer's variables differs.
    """
    by_name: dict[str, list[Any]] = {}
    for layer in layers:
        by_name.setdefault(layer.name, []).append(layer)
    pairs: list[tuple[Any, Any]] = []
    origin = _origin(file)
    for k, name in enumerate(names_of(file, "layer_names")):
        values = values_of(file[name])
        for layer in by_name.get(name, []):
            weights = _legacy_weights(layer)
            values = preprocessed_weights(layer, values, *origin)
            if len(values) != len(weights):
                raise ValueError(
                    f'Layer #{k} (named "{layer.name}") expects {len(weights)} weight(s), but the '
                    f"saved weights have {len(values)} element(s)."
                )
            for weight, value in zip(weights, values):
                if tuple(weight.shape.as_list()) != value.shape:
                    raise ValueError(
                        f'Layer #{k} (named "{layer.name}"), weight {weight} has shape '
                        f"{tuple(weight.shape.as_list())}, but the saved weight has shape "
                        f"{value.shape}."
                    )
                pairs.append((weight, value))
    batch_set_value(pairs)


def to_text(config: Any) -> bytes:
    """A configuration as JSON."""
    return json.dumps(config, default=json_value).encode("utf8")


def json_value(obj: Any) -> Any:
    """What JSON has for values of configurations that it does not know."""
    if hasattr(obj, "get_config"):
        return {"class_name": type(obj).__name__, "config": obj.get_config()}
    if isinstance(obj, np.ndarray):
        return obj.tolist()
    if isinstance(obj, np.generic):
        return obj.item()
    if isinstance(obj, Mapping):
        return dict(obj)
    if isinstance(obj, Sequence):
        return list(obj)
    if callable(obj):
        return obj.__name__
    if hasattr(obj, "as_list"):
        return obj.as_list()
    if type(obj).__name__ == "DType":
        return obj.name
    return str(obj)
