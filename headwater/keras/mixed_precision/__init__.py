"""Mixed precision: policies of layers, and the optimizer that scales the loss."""
