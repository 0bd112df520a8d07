"""Masks of weights and the collections in which a graph keeps them."""

from __future__ import annotations

from typing import Any

from headwater.base.export import export
from headwater.base.typing import TensorLike
from headwater.graph import Tensor, build
from headwater.graph.default_graph import add_to_collection, get_collection
from headwater.model.nn.zero_fraction import zero_fraction
from headwater.model.variables.initializers import Ones, Zeros
from headwater.model.variables.variable_scope import get_variable, variable_scope

MASKS = "masks"
THRESHOLDS = "thresholds"
MASKED_WEIGHTS = "masked_weights"
WEIGHTS = "kernel"
# `strip_pruning_vars_fn` finds the products of weights and masks by this name.
MASKED_WEIGHT_NAME = "weights/masked_weight"


def masked(weights: TensorLike, mask: Any, threshold: Any) -> Tensor:
    """Multiplies weights by their mask and notes all of them in the collections.

    Args:
        weights: the weights.
        mask: a variable of their shape.
        threshold: a scalar variable.

    Returns:
        The masked weights.
    """
    product: Tensor = build.Mul(mask, weights, name=MASKED_WEIGHT_NAME)
    note_masked(weights, mask, threshold, product)
    return product


def note_masked(weights: TensorLike, mask: Any, threshold: Any, product: Tensor) -> None:
    """Adds weights, mask, threshold and masked weights to the collections, once for each mask.

    Args:
        weights: the weights.
        mask: their mask.
        threshold: the threshold below which weights are masked.
        product: the masked weights.
    """
    if not any(known is mask for known in get_masks()):
        add_to_collection(MASKS, mask)
        add_to_collection(MASKED_WEIGHTS, product)
        add_to_collection(THRESHOLDS, threshold)
        add_to_collection(WEIGHTS, weights)


@export("contrib.model_pruning.apply_mask")
def apply_mask(x: Any, scope: Any = "") -> Tensor:
    """Gives weights a mask of ones and a threshold, which `Pruning` changes later.

    Args:
        x: a variable with weights.
        scope: the variable scope of mask and threshold.

    Returns:
        The weights multiplied by the mask.

    Example:
        >>> weights = tf.get_variable("weights", [2, 3])
        >>> masked = tf.contrib.model_pruning.apply_mask(weights, scope="pruned")
        >>> masked.op.inputs[0].op.name
        'pruned/mask/read'
    """
    mask = _slot("mask", x.shape, Ones(), x.dtype.base_dtype, scope)
    threshold = _slot("threshold", [], Zeros(), x.dtype.base_dtype, scope)
    return masked(x, mask, threshold)


def _slot(name: str, shape: Any, initializer: Any, dtype: Any, scope: Any) -> Any:
    with variable_scope(scope):
        return get_variable(name, shape, initializer=initializer, trainable=False, dtype=dtype)


@export("contrib.model_pruning.get_masks")
def get_masks() -> list[Any]:
    """Returns the masks of the default graph."""
    return get_collection(MASKS)


@export("contrib.model_pruning.get_masked_weights")
def get_masked_weights() -> list[Any]:
    """Returns the masked weights of the default graph."""
    return get_collection(MASKED_WEIGHTS)


@export("contrib.model_pruning.get_thresholds")
def get_thresholds() -> list[Any]:
    """Returns the thresholds of the default graph."""
    return get_collection(THRESHOLDS)


@export("contrib.model_pruning.get_weights")
def get_weights() -> list[Any]:
    """Returns the variables of the default graph that have masks."""
    return get_collection(WEIGHTS)


@export("contrib.model_pruning.get_weight_sparsity")
def get_weight_sparsity() -> list[Tensor]:
    """Returns the part of zeros in each mask of the default graph, as scalars."""
    return [zero_fraction(mask) for mask in get_masks()]
