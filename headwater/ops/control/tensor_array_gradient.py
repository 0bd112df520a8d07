"""From a gradient to the TensorArray that collects gradients."""

from __future__ import annotations

from headwater.base.dtypes import DType
from headwater.graph import Tensor
from headwater.ops.control.tensor_array_class import TensorArray


def gradient_source(tensor: Tensor) -> str:
    """Which call of `tf.gradients` made a tensor: the name up to the last ``gradients`` scope.

    Args:
        tensor: a gradient.

    Returns:
        The source for `TensorArray.grad`.

    Raises:
        ValueError: if the call was given a name that does not begin with ``gradients``.
    """
    parts = tensor.name.split("/")
    scopes = [i for i, part in enumerate(parts) if part.startswith("gradients")]
    if not scopes:
        raise ValueError(
            "Expected op/tensor name to start with gradients (excluding scope), got: "
            f"{tensor.name}. This means that a tf.gradients op with this op in its dependency path "
            "has a custom name that does not start with 'gradients'. Please make sure all calls to "
            "tf.gradients that have non-empty 'name' arguments use names that start with "
            "'gradients'."
        )
    return "/".join(parts[: scopes[-1] + 1])


def gradient_array(handle: Tensor, flow: Tensor, dtype: DType, source: str) -> TensorArray:
    """The array of gradients of the array behind a handle."""
    array = TensorArray(dtype=dtype, handle=handle, flow=flow, colocate_with_first_write_call=False)
    return array.grad(source=source, flow=flow)
