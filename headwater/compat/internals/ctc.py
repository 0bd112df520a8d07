"""CTC losses under the paths of TensorFlow's module."""

from __future__ import annotations

from headwater.compat.internals import internal
from headwater.model.nn.dense_ctc import ctc_loss_dense, dense_labels_to_sparse

internal("ops.ctc_ops.ctc_loss_dense")(ctc_loss_dense)
internal("ops.ctc_ops.dense_labels_to_sparse")(dense_labels_to_sparse)
