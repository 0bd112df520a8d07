"""TensorFlow 1.15's messages in our own proto package: same names, numbers and types on the wire."""
