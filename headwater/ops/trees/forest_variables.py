"""The trees of random forests as resources, and what reads them: DecisionTreeResourceHandleOp,
CreateTreeVariable, TreeIsInitializedOp, TreeSerialize, TreeDeserialize, TreeSize,
FeatureUsageCounts, TraverseTreeV4, TreePredictionsV4, UpdateModelV4.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from headwater.base.checks import fail
from headwater.base.typing import ArrayModule, Shape
from headwater.graph import NOT_DIFFERENTIABLE, RunsOn, register_op, shapes
from headwater.ops.trees.forest_model import DecisionTree, Features
from headwater.ops.trees.forest_params import feature_types, parsed_params

if TYPE_CHECKING:
    from headwater.graph.registry import GradientRule

_INPUT = (
    "input_data: float, sparse_input_indices: int64, sparse_input_values: float, "
    "sparse_input_shape: int64"
)


def make_tree(attrs: dict[str, Any]) -> DecisionTree:
    return DecisionTree()


def kernel_tree(xp: ArrayModule, *, state: DecisionTree) -> tuple[DecisionTree, DecisionTree]:
    return state, state


def kernel_create(
    xp: ArrayModule, tree: DecisionTree, config: np.ndarray, *, params: bytes
) -> tuple[()]:
    tree.create(config.item(), parsed_params(_bytes(params)).outputs)
    return ()


def kernel_is_initialized(xp: ArrayModule, tree: DecisionTree) -> np.ndarray:
    return np.array(tree.created)


def kernel_serialize(xp: ArrayModule, tree: DecisionTree) -> np.ndarray:
    return np.array(tree.checked().serialize(), object)


def kernel_size(xp: ArrayModule, tree: DecisionTree) -> np.ndarray:
    return np.array(tree.checked().size, np.int32)


def kernel_feature_counts(xp: ArrayModule, tree: DecisionTree, *, params: bytes) -> np.ndarray:
    return tree.checked().feature_counts(parsed_params(_bytes(params)).features)


def _bytes(text: bytes | str) -> bytes:
    return text if isinstance(text, bytes) else text.encode("latin-1")


def kernel_traverse(
    xp: ArrayModule,
    tree: DecisionTree,
    dense: np.ndarray,
    indices: np.ndarray,
    values: np.ndarray,
    shape: np.ndarray,
    *,
    input_spec: bytes,
    params: bytes,
) -> np.ndarray:
    feature_types(_bytes(input_spec))
    features = Features(dense, indices, values, shape)
    return tree.checked().traverse(features).astype(np.int32)


def kernel_predictions(
    xp: ArrayModule,
    tree: DecisionTree,
    dense: np.ndarray,
    indices: np.ndarray,
    values: np.ndarray,
    shape: np.ndarray,
    *,
    input_spec: bytes,
    params: bytes,
) -> tuple[np.ndarray, np.ndarray]:
    feature_types(_bytes(input_spec))
    features = Features(dense, indices, values, shape)
    options = parsed_params(_bytes(params))
    predictions, _ = tree.checked().predict(features, normalize=not options.regression)
    paths = tree.paths(features) if options.tree_paths else np.zeros(0, object)
    return predictions, paths


def kernel_update(
    xp: ArrayModule,
    tree: DecisionTree,
    leaves: np.ndarray,
    labels: np.ndarray,
    weights: np.ndarray,
    *,
    params: bytes,
) -> tuple[()]:
    options = parsed_params(_bytes(params))
    tree.checked()
    if leaves.size and not 0 <= leaves.min() <= leaves.max() < tree.size:
        fail(f"Leaf ids must be in [0, {tree.size}).")
    weights = weights if weights.size else np.ones(len(leaves), np.float32)
    if len(labels) != len(leaves) or len(weights) != len(leaves):
        fail("leaf_ids, input_labels and input_weights must have the same number of rows.")
    if options.regression:
        tree.update_means(leaves, labels.reshape(len(labels), -1)[:, : tree.outputs], weights)
        return ()
    classes = labels.reshape(len(labels), -1)[:, 0].astype(np.int64)
    if classes.size and not 0 <= classes.min() <= classes.max() < tree.outputs:
        fail(f"Labels must be in [0, {tree.outputs}).")
    tree.update(leaves, classes, weights)
    return ()


def shape_rows(c: shapes.ShapeContext) -> Shape:
    return (_rows(c),)


def _rows(c: shapes.ShapeContext) -> int | None:
    dense = c.shape("input_data")
    return dense[0] if dense and len(dense) == 2 else None


def shape_predictions(c: shapes.ShapeContext) -> list[Shape]:
    return [(_rows(c), None), (None,)]


def _register(
    name: str,
    kernel: Callable[..., Any],
    shape: Callable[..., Any] = shapes.none,
    inputs: str = "",
    outputs: str = "",
    attrs: str = "",
    gradient: GradientRule | None = None,
) -> None:
    """Registers an op on a tree."""
    register_op(
        name,
        inputs=", ".join(filter(None, ("tree_handle: resource", inputs))),
        outputs=outputs,
        attrs=attrs,
        shape=shape,
        kernel=kernel,
        gradient=gradient,
        stateful=True,
        runs_on=RunsOn.HOST,
    )


register_op(
    "DecisionTreeResourceHandleOp",
    outputs="resource: resource",
    attrs="container: string = '', shared_name: string = ''",
    shape=shapes.scalar,
    kernel=kernel_tree,
    state=make_tree,
    resource="decision tree",
    stateful=True,
    runs_on=RunsOn.HOST,
)
_register(
    "CreateTreeVariable",
    kernel_create,
    inputs="tree_config: string",
    attrs="params: string",
)
_register(
    "TreeDeserialize",
    kernel_create,
    inputs="tree_config: string",
    attrs="params: string",
    gradient=NOT_DIFFERENTIABLE,
)
_register(
    "TreeIsInitializedOp",
    kernel_is_initialized,
    shapes.scalar,
    outputs="is_initialized: bool",
)
_register(
    "TreeSerialize",
    kernel_serialize,
    shapes.scalar,
    outputs="tree_config: string",
    gradient=NOT_DIFFERENTIABLE,
)
_register(
    "TreeSize", kernel_size, shapes.scalar, outputs="tree_size: int32", gradient=NOT_DIFFERENTIABLE
)
_register(
    "FeatureUsageCounts",
    kernel_feature_counts,
    lambda c: (None,),
    outputs="feature_counts: int32",
    attrs="params: string",
    gradient=NOT_DIFFERENTIABLE,
)
_register(
    "TraverseTreeV4",
    kernel_traverse,
    shape_rows,
    inputs=_INPUT,
    outputs="leaf_ids: int32",
    attrs="input_spec: string, params: string",
)
_register(
    "TreePredictionsV4",
    kernel_predictions,
    shape_predictions,
    inputs=_INPUT,
    outputs="predictions: float, tree_paths: string",
    attrs="input_spec: string, params: string",
    gradient=NOT_DIFFERENTIABLE,
)
_register(
    "UpdateModelV4",
    kernel_update,
    inputs="leaf_ids: int32, input_labels: float, input_weights: float",
    attrs="params: string",
)
