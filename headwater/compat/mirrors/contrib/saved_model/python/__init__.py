"""tensorflow.contrib.saved_model.python."""
