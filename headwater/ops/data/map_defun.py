"""MapDefun: a function of the rows of tensors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from headwater.base import cancellation, errors
from headwater.base.checks import fail
from headwater.base.function_runtime import FunctionRuntime
from headwater.base.tensor_shape import TensorShape
from headwater.base.typing import Array, ArrayModule, Shape
from headwater.graph import Operation, RunsOn, register_op, shapes
from headwater.ops.data.dataset import component_at


def shape_map_defun(c: shapes.ShapeContext) -> list[Shape]:
    size = None
    for i, shape in enumerate(c.shapes[: len(c.attrs["Targuments"])]):
        if shape is None:
            continue
        if not shape:
            c.fail(f"Arguments must have rank at least 1. Input {i} has rank of 0.")
        if None not in (size, shape[0]) and size != shape[0]:
            c.fail("Arguments must have the same dimension 0.")
        size = shape[0] if size is None else size
    rest = [TensorShape(shape).to_tuple() for shape in c.attrs["output_shapes"]]
    return [None if shape is None else (size, *shape) for shape in rest]


def kernel_map_defun(
    xp: ArrayModule,
    arguments: Sequence[Array],
    captured_inputs: Sequence[Array],
    *,
    f: Any,
    output_shapes: Any,
    op: Operation,
    functions: FunctionRuntime,
) -> list[Array]:
    for i, array in enumerate(arguments):
        if array.ndim == 0:
            fail(f"All inputs must have rank at least 1. Input {i} has a rank of 0.")
        if len(array) != len(arguments[0]):
            fail(
                "All inputs must have the same dimension 0. Input "
                f"{i} has leading dimension {len(array)}, while all previous inputs have leading "
                f"dimension {len(arguments[0])}"
            )
    expected = [TensorShape(shape).to_tuple() for shape in output_shapes]
    if not len(arguments[0]):
        for i, shape in enumerate(expected):
            if shape is None or None in shape:
                raise errors.InternalError(
                    None,
                    None,
                    f"Missing {i}-th output from node {op.name}",
                    hint="there are no rows, so output_shapes have to be fully known.",
                )
        return [
            np.empty((0, *(shape or ())), tensor.dtype.as_numpy_dtype)
            for shape, tensor in zip(expected, op.outputs)
        ]
    function = functions.captured(op._graph, f, captured_inputs)
    results = _all_rows(function.rows(), arguments)
    if results is None:
        results = _row_by_row(function.instantiate(), arguments, expected)
    for result, shape in zip(results, expected):
        _check_shape(result.shape[1:], shape)
    return results


def _all_rows(
    function: Callable[[Sequence[Array]], list[Array]] | None, arguments: Sequence[Array]
) -> list[Array] | None:
    """The results for all rows at once; None if they have to be computed one by one."""
    if function is None:
        return None
    try:
        return function(arguments)
    except (errors.CancelledError, errors.DeadlineExceededError):
        raise
    except Exception:
        # One row has an error, which it raises when its turn comes.
        return None


def _row_by_row(
    function: Callable[[Sequence[Array]], list[Array]],
    arguments: Sequence[Array],
    expected: Sequence[Shape],
) -> list[Array]:
    rows: list[list[Array]] = []
    for i in range(len(arguments[0])):
        cancellation.check()
        row = function([component_at(array, i) for array in arguments])
        for result, shape in zip(row, expected):
            _check_shape(np.shape(result), shape)
        expected = [np.shape(result) for result in row]
        rows.append(row)
    return [np.stack(list(map(np.asarray, results))) for results in zip(*rows)]


def _check_shape(shape: tuple[int, ...], expected: Shape) -> None:
    if not TensorShape(expected).is_compatible_with(shape):
        fail(
            f"Mismatch in function retval shape, {shapes.show(shape)}, and expected output shape, "
            f"{shapes.show(expected)}."
        )


register_op(
    "MapDefun",
    inputs="arguments: Targuments, captured_inputs: Tcaptured",
    outputs="output: output_types",
    attrs="Targuments: list(type) >= 1, Tcaptured: list(type) >= 0 = [], "
    "output_types: list(type) >= 1, output_shapes: list(shape) >= 1, f: func, "
    "max_intra_op_parallelism: int = 1",
    shape=shape_map_defun,
    kernel=kernel_map_defun,
    runs_on=RunsOn.HOST,
    takes_handles=True,
)
