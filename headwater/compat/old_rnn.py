"""The places where recurrent cells and loops stood in TensorFlow 0.x and 1.0."""

from __future__ import annotations

from headwater.base.export import EXPORTS, export
from headwater.model.rnn.linear import linear

_CELLS = "nn.rnn_cell."
_SEQUENCE_MODELS = "nn.seq2seq."


def _export_old_places() -> None:
    cells = [name.removeprefix(_CELLS) for name in EXPORTS if name.startswith(_CELLS)]
    for name in cells:
        cell = EXPORTS[_CELLS + name]
        export(f"models.rnn.rnn_cell.{name}", f"contrib.rnn.core_rnn_cell.{name}")(cell)
    for name in ("rnn", "state_saving_rnn", "bidirectional_rnn", "dynamic_rnn"):
        export(f"models.rnn.rnn.{name}")(EXPORTS[f"nn.{name}"])
    for name in [name for name in EXPORTS if name.startswith(_SEQUENCE_MODELS)]:
        export(f"models.rnn.seq2seq.{name.removeprefix(_SEQUENCE_MODELS)}")(EXPORTS[name])
    export("models.rnn.linear.linear")(linear)
    for module in ("nn.rnn_cell", "models.rnn.rnn_cell", "contrib.rnn.core_rnn_cell"):
        export(f"{module}._linear")(linear)


_export_old_places()
