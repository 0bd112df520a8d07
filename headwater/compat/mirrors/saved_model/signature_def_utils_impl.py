"""tensorflow.python.saved_model.signature_def_utils_impl."""

from __future__ import annotations

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
    "is_valid_signature",
    "load_op_from_signature_def",
    "op_signature_def",
    "predict_signature_def",
    "regression_signature_def",
    "supervised_eval_signature_def",
    "supervised_train_signature_def",
]
