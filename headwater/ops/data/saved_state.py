"""Where an iterator is, as a variant that checkpoints can hold."""

from __future__ import annotations

from typing import Any

import numpy as np

from headwater.base.checks import fail
from headwater.base.dtypes import as_dtype
from headwater.base.typing import TensorLike
from headwater.io.tensor_proto import make_ndarray, make_tensor_proto
from headwater.ops.data.dataset import SavedState
from headwater.protos.lazy import tensor_pb2

# The type of the variants in checkpoints, and what stands before each name in their metadata.
_TYPE_NAME = "tensorflow::Iterator"
_BEFORE_NAME = "@@"


def to_proto(state: SavedState) -> Any:
    """A state as a VariantTensorDataProto."""
    proto = tensor_pb2.VariantTensorDataProto(type_name=_TYPE_NAME)
    proto.metadata = "".join(_BEFORE_NAME + name for name in state).encode()
    for value in state.values():
        proto.tensors.append(_tensor(value))
    return proto


def from_proto(proto: Any) -> SavedState:
    """The state that a VariantTensorDataProto holds.

    Raises:
        InvalidArgumentError: if it is the variant of something else, or damaged.
    """
    if getattr(proto, "type_name", None) != _TYPE_NAME:
        fail("Could not find a saved iterator in the given variant.")
    names = proto.metadata.decode(errors="replace").split(_BEFORE_NAME)[1:]
    if len(names) != len(proto.tensors):
        fail(f"A saved iterator has {len(names)} names and {len(proto.tensors)} values.")
    return {name: make_ndarray(tensor) for name, tensor in zip(names, proto.tensors)}


def _tensor(value: TensorLike) -> Any:
    if isinstance(value, (str, bytes)):
        return make_tensor_proto(value)
    array = np.asarray(value)
    if array.dtype == object:
        is_text = array.size > 0 and isinstance(array.reshape(-1)[0], bytes)
        return make_tensor_proto(array, as_dtype("string" if is_text else "variant"))
    return make_tensor_proto(array)
