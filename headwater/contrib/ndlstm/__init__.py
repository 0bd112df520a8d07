"""`tf.contrib.ndlstm`: LSTMs over the rows and columns of images."""

ON_DEMAND = (
    "contrib.ndlstm",
    "contrib.ndlstm.lstm1d",
    "contrib.ndlstm.lstm2d",
    "contrib.ndlstm.misc",
)
