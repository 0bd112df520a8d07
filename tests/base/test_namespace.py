"""The public namespace, and the packages that are imported only when they are asked for."""

from __future__ import annotations

import importlib
import pkgutil
import subprocess
import sys
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
