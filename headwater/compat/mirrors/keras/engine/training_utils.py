"""tensorflow.python.keras.engine.training_utils: arrays, weights and batches of models."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from typing import Any

import numpy as np

from headwater.graph import SparseTensor, Tensor, convert_to_tensor
from headwater.keras.backend.settings import floatx
from headwater.keras.engine import data as arrays_of_models
from headwater.keras.engine import weighting
from headwater.keras.losses import classes as losses
from headwater.keras.metrics import lookup as metrics
from headwater.keras.metrics.base import Metric
from headwater.model.variables.variable import Variable
from headwater.ops.math.cast import cast

__all__ = [
    "batch_shuffle",
    "cast_if_floating_dtype",
    "cast_single_tensor",
    "check_array_lengths",
    "check_num_samples",
    "generic_output_names",
    "get_loss_function",
    "get_metric_name",
    "has_symbolic_tensors",
    "has_tensors",
    "is_feature_layer",
    "list_to_tuple",
    "should_run_validation",
    "slice_arrays",
    "split_training_and_validation_data",
    "standardize_class_weights",
    "standardize_input_data",
    "standardize_sample_weights",
    "standardize_single_array",
    "standardize_weights",
    "unpack_validation_data",
]


def standardize_single_array(x: Any, expected_shape: Sequence[int | None] | None = None) -> Any:
    """Returns an array of two axes at least.

    Args:
        x: an array, a tensor or None.
        expected_shape: the shape that it is to have; one of one axis lets it have that.
    """
    if x is None:
        return None
    if len(x.shape) == 1 and expected_shape is not None and len(expected_shape) == 1:
        return x
    return arrays_of_models.standard_array(x)


def standardize_input_data(
    data: Any,
    names: Sequence[str],
    shapes: Sequence[Any] | None = None,
    check_batch_axis: bool = True,
    exception_prefix: str = "",
) -> list[Any]:
    """Returns one array for each input of a model.

    Args:
        data: an array, a list of arrays, or {name: array}.
        names: the names of the inputs.
        shapes: their shapes; not checked if None.
        check_batch_axis: whether the number of examples is checked, too.
        exception_prefix: what the arrays are, for errors.

    Raises:
        ValueError: if arrays are missing, or have other shapes.
    """
    if not names:
        if data is not None and (not hasattr(data, "__len__") or len(data)):
            raise ValueError(
                f"Error when checking model {exception_prefix}: expected no data, but got:", data
            )
        return []
    if data is None:
        return [None] * len(names)
    if isinstance(data, (list, tuple)):
        data = [
            None if item is None else arrays_of_models.standard_array(item)
            for item in (data if not data or hasattr(data[0], "shape") else map(np.asarray, data))
        ]
    if isinstance(data, list) and len(data) == len(names):
        given = data
    else:
        given = arrays_of_models.as_arrays(data, names, exception_prefix)
    for x, name, shape in zip(given, names, shapes or [None] * len(given)):
        if x is not None and shape is not None:
            _check_shape(x, name, tuple(shape), check_batch_axis, exception_prefix)
    return given


def _check_shape(
    x: Any, name: str, shape: tuple[int | None, ...], check_batch_axis: bool, what: str
) -> None:
    found = tuple(x.shape.as_list()) if isinstance(x, Tensor) else tuple(x.shape)
    if len(found) != len(shape):
        raise ValueError(
            f"Error when checking {what}: expected {name} to have {len(shape)} dimensions, but got "
            f"array with shape {found}"
        )
    for axis, (given, wanted) in enumerate(zip(found, shape)):
        if (axis == 0 and not check_batch_axis) or given is None or wanted is None:
            continue
        if given != wanted:
            raise ValueError(
                f"Error when checking {what}: expected {name} to have shape {shape} but got array "
                f"with shape {found}"
            )


def standardize_weights(
    y: Any,
    sample_weight: Any = None,
    class_weight: dict[int, float] | None = None,
    sample_weight_mode: str | None = None,
) -> Any:
    """Returns the weights of examples.

    Args:
        y: the targets.
        sample_weight: the weights of the examples, or None.
        class_weight: {class: weight}, by which they are multiplied; or None.
        sample_weight_mode: "temporal" for one weight for each time step; or None.

    Returns:
        An array, or None without weights.

    Raises:
        ValueError: if the shapes do not fit.
    """
    if sample_weight_mode not in (None, "samplewise", "temporal"):
        raise ValueError(
            '"sample_weight_mode should be None or "temporal". Found: ' + str(sample_weight_mode)
        )
    if sample_weight is not None:
        weighting.check_weight(sample_weight, y, sample_weight_mode == "temporal")
    if not isinstance(class_weight, dict):
        return sample_weight
    factors = weighting.class_factors(y, class_weight)
    return factors if sample_weight is None else sample_weight * factors


def standardize_class_weights(class_weight: Any, output_names: Sequence[str]) -> list[Any]:
    """Returns the weights of classes by output, or None.

    Args:
        class_weight: {class: weight}, for the only output, or by output.
        output_names: the names of the outputs.
    """
    if class_weight is None:
        return [None] * len(output_names)
    if isinstance(class_weight, Mapping) and any(name in class_weight for name in output_names):
        return [class_weight.get(name) for name in output_names]
    if len(output_names) == 1:
        single = isinstance(class_weight, (list, tuple)) and len(class_weight) == 1
        return list(class_weight) if single else [class_weight]
    return weighting.standard_weights(class_weight, output_names)


def standardize_sample_weights(sample_weight: Any, output_names: Sequence[str]) -> list[Any]:
    """Returns the weights of examples by output, or None; see `standard_weights`."""
    return weighting.standard_weights(sample_weight, output_names)


def check_array_lengths(
    inputs: Sequence[Any], targets: Sequence[Any], weights: Sequence[Any] | None = None
) -> None:
    """Checks that all arrays have the same number of examples.

    Args:
        inputs: the inputs.
        targets: the targets.
        weights: the weights of the examples, or None.

    Raises:
        ValueError: if they have not.
    """
    arrays_of_models.check_lengths(inputs, targets, weights or ())


def batch_shuffle(index_array: np.ndarray, batch_size: int) -> np.ndarray:
    """Returns numbers of rows with the batches in another order; the rest stays at the end."""
    return arrays_of_models.shuffled(index_array, "batch", batch_size)


def slice_arrays(arrays: Any, indices: Any, contiguous: bool = True) -> Any:
    """Returns rows of an array, or of each array of a list.

    Args:
        arrays: an array, or a list of arrays.
        indices: the numbers of rows.
        contiguous: whether they follow each other.
    """
    at = slice(indices[0], indices[-1] + 1) if contiguous and len(indices) else indices
    taken = [x[at] for x in (arrays if isinstance(arrays, (list, tuple)) else [arrays])]
    return taken if isinstance(arrays, (list, tuple)) else taken[0]


def check_num_samples(
    ins: Sequence[Any],
    batch_size: int | None = None,
    steps: int | None = None,
    steps_name: str = "steps",
) -> int | None:
    """Returns the number of examples of arrays, or None if batches are counted.

    Args:
        ins: the arrays.
        batch_size: the size of a batch.
        steps: the number of batches.
        steps_name: the name of that argument, for errors.

    Raises:
        ValueError: if neither says how long to go on, or both do.
    """
    if steps is not None and batch_size is not None:
        raise ValueError(f"If {steps_name} is set, the `batch_size` must be None.")
    if has_symbolic_tensors(ins):
        if steps is None:
            raise ValueError(
                "When using data tensors as input to a model, you should specify the "
                f"`{steps_name}` argument."
            )
        return None
    return int(ins[0].shape[0]) if ins and hasattr(ins[0], "shape") else None


def generic_output_names(outputs_list: Sequence[Any]) -> list[str]:
    """Returns names for outputs: output_1, output_2, ..."""
    return [f"output_{i + 1}" for i in range(len(outputs_list))]


def list_to_tuple(maybe_list: Any) -> Any:
    """Returns a list as a tuple, and anything else as it is."""
    return tuple(maybe_list) if isinstance(maybe_list, list) else maybe_list


def should_run_validation(validation_freq: int | Container[int], epoch: int) -> bool:
    """Tells whether an epoch is followed by validation.

    Args:
        validation_freq: after how many epochs, or the numbers of epochs, from 1.
        epoch: the number of the epoch, from 0.

    Raises:
        ValueError: if the number is less than 1.
    """
    if isinstance(validation_freq, int):
        if validation_freq < 1:
            raise ValueError("`validation_freq` can not be less than 1.")
        return (epoch + 1) % validation_freq == 0
    if not isinstance(validation_freq, Container):
        raise ValueError("`validation_freq` must be an Integer or `collections_abc.Container`")
    return epoch + 1 in validation_freq


def get_metric_name(metric: Any, weighted: bool = False) -> str:
    """Returns the name of a metric of a model.

    Args:
        metric: a metric, a function or its name.
        weighted: whether it takes the weights of examples; no difference for objects.
    """
    prefix = "weighted_" if weighted else ""
    if metric in ("accuracy", "acc", "crossentropy", "ce"):
        return prefix + ("acc" if metric in ("accuracy", "acc") else "ce")
    found = metrics.get(metric)
    if isinstance(found, Metric):
        return str(found.name)
    return prefix + str(getattr(found, "name", None) or found.__name__)


def get_loss_function(loss: Any) -> Any:
    """Returns a loss as an object; None for None."""
    if loss is None or isinstance(loss, losses.Loss):
        return loss
    found = losses.get(loss)
    if isinstance(found, losses.Loss):
        return found
    reduction = losses.ReductionV2.SUM_OVER_BATCH_SIZE
    return losses.LossFunctionWrapper(found, name=found.__name__, reduction=reduction)


def unpack_validation_data(validation_data: Sequence[Any]) -> tuple[Any, Any, Any]:
    """Returns inputs, targets and weights of two or three items.

    Raises:
        ValueError: if there are more or fewer.
    """
    if len(validation_data) not in (2, 3):
        raise ValueError(
            "When passing a `validation_data` argument, it must contain either 2 items (x_val, "
            "y_val), or 3 items (x_val, y_val, val_sample_weights). However we received "
            f"`validation_data={validation_data}`"
        )
    return (*validation_data, None)[:3]


def split_training_and_validation_data(
    x: Sequence[Any],
    y: Sequence[Any],
    sample_weights: Sequence[Any] | None,
    validation_split: float,
) -> tuple[Any, ...]:
    """Returns the examples to train on, and those at the end for validation.

    Args:
        x: the inputs.
        y: the targets.
        sample_weights: the weights of the examples, or None.
        validation_split: the part for validation.

    Returns:
        Inputs, targets and weights, and those of validation.

    Raises:
        ValueError: if there are tensors.
    """
    if has_symbolic_tensors(x):
        raise ValueError(
            "If your data is in the form of symbolic tensors, you cannot use `validation_split`."
        )
    cut = int(x[0].shape[0] * (1.0 - validation_split))
    parts: list[Any] = []
    for at in (slice(0, cut), slice(cut, None)):
        for arrays in (x, y, sample_weights):
            parts.append(
                None if arrays is None else [each if each is None else each[at] for each in arrays]
            )
    return tuple(parts)


def has_symbolic_tensors(ls: Any) -> bool:
    """Tells whether there is a tensor among values."""
    return has_tensors(ls)


def has_tensors(ls: Any) -> bool:
    """Tells whether there is a tensor among values, or the value is one."""
    items = ls.values() if isinstance(ls, Mapping) else ls
    if isinstance(items, (list, tuple)) or isinstance(ls, Mapping):
        return any(isinstance(x, (Tensor, SparseTensor, Variable)) for x in items)
    return isinstance(ls, (Tensor, SparseTensor, Variable))


def is_feature_layer(layer: Any) -> bool:
    """Tells whether a layer takes features by name."""
    return bool(getattr(layer, "_is_feature_layer", False))


def cast_single_tensor(x: Any, dtype: Any = None) -> Tensor:
    """Returns a tensor of the default type if it is one of floating-point numbers.

    Args:
        x: an array or a tensor.
        dtype: the type; the default one if None.
    """
    tensor = convert_to_tensor(x)
    return cast(tensor, dtype or floatx()) if tensor.dtype.is_floating else tensor


def cast_if_floating_dtype(x: Any) -> Any:
    """Returns what `cast_single_tensor` makes of a tensor, or of each of a list."""
    if isinstance(x, (list, tuple)):
        return [cast_single_tensor(each) for each in x]
    return cast_single_tensor(x)
