"""`tf.contrib.legacy_seq2seq` (`tf.nn.seq2seq`): unrolled models from sequences to sequences."""
