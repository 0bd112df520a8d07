"""Buckets to probe for near points: HyperplaneLSHProbes.

Source: Lv, Josephson, Wang, Charikar, Li, "Multi-probe LSH: efficient indexing for
high-dimensional similarity search", VLDB 2007.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from typing import Any

import numpy as np

from headwater.base import cancellation, errors
from headwater.base.checks import fail
from headwater.base.typing import Array, ArrayModule
from headwater.graph import NOT_DIFFERENTIABLE, RunsOn, Sample, register_op, shapes


def kernel_hyperplane_probes(
    xp: ArrayModule,
    product: np.ndarray,
    num_tables: Array,
    num_hyperplanes: Array,
    num_probes: Array,
) -> tuple[Array, ...]:
    if product.ndim != 2:
        fail(
            "Need a two-dimensional point_hyperplane_product input, but got a tensor of "
            f"dimension {product.ndim}"
        )
    tables, planes, probes = int(num_tables), int(num_hyperplanes), int(num_probes)
    if tables < 1:
        fail(f"num_tables must be at least 1 but got {tables}.")
    if not 0 < planes <= 31:
        fail(f"num_hyperplanes_per_table must be between 1 and 31 but got {planes}.")
    if product.shape[1] != tables * planes:
        fail(
            f"Expected number of hyperplanes is {tables * planes} but received "
            f"{product.shape[1]} inner products per point."
        )
    if probes < 1:
        fail("num_probes must be at least 1.")
    result = np.zeros((2, len(product), probes), np.int32)
    for i, row in enumerate(product.reshape(-1, tables, planes)):
        result[:, i] = np.transpose(_probes_of(row, probes, i))
    return result[0], result[1]


def _probes_of(row: np.ndarray, count: int, number: int) -> list[tuple[int, int]]:
    """Bucket and table of each probe: the point's own buckets, then those across near planes."""
    planes = row.shape[1]
    bits = 1 << np.arange(planes - 1, -1, -1)
    own = ((row >= 0) * bits).sum(1).tolist()
    found = [(bucket, table) for table, bucket in enumerate(own)][:count]
    order = np.argsort(np.abs(row), 1, kind="stable")
    scores = np.take_along_axis(np.square(row), order, 1)
    # Each entry crosses some planes of a table, given by their ranks.
    heap: list[Any] = [(scores[table, 0], table, (0,)) for table in range(len(row))]
    heapq.heapify(heap)
    for _ in cancellation.checked(range(count - len(found))):
        if not heap:
            raise errors.InternalError(
                None,
                None,
                f"Failed to get probe number {len(found)} for point number {number}.",
            )
        score, table, ranks = heapq.heappop(heap)
        flipped = own[table] ^ int(bits[order[table, list(ranks)]].sum())
        found.append((flipped, table))
        last = ranks[-1]
        if last + 1 < planes:
            more = scores[table, last + 1]
            heapq.heappush(heap, (score + more, table, (*ranks, last + 1)))
            shifted = score - scores[table, last] + more
            heapq.heappush(heap, (shifted, table, (*ranks[:-1], last + 1)))
    return found


def samples_hyperplane_probes() -> Iterator[Sample]:
    product = np.sin(np.arange(12, dtype=np.float32) * 3).reshape(2, 6)
    yield Sample(product, np.int32(2), np.int32(3), np.int32(7))


register_op(
    "HyperplaneLSHProbes",
    inputs="point_hyperplane_product: CoordinateType, num_tables: int32, "
    "num_hyperplanes_per_table: int32, num_probes: int32",
    outputs="probes: int32, table_ids: int32",
    attrs="CoordinateType: {float, double}",
    shape=shapes.unknown,
    kernel=kernel_hyperplane_probes,
    gradient=NOT_DIFFERENTIABLE,
    samples=samples_hyperplane_probes,
    runs_on=RunsOn.HOST,
    dynamic_shape=True,
)
