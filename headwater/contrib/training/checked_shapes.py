"""Checks of ranks and shapes, at once where they are known and in the run where they are not."""

from __future__ import annotations

from headwater.base.tensor_shape import TensorShape
from headwater.base.typing import TensorLike
from headwater.graph import Tensor, convert_to_tensor
from headwater.graph.basic_nodes import with_dependencies
from headwater.ops.array.shape import rank, shape
from headwater.ops.control.assertion import assert_
from headwater.ops.math.comparison import equal, not_equal
from headwater.ops.math.logical import logical_and
from headwater.ops.math.reduce_functions import reduce_all
from headwater.ops.strings.as_string import as_string
from headwater.ops.strings.join import string_join


def with_rank(value: Tensor, expected: int) -> Tensor:
    """A tensor of a rank.

    Raises:
        ValueError: if its static shape has another one.
    """
    try:
        value.set_shape([None] * expected)
    except ValueError as error:
        raise ValueError(
            f"Rank check failed for {value.name}: Shape {value.get_shape()} must have rank "
            f"{expected}"
        ) from error
    text = string_join(
        [f"Rank of tensor {value.name} should be: ", as_string(expected), ", shape received:"]
    )
    checked = assert_(equal(expected, rank(value)), [text, shape(value)])
    return with_dependencies([checked], value, name="rank_checked")


def with_shape(value: Tensor, static: TensorShape, expected: TensorLike) -> Tensor:
    """A tensor of a shape.

    Args:
        value: the tensor.
        static: what is known of the shape.
        expected: the shape in the run, an int32 vector.

    Raises:
        ValueError: if its static shape is another one.
    """
    try:
        value.set_shape(static)
    except ValueError as error:
        raise ValueError(
            f"Shape check failed for {value.name}: Shapes {value.get_shape()} and {static} are not "
            "compatible"
        ) from error
    wrong = string_join(
        [
            f"Shape of tensor {value.name} should be: ",
            as_string(expected),
            ", shape received: ",
            as_string(shape(value)),
        ]
    )
    checked = assert_(reduce_all(equal(expected, shape(value))), [wrong])
    return with_dependencies([checked], value, name="shape_checked")


def with_dimensions(value: Tensor, label: str, sizes: list[TensorLike]) -> Tensor:
    """A tensor whose first dimensions have some sizes, checked in the run.

    Args:
        value: the tensor.
        label: its name in the text of the error and in that of the node.
        sizes: the sizes, int32 scalars.
    """
    checks = []
    for axis, size in enumerate(sizes):
        right = equal(size, shape(value)[axis])
        text = string_join(
            [
                f"Dimension {axis} of tensor labeled {label} should be: ",
                as_string(size),
                ", shape received: ",
                as_string(shape(value)),
            ]
        )
        checks.append(assert_(right, [text]))
    return with_dependencies(checks, value, name=f"dims_checked_{label}")


def multiple_of(value: Tensor, divisor: TensorLike) -> Tensor:
    """A scalar that is a multiple of another one and not 0, checked in the run."""
    right = logical_and(equal(value % divisor, 0), not_equal(value, 0))
    text = string_join(
        [
            f"Tensor {value.name} should be a multiple of: ",
            as_string(convert_to_tensor(divisor)),
            ", but saw value: ",
            as_string(value),
            ". Consider setting pad=True.",
        ]
    )
    return with_dependencies([assert_(right, [text])], value, name="multiple_of_checked")
