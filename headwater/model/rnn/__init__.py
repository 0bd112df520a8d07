"""Recurrent networks: cells, and the loops that apply them to sequences."""

from headwater.base.export import also_under

ON_DEMAND = (
    "nn",
    "nn.rnn_cell",
    "contrib.rnn",
    "contrib.rnn.core_rnn_cell",
    "contrib.cudnn_rnn",
    "contrib.grid_rnn",
    "models.rnn.linear",
    "models.rnn.rnn",
    "models.rnn.rnn_cell",
)
also_under("nn.rnn_cell", "models.rnn.rnn_cell", "contrib.rnn.core_rnn_cell")
