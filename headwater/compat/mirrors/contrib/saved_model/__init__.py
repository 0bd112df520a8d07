"""tensorflow.contrib.saved_model."""
