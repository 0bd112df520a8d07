"""The ops of staging areas: Stage, Unstage and their like, in order and by key."""

from __future__ import annotations

from typing import Any

import numpy as np

from headwater.graph import register_op, shapes
from headwater.ops.queues.staging_area_resource import MapStagingArea, StagingArea


def cell_area(attrs: dict[str, Any]) -> StagingArea:
    return StagingArea(attrs["capacity"], attrs["memory_limit"])


def cell_map_area(attrs: dict[str, Any]) -> MapStagingArea:
    return MapStagingArea(len(attrs["dtypes"]), attrs["capacity"], attrs["memory_limit"], False)


def cell_ordered_map_area(attrs: dict[str, Any]) -> MapStagingArea:
    return MapStagingArea(len(attrs["dtypes"]), attrs["capacity"], attrs["memory_limit"], True)


def kernel_stage(xp: Any, values: list[Any], *, cell: Any) -> Any:
    return cell.put(values), cell


def kernel_unstage(xp: Any, *, cell: Any) -> Any:
    return cell.get(), cell


def kernel_peek(xp: Any, index: Any, *, cell: Any) -> Any:
    return cell.peek(int(index)), cell


def kernel_size(xp: Any, *, cell: Any) -> Any:
    return np.asarray(cell.size(), np.int32), cell


def kernel_incomplete_size(xp: Any, *, cell: Any) -> Any:
    return np.asarray(cell.incomplete_size(), np.int32), cell


def kernel_clear(xp: Any, *, cell: Any) -> Any:
    cell.clear()
    return (), cell


def kernel_map_stage(xp: Any, key: Any, indices: Any, values: list[Any], *, cell: Any) -> Any:
    return cell.put_at(int(key), indices.ravel().tolist(), values), cell


def kernel_map_unstage(xp: Any, key: Any, indices: Any, *, cell: Any) -> Any:
    return cell.get_at(int(key), indices.ravel().tolist()), cell


def kernel_map_unstage_no_key(xp: Any, indices: Any, *, cell: Any) -> Any:
    return cell.pop(indices.ravel().tolist()), cell


def kernel_map_peek(xp: Any, key: Any, indices: Any, *, cell: Any) -> Any:
    return cell.peek_at(int(key), indices.ravel().tolist()), cell


_ROOM = "capacity: int >= 0 = 0, memory_limit: int >= 0 = 0"
_NAMES = "container: string = '', shared_name: string = ''"
_TYPES = f"{_ROOM}, dtypes: list(type), {_NAMES}"
_SOME_TYPES = f"{_ROOM}, dtypes: list(type) >= 1, {_NAMES}"
_KEY = "key: int64, indices: int32"

_OPS: list[tuple[Any, ...]] = [
    ("Stage", "values: dtypes", "", _SOME_TYPES, shapes.none, kernel_stage, cell_area),
    ("Unstage", "", "values: dtypes", _SOME_TYPES, shapes.unknown, kernel_unstage, cell_area),
    ("StagePeek", "index: int32", "values: dtypes", _SOME_TYPES, shapes.unknown, kernel_peek)
    + (cell_area,),
    ("StageSize", "", "size: int32", _TYPES, shapes.scalar, kernel_size, cell_area),
    ("StageClear", "", "", _TYPES, shapes.none, kernel_clear, cell_area),
]
for _prefix, _cell in (("Map", cell_map_area), ("OrderedMap", cell_ordered_map_area)):
    for _row in (
        (
            "Stage",
            f"{_KEY}, values: fake_dtypes",
            "",
            f"{_ROOM}, dtypes: list(type), fake_dtypes: list(type) >= 1, {_NAMES}",
            shapes.none,
            kernel_map_stage,
        ),
        ("Unstage", _KEY, "values: dtypes", _SOME_TYPES, shapes.unknown, kernel_map_unstage),
        (
            "UnstageNoKey",
            "indices: int32",
            "key: int64, values: dtypes",
            _SOME_TYPES,
            shapes.unknown,
            kernel_map_unstage_no_key,
        ),
        ("Peek", _KEY, "values: dtypes", _SOME_TYPES, shapes.unknown, kernel_map_peek),
        ("Size", "", "size: int32", _TYPES, shapes.scalar, kernel_size),
        (
            "IncompleteSize",
            "",
            "size: int32",
            _TYPES,
            shapes.scalar,
            kernel_incomplete_size,
        ),
        ("Clear", "", "", _TYPES, shapes.none, kernel_clear),
    ):
        _OPS.append((f"{_prefix}{_row[0]}", *_row[1:], _cell))

for _name, _inputs, _outputs, _attrs, _shape, _kernel, _make in _OPS:
    register_op(
        _name,
        inputs=_inputs,
        outputs=_outputs,
        attrs=_attrs,
        shape=_shape,
        kernel=_kernel,
        cell=_make,
        resource={"O": "ordered map staging area", "M": "map staging area"}.get(
            _name[0], "staging area"
        ),
        exchanges=True,
        stateful=True,
        host=True,
    )
