"""The messages of TensorFlow 1.15 in our own proto package, equal to theirs on the wire."""
