"""The linear map that several cells apply to the concatenation of their arguments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from headwater.base import dtypes, nest
from headwater.base.export import export
from headwater.base.typing import InitializerLike, NestedTensors
from headwater.graph import Tensor, build
from headwater.model.rnn.cell import BIAS, KERNEL
from headwater.model.variables.initializers import Constant
from headwater.model.variables.variable_scope import (
    get_variable,
    get_variable_scope,
    variable_scope,
)
from headwater.ops.array.concat import concat
from headwater.ops.array.constant import constant
from headwater.ops.nn.bias import bias_add

if TYPE_CHECKING:
    from headwater.model.variables.variable_scope_object import ScopeLike


class Linear:
    """The map sum_i(args[i] @ W[i]) + bias; its variables are made with it.

    Args:
        args: a matrix or a list of matrices, of which the last dimensions are known.
        output_size: the number of columns of the result.
        build_bias: whether there is a bias.
        bias_initializer: the initializer of the bias; zeros if None.
        kernel_initializer: the initializer of the kernel; that of the scope if None.

    Raises:
        ValueError: if there are no arguments or they are not matrices of known width.
    """

    def __init__(
        self,
        args: NestedTensors,
        output_size: int,
        build_bias: bool,
        bias_initializer: InitializerLike | None = None,
        kernel_initializer: InitializerLike | None = None,
    ) -> None:
        self._build_bias = build_bias
        if args is None or (nest.is_nested(args) and not args):
            raise ValueError("`args` must be specified")
        self._is_sequence = nest.is_nested(args)
        args = args if self._is_sequence else [args]
        depth = total_width(args)
        dtype = next(a.dtype for a in args)
        outer = get_variable_scope()
        with variable_scope(outer):
            self._weights = get_variable(
                KERNEL, [depth, output_size], dtype=dtype, initializer=kernel_initializer
            )
            if build_bias:
                with variable_scope(outer) as inner:
                    inner.set_partitioner(None)
                    if bias_initializer is None:
                        bias_initializer = Constant(0.0, dtype=dtype)
                    self._biases = get_variable(
                        BIAS, [output_size], dtype=dtype, initializer=bias_initializer
                    )

    def __call__(self, args: NestedTensors) -> Tensor:
        """Applies the map.

        Args:
            args: matrices as those it was made for.

        Returns:
            A matrix.
        """
        args = args if self._is_sequence else [args]
        if len(args) == 1:
            result = build.MatMul(args[0], self._weights)
        else:
            one = constant(1, dtype=dtypes.int32)
            result = build.MatMul(concat(args, one), self._weights)
        return bias_add(result, self._biases) if self._build_bias else result


def total_width(args: Sequence[Tensor] | Tensor) -> int:
    """The sum of the last dimensions of matrices.

    Raises:
        ValueError: if one is not a matrix, or its width is unknown.
    """
    total = 0
    shapes = [a.get_shape() for a in args]
    for shape in shapes:
        if shape.ndims != 2:
            raise ValueError(f"linear is expecting 2D arguments: {shapes}")
        if shape[1].value is None:
            raise ValueError(
                f"linear expects shape[1] to be provided for shape {shape}, but saw {shape[1]}"
            )
        total += shape[1].value
    return total


@export("nn.rnn_cell._linear", "models.rnn.linear.linear")
def linear(
    args: NestedTensors | None,
    output_size: int,
    bias: bool,
    bias_initializer: InitializerLike | None = None,
    kernel_initializer: InitializerLike | None = None,
    scope: ScopeLike | None = None,
    bias_start: float | None = None,
) -> Tensor:
    """The map sum_i(args[i] @ W[i]) + bias.

    Args:
        args: a matrix or a list of matrices.
        output_size: the number of columns of the result.
        bias: whether there is a bias.
        bias_initializer: the initializer of the bias, or (as in old releases) its first value.
        kernel_initializer: the initializer of the kernel.
        scope: a variable scope.
        bias_start: the first value of the bias.

    Returns:
        A matrix.

    Raises:
        ValueError: if there are no arguments or they are not matrices of known width.
    """
    if isinstance(bias_initializer, (int, float)):
        bias_start, bias_initializer = bias_initializer, None
    if scope is not None:
        with variable_scope(scope):
            return linear(
                args, output_size, bias, bias_initializer, kernel_initializer, None, bias_start
            )
    if args is None or (nest.is_nested(args) and not args):
        raise ValueError("`args` must be specified")
    args = args if nest.is_nested(args) else [args]
    dtype = next(a.dtype for a in args)
    depth = total_width(args)
    outer = get_variable_scope()
    with variable_scope(outer) as outer_scope:
        weights = get_variable(
            KERNEL, [depth, output_size], dtype=dtype, initializer=kernel_initializer
        )
        joined = args[0] if len(args) == 1 else concat(args, 1)
        result = build.MatMul(joined, weights)
        if not bias:
            return result
        with variable_scope(outer_scope) as inner:
            inner.set_partitioner(None)
            if bias_initializer is None:
                bias_initializer = Constant(bias_start or 0.0, dtype=dtype)
            biases = get_variable(BIAS, [output_size], dtype=dtype, initializer=bias_initializer)
        return bias_add(result, biases)
