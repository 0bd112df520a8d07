"""tensorflow.contrib.data.python.util.nest: the structures of TensorFlow 1.2 and 1.3."""

from headwater.data.datasets.nest import (
    assert_same_structure,
    flatten,
    flatten_up_to,
    map_structure,
    map_structure_up_to,
    pack_sequence_as,
)
from headwater.data.datasets.nest import is_nested as is_sequence

__all__ = [
    "assert_same_structure",
    "flatten",
    "flatten_up_to",
    "is_sequence",
    "map_structure",
    "map_structure_up_to",
    "pack_sequence_as",
]
