"""Greedy matching of rows and columns by their distances: BipartiteMatch."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from headwater.base.checks import fail
from headwater.base.typing import ArrayModule, Shape
from headwater.graph import NOT_DIFFERENTIABLE, RunsOn, Sample, ShapeContext, register_op, shapes


def kernel_bipartite_match(
    xp: ArrayModule, distance_mat: np.ndarray, num_valid_rows: np.ndarray, *, top_k: int
) -> tuple[np.ndarray, np.ndarray]:
    if num_valid_rows.size != 1:
        fail(
            "num_valid_rows argument should be a tensor with 1 element, but got "
            f"{num_valid_rows.size}"
        )
    if distance_mat.ndim != 2:
        fail(f"distance_mat should be 2-dimensional, but got {shapes.show(distance_mat.shape)}")
    rows, columns = distance_mat.shape
    valid = float(num_valid_rows.item())
    count = rows if valid < 0 else int(valid)
    if count > rows:
        fail(f"There should be at least {count} rows in distance_mat, but only got {rows} rows.")
    wanted = min(count, columns)
    if top_k > 0:
        wanted = min(wanted, top_k)
    of_row = np.full(rows, -1, np.int32)
    of_column = np.full(columns, -1, np.int32)
    order = np.argsort(distance_mat[:count].ravel(), kind="stable")
    for place in order.tolist():
        if not wanted:
            break
        row, column = divmod(place, columns)
        if of_row[row] < 0 and of_column[column] < 0:
            of_row[row], of_column[column] = column, row
            wanted -= 1
    return of_row, of_column


def reference_bipartite_match(
    distance_mat: np.ndarray, num_valid_rows: np.ndarray, *, top_k: int
) -> tuple[np.ndarray, np.ndarray]:
    """Repeatedly takes the smallest remaining distance."""
    rows, columns = distance_mat.shape
    count = rows if num_valid_rows.item() < 0 else int(num_valid_rows.item())
    left = np.full((rows, columns), np.inf)
    left[:count] = distance_mat[:count]
    of_row, of_column = np.full(rows, -1, np.int32), np.full(columns, -1, np.int32)
    for _ in range(min(count, columns, top_k if top_k > 0 else count)):
        row, column = np.unravel_index(int(np.argmin(left)), left.shape)
        of_row[row], of_column[column] = column, row
        left[row], left[:, column] = np.inf, np.inf
    return of_row, of_column


def shape_bipartite_match(c: ShapeContext) -> list[Shape]:
    rows, columns = c.with_rank("distance_mat", 2)
    return [(rows,), (columns,)]


def samples_bipartite_match() -> Iterator[Sample]:
    distances = np.random.RandomState(2).permutation(20).reshape(4, 5).astype(np.float32)
    yield Sample(distances, np.array(-1.0, np.float32))
    yield Sample(distances, np.array([2.0], np.float32), top_k=1)
    yield Sample(distances.T, np.array(3.0, np.float32))


register_op(
    "BipartiteMatch",
    inputs="distance_mat: float, num_valid_rows: float",
    outputs="row_to_col_match_indices: int32, col_to_row_match_indices: int32",
    attrs="top_k: int = -1",
    shape=shape_bipartite_match,
    kernel=kernel_bipartite_match,
    gradient=NOT_DIFFERENTIABLE,
    stateful=True,
    runs_on=RunsOn.HOST,
    reference=reference_bipartite_match,
    samples=samples_bipartite_match,
)
