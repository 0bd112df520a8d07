"""Image warps, given by a vector per pixel or by a few control points."""

from __future__ import annotations

import numpy as np

from headwater.base import dtypes
from headwater.base.export import export
from headwater.base.typing import DTypeLike, TensorLike
from headwater.contrib.image.splines import interpolate_spline
from headwater.graph import (
    Tensor,
    build,
    constant_node,
    control_dependencies,
    convert_to_tensor,
    name_scope,
    shape_tensor,
)
from headwater.ops.array.concat import concat
from headwater.ops.array.gather import gather
from headwater.ops.array.getitem import meshgrid
from headwater.ops.array.reshape import expand_dims, reshape
from headwater.ops.array.stack import stack, unstack
from headwater.ops.control.value_checks import (
    assert_equal,
    assert_greater_equal,
    assert_less_equal,
)
from headwater.ops.math.cast import cast
from headwater.ops.math.ranges import range_

_LARGEST_IMAGE = np.float32(2**28)
_TOO_LARGE = """The image size or batch size is sufficiently large
                       that the linearized addresses used by array_ops.gather
                       may exceed the int32 limit."""


def _sizes(images: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    batch, height, width, depth = (shape_tensor(images)[i] for i in range(4))
    return batch, height, width, depth


def _floor_and_share(
    queries: Tensor, size: Tensor, kind: DTypeLike
) -> tuple[Tensor, Tensor, Tensor]:
    """The pixel before each position, the one after it, and the weight of the latter."""
    last = cast(size - 2, queries.dtype)
    first = constant_node(0.0, queries.dtype)
    floor = build.Minimum(build.Maximum(first, build.Floor(queries)), last)
    before = cast(floor, dtypes.int32)
    behind = before + 1
    share = cast(queries - floor, kind)
    least, most = constant_node(0.0, kind), constant_node(1.0, kind)
    share = build.Minimum(build.Maximum(least, share), most)
    return before, behind, expand_dims(share, 2)


def interpolate_bilinear(
    grid: TensorLike,
    query_points: TensorLike,
    name: str = "interpolate_bilinear",
    indexing: str = "ij",
) -> Tensor:
    """Returns the pixels of images at given points by bilinear interpolation.

    Args:
        grid: floating-point tensor of shape [batch, height, width, channels].
        query_points: floating-point tensor of shape [batch, points, 2].
        name: the name scope.
        indexing: ``"ij"`` for row and column, ``"xy"`` for column and row.

    Returns:
        A tensor of shape [batch, points, channels].

    Raises:
        ValueError: if the grid has another rank, or `indexing` is another word.
        InvalidArgumentError: if the points have another rank.
    """
    if indexing not in ("ij", "xy"):
        raise ValueError("Indexing mode must be 'ij' or 'xy'")
    with name_scope(name, "interpolate_bilinear"):
        grid = convert_to_tensor(grid)
        query_points = convert_to_tensor(query_points)
        shape = grid.get_shape()
        if len(shape) != 4:
            raise ValueError(f"Grid must be 4 dimensional. Received size: {shape}")
        batch, height, width, depth = _sizes(grid)
        with control_dependencies(
            [
                assert_equal(
                    len(query_points.get_shape()),
                    3,
                    message="Query points must be 3 dimensional.",
                ),
                assert_equal(
                    shape_tensor(query_points)[2],
                    2,
                    message="Query points must be size 2 in dim 2.",
                ),
            ]
        ):
            count = shape_tensor(query_points)[1]
        with control_dependencies(
            [
                assert_greater_equal(height, 2, message="Grid height must be at least 2."),
                assert_greater_equal(width, 2, message="Grid width must be at least 2."),
            ]
        ):
            places = unstack(query_points, axis=2)
        order = (0, 1) if indexing == "ij" else (1, 0)
        along = []
        for dim, size in zip(order, (height, width)):
            with name_scope(None, f"dim-{dim}"):
                along.append(_floor_and_share(places[dim], size, grid.dtype))
        (top, bottom, down), (left, right, across) = along
        with control_dependencies(
            [
                assert_less_equal(
                    cast(batch * height * width, dtypes.float32),
                    _LARGEST_IMAGE,
                    message=_TOO_LARGE,
                )
            ]
        ):
            pixels = reshape(grid, [batch * height * width, depth])
            start = reshape(range_(batch) * height * width, [batch, 1])

        def neighbour(row: Tensor, column: Tensor, name: str) -> Tensor:
            with name_scope(None, f"gather-{name}"):
                place = start + row * width + column
                return reshape(gather(pixels, place), [batch, count, depth])

        top_left = neighbour(top, left, "top_left")
        top_right = neighbour(top, right, "top_right")
        bottom_left = neighbour(bottom, left, "bottom_left")
        bottom_right = neighbour(bottom, right, "bottom_right")
        with name_scope(None, "interpolate"):
            upper = across * (top_right - top_left) + top_left
            lower = across * (bottom_right - bottom_left) + bottom_left
            return down * (lower - upper) + upper


@export("contrib.image.dense_image_warp")
def dense_image_warp(image: TensorLike, flow: TensorLike, name: str = "dense_image_warp") -> Tensor:
    """Moves each pixel of images by a vector of its own.

    The output's pixel (row, column) shows the input at ``(row, column) - flow[row, column]``.

    Args:
        image: floating-point tensor of shape [batch, height, width, channels].
        flow: floating-point tensor of shape [batch, height, width, 2].
        name: the name scope.

    Returns:
        A tensor of the shape and type of `image`.

    Raises:
        InvalidArgumentError: from `Session.run` if height or width is less than 2.
    """
    with name_scope(name, "dense_image_warp"):
        image, flow = convert_to_tensor(image), convert_to_tensor(flow)
        batch, height, width, depth = _sizes(image)
        columns, rows = meshgrid(range_(width), range_(height))
        grid = cast(stack([rows, columns], axis=2), flow.dtype)
        places = expand_dims(grid, 0) - flow
        places = reshape(places, [batch, height * width, 2])
        pixels = interpolate_bilinear(image, places)
        return reshape(pixels, [batch, height, width, depth])


def grid_locations(image_height: int, image_width: int) -> np.ndarray:
    """Returns row and column of each pixel, [height, width, 2]."""
    rows, columns = np.meshgrid(
        np.linspace(0, image_height - 1, image_height),
        np.linspace(0, image_width - 1, image_width),
        indexing="ij",
    )
    return np.stack((rows, columns), -1)


def boundary_locations(image_height: int, image_width: int, num_points_per_edge: int) -> np.ndarray:
    """Returns the corners and points at equal distances on the edges, [points, 2]."""
    y = np.linspace(0, image_height - 1, num_points_per_edge + 2)
    x = np.linspace(0, image_width - 1, num_points_per_edge + 2)
    rows, columns = (axis.ravel() for axis in np.meshgrid(y, x, indexing="ij"))
    edge = (rows == 0) | (rows == image_height - 1) | (columns == 0) | (columns == image_width - 1)
    return np.stack([rows[edge], columns[edge]], axis=-1)


def expand_to_minibatch(np_array: np.ndarray, batch_size: int) -> np.ndarray:
    """Returns an array repeated along a new first axis."""
    return np.tile(np.expand_dims(np_array, axis=0), [batch_size, *[1] * np_array.ndim])


def add_zero_flow_controls_at_boundary(
    control_point_locations: Tensor,
    control_point_flows: Tensor,
    image_height: int,
    image_width: int,
    boundary_points_per_edge: int,
) -> tuple[Tensor, Tensor]:
    """Adds points on the edges of the image that do not move."""
    batch: TensorLike = control_point_locations.get_shape().as_list()[0]
    places = boundary_locations(image_height, image_width, boundary_points_per_edge)
    still = np.zeros([len(places), 2])
    kind = control_point_locations.dtype
    locations = constant_node(expand_to_minibatch(places, batch), kind)
    flows = constant_node(expand_to_minibatch(still, batch), kind)
    return (
        concat([control_point_locations, locations], 1),
        concat([control_point_flows, flows], 1),
    )


@export("contrib.image.sparse_image_warp")
def sparse_image_warp(
    image: TensorLike,
    source_control_point_locations: TensorLike,
    dest_control_point_locations: TensorLike,
    interpolation_order: int = 2,
    regularization_weight: float = 0.0,
    num_boundary_points: int = 0,
    name: str = "sparse_image_warp",
) -> tuple[Tensor, Tensor]:
    """Warps images so that given points move to other given points.

    The other pixels move by a polyharmonic spline.

    Args:
        image: floating-point tensor of shape [batch, height, width, channels], which is known.
        source_control_point_locations: tensor of shape [batch, points, 2]: rows and columns.
        dest_control_point_locations: tensor of the same shape: where these points go to.
        interpolation_order: the order of the spline.
        regularization_weight: 0 if the points must come there exactly.
        num_boundary_points: how many points on each edge stay where they are, plus one; 0 for none.
        name: the name scope.

    Returns:
        The images, and how far each pixel has moved, of shape [batch, height, width, 2].
    """
    image = convert_to_tensor(image)
    source = convert_to_tensor(source_control_point_locations)
    goal = convert_to_tensor(dest_control_point_locations)
    moves = goal - source
    with name_scope(name, "sparse_image_warp"):
        batch, height, width, _ = image.get_shape().as_list()
        places = grid_locations(height, width).reshape(height * width, 2)
        queries = constant_node(expand_to_minibatch(places, batch), image.dtype)
        if num_boundary_points > 0:
            goal, moves = add_zero_flow_controls_at_boundary(
                goal, moves, height, width, num_boundary_points - 1
            )
        flows = interpolate_spline(goal, moves, queries, interpolation_order, regularization_weight)
        flows = reshape(flows, [batch, height, width, 2])
        return dense_image_warp(image, flows), flows
