"""Sessions and hooks that debug each run, as tensorflow.python.debug.wrappers has them."""
