"""Ensembles of boosted trees: BoostedTreesEnsembleResourceHandleOp, BoostedTreesCreateEnsemble,
IsBoostedTreesEnsembleInitialized, BoostedTreesSerializeEnsemble and its like.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from headwater.base.typing import ArrayModule, Shape
from headwater.graph import RunsOn, register_op, shapes
from headwater.ops.trees.ensemble_resource import TreeEnsemble


def make_ensemble(attrs: dict[str, Any]) -> TreeEnsemble:
    return TreeEnsemble(attrs["shared_name"])


def kernel_handle(xp: ArrayModule, *, state: TreeEnsemble) -> tuple[TreeEnsemble, ...]:
    return state, state


def kernel_is_initialized(xp: ArrayModule, tree_ensemble_handle: TreeEnsemble) -> np.ndarray:
    return np.array(tree_ensemble_handle.stamp is not None)


def kernel_create(
    xp: ArrayModule,
    tree_ensemble_handle: TreeEnsemble,
    stamp_token: np.ndarray,
    tree_ensemble_serialized: np.ndarray,
) -> tuple[()]:
    with tree_ensemble_handle.lock:
        if tree_ensemble_handle.stamp is None:
            tree_ensemble_handle.load(int(stamp_token), tree_ensemble_serialized.item())
    return ()


def kernel_deserialize(
    xp: ArrayModule,
    tree_ensemble_handle: TreeEnsemble,
    stamp_token: np.ndarray,
    tree_ensemble_serialized: np.ndarray,
) -> tuple[()]:
    ensemble = tree_ensemble_handle.created()
    with ensemble.lock:
        ensemble.load(int(stamp_token), tree_ensemble_serialized.item())
    return ()


def kernel_serialize(xp: ArrayModule, tree_ensemble_handle: TreeEnsemble) -> list[np.ndarray]:
    ensemble = tree_ensemble_handle.created()
    with ensemble.lock:
        text = np.array(ensemble.proto.SerializeToString(deterministic=True), object)
        return [np.array(ensemble.stamp, np.int64), text]


def kernel_states(xp: ArrayModule, tree_ensemble_handle: TreeEnsemble) -> list[np.ndarray]:
    ensemble = tree_ensemble_handle.created()
    with ensemble.lock:
        return ensemble.states()


def shape_load(c: shapes.ShapeContext) -> list[Shape]:
    for name in ("tree_ensemble_handle", "stamp_token", "tree_ensemble_serialized"):
        c.with_rank(name, 0)
    return []


def shape_is_initialized(c: shapes.ShapeContext) -> Shape:
    c.with_rank("tree_ensemble_handle", 0)
    return ()


def shape_serialize(c: shapes.ShapeContext) -> list[Shape]:
    c.with_rank("tree_ensemble_handle", 0)
    return [(), ()]


def shape_states(c: shapes.ShapeContext) -> list[Shape]:
    c.with_rank("tree_ensemble_handle", 0)
    return [(), (), (), (), (2,)]


_HANDLE = "tree_ensemble_handle: resource"
_CONTENT = f"{_HANDLE}, stamp_token: int64, tree_ensemble_serialized: string"


def _register_use(
    name: str,
    *,
    inputs: str,
    outputs: str = "",
    shape: Callable[..., Any],
    kernel: Callable[..., Any],
) -> None:
    register_op(
        name,
        inputs=inputs,
        outputs=outputs,
        shape=shape,
        kernel=kernel,
        stateful=True,
        runs_on=RunsOn.HOST,
    )


register_op(
    "BoostedTreesEnsembleResourceHandleOp",
    outputs="resource: resource",
    attrs="container: string = '', shared_name: string = ''",
    shape=shapes.scalar,
    kernel=kernel_handle,
    state=make_ensemble,
    resource="tree ensemble",
    stateful=True,
    runs_on=RunsOn.HOST,
)
_register_use(
    "IsBoostedTreesEnsembleInitialized",
    inputs=_HANDLE,
    outputs="is_initialized: bool",
    shape=shape_is_initialized,
    kernel=kernel_is_initialized,
)
_register_use("BoostedTreesCreateEnsemble", inputs=_CONTENT, shape=shape_load, kernel=kernel_create)
_register_use(
    "BoostedTreesDeserializeEnsemble", inputs=_CONTENT, shape=shape_load, kernel=kernel_deserialize
)
_register_use(
    "BoostedTreesSerializeEnsemble",
    inputs=_HANDLE,
    outputs="stamp_token: int64, tree_ensemble_serialized: string",
    shape=shape_serialize,
    kernel=kernel_serialize,
)
_register_use(
    "BoostedTreesGetEnsembleStates",
    inputs=_HANDLE,
    outputs=(
        "stamp_token: int64, num_trees: int32, num_finalized_trees: int32, "
        "num_attempted_layers: int32, last_layer_nodes_range: int32"
    ),
    shape=shape_states,
    kernel=kernel_states,
)
