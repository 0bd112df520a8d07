"""Projective transforms of images: rotations, translations and others."""

from __future__ import annotations

from typing import Any

from headwater.base import dtypes
from headwater.base.export import export
from headwater.base.typing import TensorLike
from headwater.graph import (
    Operation,
    Tensor,
    build,
    constant_node,
    convert_to_tensor,
    name_scope,
    shape_tensor,
)
from headwater.graph.registry import register_gradient
from headwater.ops.array.concat import concat
from headwater.ops.array.fill import ones, zeros
from headwater.ops.array.reshape import reshape
from headwater.ops.math.cast import cast
from headwater.ops.math.matmul import matmul

IMAGE_DTYPES = frozenset(
    {
        dtypes.uint8,
        dtypes.int32,
        dtypes.int64,
        dtypes.float16,
        dtypes.float32,
        dtypes.float64,
    }
)


def _batched(image_or_images: TensorLike) -> tuple[Tensor, Tensor]:
    """The images as they were given, and as a batch with channels."""
    given = convert_to_tensor(image_or_images, name="images")
    if given.dtype.base_dtype not in IMAGE_DTYPES:
        raise TypeError(f"Invalid dtype {given.dtype}.")
    rank = given.get_shape().ndims
    if rank is None:
        raise TypeError("image_or_images rank must be statically known")
    if rank == 2:
        return given, given[None, :, :, None]
    if rank == 3:
        return given, given[None, :, :, :]
    if rank == 4:
        return given, given
    raise TypeError("Images should have rank between 2 and 4.")


def _as_given(images: Tensor, given: Tensor) -> Tensor:
    rank = given.get_shape().ndims
    if rank == 2:
        return images[0, :, :, 0]
    return images[0, :, :, :] if rank == 3 else images


@export("contrib.image.rotate")
def rotate(
    images: TensorLike, angles: TensorLike, interpolation: str = "NEAREST", name: str | None = None
) -> Tensor:
    """Turns images counter-clockwise around their centres.

    Args:
        images: a tensor of shape [batch, height, width, channels], [height, width, channels] or
            [height, width].
        angles: radians, one for all images or one for each.
        interpolation: ``"NEAREST"`` or ``"BILINEAR"``.
        name: the name scope.

    Returns:
        A tensor of the same shape and type; what comes from outside of the image is 0.

    Raises:
        TypeError: if the type or the rank of an argument is wrong.
    """
    with name_scope(name, "rotate"):
        given, batch = _batched(images)
        height = cast(shape_tensor(batch)[1], dtypes.float32)[None]
        width = cast(shape_tensor(batch)[2], dtypes.float32)[None]
        matrices = angles_to_projective_transforms(angles, height, width)
        return _as_given(transform(batch, matrices, interpolation=interpolation), given)


@export("contrib.image.translate")
def translate(
    images: TensorLike,
    translations: TensorLike,
    interpolation: str = "NEAREST",
    name: str | None = None,
) -> Tensor:
    """Moves images.

    Args:
        images: a tensor of shape [batch, height, width, channels], [height, width, channels] or
            [height, width].
        translations: how far to the right and down, one pair for all images or one for each.
        interpolation: ``"NEAREST"`` or ``"BILINEAR"``.
        name: the name scope.

    Returns:
        A tensor of the same shape and type; what comes from outside of the image is 0.

    Raises:
        TypeError: if the type or the rank of an argument is wrong.
    """
    with name_scope(name, "translate"):
        matrices = translations_to_projective_transforms(translations)
        return transform(images, matrices, interpolation=interpolation)


@export("contrib.image.angles_to_projective_transforms")
def angles_to_projective_transforms(
    angles: TensorLike, image_height: TensorLike, image_width: TensorLike, name: str | None = None
) -> Tensor:
    """Returns the projective transforms that turn images around their centres.

    Args:
        angles: radians, a scalar or a vector.
        image_height: the height of the images.
        image_width: the width of the images.
        name: the name scope.

    Returns:
        float32 tensor of shape [angles, 8], for `tf.contrib.image.transform`.

    Raises:
        TypeError: if the angles have more than one axis.
    """
    with name_scope(name, "angles_to_projective_transforms"):
        turns = convert_to_tensor(angles, dtype=dtypes.float32, name="angles")
        rank = len(turns.get_shape())
        if rank == 0:
            turns = turns[None]
        elif rank != 1:
            raise TypeError("Angles should have rank 0 or 1.")
        x_offset = (
            (image_width - 1)
            - (build.Cos(turns) * (image_width - 1) - build.Sin(turns) * (image_height - 1))
        ) / 2.0
        y_offset = (
            (image_height - 1)
            - (build.Sin(turns) * (image_width - 1) + build.Cos(turns) * (image_height - 1))
        ) / 2.0
        count = shape_tensor(turns)[0]
        return concat(
            [
                build.Cos(turns)[:, None],
                -build.Sin(turns)[:, None],
                x_offset[:, None],
                build.Sin(turns)[:, None],
                build.Cos(turns)[:, None],
                y_offset[:, None],
                zeros((count, 2), dtypes.float32),
            ],
            axis=1,
        )


@export("contrib.image.translations_to_projective_transforms")
def translations_to_projective_transforms(
    translations: TensorLike, name: str | None = None
) -> Tensor:
    """Returns the projective transforms that move images.

    Args:
        translations: how far to the right and down: a pair or a matrix of pairs.
        name: the name scope.

    Returns:
        float32 tensor of shape [pairs, 8], for `tf.contrib.image.transform`.

    Raises:
        TypeError: if the rank is neither known nor one of these.
    """
    with name_scope(name, "translations_to_projective_transforms"):
        moves = convert_to_tensor(translations, dtype=dtypes.float32, name="translations")
        rank = moves.get_shape().ndims
        if rank is None:
            raise TypeError("translation_or_translations rank must be statically known")
        if rank == 1:
            moves = moves[None]
        elif rank != 2:
            raise TypeError("Translations should have rank 1 or 2.")
        count = shape_tensor(moves)[0]
        return concat(
            [
                ones((count, 1), dtypes.float32),
                zeros((count, 1), dtypes.float32),
                -moves[:, 0, None],
                zeros((count, 1), dtypes.float32),
                ones((count, 1), dtypes.float32),
                -moves[:, 1, None],
                zeros((count, 2), dtypes.float32),
            ],
            axis=1,
        )


@export("contrib.image.transform")
def transform(
    images: TensorLike,
    transforms: TensorLike,
    interpolation: str = "NEAREST",
    output_shape: TensorLike | None = None,
    name: str | None = None,
) -> Tensor:
    """Applies projective transforms to images.

    The output's pixel (x, y) shows the input's pixel
    ``((a0 x + a1 y + a2) / k, (b0 x + b1 y + b2) / k)`` with ``k = c0 x + c1 y + 1``.

    Args:
        images: a tensor of shape [batch, height, width, channels], [height, width, channels] or
            [height, width].
        transforms: ``[a0, a1, a2, b0, b1, b2, c0, c1]``, for all images or one row for each.
        interpolation: ``"NEAREST"`` or ``"BILINEAR"``.
        output_shape: height and width of the result; None takes those of the images.
        name: the name scope.

    Returns:
        A tensor of the same rank and type; what comes from outside of the image is 0.

    Raises:
        TypeError: if the type or the rank of an argument is wrong.
        ValueError: if `output_shape` is not a pair.
    """
    with name_scope(name, "transform"):
        given = convert_to_tensor(images, name="images")
        matrices = convert_to_tensor(transforms, dtypes.float32, name="transforms")
        given, batch = _batched(given)
        if output_shape is None:
            size = shape_tensor(batch)[1:3]
        else:
            size = convert_to_tensor(output_shape, dtypes.int32, name="output_shape")
            if not size.get_shape().is_compatible_with([2]):
                raise ValueError(
                    "output_shape must be a 1-D Tensor of 2 elements: new_height, new_width"
                )
        rank = matrices.get_shape().ndims
        if rank is None:
            raise TypeError("transforms rank must be statically known")
        if rank == 1:
            matrices = matrices[None]
        elif rank != 2:
            raise TypeError("Transforms should have rank 1 or 2.")
        result = build.ImageProjectiveTransformV2(
            batch, matrices, size, interpolation=interpolation.upper()
        )
        return _as_given(result, given)


@export("contrib.image.compose_transforms")
def compose_transforms(*transforms: Any) -> Tensor:
    """Returns the transforms that are equal to several, one after the other.

    Args:
        *transforms: projective transforms, [8] or [count, 8] each.

    Returns:
        A tensor of shape [count, 8].
    """
    assert transforms, "transforms cannot be empty"
    with name_scope(None, "compose_transforms"):
        composed = flat_transforms_to_matrices(transforms[0])
        for other in transforms[1:]:
            composed = matmul(composed, flat_transforms_to_matrices(other))
        return matrices_to_flat_transforms(composed)


@export("contrib.image.flat_transforms_to_matrices")
def flat_transforms_to_matrices(transforms: TensorLike) -> Tensor:
    """Returns projective transforms of eight numbers as matrices; the ninth number is 1.

    Args:
        transforms: a tensor of shape [8] or [count, 8].

    Returns:
        A tensor of shape [count, 3, 3].

    Raises:
        ValueError: if the rank is another one.
    """
    with name_scope(None, "flat_transforms_to_matrices"):
        flat = convert_to_tensor(transforms, name="transforms")
        if flat.get_shape().ndims not in (1, 2):
            raise ValueError(f"Transforms should be 1D or 2D, got: {flat}")
        flat = reshape(flat, constant_node([-1, 8]))
        count = shape_tensor(flat)[0]
        nine = concat([flat, ones([count, 1])], axis=1)
        return reshape(nine, constant_node([-1, 3, 3]))


@export("contrib.image.matrices_to_flat_transforms")
def matrices_to_flat_transforms(transform_matrices: TensorLike) -> Tensor:
    """Returns matrices as projective transforms of eight numbers, divided by the ninth.

    Args:
        transform_matrices: a tensor of shape [3, 3] or [count, 3, 3].

    Returns:
        A tensor of shape [count, 8].

    Raises:
        ValueError: if the rank is another one.
    """
    with name_scope(None, "matrices_to_flat_transforms"):
        matrices = convert_to_tensor(transform_matrices, name="transform_matrices")
        if matrices.get_shape().ndims not in (2, 3):
            raise ValueError(f"Matrices should be 2D or 3D, got: {matrices}")
        nine = reshape(matrices, constant_node([-1, 9]))
        nine = nine / nine[:, 8:9]
        return nine[:, :8]


def _gradient(op: Operation, grad: Tensor) -> tuple[Tensor | None, ...]:
    """Transforms the gradient back, by the inverse matrices."""
    images, transforms = op.inputs[0], op.inputs[1]
    if images.dtype.base_dtype not in IMAGE_DTYPES:
        raise TypeError(f"Invalid dtype {images.dtype}.")
    if transforms.get_shape().ndims == 1:
        transforms = transforms[None]
    matrices = flat_transforms_to_matrices(transforms)
    inverse = matrices_to_flat_transforms(build.MatrixInverse(matrices))
    result = build.ImageProjectiveTransformV2(
        grad, inverse, shape_tensor(images)[1:3], interpolation=op.get_attr("interpolation")
    )
    return result, None, None


register_gradient("ImageProjectiveTransformV2", _gradient)
