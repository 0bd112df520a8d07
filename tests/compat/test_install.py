from __future__ import annotations

import importlib
import pickle
import pydoc
import subprocess
import sys
import types
from pathlib import Path
from unittest import mock

import pytest

import headwater
from headwater.base.export import exported_names
from headwater.compat import install as hook
from headwater.compat import modules, path_table
from headwater.distributed import server

ROOT = Path(headwater.__file__).parent.parent


@pytest.fixture
def tensorflow():
    hook.install()
    try:
        yield importlib.import_module("tensorflow")
    finally:
        hook.uninstall()


def run_python(code: str, *folders: Path) -> subprocess.CompletedProcess[str]:
    """Runs code in a fresh Python that finds modules in `folders` first."""
    lines = "import sys\n" + "".join(f"sys.path.insert(0, {str(f)!r})\n" for f in folders)
    command = [sys.executable, "-c", lines + code]
    return subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)


def test_root_shows_the_namespace_and_the_api_level(tensorflow):
    assert tensorflow.__name__ == "tensorflow"
    assert tensorflow.__version__ == tensorflow.VERSION == tensorflow.version.VERSION == "1.15.0"
    assert tensorflow.GRAPH_DEF_VERSION == 134
    assert headwater.__version__ != tensorflow.__version__
    assert tensorflow.Graph is headwater.Graph
    assert tensorflow.errors is headwater.errors
    assert {"Graph", "errors", "__version__"} <= set(dir(tensorflow))
    assert repr(tensorflow) == "<module 'tensorflow' (headwater)>"


@pytest.mark.parametrize(
    "path",
    ["nn.rnn_cell.LSTMCell", "layers.Dense", "contrib.layers.xavier_initializer", "nn.relu"],
)
def test_names_can_be_located(tensorflow, path):
    assert callable(pydoc.locate(f"tensorflow.{path}"))
    package, _, name = f"tensorflow.{path}".rpartition(".")
    assert pydoc.locate(f"tensorflow.{path}") is getattr(importlib.import_module(package), name)
    assert pydoc.locate("tensorflow.no_such_module") is None


def test_attributes_set_by_a_program_stay_its_own(tensorflow):
    tensorflow.my_addition = 7
    assert not hasattr(headwater, "my_addition")
    hook.uninstall()
    hook.install()
    assert not hasattr(importlib.import_module("tensorflow"), "my_addition")


@pytest.mark.parametrize(
    ("statement", "name"),
    [
        ("from tensorflow import Graph as found", "Graph"),
        ("import tensorflow.errors as found", "errors"),
        ("from tensorflow.errors import OutOfRangeError as found", "errors.OutOfRangeError"),
        ("import tensorflow.compat.v1 as tf; found = tf.Graph", "Graph"),
        ("import tensorflow.compat.v1.errors as found", "errors"),
        ("from tensorflow.compat.v1 import errors as found", "errors"),
        ("from tensorflow.python.framework.ops import Graph as found", "Graph"),
        ("from tensorflow.python.framework import ops; found = ops.Graph", "Graph"),
        ("from tensorflow.python.platform import flags; found = flags.FLAGS", "flags.FLAGS"),
        ("from tensorflow.python.framework import dtypes; found = dtypes.int8", "int8"),
        (
            "import tensorflow.python.framework.errors_impl as e; found = e.DataLossError",
            "errors.DataLossError",
        ),
        ("from tensorflow.python import Graph as found", "Graph"),
        ("import tensorflow as tf; found = tf.python.framework.ops.Graph", "Graph"),
        ("import tensorflow as tf; found = tf.core.framework.graph_pb2.GraphDef", "GraphDef"),
        ("from tensorflow.python.ops import standard_ops; found = standard_ops.Graph", "Graph"),
        ("from tensorflow.core.framework.graph_pb2 import GraphDef as found", "GraphDef"),
        ("from tensorflow.core.framework import graph_pb2; found = graph_pb2.GraphDef", "GraphDef"),
        (
            "from tensorflow.examples.tutorials.mnist import input_data as i;"
            "found = i.read_data_sets",
            "contrib.learn.datasets.mnist.read_data_sets",
        ),
        (
            "from tensorflow.contrib.learn.python.learn.datasets.mnist import DataSet as found",
            "contrib.learn.datasets.mnist.DataSet",
        ),
        (
            "from tensorflow.contrib.learn.python.learn.datasets import base; found = base.Dataset",
            "contrib.learn.datasets.base.Dataset",
        ),
    ],
)
def test_imports_lead_to_the_public_objects(tensorflow, statement, name):
    namespace: dict[str, object] = {}
    exec(statement, namespace)
    assert namespace["found"] is modules.find_public(name)


@pytest.mark.parametrize(
    ("statement", "text"),
    [
        (
            "import tensorflow.nosuch",
            r"^No module named 'tensorflow\.nosuch'\. Headwater has no tf\.nosuch yet\.$",
        ),
        ("from tensorflow import nosuch", r"Headwater has no tf\.nosuch yet\."),
        ("import tensorflow.nosuch.deeper", r"Headwater has no tf\.nosuch yet\."),
        ("import tensorflow.graph", r"Headwater has no tf\.graph yet\."),
        ("import tensorflow.contrib.nosuch", r"Headwater has no tf\.contrib\.nosuch yet\."),
        (
            "from tensorflow.python.framework.ops import nosuch",
            r"^cannot import name 'nosuch' from 'tensorflow\.python\.framework\.ops'\. Headwater "
            r"has no tensorflow\.python\.framework\.ops\.nosuch yet, an internal name of",
        ),
        (
            "import tensorflow.python.nosuch.deeper",
            r"No module named 'tensorflow\.python\.nosuch'\. Headwater has no tensorflow\.python",
        ),
    ],
)
def test_missing_modules_are_import_errors(tensorflow, statement, text):
    with pytest.raises(ImportError, match=text):
        exec(statement, {})


def test_missing_attributes_are_attribute_errors(tensorflow):
    text = r"^module 'tensorflow' has no attribute 'nosuch'\. Headwater has no tf\.nosuch yet$"
    with pytest.raises(AttributeError, match=text):
        _ = tensorflow.nosuch
    with pytest.raises(AttributeError, match="no attribute 'engine'"):
        _ = tensorflow.engine
    ops = importlib.import_module("tensorflow.python.framework.ops")
    with pytest.raises(AttributeError, match=r"Headwater has no tensorflow\.python\.framework"):
        _ = ops.nosuch
    assert not hasattr(tensorflow.compat.v1, "nosuch")


def test_missing_public_object_of_a_known_internal_name(tensorflow, monkeypatch):
    table = {"tensorflow.python.framework.ops": {"Thing": ("nosuch.Thing",)}}
    monkeypatch.setattr(modules, "public_names", lambda: table)
    ops = importlib.import_module("tensorflow.python.framework.ops")
    with pytest.raises(AttributeError, match=r"Headwater has no tf\.nosuch\.Thing yet"):
        _ = ops.Thing


def test_public_modules_keep_their_own_spec(tensorflow):
    before = headwater.train.__spec__, headwater.train.__name__
    module = importlib.import_module("tensorflow.train")
    assert module is headwater.train
    assert (module.__spec__, module.__name__) == before


def test_pickles_and_types_are_untouched(tensorflow):
    shape = tensorflow.TensorShape([2, None])
    assert isinstance(shape, headwater.TensorShape)
    data = pickle.dumps([shape, tensorflow.float32, tensorflow.errors.OutOfRangeError])
    assert b"tensorflow" not in data
    hook.uninstall()
    loaded_shape, dtype, error = pickle.loads(data)
    assert loaded_shape.as_list() == [2, None]
    assert dtype is headwater.float32
    assert error is headwater.errors.OutOfRangeError


def test_a_class_that_a_test_replaces_is_replaced_for_the_library(tensorflow):
    from tensorflow.python.training import server_lib

    original = server.Server
    with mock.patch.object(server_lib, "Server") as replaced:
        assert server.Server is server_lib.Server is replaced
    assert server.Server is server_lib.Server is original
    server_lib.Server = replaced
    assert server.Server is replaced
    server_lib.Server = original
    assert server.Server is original


def test_each_known_internal_name_leads_to_what_headwater_has(tensorflow):
    found = 0
    second_era = {f"tensorflow.python.data.ops.{name}" for name in ("dataset_ops", "readers")}
    for module, attributes in path_table.public_names().items():
        stand_in = modules.InternalModule(module)
        for attribute, names in attributes.items():
            values = [modules.find_public(name) for name in names]
            values = [value for value in values if value is not modules.MISSING]
            if module in second_era and attribute.endswith("DatasetV2"):
                # The public name is the class of the first era.
                assert getattr(stand_in, attribute).__name__ == attribute
            elif (module, attribute) == ("tensorflow.python.training.tracking.util", "Checkpoint"):
                # The public name is the class that takes a session.
                assert getattr(stand_in, attribute).__name__ == "CheckpointV2"
            elif (module, attribute) == (
                "tensorflow.python.keras.utils.losses_utils",
                "ReductionV2",
            ):
                # The public name is the class of the losses of the first era.
                assert getattr(stand_in, attribute).__name__ == "ReductionV2"
            elif module.endswith(".gradient_checker_v2"):
                # The public name is the function of the first era.
                assert getattr(stand_in, attribute).__module__.endswith(".gradient_checker_v2")
            elif ".feature_column." in module and attribute.endswith("_v2") and values:
                # The public name is the function of the first era.
                assert getattr(stand_in, attribute).__name__ == attribute
            elif values and not any(isinstance(value, types.ModuleType) for value in values):
                assert getattr(stand_in, attribute) is values[0], (module, attribute)
                found += 1
    assert found > 200


def test_every_public_module_can_be_imported(tensorflow):
    names = {name.rpartition(".")[0] for name in exported_names()} - {""}
    for name in sorted(names):
        value = modules.find_public(name)
        if isinstance(value, types.ModuleType):
            assert importlib.import_module(f"tensorflow.{name}") is value


def test_install_and_uninstall_can_be_repeated():
    before = list(sys.meta_path)
    hook.install()
    finders = list(sys.meta_path)
    hook.install()
    assert sys.meta_path == finders != before
    importlib.import_module("tensorflow.python.framework.ops")
    hook.uninstall()
    hook.uninstall()
    assert sys.meta_path == before
    assert not any(name.partition(".")[0] == "tensorflow" for name in sys.modules)
    assert headwater.install is hook.install


def test_tensorflow_that_is_imported_already_is_refused(monkeypatch):
    real = types.ModuleType("tensorflow")
    real.__file__ = "/some/where/tensorflow/__init__.py"
    monkeypatch.setitem(sys.modules, "tensorflow", real)
    with pytest.raises(
        RuntimeError, match=r"imported TensorFlow from /some/where/.*Call headwater"
    ):
        hook.install()
    assert not any(isinstance(finder, hook.TensorFlowFinder) for finder in sys.meta_path)


@pytest.mark.slow
def test_installed_tensorflow_is_never_touched(tmp_path):
    package = tmp_path / "tensorflow"
    (package / "python" / "nosuch").mkdir(parents=True)
    for folder in (package, package / "python", package / "python" / "nosuch"):
        (folder / "__init__.py").write_text("raise SystemExit('the real TensorFlow was imported')")
    result = run_python(
        "import headwater; headwater.install()\n"
        "import tensorflow as tf, tensorflow.python.framework.ops\n"
        "print(tf.__version__, tf.Graph.__module__)\n"
        "try:\n    import tensorflow.python.nosuch\n"
        "except ImportError as error:\n    print(error)\n"
        "assert 'jax' not in sys.modules\n",
        tmp_path,
    )
    assert result.returncode == 0, result.stderr
    first, second = result.stdout.splitlines()
    assert first == "1.15.0 headwater.graph.graph"
    assert second.startswith("No module named 'tensorflow.python.nosuch'. Headwater has no")
    without = run_python("import headwater, tensorflow", tmp_path)
    assert "the real TensorFlow was imported" in without.stderr


def test_the_path_table_is_read_only_for_internal_modules():
    result = run_python(
        "import headwater; headwater.install()\n"
        "import tensorflow as tf, tensorflow.train\n"
        "from tensorflow.examples.tutorials.mnist import input_data\n"
        "from headwater.compat import path_table\n"
        "print(path_table.public_names.cache_info().currsize)\n"
        "import tensorflow.python.framework.ops\n"
        "print(path_table.public_names.cache_info().currsize)\n"
    )
    assert result.stdout.split() == ["0", "1"], result.stderr


def test_names_of_tf_do_not_change_what_compat_v2_does():
    result = run_python(
        "import headwater as tf\n"
        "for name in dir(tf):\n"
        "    getattr(tf.compat.v2, name, None)\n"
        "with tf.Session() as session:\n"
        "    x = tf.compat.v2.expand_dims(tf.compat.v2.constant([2, 3]), axis=0)\n"
        "    print(session.run(tf.compat.v2.math.reduce_max(x, keepdims=True)).tolist())\n"
    )
    assert result.stdout == "[[3]]\n", result.stderr
