"""Ops that TensorFlow has in tf.contrib."""

from cases import Case, Ref, family, numbers
from families import nn

# Release 1.0 has the cells in contrib, 1.15 has them in its core.
family("contrib", "GatherTree")(nn.gather_tree)
family("contrib", "GRUBlockCell GRUBlockCellGrad")(nn.gru_cell)
family("contrib", "LSTMBlockCell")(nn.lstm_cell)
family("contrib", "LSTMBlockCellGrad")(nn.lstm_cell_gradient)


@family("contrib", "ZeroInitializer")
def zero_initializer(op):
    for dtype in ("float32", "float64", "int32"):
        yield Case(op, Ref(None, dtype, [2, 3]))
    yield Case(op, Ref(numbers(op, 2, 3)), kind="initialized")
