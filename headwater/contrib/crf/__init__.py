"""`tf.contrib.crf`: linear-chain conditional random fields."""

ON_DEMAND = ("contrib.crf",)
