"""Ensembles of gradient boosted trees of tf.contrib: DecisionTreeEnsembleResourceHandleOp,
CreateTreeEnsembleVariable, TreeEnsembleIsInitializedOp, TreeEnsembleStampToken,
TreeEnsembleSerialize, TreeEnsembleDeserialize, TreeEnsembleStats, TreeEnsembleUsedHandlers.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from headwater.base.typing import ArrayModule, Shape
from headwater.graph import RunsOn, register_op, shapes
from headwater.ops.trees.gradient_trees import GradientTrees


def make_trees(attrs: dict[str, Any]) -> GradientTrees:
    return GradientTrees(attrs["shared_name"])


def kernel_handle(xp: ArrayModule, *, state: GradientTrees) -> tuple[GradientTrees, ...]:
    return state, state


def kernel_create(
    xp: ArrayModule, trees: GradientTrees, stamp_token: np.ndarray, config: np.ndarray
) -> tuple[()]:
    with trees.lock:
        if trees.stamp is None:
            trees.load(int(stamp_token), config.item())
    return ()


def kernel_deserialize(
    xp: ArrayModule, trees: GradientTrees, stamp_token: np.ndarray, config: np.ndarray
) -> tuple[()]:
    with trees.lock:
        trees.created().load(int(stamp_token), config.item())
    return ()


def kernel_is_initialized(xp: ArrayModule, trees: GradientTrees) -> np.ndarray:
    return np.array(trees.stamp is not None)


def kernel_stamp(xp: ArrayModule, trees: GradientTrees) -> np.ndarray:
    return np.array(trees.created().stamp, np.int64)


def kernel_serialize(xp: ArrayModule, trees: GradientTrees) -> list[np.ndarray]:
    with trees.lock:
        text = trees.created().proto.SerializeToString(deterministic=True)
        return [np.array(trees.stamp, np.int64), np.array(text, object)]


def kernel_stats(
    xp: ArrayModule, trees: GradientTrees, stamp_token: np.ndarray
) -> list[np.ndarray]:
    with trees.lock:
        trees.check_stamp(int(stamp_token))
        metadata = trees.proto.tree_metadata
        attempts = trees.proto.growing_metadata
        stats = (
            trees.finalized,
            sum(tree.num_layers_grown for tree in metadata),
            len(metadata),
            metadata[-1].num_layers_grown if metadata else 0,
            attempts.num_trees_attempted,
            attempts.num_layers_attempted,
        )
        return [np.array(number, np.int64) for number in stats]


def kernel_used_handlers(
    xp: ArrayModule, trees: GradientTrees, stamp_token: np.ndarray, *, num_all_handlers: int
) -> list[np.ndarray]:
    with trees.lock:
        trees.check_stamp(int(stamp_token))
        used = np.array(trees.proto.growing_metadata.used_handler_ids, np.int64)
        mask = np.isin(np.arange(num_all_handlers), used)
        return [np.array(len(used), np.int64), mask]


def shape_load(c: shapes.ShapeContext) -> list[Shape]:
    c.with_rank("stamp_token", 0)
    c.with_rank("tree_ensemble_config", 0)
    return []


def shape_stats(c: shapes.ShapeContext) -> list[Shape]:
    c.with_rank("stamp_token", 0)
    return [()] * 6


def shape_used_handlers(c: shapes.ShapeContext) -> list[Shape]:
    c.with_rank("stamp_token", 0)
    return [(), (c.attr("num_all_handlers"),)]


_CONTENT = "stamp_token: int64, tree_ensemble_config: string"


def _register_use(
    name: str,
    kernel: Callable[..., Any],
    shape: Callable[..., Any],
    inputs: str = "",
    outputs: str = "",
    attrs: str = "",
) -> None:
    """Registers an op on an ensemble."""
    register_op(
        name,
        inputs=", ".join(filter(None, ("tree_ensemble_handle: resource", inputs))),
        outputs=outputs,
        attrs=attrs,
        shape=shape,
        kernel=kernel,
        stateful=True,
        runs_on=RunsOn.HOST,
    )


register_op(
    "DecisionTreeEnsembleResourceHandleOp",
    outputs="resource: resource",
    attrs="container: string = '', shared_name: string = ''",
    shape=shapes.scalar,
    kernel=kernel_handle,
    state=make_trees,
    resource="decision tree ensemble",
    stateful=True,
    runs_on=RunsOn.HOST,
)
_register_use("CreateTreeEnsembleVariable", kernel_create, shape_load, _CONTENT)
_register_use("TreeEnsembleDeserialize", kernel_deserialize, shape_load, _CONTENT)
_register_use(
    "TreeEnsembleIsInitializedOp",
    kernel_is_initialized,
    shapes.scalar,
    outputs="is_initialized: bool",
)
_register_use("TreeEnsembleStampToken", kernel_stamp, shapes.scalar, outputs="stamp_token: int64")
_register_use("TreeEnsembleSerialize", kernel_serialize, lambda c: [(), ()], outputs=_CONTENT)
_register_use(
    "TreeEnsembleStats",
    kernel_stats,
    shape_stats,
    "stamp_token: int64",
    "num_trees: int64, num_layers: int64, active_tree: int64, active_layer: int64, "
    "attempted_trees: int64, attempted_layers: int64",
)
_register_use(
    "TreeEnsembleUsedHandlers",
    kernel_used_handlers,
    shape_used_handlers,
    "stamp_token: int64",
    "num_used_handlers: int64, used_handlers_mask: bool",
    "num_all_handlers: int >= 0",
)
