"""`from module import *` below `tensorflow`."""

import pytest

from headwater.compat.install import install, uninstall


@pytest.fixture(autouse=True)
def installed():
    install()
    yield
    uninstall()


@pytest.mark.parametrize(
    ("module", "wanted"),
    [
        pytest.param(  # loads all modules that wait; the others check the same code
            "tensorflow", "Session estimator train contrib keras mul", marks=pytest.mark.slow
        ),
        ("tensorflow.compat.v1", "Session estimator train layers"),
        ("tensorflow.compat.v2", "function Variable random"),
        ("tensorflow.python.ops.math_ops", "matmul reduce_sum sigmoid"),
        ("tensorflow.python.ops.rnn_cell", "RNNCell LSTMCell"),
        ("tensorflow.keras.layers", "Dense LSTM Layer"),
        ("tensorflow.contrib.rnn", "LSTMBlockCell GRUCell"),
        ("tensorflow.train", "AdamOptimizer Saver MonitoredSession"),
    ],
)
def test_star_imports_bind_the_public_names(module, wanted):
    names = {}
    exec(f"from {module} import *", names)
    assert [name for name in wanted.split() if name not in names] == []
    assert not any(name.startswith("_") for name in names.keys() - {"__builtins__"})
