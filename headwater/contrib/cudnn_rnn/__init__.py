"""`tf.contrib.cudnn_rnn`: networks with cuDNN's formulas and parameters, on every device."""

ON_DEMAND = ("contrib.cudnn_rnn",)
