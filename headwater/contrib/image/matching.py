"""Matching by distance, connected components, and stereograms."""

from __future__ import annotations

from collections.abc import Sequence

from headwater.base import dtypes
from headwater.base.export import export
from headwater.base.typing import TensorLike
from headwater.graph import Tensor, build, convert_to_tensor, name_scope, shape_tensor
from headwater.ops.array.concat import concat
from headwater.ops.array.gather import gather
from headwater.ops.array.reshape import reshape
from headwater.ops.control.cond import cond
from headwater.ops.math.cast import cast
from headwater.ops.math.ranges import range_


@export("contrib.image.bipartite_match")
def bipartite_match(
    distance_mat: TensorLike,
    num_valid_rows: TensorLike,
    top_k: int = -1,
    name: str = "bipartite_match",
) -> tuple[Tensor, ...]:
    """Matches rows with columns greedily, the nearest pair first.

    Args:
        distance_mat: float32 tensor of shape [rows, columns].
        num_valid_rows: float32 scalar: how many rows take part; all if it is negative.
        top_k: how many pairs at most; all if it is negative.
        name: the name of the node.

    Returns:
        Two int32 vectors: the column of each row and the row of each column, -1 for none.
    """
    result = build.BipartiteMatch(distance_mat, num_valid_rows, top_k=top_k, name=name)
    return result


@export("contrib.image.connected_components")
def connected_components(images: TensorLike) -> Tensor:
    """Labels the connected components of images: neighbours of the same nonzero value.

    Args:
        images: a tensor of shape [height, width] or [batch, height, width].

    Returns:
        int64 tensor of the same shape: 0 where the image is 0, else the number of the part, from 1
        on, in the order in which the parts begin, over all images.

    Raises:
        TypeError: if the rank is another one.
    """
    with name_scope(None, "connected_components"):
        given = convert_to_tensor(images, name="images")
        rank = len(given.get_shape())
        if rank not in (2, 3):
            raise TypeError(
                f"images should have rank 2 (HW) or 3 (NHW). Static shape is {given.get_shape()}"
            )
        batch = given[None, :, :] if rank == 2 else given
        parts = build.ImageConnectedComponents(batch)
        flat = reshape(parts, [-1])
        unique, positions = build.Unique(flat)
        zero = build.Where(build.Equal(unique, 0))[:, 0]
        count = shape_tensor(unique)[0] - shape_tensor(zero)[0]
        numbers = range_(count) + 1
        numbers = cond(
            build.Equal(shape_tensor(zero)[0], 0),
            lambda: numbers,
            lambda: _with_zero(numbers, cast(zero[0], dtypes.int32)),
        )
        result = reshape(gather(numbers, positions), shape_tensor(parts))
        return result[0, :, :] if rank == 2 else result


def _with_zero(numbers: Tensor, place: Tensor) -> Tensor:
    return concat([numbers[:place], [0], numbers[place:]], axis=0)


@export("contrib.image.single_image_random_dot_stereograms")
def single_image_random_dot_stereograms(
    depth_values: TensorLike,
    hidden_surface_removal: bool | None = None,
    convergence_dots_size: int | None = None,
    dots_per_inch: int | None = None,
    eye_separation: float | None = None,
    mu: float | None = None,
    normalize: bool | None = None,
    normalize_max: float | None = None,
    normalize_min: float | None = None,
    border_level: float | None = None,
    number_colors: int | None = None,
    output_image_shape: Sequence[int] | None = None,
    output_data_window: TensorLike = None,
) -> Tensor:
    """Returns a single-image random-dot stereogram of depths.

    Args:
        depth_values: a matrix of numbers, near ones are large.
        hidden_surface_removal: whether dots that one eye cannot see are left out; default True.
        convergence_dots_size: the size of two dots that help to focus the eyes, 0 for none;
            default 8.
        dots_per_inch: default 72.
        eye_separation: inches between the eyes; default 2.5.
        mu: depth of field, 0 to 1; default 0.3333.
        normalize: whether the depths are brought to 0 to 1; default True.
        normalize_max: the near end; if it is less than `normalize_min` (the default), both are
            those of the values.
        normalize_min: the far end.
        border_level: the depth of the border, 0 (far) to 1 (near); default 0.
        number_colors: 2 for black and white, up to 256 for grey, more for colours; default 256.
        output_image_shape: width, height and channels; default [1024, 768, 1].
        output_data_window: width and height of the part that shows depth; default [1022, 757].

    Returns:
        uint8 tensor of shape [height, width, channels].
    """
    options = {
        "hidden_surface_removal": hidden_surface_removal,
        "convergence_dots_size": convergence_dots_size,
        "dots_per_inch": dots_per_inch,
        "eye_separation": eye_separation,
        "mu": mu,
        "normalize": normalize,
        "normalize_max": normalize_max,
        "normalize_min": normalize_min,
        "border_level": border_level,
        "number_colors": number_colors,
        "output_image_shape": output_image_shape,
        "output_data_window": output_data_window,
    }
    given = {name: value for name, value in options.items() if value is not None}
    return build.SingleImageRandomDotStereograms(depth_values, **given)
