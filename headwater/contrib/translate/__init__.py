"""The model and the data of the translation tutorial, at their paths in TensorFlow."""

ON_DEMAND = ("models.rnn.translate.data_utils", "models.rnn.translate.seq2seq_model")
