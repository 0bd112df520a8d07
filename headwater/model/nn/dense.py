"""Fully connected layers of given weights."""

from __future__ import annotations

from typing import Any

from headwater.base.typing import TensorLike
from headwater.graph import Tensor, build, convert_to_tensor, export, name_scope
from headwater.ops.nn.bias import bias_add, bias_add_v1


@export("nn.xw_plus_b")
def xw_plus_b(
    x: TensorLike, weights: TensorLike, biases: TensorLike, name: str | None = None
) -> Tensor:
    """Returns matmul(x, weights) + biases.

    Args:
        x: a matrix of one row per example.
        weights: a matrix of one column per unit.
        biases: a vector of one number per unit.
        name: the name of the last node.

    Returns:
        A matrix of one row per example and one column per unit.
    """
    with name_scope(name, "xw_plus_b", [x, weights, biases]) as scope:
        x, weights, biases = _converted(x, weights, biases)
        return bias_add(build.MatMul(x, weights), biases, name=scope)


@export("nn.xw_plus_b_v1")
def xw_plus_b_v1(
    x: TensorLike, weights: TensorLike, biases: TensorLike, name: str | None = None
) -> Tensor:
    """Returns matmul(x, weights) + biases, with the op BiasAddV1.

    Args:
        x: a matrix of one row per example.
        weights: a matrix of one column per unit.
        biases: a vector of one number per unit.
        name: the name of the last node.

    Returns:
        A matrix of one row per example and one column per unit.
    """
    with name_scope(name, "xw_plus_b_v1", [x, weights, biases]) as scope:
        x, weights, biases = _converted(x, weights, biases)
        return bias_add_v1(build.MatMul(x, weights), biases, name=scope)


@export("nn.relu_layer")
def relu_layer(
    x: TensorLike, weights: TensorLike, biases: TensorLike, name: str | None = None
) -> Tensor:
    """Returns relu(matmul(x, weights) + biases).

    Args:
        x: a matrix of one row per example.
        weights: a matrix of one column per unit.
        biases: a vector of one number per unit.
        name: the name of the last node.

    Returns:
        A matrix of one row per example and one column per unit.
    """
    with name_scope(name, "relu_layer", [x, weights, biases]) as scope:
        x, weights, biases = _converted(x, weights, biases)
        return build.Relu(bias_add(build.MatMul(x, weights), biases), name=scope)


def _converted(*arguments: Any) -> list[Tensor]:
    names = ("x", "weights", "biases")
    return [convert_to_tensor(value, name=name) for value, name in zip(arguments, names)]
