"""The ops of staging areas: Stage, Unstage and their like, in order and by key."""

from __future__ import annotations

from typing import Any

import numpy as np

from headwater.base.typing import Array, ArrayModule
from headwater.graph import RunsOn, register_op, shapes
from headwater.ops.queues.staging_area_resource import MapStagingArea, StagingArea


def cell_area(attrs: dict[str, Any]) -> StagingArea:
    return StagingArea(attrs["capacity"], attrs["memory_limit"])


def cell_map_area(attrs: dict[str, Any]) -> MapStagingArea:
    return MapStagingArea(len(attrs["dtypes"]), attrs["capacity"], attrs["memory_limit"], False)


def cell_ordered_map_area(attrs: dict[str, Any]) -> MapStagingArea:
    return MapStagingArea(len(attrs["dtypes"]), attrs["capacity"], attrs["memory_limit"], True)


def kernel_stage(xp: ArrayModule, values: list[Any], *, cell: Any) -> Any:
    return cell.put(values), cell


def kernel_unstage(xp: ArrayModule, *, cell: Any) -> Any:
    return cell.get(), cell


def kernel_peek(xp: ArrayModule, index: Array, *, cell: Any) -> Any:
    return cell.peek(int(index)), cell


def kernel_size(xp: ArrayModule, *, cell: Any) -> Any:
    return np.asarray(cell.size(), np.int32), cell


def kernel_incomplete_size(xp: ArrayModule, *, cell: Any) -> Any:
    return np.asarray(cell.incomplete_size(), np.int32), cell


def kernel_clear(xp: ArrayModule, *, cell: Any) -> Any:
    cell.clear()
    return (), cell


def kernel_map_stage(
    xp: ArrayModule, key: Array, indices: Array, values: list[Any], *, cell: Any
) -> Any:
    return cell.put_at(int(key), indices.ravel().tolist(), values), cell


def kernel_map_unstage(xp: ArrayModule, key: Array, indices: Array, *, cell: Any) -> Any:
    return cell.get_at(int(key), indices.ravel().tolist()), cell


def kernel_map_unstage_no_key(xp: ArrayModule, indices: Array, *, cell: Any) -> Any:
    return cell.pop(indices.ravel().tolist()), cell


def kernel_map_peek(xp: ArrayModule, key: Array, indices: Array, *, cell: Any) -> Any:
    return cell.peek_at(int(key), indices.ravel().tolist()), cell


_ROOM = "capacity: int >= 0 = 0, memory_limit: int >= 0 = 0"
_NAMES = "container: string = '', shared_name: string = ''"
_TYPES = f"{_ROOM}, dtypes: list(type), {_NAMES}"
_SOME_TYPES = f"{_ROOM}, dtypes: list(type) >= 1, {_NAMES}"
_KEY = "key: int64, indices: int32"


def _register_access(
    name: str,
    *,
    inputs: str = "",
    outputs: str = "",
    attrs: str,
    shape: Any,
    kernel: Any,
    cell: Any,
    resource: str,
) -> None:
    register_op(
        name,
        inputs=inputs,
        outputs=outputs,
        attrs=attrs,
        shape=shape,
        kernel=kernel,
        cell=cell,
        resource=resource,
        exchanges=True,
        stateful=True,
        runs_on=RunsOn.HOST,
    )


_register_access(
    "Stage",
    inputs="values: dtypes",
    attrs=_SOME_TYPES,
    shape=shapes.none,
    kernel=kernel_stage,
    cell=cell_area,
    resource="staging area",
)
_register_access(
    "Unstage",
    outputs="values: dtypes",
    attrs=_SOME_TYPES,
    shape=shapes.unknown,
    kernel=kernel_unstage,
    cell=cell_area,
    resource="staging area",
)
_register_access(
    "StagePeek",
    inputs="index: int32",
    outputs="values: dtypes",
    attrs=_SOME_TYPES,
    shape=shapes.unknown,
    kernel=kernel_peek,
    cell=cell_area,
    resource="staging area",
)
_register_access(
    "StageSize",
    outputs="size: int32",
    attrs=_TYPES,
    shape=shapes.scalar,
    kernel=kernel_size,
    cell=cell_area,
    resource="staging area",
)
_register_access(
    "StageClear",
    attrs=_TYPES,
    shape=shapes.none,
    kernel=kernel_clear,
    cell=cell_area,
    resource="staging area",
)


def _register_map(
    stage: str,
    unstage: str,
    unstage_no_key: str,
    peek: str,
    size: str,
    incomplete_size: str,
    clear: str,
    *,
    cell: Any,
    resource: str,
) -> None:
    _register_access(
        stage,
        inputs=f"{_KEY}, values: fake_dtypes",
        attrs=f"{_ROOM}, dtypes: list(type), fake_dtypes: list(type) >= 1, {_NAMES}",
        shape=shapes.none,
        kernel=kernel_map_stage,
        cell=cell,
        resource=resource,
    )
    _register_access(
        unstage,
        inputs=_KEY,
        outputs="values: dtypes",
        attrs=_SOME_TYPES,
        shape=shapes.unknown,
        kernel=kernel_map_unstage,
        cell=cell,
        resource=resource,
    )
    _register_access(
        unstage_no_key,
        inputs="indices: int32",
        outputs="key: int64, values: dtypes",
        attrs=_SOME_TYPES,
        shape=shapes.unknown,
        kernel=kernel_map_unstage_no_key,
        cell=cell,
        resource=resource,
    )
    _register_access(
        peek,
        inputs=_KEY,
        outputs="values: dtypes",
        attrs=_SOME_TYPES,
        shape=shapes.unknown,
        kernel=kernel_map_peek,
        cell=cell,
        resource=resource,
    )
    _register_access(
        size,
        outputs="size: int32",
        attrs=_TYPES,
        shape=shapes.scalar,
        kernel=kernel_size,
        cell=cell,
        resource=resource,
    )
    _register_access(
        incomplete_size,
        outputs="size: int32",
        attrs=_TYPES,
        shape=shapes.scalar,
        kernel=kernel_incomplete_size,
        cell=cell,
        resource=resource,
    )
    _register_access(
        clear, attrs=_TYPES, shape=shapes.none, kernel=kernel_clear, cell=cell, resource=resource
    )


_register_map(
    "MapStage",
    "MapUnstage",
    "MapUnstageNoKey",
    "MapPeek",
    "MapSize",
    "MapIncompleteSize",
    "MapClear",
    cell=cell_map_area,
    resource="map staging area",
)
_register_map(
    "OrderedMapStage",
    "OrderedMapUnstage",
    "OrderedMapUnstageNoKey",
    "OrderedMapPeek",
    "OrderedMapSize",
    "OrderedMapIncompleteSize",
    "OrderedMapClear",
    cell=cell_ordered_map_area,
    resource="ordered map staging area",
)
