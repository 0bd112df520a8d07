"""Batched row updates: indices and variable share leading dimensions."""

from __future__ import annotations

from typing import Any

from headwater.base.deprecation import notice
from headwater.base.export import export
from headwater.base.typing import TensorLike
from headwater.graph import Tensor, build, convert_to_tensor, shape_tensor
from headwater.ops.array.concat import concat
from headwater.ops.array.fill import ones_like
from headwater.ops.state.scatter_nd import scatter_nd_update


@export("batch_scatter_update")
def batch_scatter_update(
    ref: TensorLike,
    indices: TensorLike,
    updates: TensorLike,
    use_locking: bool = True,
    name: str | None = None,
) -> Any:
    """Updates rows of a variable within batch dimensions that it shares with the indices.

    For indices of shape [a, b]: ``ref[i, indices[i, j], ...] = updates[i, j, ...]``.

    Args:
        ref: a Variable.
        indices: integers of known rank.
        updates: the values, of shape ``indices.shape + ref.shape[rank of indices:]``.
        use_locking: has no effect.
        name: has no effect.

    Returns:
        The variable after the change.

    Raises:
        ValueError: if the rank of `indices` is not known.
    """
    notice("tf.batch_scatter_update", "Variable.batch_scatter_update")
    indices = convert_to_tensor(indices, name="indices")
    shape: Tensor = shape_tensor(indices)
    rank = indices.get_shape().ndims
    if rank is None:
        raise ValueError("batch_gather does not allow indices with unknown shape.")
    last = build.ExpandDims(indices, -1)
    parts = []
    for axis in range(rank - 1):
        size = shape[axis]
        places = build.Range(0, size, 1)
        wide: list[Any] = [1] * (rank + 1)
        wide[axis] = size
        places = build.Reshape(places, wide)
        if places.dtype.base_dtype is not last.dtype.base_dtype:
            places = build.Cast(places, DstT=last.dtype)
        parts.append(places * ones_like(last))
    parts.append(last)
    return scatter_nd_update(ref, concat(parts, axis=-1), updates, use_locking=use_locking)
