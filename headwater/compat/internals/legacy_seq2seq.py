"""Sequence models under the module of TensorFlow 0.x, and their private helper."""

from __future__ import annotations

from headwater.base import namespace
from headwater.base.export import exports_below
from headwater.compat.internals import internal
from headwater.contrib.legacy_seq2seq.decoders import embed_most_likely
from headwater.model.rnn.linear import linear

namespace.import_waiting("nn.seq2seq")
_CONTRIB = "tensorflow.contrib.legacy_seq2seq.python.ops.seq2seq"

for _name, _value in exports_below("nn.seq2seq").items():
    internal(f"ops.seq2seq.{_name}")(_value)
internal("ops.seq2seq.linear")(linear)
for _module in ("ops.seq2seq", _CONTRIB):
    internal(f"{_module}._extract_argmax_and_embed")(embed_most_likely)
