"""Weights of examples: by output, by class."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from headwater.graph import Tensor


def standard_weights(weights: Any, names: Sequence[str]) -> list[Any]:
    """The weights of each output, or None.

    Args:
        weights: an array, or a list or dict of them by output.
        names: the names of the outputs.

    Raises:
        ValueError: if a list has not one item for each output.
        TypeError: if several outputs have one array.
    """
    if weights is None:
        return [None] * len(names)
    if len(names) == 1:
        if isinstance(weights, (list, tuple)) and len(weights) == 1:
            found = list(weights)
        elif isinstance(weights, dict) and names[0] in weights:
            found = [weights[names[0]]]
        else:
            found = [weights]
    elif isinstance(weights, (list, tuple)):
        if len(weights) != len(names):
            raise ValueError(
                f"Provided `sample_weight` was a list of {len(weights)} elements, but the model "
                f"has {len(names)} outputs. You should provide one `sample_weight`array per model "
                "output."
            )
        found = list(weights)
    elif isinstance(weights, dict):
        found = [weights.get(name) for name in names]
    else:
        raise TypeError(
            "The model has multiple outputs, so `sample_weight` should be either a list or a "
            f"dict. Provided `sample_weight` type not understood: {weights}"
        )
    return [w if w is None or isinstance(w, Tensor) else np.asarray(w) for w in found]


def check_weight(weight: Any, target: Any, temporal: bool) -> None:
    """Checks the weights of one output.

    Args:
        weight: the weights.
        target: the targets; None if they are not fed.
        temporal: whether there is one weight for each time step.

    Raises:
        ValueError: if the shapes do not fit.
    """
    rank = len(weight.shape)
    if temporal and target is not None and len(target.shape) < 3:
        raise ValueError(
            f"Found a sample_weight array for an input with shape {target.shape}. Timestep-wise "
            'sample weighting (use of sample_weight_mode="temporal") is restricted to outputs that '
            "are at least 3D, i.e. that have a time dimension."
        )
    if temporal and rank != 2:
        raise ValueError(
            f"Found a sample_weight array with shape {weight.shape}. In order to use timestep-wise "
            "sample weighting, you should pass a 2D sample_weight array."
        )
    if not temporal and rank != 1:
        raise ValueError(
            f"Found a sample_weight array with shape {weight.shape}. In order to use timestep-wise "
            'sample weights, you should specify sample_weight_mode="temporal" in compile(). If you '
            "just mean to use sample-wise weights, make sure your sample_weight array is 1D."
        )
    if target is None or isinstance(weight, Tensor) or isinstance(target, Tensor):
        return
    if tuple(target.shape[:rank]) != tuple(weight.shape):
        raise ValueError(
            f"Found a sample_weight array with shape {weight.shape} for an input with shape "
            f"{target.shape}. sample_weight cannot be broadcast."
        )


def class_factors(target: Any, of_classes: dict[int, float]) -> Any:
    """The weight of the class of each example.

    Args:
        target: numbers of classes, or one-hot rows.
        of_classes: {class: weight}.

    Raises:
        ValueError: if the targets are not classes, or a class has no weight.
    """
    if target.ndim > 2:
        raise ValueError("`class_weight` not supported for 3+ dimensional targets.")
    classes = target.argmax(axis=1) if target.shape[1] > 1 else target.reshape(-1)
    found = np.asarray([of_classes[c] for c in classes if c in of_classes])
    if len(found) != len(classes):
        missing = set(classes.tolist()) - set(of_classes)
        raise ValueError(
            f"`class_weight` must contain all classes in the data. The classes {missing} exist in "
            "the data but not in `class_weight`."
        )
    return found
