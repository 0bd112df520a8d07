"""Functions of neural networks of labeled tensors."""

from __future__ import annotations

from collections.abc import Callable

from headwater.base.export import export
from headwater.contrib.labeled_tensor.core import LabeledTensor, define_binary_op, define_unary_op
from headwater.contrib.nn.cross_entropy import (
    deprecated_flipped_sigmoid_cross_entropy_with_logits,
    deprecated_flipped_softmax_cross_entropy_with_logits,
    deprecated_flipped_sparse_softmax_cross_entropy_with_logits,
)
from headwater.graph import Tensor
from headwater.ops.nn.elu import elu
from headwater.ops.nn.l2_loss import l2_loss
from headwater.ops.nn.relu import crelu, relu, relu6
from headwater.ops.nn.softmax import log_softmax, softmax
from headwater.ops.nn.softplus import softplus


def _unary(name: str, function: Callable[..., Tensor]) -> Callable[..., LabeledTensor]:
    return export(name)(define_unary_op(name.rpartition(".")[2], function))


def _binary(name: str, function: Callable[..., Tensor]) -> Callable[..., LabeledTensor]:
    return export(name)(define_binary_op(name.rpartition(".")[2], function))


labeled_relu = _unary("contrib.labeled_tensor.nn.relu", relu)
labeled_relu6 = _unary("contrib.labeled_tensor.nn.relu6", relu6)
labeled_crelu = _unary("contrib.labeled_tensor.nn.crelu", crelu)
labeled_elu = _unary("contrib.labeled_tensor.nn.elu", elu)
labeled_softplus = _unary("contrib.labeled_tensor.nn.softplus", softplus)
labeled_l2_loss = _unary("contrib.labeled_tensor.nn.l2_loss", l2_loss)
labeled_softmax = _unary("contrib.labeled_tensor.nn.softmax", softmax)
labeled_log_softmax = _unary("contrib.labeled_tensor.nn.log_softmax", log_softmax)
labeled_sigmoid_cross_entropy = _binary(
    "contrib.labeled_tensor.nn.sigmoid_cross_entropy_with_logits",
    deprecated_flipped_sigmoid_cross_entropy_with_logits,
)
labeled_softmax_cross_entropy = _binary(
    "contrib.labeled_tensor.nn.softmax_cross_entropy_with_logits",
    deprecated_flipped_softmax_cross_entropy_with_logits,
)
labeled_sparse_softmax_cross_entropy = _binary(
    "contrib.labeled_tensor.nn.sparse_softmax_cross_entropy_with_logits",
    deprecated_flipped_sparse_softmax_cross_entropy_with_logits,
)
