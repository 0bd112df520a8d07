"""Rows and columns of matrices in checkpoints, moved from one vocabulary to another."""

from __future__ import annotations

import numpy as np

from headwater.base import errors
from headwater.base.checks import fail
from headwater.base.typing import Array, ArrayModule
from headwater.graph import NOT_DIFFERENTIABLE, RunsOn, register_op
from headwater.io.checkpoint_bundle import BundleReader
from headwater.io.checkpoint_files import index_path
from headwater.io.files import is_file, read_bytes


def _text(value: Array) -> str:
    item = np.asarray(value).reshape(-1)[0]
    return item.decode() if isinstance(item, bytes) else str(item)


def _lines(path: str) -> list[bytes]:
    return read_bytes(path).splitlines()


def kernel_generate_vocab_remapping(
    xp: ArrayModule,
    new_vocab_file: Array,
    old_vocab_file: Array,
    *,
    new_vocab_offset: int,
    num_new_vocab: int,
    old_vocab_size: int,
) -> tuple[np.ndarray, np.ndarray]:
    old_path = _text(old_vocab_file)
    old = _lines(old_path)
    if old_vocab_size >= 0:
        if len(old) < old_vocab_size:
            fail(f"Invalid vocab_size in {old_path}: expected {old_vocab_size} but got {len(old)}")
        old = old[:old_vocab_size]
    places: dict[bytes, int] = {}
    for place, word in enumerate(old):
        if word in places:
            raise errors.FailedPreconditionError(
                None,
                None,
                "HashTable has different value for same key. Key "
                f"{word.decode(errors='replace')} has {places[word]} and trying to add value "
                f"{place}",
            )
        places[word] = place
    new = _lines(_text(new_vocab_file))
    end = new_vocab_offset + num_new_vocab
    if end > len(new):
        fail("lookup table size must be larger than last new vocab entry's line")
    remapping = np.array([places.get(w, -1) for w in new[new_vocab_offset:end]], np.int64)
    return remapping, np.array(np.count_nonzero(remapping >= 0), np.int32)


def _check_unique(remapping: np.ndarray) -> None:
    seen: dict[int, int] = {}
    for new, old in enumerate(remapping.tolist()):
        if old < 0:
            continue
        if old in seen:
            raise errors.UnimplementedError(
                None,
                None,
                f"Old ID {old} is mapped to both new ID {seen[old]} and {new}, which is not "
                "supported.",
            )
        seen[old] = new


def kernel_load_and_remap_matrix(
    xp: ArrayModule,
    ckpt_path: Array,
    old_tensor_name: Array,
    row_remapping: Array,
    col_remapping: Array,
    initializing_values: Array,
    *,
    num_rows: int,
    num_cols: int,
) -> np.ndarray:
    rows, columns = np.asarray(row_remapping), np.asarray(col_remapping)
    if rows.size != num_rows:
        fail(f"Size of row_remapping is {rows.size} instead of being equal to num_rows={num_rows}")
    _check_unique(rows)
    if columns.size:
        if columns.size != num_cols:
            fail(
                f"Provided col_remapping, but its size is {columns.size} instead of being equal "
                f"to num_cols={num_cols}"
            )
        _check_unique(columns)
    if np.size(ckpt_path) != 1:
        fail(f"The `ckpt_path` tensor must have exactly one element, got tensor {ckpt_path}")
    path, name = _text(ckpt_path), _text(old_tensor_name)
    if not is_file(index_path(path)):
        raise errors.NotFoundError(None, None, f"{index_path(path)}; No such file or directory")
    reader = BundleReader(path)
    _, shape = reader.dtype_and_shape(name)
    shown = "[" + ",".join(str(size) for size in shape) + "]"
    if len(shape) != 2:
        fail(
            f"Tensor {name} has shape {shown}, which is of rank {len(shape)} instead of being of "
            "rank 2"
        )
    if not columns.size:
        if shape[1] != num_cols:
            fail(
                f"Tensor {name} has shape {shown}, where the size of its 2nd dimension is "
                f"{shape[1]} instead of being equal to num_cols={num_cols}"
            )
        columns = np.arange(num_cols)
    if np.any(rows >= shape[0]) or np.any(columns >= shape[1]):
        wrong = rows.max() if np.any(rows >= shape[0]) else columns.max()
        raise errors.InternalError(
            None, None, f"Index {wrong} out of bounds: Tensor {name} has shape {shown}"
        )
    found = np.ix_(np.flatnonzero(rows >= 0), np.flatnonzero(columns >= 0))
    result = np.zeros((num_rows, num_cols), np.float32)
    missing = np.ones(result.shape, bool)
    missing[found] = False
    old = reader.read(name)
    result[found] = old[np.ix_(rows[rows >= 0], columns[columns >= 0])]
    values = np.asarray(initializing_values).reshape(-1)
    count = int(np.count_nonzero(missing))
    if values.size < count:
        fail(
            f"initializing_values contained {values.size} elements, but more missing values remain."
        )
    if values.size > count:
        fail(
            f"initializing_values contained {values.size} elements, but only {count} elements "
            "were used to fill in missing values."
        )
    result[missing] = values
    return result


register_op(
    "GenerateVocabRemapping",
    inputs="new_vocab_file: string, old_vocab_file: string",
    outputs="remapping: int64, num_present: int32",
    attrs="new_vocab_offset: int >= 0, num_new_vocab: int >= 0, old_vocab_size: int >= -1 = -1",
    shape=lambda c: [(c.attr("num_new_vocab"),), ()],
    kernel=kernel_generate_vocab_remapping,
    runs_on=RunsOn.HOST,
    gradient=NOT_DIFFERENTIABLE,
)
register_op(
    "LoadAndRemapMatrix",
    inputs=(
        "ckpt_path: string, old_tensor_name: string, row_remapping: int64, col_remapping: int64, "
        "initializing_values: float"
    ),
    outputs="output_matrix: float",
    attrs="num_rows: int >= 0, num_cols: int >= 1, max_rows_in_memory: int = -1",
    shape=lambda c: (c.attr("num_rows"), c.attr("num_cols")),
    kernel=kernel_load_and_remap_matrix,
    runs_on=RunsOn.HOST,
    gradient=NOT_DIFFERENTIABLE,
    stateful=True,
)
