"""Elements or slices picked by index vectors: GatherNd."""

from __future__ import annotations

import math
import operator
from collections.abc import Iterator

import numpy as np

from headwater.base import dtypes, errors
from headwater.base.checks import fail, require
from headwater.base.typing import Array, ArrayModule, Shape, TensorLike
from headwater.graph import (
    IndexedSlices,
    Operation,
    Sample,
    Tensor,
    build,
    constant_value,
    convert_to_tensor,
    export,
    name_scope,
    rank_tensor,
    register_op,
    repeated_values,
    shape_tensor,
    shapes,
)
from headwater.graph.grids import meshgrid


def shape_gather_nd(c: shapes.ShapeContext) -> Shape:
    params, indices = c.shape("params"), c.with_rank_at_least("indices", 1)
    if params is None or indices is None or indices[-1] is None:
        return None
    depth = indices[-1]
    if depth > len(params):
        c.fail(
            "indices.shape[-1] must be <= params.rank, but saw indices shape: "
            f"{shapes.show(indices)} and params shape: {shapes.show(params)}"
        )
    return (*indices[:-1], *params[depth:])


def kernel_gather_nd(xp: ArrayModule, params: Array, indices: Array) -> Array:
    depth = indices.shape[-1]
    if depth > len(params.shape):
        fail(
            f"index innermost dimension length must be <= params rank; saw: {depth} vs. "
            f"{len(params.shape)}"
        )
    rows = math.prod(indices.shape[:-1])
    if rows and 0 in params.shape:
        text = "Requested more than 0 entries, but params is empty.  Params shape: "
        raise errors.InvalidArgumentError(None, None, text + shapes.show(params.shape))
    if not depth:
        return xp.broadcast_to(params, indices.shape[:-1] + params.shape)
    if xp is np and isinstance(indices, np.ndarray):
        return _taken(params, indices)
    sizes = np.array(params.shape[:depth], indices.dtype)
    inside = xp.all((indices >= 0) & (indices < sizes), -1)
    require(xp, inside, lambda: _out_of_range(indices, inside, params.shape))
    index = tuple(indices[..., i] for i in range(depth))
    # While traced, params may be a known NumPy array.
    return xp.asarray(params).at[index].get(mode="clip")


def _taken(params: np.ndarray, indices: np.ndarray) -> np.ndarray:
    """The rows of an array of the host, by their positions in all its rows."""
    depth = indices.shape[-1]
    sizes = params.shape[:depth]
    if not _are_positions(indices, sizes):
        inside = np.all((indices >= 0) & (indices < np.array(sizes, indices.dtype)), -1)
        raise _out_of_range(indices, inside, params.shape)
    places = indices[..., 0]
    for axis in range(1, depth):
        if sizes[axis] == 1:
            continue
        places = places.astype(np.int64, copy=False) * sizes[axis] + indices[..., axis]
    return params.reshape(math.prod(sizes), *params.shape[depth:]).take(places, 0)


def _are_positions(indices: np.ndarray, sizes: tuple[int, ...]) -> bool:
    """Whether all rows of positions are in an array of some sizes."""
    if not indices.size:
        return True
    # Negative numbers are large ones without a sign.
    unsigned = indices.view(f"u{indices.itemsize}").reshape(-1, len(sizes))
    # Along columns: NumPy is slow at reducing short rows.
    highest = [int(np.maximum.reduce(unsigned[:, axis])) for axis in range(len(sizes))]
    return all(map(operator.lt, highest, sizes))


def _out_of_range(
    indices: np.ndarray, inside: np.ndarray, shape: tuple[int | None, ...]
) -> Exception:
    position = np.argwhere(~np.asarray(inside))[0]
    wrong = ", ".join(map(str, np.asarray(indices)[tuple(position)]))
    where = f"[{','.join(map(str, position))}]" if len(position) else ""
    return errors.InvalidArgumentError(
        None,
        None,
        f"indices{where} = [{wrong}] does not index into param shape {shapes.show(shape)}",
    )


def gradient_gather_nd(op: Operation, grad: Tensor) -> tuple[Tensor | IndexedSlices | None, ...]:
    params, indices = op.inputs
    shape = shape_tensor(params, out_type=indices.dtype)
    rank = indices._shape
    if rank is not None and len(rank) == 2 and rank[-1] == 1:
        return IndexedSlices(grad, build.Squeeze(indices, squeeze_dims=[-1]), shape), None
    return build.ScatterNd(indices, grad, shape), None


def samples_gather_nd() -> Iterator[Sample]:
    x = np.arange(24, dtype=np.float32).reshape(4, 3, 2)
    yield Sample(x, np.array([[3, 0], [0, 2]], np.int32))
    yield Sample(x, np.array([[1], [1]], np.int64))
    yield Sample(x, np.array([[[3, 2, 1]]], np.int32))
    yield Sample(x, np.array([1], np.int32))
    yield Sample(x, np.zeros((2, 0), np.int32))


def reference_gather_nd(params: np.ndarray, indices: np.ndarray) -> np.ndarray:
    rows = [indices[place] for place in np.ndindex(indices.shape[:-1])]
    found = [params[tuple(row)] for row in rows]
    return np.array(found, params.dtype).reshape(
        indices.shape[:-1] + params.shape[indices.shape[-1] :]
    )


register_op(
    "GatherNd",
    inputs="params: Tparams, indices: Tindices",
    outputs="output: Tparams",
    attrs="Tparams: type, Tindices: {int32, int64}",
    shape=shape_gather_nd,
    kernel=kernel_gather_nd,
    gradient=gradient_gather_nd,
    reference=reference_gather_nd,
    samples=samples_gather_nd,
)


@export("gather_nd", "manip.gather_nd")
def gather_nd(
    params: TensorLike, indices: TensorLike, name: str | None = None, batch_dims: int = 0
) -> Tensor:
    """Picks elements or slices of a tensor by index vectors.

    Args:
        params: a tensor.
        indices: integers of shape [..., depth]: each vector indexes the first dimensions.
        name: the name of the node.
        batch_dims: how many first dimensions of `params` and `indices` go together.

    Returns:
        A tensor of the shape of `indices` without its last dimension, followed by the remaining
        dimensions of `params`.

    Raises:
        InvalidArgumentError: from `Session.run` if an index is out of range.
    """
    if isinstance(batch_dims, Tensor):
        known = constant_value(batch_dims)
        if known is None:
            raise TypeError(f"batch_dims must be an int; got {batch_dims!r}")
        batch_dims = int(known)
    if batch_dims:
        return _batched(params, indices, int(batch_dims), name)
    try:
        # Resource variables read single elements.
        return params.gather_nd(indices, name=name)
    except AttributeError:
        return build.GatherNd(params, indices, name=name)


def _batched(params: TensorLike, indices: TensorLike, batch_dims: int, name: str | None) -> Tensor:
    """Puts the position in the batch before each index vector."""
    with name_scope(name, "BatchGatherND", [params, indices]):
        indices = convert_to_tensor(indices, name="indices")
        params = convert_to_tensor(params, name="params")
        if batch_dims < 0:
            raise ValueError("tf.gather_nd does not allow negative batch_dims.")
        params_rank, indices_rank = params._rank(), indices._rank()
        if indices_rank is not None and batch_dims >= indices_rank:
            raise ValueError(
                f"batch_dims = {batch_dims} must be less than rank(indices) = {indices_rank}"
            )
        if params_rank is not None and batch_dims >= params_rank:
            raise ValueError(
                f"batch_dims = {batch_dims} must be less than rank(params) = {params_rank}"
            )
        whole = _expanded(params, indices, batch_dims)
        result = build.GatherNd(params, whole[0])
        rest = shape_tensor(result)[1:]
        result = build.Reshape(result, build.ConcatV2([whole[1], rest], 0, name="concat"))
        shape = indices.get_shape()[:-1]
        known = indices._shape
        if params_rank is not None and known is not None and known[-1] is not None:
            shape = shape.concatenate(params.get_shape()[batch_dims + known[-1] :])
            result.set_shape(shape)
        return result


def _expanded(params: Tensor, indices: Tensor, batch_dims: int) -> tuple[Tensor, Tensor]:
    """The flattened indices with the batch positions before them, and the batch sizes."""
    params_shape, indices_shape = shape_tensor(params), shape_tensor(indices)
    batch_sizes = params_shape[:batch_dims]
    batch_size = build.Prod(batch_sizes, [0])
    inner_rank = rank_tensor(indices) - batch_dims - 1
    inner = indices_shape[batch_dims:-1]
    grids = []
    for size in build.Unpack(batch_sizes, num=batch_dims, name="unstack"):
        numbers = build.Range(0, size, 1)
        grids.append(build.Cast(numbers, DstT=indices.dtype.base_dtype))
    flat = [build.Reshape(grid, [-1]) for grid in meshgrid(*grids, indexing="ij")]
    positions = build.Transpose(convert_to_tensor(flat, name="stack"), [1, 0], name="transpose")
    sizes = shape_tensor(positions)
    parts = [sizes[:1], repeated_values.ones(inner_rank, dtypes.int32), sizes[1:]]
    positions = build.Reshape(positions, build.ConcatV2(parts, 0, name="concat"))
    multiples = build.ConcatV2([[1], inner, [1]], 0, name="concat")
    positions = build.Tile(positions, multiples)
    flat_shape = build.ConcatV2([[batch_size], indices_shape[batch_dims:]], 0, name="concat")
    indices = build.Reshape(indices, flat_shape)
    return build.ConcatV2([positions, indices], -1, name="concat"), batch_sizes
