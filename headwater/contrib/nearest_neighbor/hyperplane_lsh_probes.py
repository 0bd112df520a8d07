"""`tf.contrib.nearest_neighbor.hyperplane_lsh_probes`."""

from __future__ import annotations

from headwater.base.export import export
from headwater.base.typing import TensorLike
from headwater.graph import Tensor, build


@export("contrib.nearest_neighbor.hyperplane_lsh_probes")
def hyperplane_lsh_probes(
    point_hyperplane_product: TensorLike,
    num_tables: TensorLike,
    num_hyperplanes_per_table: TensorLike,
    num_probes: TensorLike,
    name: str | None = None,
) -> tuple[Tensor, ...]:
    """The buckets of each point in tables of hyperplane hashes, the most likely ones first.

    Args:
        point_hyperplane_product: the products of points and hyperplanes, a floating-point matrix
            with a row for each point and a column for each hyperplane of each table.
        num_tables: the number of tables.
        num_hyperplanes_per_table: the number of hyperplanes of each table.
        num_probes: how many buckets are wanted for each point.
        name: the name of the node.

    Returns:
        A tuple of two int32 matrices with a row for each point: the buckets, and their tables.
    """
    return build.HyperplaneLSHProbes(
        point_hyperplane_product, num_tables, num_hyperplanes_per_table, num_probes, name=name
    )
