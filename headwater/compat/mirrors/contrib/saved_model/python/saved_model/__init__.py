"""tensorflow.contrib.saved_model.python.saved_model."""
