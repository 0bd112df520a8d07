"""Cross entropies of probabilities and logits, and what is in the top k."""

from __future__ import annotations

from headwater.base import dtypes
from headwater.base.export import export
from headwater.base.typing import TensorLike
from headwater.graph import Tensor
from headwater.keras.backend.settings import epsilon
from headwater.keras.backend.tensors import ndim, to_tensor
from headwater.model.nn.cross_entropy import sigmoid_cross_entropy_with_logits
from headwater.model.nn.sparse_cross_entropy import sparse_softmax_cross_entropy_with_logits
from headwater.model.variables.variable import Variable
from headwater.ops.array.reshape import reshape
from headwater.ops.array.shape import shape as shape_of
from headwater.ops.array.transpose import transpose
from headwater.ops.math.cast import cast
from headwater.ops.math.exponential import log
from headwater.ops.math.extrema import clip_by_value
from headwater.ops.math.reduce_functions import reduce_sum
from headwater.ops.nn.in_top_k import in_top_k as make_in_top_k
from headwater.ops.nn.softmax_cross_entropy import softmax_cross_entropy_with_logits_v2


def _logits(output: TensorLike, op_type: str, from_logits: bool) -> TensorLike | None:
    """The logits of an output, if it is known to be their softmax or sigmoid."""
    if from_logits:
        return output
    if isinstance(output, Variable) or getattr(output, "op", None) is None:
        return None
    return output.op.inputs[0] if output.op.type == op_type else None


def _clipped(output: TensorLike) -> Tensor:
    margin = to_tensor(epsilon(), output.dtype.base_dtype)
    return clip_by_value(output, margin, 1 - margin)


def _as_tensor(value: TensorLike) -> TensorLike:
    return (
        value if hasattr(value, "dtype") and hasattr(value, "op") else to_tensor(value, "float32")
    )


@export("keras.backend.categorical_crossentropy")
def categorical_crossentropy(
    target: TensorLike, output: TensorLike, from_logits: bool = False, axis: int = -1
) -> Tensor:
    """The cross entropy of probabilities and target probabilities.

    Args:
        target: the target probabilities.
        output: probabilities, scaled to the sum 1; the result of a softmax is computed from its
            logits.
        from_logits: whether `output` has logits.
        axis: the axis of the classes.

    Returns:
        A tensor without the axis of the classes.
    """
    logits = _logits(output, "Softmax", from_logits)
    if logits is not None:
        return softmax_cross_entropy_with_logits_v2(labels=target, logits=logits, axis=axis)
    output = _as_tensor(output)
    output = _clipped(output / reduce_sum(output, axis, True))
    return -reduce_sum(target * log(output), axis)


@export("keras.backend.sparse_categorical_crossentropy")
def sparse_categorical_crossentropy(
    target: TensorLike, output: TensorLike, from_logits: bool = False, axis: int = -1
) -> Tensor:
    """The cross entropy of probabilities and the numbers of classes.

    Args:
        target: the numbers of the classes.
        output: probabilities; the result of a softmax is computed from its logits.
        from_logits: whether `output` has logits.
        axis: the axis of the classes.

    Returns:
        A tensor without the axis of the classes.

    Raises:
        ValueError: if there is no such axis.
    """
    logits = _logits(output, "Softmax", from_logits)
    if logits is None:
        logits = log(_clipped(_as_tensor(output)))
    output = logits
    rank = ndim(output)
    if rank is not None:
        axis %= rank
        if axis != rank - 1:
            order = [*range(axis), *range(axis + 1, rank), axis]
            output = transpose(output, perm=order)
    elif axis != -1:
        raise ValueError(
            f"Cannot compute sparse categorical crossentropy with `axis={axis}` on an output "
            "tensor with unknown rank"
        )
    target = cast(target, dtypes.int64)
    output_shape = shape_of(output)
    target_rank = ndim(target)
    flat = target_rank is not None and rank is not None and target_rank != rank - 1
    if flat:
        target = reshape(target, [-1])
        output = reshape(output, [-1, output_shape[-1]])
    losses = sparse_softmax_cross_entropy_with_logits(labels=target, logits=output)
    return reshape(losses, output_shape[:-1]) if flat and (rank or 0) >= 3 else losses


@export("keras.backend.binary_crossentropy")
def binary_crossentropy(
    target: TensorLike, output: TensorLike, from_logits: bool = False
) -> Tensor:
    """The cross entropy of probabilities and targets, element by element.

    Args:
        target: the target probabilities.
        output: probabilities; the result of a sigmoid is computed from its logits.
        from_logits: whether `output` has logits.

    Returns:
        A tensor of their shape.
    """
    logits = _logits(output, "Sigmoid", from_logits)
    if logits is not None:
        return sigmoid_cross_entropy_with_logits(labels=target, logits=logits)
    output = _clipped(_as_tensor(output))
    gain = target * log(output + epsilon())
    gain += (1 - target) * log(1 - output + epsilon())
    return -gain


@export("keras.backend.in_top_k")
def in_top_k(predictions: TensorLike, targets: TensorLike, k: int) -> Tensor:
    """Whether the target is among the k largest predictions.

    Args:
        predictions: a matrix of float32.
        targets: the number of a class per row.
        k: how many predictions count.

    Returns:
        A vector of booleans.
    """
    return make_in_top_k(predictions, targets, k)
