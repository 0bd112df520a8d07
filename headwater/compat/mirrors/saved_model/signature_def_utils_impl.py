"""tensorflow.python.saved_model.signature_def_utils_impl."""

from __future__ import annotations

from typing import Any

from headwater.base.dtypes import DType, as_dtype
from headwater.base.tensor_shape import TensorShape
from headwater.serving.saved_model.signature_defs import (
    build_signature_def,
    classification_signature_def,
    is_valid_signature,
    load_op_from_signature_def,
    op_signature_def,
    predict_signature_def,
    regression_signature_def,
    supervised_eval_signature_def,
    supervised_train_signature_def,
)

__all__ = [
    "build_signature_def",
    "classification_signature_def",
    "get_signature_def_input_shapes",
    "get_signature_def_input_types",
    "get_signature_def_output_shapes",
    "get_signature_def_output_types",
    "is_valid_signature",
    "load_op_from_signature_def",
    "op_signature_def",
    "predict_signature_def",
    "regression_signature_def",
    "supervised_eval_signature_def",
    "supervised_train_signature_def",
]


def _shapes(infos: Any) -> dict[str, TensorShape]:
    return {name: TensorShape(info.tensor_shape) for name, info in infos.items()}


def _types(infos: Any) -> dict[str, DType]:
    return {name: as_dtype(info.dtype) for name, info in infos.items()}


def get_signature_def_input_shapes(signature: Any) -> dict[str, TensorShape]:
    """Returns the shapes of the inputs of a SignatureDef by their names."""
    return _shapes(signature.inputs)


def get_signature_def_input_types(signature: Any) -> dict[str, DType]:
    """Returns the types of the inputs of a SignatureDef by their names."""
    return _types(signature.inputs)


def get_signature_def_output_shapes(signature: Any) -> dict[str, TensorShape]:
    """Returns the shapes of the outputs of a SignatureDef by their names."""
    return _shapes(signature.outputs)


def get_signature_def_output_types(signature: Any) -> dict[str, DType]:
    """Returns the types of the outputs of a SignatureDef by their names."""
    return _types(signature.outputs)
