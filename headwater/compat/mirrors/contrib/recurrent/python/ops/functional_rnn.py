"""tensorflow.contrib.recurrent.python.ops.functional_rnn: recurrent networks as recurrences."""

from __future__ import annotations

from headwater.contrib.recurrent.cells_as_functions import (
    bidirectional_functional_rnn,
    functional_rnn,
)

__all__ = ["bidirectional_functional_rnn", "functional_rnn"]
