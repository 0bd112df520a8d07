"""The statistics of growing trees as resources, and what uses them: FertileStatsResourceHandleOp,
CreateFertileStatsVariable, FertileStatsIsInitializedOp, FertileStatsSerialize,
FertileStatsDeserialize, ProcessInputV4, GrowTreeV4, FinalizeTree.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from headwater.base.checks import fail
from headwater.base.typing import ArrayModule
from headwater.graph import NOT_DIFFERENTIABLE, RunsOn, register_op, shapes
from headwater.ops.trees.forest_model import DecisionTree, Features
from headwater.ops.trees.forest_params import feature_types, parsed_params
from headwater.ops.trees.forest_stats import FertileStats


def make_stats(attrs: dict[str, Any]) -> FertileStats:
    return FertileStats()


def kernel_stats(xp: ArrayModule, *, state: FertileStats) -> tuple[FertileStats, FertileStats]:
    return state, state


def kernel_create(
    xp: ArrayModule, stats: FertileStats, config: np.ndarray, *, params: bytes
) -> tuple[()]:
    stats.create(config.item(), parsed_params(_bytes(params)))
    return ()


def kernel_is_initialized(xp: ArrayModule, stats: FertileStats) -> np.ndarray:
    return np.array(stats.created)


def kernel_serialize(xp: ArrayModule, stats: FertileStats, *, params: bytes) -> np.ndarray:
    return np.array(stats.checked().serialize(), object)


def _bytes(text: bytes | str) -> bytes:
    return text if isinstance(text, bytes) else text.encode("latin-1")


def kernel_process(
    xp: ArrayModule,
    tree: DecisionTree,
    stats: FertileStats,
    dense: np.ndarray,
    indices: np.ndarray,
    values: np.ndarray,
    shape: np.ndarray,
    labels: np.ndarray,
    weights: np.ndarray,
    leaves: np.ndarray,
    *,
    random_seed: int,
    input_spec: bytes,
    params: bytes,
) -> np.ndarray:
    options = parsed_params(_bytes(params))
    feature_types(_bytes(input_spec))
    features = Features(dense, indices, values, shape)
    tree.checked()
    weights = weights if weights.size else np.ones(len(leaves), np.float32)
    if not len(labels) == len(weights) == len(leaves) == features.rows:
        fail("The data, labels, weights and leaf ids must have the same number of rows.")
    targets: np.ndarray = labels.reshape(len(labels), -1)
    if options.regression:
        targets = targets[:, : options.outputs].astype(np.float64)
    else:
        targets = targets[:, 0].astype(np.int64)
        if targets.size and not 0 <= targets.min() <= targets.max() < options.outputs:
            fail(f"Labels must be in [0, {options.outputs}).")
    return stats.checked().process(features, targets, weights, leaves, random_seed)


def kernel_grow(
    xp: ArrayModule, tree: DecisionTree, stats: FertileStats, nodes: np.ndarray, *, params: bytes
) -> tuple[()]:
    tree.checked()
    if nodes.size and not 0 <= nodes.min() <= nodes.max() < tree.size:
        fail(f"Finished nodes must be in [0, {tree.size}).")
    stats.checked().grow(tree, nodes.tolist())
    return ()


def kernel_finalize(
    xp: ArrayModule, tree: DecisionTree, stats: FertileStats, *, params: bytes
) -> tuple[()]:
    # The leaves have their outputs at all times.
    tree.checked()
    stats.checked()
    return ()


register_op(
    "FertileStatsResourceHandleOp",
    outputs="resource: resource",
    attrs="container: string = '', shared_name: string = ''",
    shape=shapes.scalar,
    kernel=kernel_stats,
    state=make_stats,
    resource="fertile stats",
    stateful=True,
    runs_on=RunsOn.HOST,
)
register_op(
    "CreateFertileStatsVariable",
    inputs="stats_handle: resource, stats_config: string",
    attrs="params: string",
    shape=shapes.none,
    kernel=kernel_create,
    stateful=True,
    runs_on=RunsOn.HOST,
)
register_op(
    "FertileStatsDeserialize",
    inputs="stats_handle: resource, stats_config: string",
    attrs="params: string",
    shape=shapes.none,
    kernel=kernel_create,
    stateful=True,
    runs_on=RunsOn.HOST,
    gradient=NOT_DIFFERENTIABLE,
)
register_op(
    "FertileStatsIsInitializedOp",
    inputs="stats_handle: resource",
    outputs="is_initialized: bool",
    shape=shapes.scalar,
    kernel=kernel_is_initialized,
    stateful=True,
    runs_on=RunsOn.HOST,
)
register_op(
    "FertileStatsSerialize",
    inputs="stats_handle: resource",
    outputs="stats_config: string",
    attrs="params: string",
    shape=shapes.scalar,
    kernel=kernel_serialize,
    stateful=True,
    runs_on=RunsOn.HOST,
    gradient=NOT_DIFFERENTIABLE,
)
register_op(
    "ProcessInputV4",
    inputs=(
        "tree_handle: resource, stats_handle: resource, input_data: float, "
        "sparse_input_indices: int64, sparse_input_values: float, sparse_input_shape: int64, "
        "input_labels: float, input_weights: float, leaf_ids: int32"
    ),
    outputs="finished_nodes: int32",
    attrs="random_seed: int, input_spec: string, params: string",
    shape=lambda c: (None,),
    kernel=kernel_process,
    stateful=True,
    runs_on=RunsOn.HOST,
    gradient=NOT_DIFFERENTIABLE,
)
register_op(
    "GrowTreeV4",
    inputs="tree_handle: resource, stats_handle: resource, finished_nodes: int32",
    attrs="params: string",
    shape=shapes.none,
    kernel=kernel_grow,
    stateful=True,
    runs_on=RunsOn.HOST,
    gradient=NOT_DIFFERENTIABLE,
)
register_op(
    "FinalizeTree",
    inputs="tree_handle: resource, stats_handle: resource",
    attrs="params: string",
    shape=shapes.none,
    kernel=kernel_finalize,
    stateful=True,
    runs_on=RunsOn.HOST,
    gradient=NOT_DIFFERENTIABLE,
)
