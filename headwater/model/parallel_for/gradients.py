"""Jacobians of tensors, whose rows are computed together."""

from __future__ import annotations

from typing import Any

from headwater.base import nest
from headwater.graph import Tensor, build, constant_value, gradients, shape_tensor
from headwater.model.parallel_for.loops import for_loop, pfor
from headwater.ops.array.concat import concat
from headwater.ops.array.reshape import reshape


def jacobian(
    output: Tensor, inputs: Any, use_pfor: bool = True, parallel_iterations: int | None = None
) -> Any:
    """The derivatives of each element of a tensor.

    Args:
        output: the tensor.
        inputs: a tensor, or a structure of tensors.
        use_pfor: whether the rows are computed together.
        parallel_iterations: how many.

    Returns:
        For each input a tensor [...output, ...input], or None if it has no influence.
    """
    flat = nest.flatten(inputs)
    static = output.shape
    shape = shape_tensor(output)
    rows = reshape(output, [-1])

    def row(i: Tensor) -> list[Any]:
        return gradients(build.GatherV2(rows, i, 0), flat)

    count = constant_value(build.Size(rows)) if static.is_fully_defined() else None
    total = build.Size(rows) if count is None else int(count)
    stacked = _looped(row, flat, total, use_pfor, parallel_iterations)
    found = []
    for x, value in zip(flat, stacked):
        if value is not None:
            value = reshape(value, concat([shape, shape_tensor(x)], 0))
            value.set_shape(static.concatenate(x.shape))
        found.append(value)
    return nest.pack_sequence_as(inputs, found)


def batch_jacobian(
    output: Tensor, inp: Tensor, use_pfor: bool = True, parallel_iterations: int | None = None
) -> Tensor | None:
    """The derivatives of each example of a tensor by the same example of another one.

    Args:
        output: a tensor [batch, ...], whose examples depend on those of the other only.
        inp: a tensor [batch, ...].
        use_pfor: whether the rows are computed together.
        parallel_iterations: how many.

    Returns:
        A tensor [batch, ...output, ...inp], or None if it has no influence.

    Raises:
        ValueError: if the batches differ.
    """
    static = output.shape
    if not static[:1].is_compatible_with(inp.shape[:1]):
        raise ValueError(
            f"Need first dimension of output shape ({static}) and inp shape ({inp.shape}) to match."
        )
    if static.is_fully_defined():
        batch: Any = static[0].value
        size: Any = static.num_elements() // batch
    else:
        batch = shape_tensor(output)[0]
        size = build.FloorDiv(build.Size(output), batch)
    columns = reshape(output, concat([[batch], [size]], 0))

    def column(i: Tensor) -> list[Any]:
        return gradients(build.GatherV2(columns, i, 1), [inp])

    (stacked,) = _looped(column, [inp], size, use_pfor, parallel_iterations)
    if stacked is None:
        return None
    # [size, batch, ...inp] -> [batch, size, ...inp]
    sizes = concat([[size, batch], [-1]], 0)
    examples = build.Transpose(reshape(stacked, sizes), [1, 0, 2])
    result = reshape(examples, concat([shape_tensor(output), shape_tensor(inp)[1:]], 0))
    result.set_shape(static.concatenate(inp.shape[1:]))
    return result


def _looped(
    row: Any, inputs: list[Tensor], count: Any, use_pfor: bool, parallel_iterations: int | None
) -> list[Any]:
    if use_pfor:
        return pfor(row, count, parallel_iterations)
    types = [x.dtype.base_dtype for x in inputs]
    return for_loop(row, types, count, parallel_iterations)
