"""tf.keras of TensorFlow 1.15, in graphs."""
