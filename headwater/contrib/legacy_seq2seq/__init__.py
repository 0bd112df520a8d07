"""`tf.contrib.legacy_seq2seq` (`tf.nn.seq2seq`): unrolled models from sequences to sequences."""

from headwater.base.export import also_under

ON_DEMAND = ("contrib.legacy_seq2seq", "nn.seq2seq", "models.rnn.seq2seq")
also_under("nn.seq2seq", "models.rnn.seq2seq")
