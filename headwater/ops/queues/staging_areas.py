"""The ops of staging areas: Stage, Unstage and their like, in order and by key."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from headwater.base.typing import Array, ArrayModule
from headwater.graph import RunsOn, register_op, shapes
from headwater.ops.queues.staging_area_resource import MapStagingArea, StagingArea


def make_area(attrs: dict[str, Any]) -> StagingArea:
    return StagingArea(attrs["capacity"], attrs["memory_limit"])


def make_map_area(attrs: dict[str, Any]) -> MapStagingArea:
    return MapStagingArea(len(attrs["dtypes"]), attrs["capacity"], attrs["memory_limit"], False)


def make_ordered_map_area(attrs: dict[str, Any]) -> MapStagingArea:
    return MapStagingArea(len(attrs["dtypes"]), attrs["capacity"], attrs["memory_limit"], True)


def kernel_stage(xp: ArrayModule, values: list[Any], *, state: StagingArea) -> tuple[Any, ...]:
    return state.put(values), state


def kernel_unstage(xp: ArrayModule, *, state: StagingArea) -> tuple[Any, ...]:
    return state.get(), state


def kernel_peek(xp: ArrayModule, index: Array, *, state: StagingArea) -> tuple[Any, ...]:
    return state.peek(int(index)), state


def kernel_size(xp: ArrayModule, *, state: StagingArea) -> tuple[StagingArea | np.ndarray, ...]:
    return np.asarray(state.size(), np.int32), state


def kernel_incomplete_size(
    xp: ArrayModule, *, state: MapStagingArea
) -> tuple[MapStagingArea | np.ndarray, ...]:
    return np.asarray(state.incomplete_size(), np.int32), state


def kernel_clear(xp: ArrayModule, *, state: StagingArea) -> tuple[Any, ...]:
    state.clear()
    return (), state


def kernel_map_stage(
    xp: ArrayModule, key: Array, indices: Array, values: list[Any], *, state: MapStagingArea
) -> tuple[Any, ...]:
    return state.put_at(int(key), indices.ravel().tolist(), values), state


def kernel_map_unstage(
    xp: ArrayModule, key: Array, indices: Array, *, state: MapStagingArea
) -> tuple[Any, ...]:
    return state.get_at(int(key), indices.ravel().tolist()), state


def kernel_map_unstage_no_key(
    xp: ArrayModule, indices: Array, *, state: MapStagingArea
) -> tuple[Any, ...]:
    return state.pop(indices.ravel().tolist()), state


def kernel_map_peek(
    xp: ArrayModule, key: Array, indices: Array, *, state: MapStagingArea
) -> tuple[Any, ...]:
    return state.peek_at(int(key), indices.ravel().tolist()), state


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
    shape: Callable[..., Any],
    kernel: Callable[..., Any],
    state: Callable[..., Any],
    resource: str,
) -> None:
    register_op(
        name,
        inputs=inputs,
        outputs=outputs,
        attrs=attrs,
        shape=shape,
        kernel=kernel,
        state=state,
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
    state=make_area,
    resource="staging area",
)
_register_access(
    "Unstage",
    outputs="values: dtypes",
    attrs=_SOME_TYPES,
    shape=shapes.unknown,
    kernel=kernel_unstage,
    state=make_area,
    resource="staging area",
)
_register_access(
    "StagePeek",
    inputs="index: int32",
    outputs="values: dtypes",
    attrs=_SOME_TYPES,
    shape=shapes.unknown,
    kernel=kernel_peek,
    state=make_area,
    resource="staging area",
)
_register_access(
    "StageSize",
    outputs="size: int32",
    attrs=_TYPES,
    shape=shapes.scalar,
    kernel=kernel_size,
    state=make_area,
    resource="staging area",
)
_register_access(
    "StageClear",
    attrs=_TYPES,
    shape=shapes.none,
    kernel=kernel_clear,
    state=make_area,
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
    state: Callable[..., Any],
    resource: str,
) -> None:
    _register_access(
        stage,
        inputs=f"{_KEY}, values: fake_dtypes",
        attrs=f"{_ROOM}, dtypes: list(type), fake_dtypes: list(type) >= 1, {_NAMES}",
        shape=shapes.none,
        kernel=kernel_map_stage,
        state=state,
        resource=resource,
    )
    _register_access(
        unstage,
        inputs=_KEY,
        outputs="values: dtypes",
        attrs=_SOME_TYPES,
        shape=shapes.unknown,
        kernel=kernel_map_unstage,
        state=state,
        resource=resource,
    )
    _register_access(
        unstage_no_key,
        inputs="indices: int32",
        outputs="key: int64, values: dtypes",
        attrs=_SOME_TYPES,
        shape=shapes.unknown,
        kernel=kernel_map_unstage_no_key,
        state=state,
        resource=resource,
    )
    _register_access(
        peek,
        inputs=_KEY,
        outputs="values: dtypes",
        attrs=_SOME_TYPES,
        shape=shapes.unknown,
        kernel=kernel_map_peek,
        state=state,
        resource=resource,
    )
    _register_access(
        size,
        outputs="size: int32",
        attrs=_TYPES,
        shape=shapes.scalar,
        kernel=kernel_size,
        state=state,
        resource=resource,
    )
    _register_access(
        incomplete_size,
        outputs="size: int32",
        attrs=_TYPES,
        shape=shapes.scalar,
        kernel=kernel_incomplete_size,
        state=state,
        resource=resource,
    )
    _register_access(
        clear, attrs=_TYPES, shape=shapes.none, kernel=kernel_clear, state=state, resource=resource
    )


_register_map(
    "MapStage",
    "MapUnstage",
    "MapUnstageNoKey",
    "MapPeek",
    "MapSize",
    "MapIncompleteSize",
    "MapClear",
    state=make_map_area,
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
    state=make_ordered_map_area,
    resource="ordered map staging area",
)
