"""The tools of TensorFlow: `headwater run -m tensorflow.python.tools...`, with their own flags."""

from __future__ import annotations

import pytest

import headwater as tf
from headwater.cli import main
from headwater.compat import install as hook
from headwater.protos.graph_pb2 import GraphDef


@pytest.fixture
def files(tmp_path, monkeypatch):
    """A graph in both forms and a checkpoint, in the current folder."""
    monkeypatch.chdir(tmp_path)
    with tf.Graph().as_default() as graph, tf.Session() as session:
        x = tf.placeholder(tf.float32, [2], name="x")
        v = tf.Variable([0.123, 2.0], name="v")
        tf.identity(tf.multiply(x, v, name="product"), name="y")
        session.run(v.initializer)
        tf.train.Saver().save(session, "./model")
        tf.train.write_graph(graph, ".", "graph.pbtxt")
    return tmp_path


@pytest.fixture
def tool():
    """A function that runs a module of TensorFlow as `python -m` did."""

    def run(module, *words):
        return main(["run", "-m", f"tensorflow.python.{module}", *words])

    yield run
    hook.uninstall()


def ops(path):
    return [node.op for node in GraphDef.FromString(path.read_bytes()).node]


def test_graphs_are_frozen_optimized_and_stripped(files, tool, capsys):
    words = ["--input_graph=graph.pbtxt", "--input_checkpoint=./model", "--output_node_names=y"]
    assert tool("tools.freeze_graph", *words, "--output_graph=f.pb", "--clear_devices=y") == 0
    assert ops(files / "f.pb") == ["Placeholder", "Const", "Identity", "Mul", "Identity"]
    words = ["--input=f.pb", "--input_names=x", "--output_names=y"]
    assert tool("tools.optimize_for_inference", *words, "--output=o.pb") == 0
    assert ops(files / "o.pb") == ["Placeholder", "Const", "Mul", "Identity"]
    words = ["--input_graph=f.pb", "--input_binary", "--input_node_names=product"]
    words += ["--output_node_names=y", "--output_graph=s.pb", "--placeholder_type_enum=3"]
    assert tool("tools.strip_unused", *words) == 0
    assert ops(files / "s.pb") == ["Placeholder", "Identity"]
    out = capsys.readouterr().out
    assert out == "5 ops in the final graph.\n2 ops in the final graph.\n"


def test_text_graphs_and_several_types_of_placeholders(files, tool):
    words = ["--input=graph.pbtxt", "--frozen_graph=false", "--input_names=x,v/read"]
    words += ["--output_names=y", "--output=o.pbtxt", "--placeholder_type_enum=1,1"]
    assert tool("tools.optimize_for_inference", *words) == 0
    assert (files / "o.pbtxt").read_text().count('op: "Placeholder"') == 2


def test_missing_files_are_named(files, tool, capsys):
    assert tool("tools.optimize_for_inference", "--input=none") == 255
    assert tool("tools.strip_unused", "--input_graph=none") == 0
    message = "Input graph file 'none' does not exist!\n"
    assert capsys.readouterr().out == 2 * message


def test_checkpoints_are_inspected_with_options_of_numpy(files, tool, capsys):
    words = ["--file_name=./model", "--all_tensors=true", "--printoptions"]
    assert tool("tools.inspect_checkpoint", *words, "precision=1", "suppress=true") == 0
    assert "tensor_name:  v\n[0.1 2. ]\n" in capsys.readouterr().out
    for option, message in (("zz", "'zz' is not in the form k=v."), ("zz=1", "argument zz.")):
        with pytest.raises(SystemExit):
            tool("tools.inspect_checkpoint", *words, option)
        assert message in capsys.readouterr().err


def test_graphs_are_written_for_tensorboard(files, tool, capsys):
    words = ["--input_graph=graph.pbtxt", "--input_checkpoint=./model", "--output_node_names=y"]
    tool("tools.freeze_graph", *words, "--output_graph=f.pb")
    assert tool("tools.import_pb_to_tensorboard", "--model_dir=f.pb", "--log_dir=log") == 0
    (events,) = (files / "log").iterdir()
    kinds = [event.WhichOneof("what") for event in tf.train.summary_iterator(str(events))]
    assert kinds == ["file_version", "graph_def"]
    assert "tensorboard --logdir=log" in capsys.readouterr().out


def test_other_names_of_commands(files, tool, capsys):
    assert tool("debug.cli.offline_analyzer", "--dump_dir=none", "--validate_graph=false") == 1
    assert "none does not exist" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        tool("tools.saved_model_cli", "--help")
    assert "saved-model" in capsys.readouterr().out
    assert tool("tools.nothing") == 2
    assert "tensorflow.python.tools.nothing" in capsys.readouterr().err
