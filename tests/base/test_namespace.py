"""The public namespace, and the packages that are imported only when they are asked for."""

from __future__ import annotations

import importlib
import pkgutil
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

import headwater
from headwater.base import namespace
from headwater.base.export import EXPORTS


def packages_on_demand():
    found = {}
    for module in pkgutil.walk_packages(headwater.__path__, "headwater."):
        if module.ispkg:
            package = importlib.import_module(module.name)
            if hasattr(package, "ON_DEMAND"):
                found[module.name] = package.ON_DEMAND
    return found


def run(program):
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_all_packages_of_contrib_wait():
    contrib = importlib.import_module("headwater.contrib")
    folders = {f"headwater.contrib.{m.name}" for m in pkgutil.iter_modules(contrib.__path__)}
    assert folders <= set(packages_on_demand())


def test_each_package_says_where_its_names_stand():
    namespace.import_everything()
    # contrib.keras shows names of tf.keras: its own package is loaded for them.
    shown = set(packages_on_demand()["headwater.contrib.keras"])
    for package, declared in packages_on_demand().items():
        for name in declared:
            namespace.import_waiting(name)
        own = [
            name
            for name, value in EXPORTS.items()
            if str(getattr(value, "__module__", "")).startswith(package + ".")
        ]
        modules = {name.rpartition(".")[0] for name in own}
        # A public module that is a file of the package has its names once it is imported.
        root = Path(headwater.__file__).parent
        files = {name for name in modules if (root / f"{name.replace('.', '/')}.py").is_file()}
        assert modules - files - shown <= set(declared), package


def test_importing_headwater_loads_none_of_them():
    modules = (
        "contrib.graph_editor.util",
        "contrib.seq2seq.decoder",
        "model.distributions.normal",
        "model.feature_column.dense_features",
        "model.layers.base",
        "model.rnn.cell",
    )
    loaded = run(
        "import sys, headwater\n"
        f"print([m for m in {modules!r} if f'headwater.{{m}}' in sys.modules])"
    )
    assert loaded == "[]"


FIRST_USES = [
    "print(callable(tf.contrib.seq2seq.BasicDecoder))",
    "print('BasicDecoder' in dir(tf.contrib.seq2seq))",
    "print(callable(tf.contrib.graph_editor.util.make_list_of_t))",
    "print(callable(tf.contrib.bayesflow.monte_carlo.expectation))",
    "print(callable(tf.feature_column.input_layer))",
    "print(callable(tf.keras.layers.DenseFeatures))",
    "print(callable(tf.keras.experimental.SequenceFeatures))",
    "print(tf.nn.seq2seq.rnn_decoder is tf.models.rnn.seq2seq.rnn_decoder)",
    "print(tf.nn.rnn_cell._linear is tf.contrib.rnn.core_rnn_cell._linear)",
    "print(hasattr(tf.linalg, 'LinearOperatorDiag') and not hasattr(tf.linalg, 'Nothing'))",
    "import sys\nprint(not {'headwater.session', 'headwater.ops.nn'} & set(sys.modules))",
    "tf.nn.relu = len\nprint(callable(tf.nn.relu6) and tf.nn.relu is len)",
    "print(vars(tf.nn)['conv2d'] is tf.nn.__dict__['conv2d'] is tf.nn.conv2d)",
    "print({'conv2d', 'relu'} <= set(dir(tf.nn)))",
    "from headwater.nn import *\nprint(conv2d is tf.nn.conv2d)",
    "import headwater.nn as nn\nprint(nn.conv2d is tf.nn.conv2d)",
    "import pickle\nprint(pickle.loads(pickle.dumps(tf.nn.softmax)) is tf.nn.softmax)",
    "print(isinstance(1, tf.SparseTensor) is False and not hasattr(tf.nn, 'Nothing'))",
    "relu = tf.nn.relu\ndel tf.nn.relu\nprint(tf.nn.relu is relu)",
    "print(tf.nn.moments.__module__ == 'headwater.model.nn.moments' and type(tf.nn) == type(tf))",
    "print(tf.compat.v1.nn.relu is tf.nn.relu and tf.compat.v2.nn.relu is tf.nn.relu)",
    "print(tf.train.queue_runner.QueueRunner is tf.train.QueueRunner)",
    """
from unittest import mock
with mock.patch.object(tf.nn, "relu", len):
    assert tf.nn.relu is len
print(tf.nn.relu.__name__ == "relu")
""",
    """
try:
    tf.RegisterGradient("Sin")(len)
except KeyError as error:
    print("Registering two gradient with name 'Sin'!" in str(error))
""",
    """
node = tf.NodeDef(name="x", op="Cholesky")
print(tf.raw_ops.Cholesky(input=[[4.0]]).op.type == node.op and "Qr" in dir(tf.raw_ops))
""",
    """
graph_def = tf.GraphDef()
graph_def.node.add(name="r", op="RandomShuffle", input=["x"]).attr["T"].type = 1
graph_def.node.add(name="x", op="Placeholder").attr["dtype"].type = 1
print(tf.import_graph_def(graph_def, return_elements=["r"])[0].type == "RandomShuffle")
""",
    """
rows = tf.ragged.constant([[1.0, -2.0], []])
print(all(isinstance(f(rows), tf.RaggedTensor) for f in (tf.abs, tf.math.negative)))
""",
    """
import threading
names = [name for name in dir(tf.nn) if not name.startswith("_")]
wrong = []
def use(mine):
    for name in mine:
        if getattr(tf.nn, name, None) is None:
            wrong.append(name)
threads = [threading.Thread(target=use, args=(names[i:] + names[:i],)) for i in range(0, 80, 10)]
for thread in threads: thread.start()
for thread in threads: thread.join()
print(not wrong)
""",
    "tf.install()\nfrom tensorflow.python.ops import nn_ops\nprint(nn_ops.relu is tf.nn.relu)",
    "tf.install()\nfrom tensorflow.contrib.crf import *\nprint(callable(crf_log_likelihood))",
    "tf.install()\nfrom tensorflow.contrib import crf\nprint(callable(crf.viterbi_decode))",
    "tf.install()\nimport tensorflow.contrib.crf as c\nprint('viterbi_decode' in dir(c))",
]


def test_a_name_is_there_when_it_is_asked_for(forks):
    """Each of them is the first use of its module in its process."""
    printed = forks("import headwater as tf", [(statement, []) for statement in FIRST_USES])
    assert dict(zip(FIRST_USES, printed, strict=True)) == dict.fromkeys(FIRST_USES, "True\n")


def test_an_unknown_name_of_such_a_module_is_an_error():
    with pytest.raises(AttributeError, match="has no attribute 'Nothing'"):
        _ = headwater.contrib.opt.Nothing


@pytest.mark.parametrize(
    "name", ["contrib.layers.batch_norm", "contrib.resampler.resampler", "contrib.quantize"]
)
def test_a_public_function_may_be_called_like_its_file(fork, name):
    program = f"""
        value = headwater
        for part in "{name}".split("."):
            value = getattr(value, part)
        print(type(value).__name__)
    """
    done = fork(textwrap.dedent(program), setup="import headwater")
    expected = "module" if name == "contrib.quantize" else "function"
    assert done.stdout == f"{expected}\n", done.stderr
