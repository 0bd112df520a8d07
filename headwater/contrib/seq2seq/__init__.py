"""Decoders, their helpers, attention and beam search: tf.contrib.seq2seq."""

ON_DEMAND = ("contrib.seq2seq",)
