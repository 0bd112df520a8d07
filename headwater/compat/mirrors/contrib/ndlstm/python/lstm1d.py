"""tensorflow.contrib.ndlstm.python.lstm1d: LSTMs over sequences."""

from __future__ import annotations

from headwater.contrib.ndlstm.sequences import (
    ndlstm_base,
    ndlstm_base_dynamic,
    ndlstm_base_unrolled,
    sequence_softmax,
    sequence_to_final,
)

__all__ = [
    "ndlstm_base",
    "ndlstm_base_dynamic",
    "ndlstm_base_unrolled",
    "sequence_softmax",
    "sequence_to_final",
]
