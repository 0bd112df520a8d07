"""tensorflow.python.autograph: what libraries import of it, beside its public names."""
