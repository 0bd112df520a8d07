"""tensorflow.contrib.ndlstm.python.lstm2d: LSTMs over images."""

from __future__ import annotations

from headwater.contrib.ndlstm.image_lstms import (
    get_blocks,
    horizontal_lstm,
    images_to_sequence,
    reduce_to_final,
    reduce_to_sequence,
    separable_lstm,
    sequence_to_images,
)

__all__ = [
    "get_blocks",
    "horizontal_lstm",
    "images_to_sequence",
    "reduce_to_final",
    "reduce_to_sequence",
    "separable_lstm",
    "sequence_to_images",
]
