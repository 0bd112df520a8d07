"""Signatures of tensors: what the features and labels of a model must look like."""

from __future__ import annotations

from collections import namedtuple
from typing import Any

from headwater.base import dtypes
from headwater.base.export import export
from headwater.base.tensor_shape import TensorShape
from headwater.graph.sparse_tensor import SparseTensor, SparseTensorValue
from headwater.ops.array.constant import placeholder
from headwater.ops.array.sparse_inputs import sparse_placeholder
from headwater.ops.parsing.example_functions import parse_example
from headwater.ops.parsing.features import FixedLenFeature, VarLenFeature

# Messages have numbers of two types.
_PARSED = {dtypes.int32: dtypes.int64, dtypes.float64: dtypes.float32}


def is_sparse(tensor: Any) -> bool:
    """Whether a value is a sparse tensor."""
    return isinstance(tensor, (SparseTensor, SparseTensorValue))


@export("contrib.learn.tensor_signature.TensorSignature")
class TensorSignature(namedtuple("TensorSignature", ["dtype", "shape", "is_sparse"])):
    """The type of a tensor, and its shape if it is dense.

    Args:
        tensor: a Tensor or SparseTensor.
    """

    __slots__ = ()

    def __new__(cls, tensor: Any) -> TensorSignature:
        if is_sparse(tensor):
            return super().__new__(cls, dtype=tensor.values.dtype, shape=None, is_sparse=True)
        return super().__new__(cls, dtype=tensor.dtype, shape=tensor.get_shape(), is_sparse=False)

    def is_compatible_with(self, other: TensorSignature) -> bool:
        """Whether a tensor of another signature can stand for one of this.

        Args:
            other: the other signature.

        Returns:
            Whether types agree, and shapes up to the first dimension.
        """
        if self.is_sparse or other.is_sparse:
            return bool(self.dtype == other.dtype and self.is_sparse == other.is_sparse)
        return bool(self.dtype == other.dtype and _rows_are_compatible(self.shape, other.shape))

    def get_placeholder(self) -> Any:
        """A placeholder of this signature, its first dimension unknown.

        Returns:
            A Tensor or SparseTensor.
        """
        if self.is_sparse:
            return sparse_placeholder(self.dtype)
        return placeholder(self.dtype, [None, *self.shape.as_list()[1:]])

    def get_feature_spec(self) -> Any:
        """How such a tensor is parsed from tf.train.Example messages.

        Returns:
            A VarLenFeature or FixedLenFeature.
        """
        dtype = _PARSED.get(self.dtype, self.dtype)
        if self.is_sparse:
            return VarLenFeature(dtype)
        return FixedLenFeature(self.shape[1:], dtype)


def _rows_are_compatible(shape: TensorShape, other: TensorShape) -> bool:
    """Whether shapes agree up to the first dimension."""
    if shape.ndims is None or other.ndims is None:
        return True
    return shape.ndims == other.ndims and shape[1:].is_compatible_with(other[1:])


def tensors_compatible(tensors: Any, signatures: Any) -> bool:
    """Whether tensors have given signatures.

    Args:
        tensors: a tensor, tensors by name, or None.
        signatures: a signature, signatures by name, or None.

    Returns:
        Whether there is a tensor for every signature and all fit.
    """
    if tensors is None:
        return signatures is None
    if isinstance(tensors, dict):
        if not isinstance(signatures, dict):
            return False
        return all(
            name in tensors and TensorSignature(tensors[name]).is_compatible_with(signature)
            for name, signature in signatures.items()
        )
    if signatures is None or isinstance(signatures, dict):
        return False
    return TensorSignature(tensors).is_compatible_with(signatures)


def create_signatures(tensors: Any) -> Any:
    """The signatures of tensors.

    Args:
        tensors: a tensor, tensors by name, or None.

    Returns:
        A signature, signatures by name, or None.
    """
    if isinstance(tensors, dict):
        return {name: TensorSignature(tensor) for name, tensor in tensors.items()}
    return None if tensors is None else TensorSignature(tensors)


def create_placeholders_from_signatures(signatures: Any) -> Any:
    """Placeholders for signatures.

    Args:
        signatures: a signature, signatures by name, or None.

    Returns:
        A placeholder, placeholders by name, or None.
    """
    if signatures is None:
        return None
    if not isinstance(signatures, dict):
        return signatures.get_placeholder()
    return {name: signature.get_placeholder() for name, signature in signatures.items()}


def create_example_parser_from_signatures(
    signatures: Any, examples_batch: Any, single_feature_name: str = "feature"
) -> Any:
    """Parses tf.train.Example messages into tensors of given signatures.

    Args:
        signatures: a signature or signatures by name.
        examples_batch: a vector of serialized messages.
        single_feature_name: the name of the feature if there is one signature without a name.

    Returns:
        A tensor, or tensors by name.
    """
    if not isinstance(signatures, dict):
        spec = {single_feature_name: signatures.get_feature_spec()}
        return parse_example(examples_batch, spec)[single_feature_name]
    specs = {name: signature.get_feature_spec() for name, signature in signatures.items()}
    return parse_example(examples_batch, specs)
