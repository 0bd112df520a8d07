"""`headwater saved-model`: the output of saved_model_cli of TensorFlow 1.15.5, word for word."""

from __future__ import annotations

import io
import shutil
from pathlib import Path

import numpy as np
import pytest

import headwater as tf
from headwater.cli import main

GOLDEN = Path(__file__).parent.parent / "golden" / "saved_models" / "1.15.5" / "model"

ALL = """
MetaGraphDef with tag-set: 'serve' contains the following SignatureDefs:

signature_def['regress']:
  The given SavedModel SignatureDef contains the following input(s):
    inputs['inputs'] tensor_info:
        dtype: DT_STRING
        shape: (-1)
        name: examples:0
  The given SavedModel SignatureDef contains the following output(s):
    outputs['outputs'] tensor_info:
        dtype: DT_FLOAT
        shape: (-1)
        name: regression:0
  Method name is: tensorflow/serving/regress

signature_def['serving_default']:
  The given SavedModel SignatureDef contains the following input(s):
    inputs['x'] tensor_info:
        dtype: DT_FLOAT
        shape: (-1, 2)
        name: x:0
  The given SavedModel SignatureDef contains the following output(s):
    outputs['y'] tensor_info:
        dtype: DT_FLOAT
        shape: (-1, 1)
        name: y:0
  Method name is: tensorflow/serving/predict

MetaGraphDef with tag-set: 'serve, plain' contains the following SignatureDefs:

signature_def['plain']:
  The given SavedModel SignatureDef contains the following input(s):
    inputs['x'] tensor_info:
        dtype: DT_FLOAT
        shape: (-1, 2)
        name: x:0
  The given SavedModel SignatureDef contains the following output(s):
    outputs['y'] tensor_info:
        dtype: DT_FLOAT
        shape: (-1, 1)
        name: y:0
  Method name is: tensorflow/serving/predict
"""

# Backspaces erase the last comma of a list on a terminal.
FUNCTIONS = """\
  Function Name: 'many'
    Option #1
      Callable with:
        Argument #1
          DType: list
          Value: [TensorSpec(shape=(), dtype=tf.float32, name='pair/0'), 2, \b\b]
        Argument #2
          DType: dict
          Value: {'a': None, 'b': TensorSpec(shape=(), dtype=tf.float32, name='options/b'), \b\b}
        Argument #3
          DType: float
          Value: 2.5
        Named Argument #1
          DType: str
          Value: ['k', \b\b]

  Function Name: 'read'
    Option #1
      Callable with:

  Function Name: 'scale'
    Option #1
      Callable with:
        Argument #1
          x: TensorSpec(shape=(?, 2), dtype=tf.float32, name='x')

  Function Name: 'untraced'
"""


@pytest.fixture
def cli(capsys):
    """Runs a command on the golden model; returns what it prints, and the error if there is one."""

    def run(command: str, *words: str) -> str:
        status = main(["saved-model", command, "--dir", str(GOLDEN), *words])
        printed = capsys.readouterr()
        if status:
            return printed.err.strip().splitlines()[-1]
        return printed.out

    return run


def test_show(cli):
    title = "The given SavedModel contains the following tag-sets:"
    assert cli("show") == f"{title}\nserve\nplain, serve\n"
    assert cli("show", "--all") == ALL
    assert cli("show", "--tag_set", "serve") == (
        "The given SavedModel MetaGraphDef contains SignatureDefs with the following keys:\n"
        'SignatureDef key: "regress"\nSignatureDef key: "serving_default"\n'
    )
    assert cli("show", "--tag_set", "plain,serve", "--signature_def", "plain") == (
        "The given SavedModel SignatureDef contains the following input(s):\n"
        "  inputs['x'] tensor_info:\n      dtype: DT_FLOAT\n      shape: (-1, 2)\n"
        "      name: x:0\nThe given SavedModel SignatureDef contains the following output(s):\n"
        "  outputs['y'] tensor_info:\n      dtype: DT_FLOAT\n      shape: (-1, 1)\n"
        "      name: y:0\nMethod name is: tensorflow/serving/predict\n"
    )
    assert cli("show", "--tag_set", "none") == (
        "RuntimeError: MetaGraphDef associated with tag-set none could not be found in SavedModel"
    )
    assert cli("show", "--dir", "/none") == "OSError: SavedModel file does not exist at: /none"


def test_show_of_sparse_and_unknown_inputs(tmp_path, session, capsys):
    inputs = {"s": tf.sparse_placeholder(tf.float32), "u": tf.placeholder(tf.int32, name="u")}
    tf.saved_model.simple_save(session, str(tmp_path / "m"), inputs, {"y": tf.constant(1.0)})
    assert main(["saved-model", "show", "--dir", str(tmp_path / "m"), "--all"]) == 0
    assert (
        "    inputs['s'] tensor_info:\n        dtype: DT_FLOAT\n        shape: unknown_rank\n"
        "        name: \n    inputs['u'] tensor_info:\n        dtype: DT_INT32\n"
        "        shape: unknown_rank\n        name: u:0\n"
    ) in capsys.readouterr().out


def test_run(cli, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    x = np.array([[1, 2], [3, 4]], np.float32)
    np.save("x.npy", x)
    np.savez("one.npz", a=x)
    np.savez("two.npz", a=x, b=x)
    predict = ["--tag_set", "serve", "--signature_def", "serving_default"]
    result = "Result for output key y:\n[[ 5.5]\n [11.5]]\n"
    sources = ("x.npy", "x.npy[any]", "one.npz", "two.npz[a]")
    assert [cli("run", *predict, "--inputs", f"x={source}") for source in sources] == [result] * 4
    assert cli("run", *predict, "--input_exprs", "x=[[1, 2], [3, 4]]") == result
    both = ("--inputs", "x=none.npy", "--input_exprs", "x=np.ones((1, 2))")
    assert cli("run", *predict, *both) == "NotFoundError: none.npy; No such file or directory"
    saved = [*predict, "--inputs", "x=x.npy", "--outdir", "out"]
    assert cli("run", *saved) == f"{result}Output y is saved to out/y.npy\n"
    assert np.load("out/y.npy").tolist() == [[5.5], [11.5]]
    assert cli("run", *saved) == (
        'RuntimeError: Output file out/y.npy already exists. Add "--overwrite" to overwrite the '
        "existing output files."
    )
    assert cli("run", *saved, "--overwrite") == f"{result}Output y is saved to out/y.npy\n"
    regress = ["--tag_set", "serve", "--signature_def", "regress"]
    examples = 'inputs=[{"x": [8.0, 9.0]}, {"x": [1.0, 2.0]}]'
    printed = cli("run", *regress, "--input_examples", examples)
    assert printed == "Result for output key outputs:\n[26.  5.]\n"


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (
            [],
            "AttributeError: At least one of --inputs, --input_exprs or --input_examples must be r",
        ),
        (
            ["--inputs", "x"],
            'RuntimeError: --inputs "x" format is incorrect. Please follow"<input_',
        ),
        (["--inputs", "x=f[[a]"], 'RuntimeError: --inputs "x=f[[a]" format is incorrect. Please '),
        (["--input_exprs", "x"], 'RuntimeError: --input_exprs "x" format is incorrect. Please fol'),
        (["--input_exprs", "x=foo"], "NameError: name 'foo' is not defined"),
        (
            ["--input_exprs", "b=1"],
            'ValueError: "b" is not a valid input key. Please choose from "x"',
        ),
        (["--input_examples", "x={}"], "ValueError: tf.Example input must be a list of dictionar"),
        (
            ["--input_examples", 'x=[{"a": 1.0}]'],
            "ValueError: feature value must be a list, but a:",
        ),
        (
            ["--input_examples", 'x=[{"a": [{}]}]'],
            "ValueError: Type <class 'dict'> for value {} is ",
        ),
    ],
)
def test_run_with_bad_inputs(cli, words, error):
    got = cli("run", "--tag_set", "serve", "--signature_def", "serving_default", *words)
    assert got.startswith(error)


def test_a_run_is_debugged(cli, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.StringIO("run\npt y:0\nexit\n"))
    monkeypatch.setattr("sys.exit", lambda status: None)
    words = ["--tag_set", "serve", "--signature_def", "serving_default", "--tf_debug"]
    printed = cli("run", *words, "--input_exprs", "x=[[1.0, 2.0]]")
    assert 'Tensor "y:0:DebugIdentity":\n  dtype: float32\n  shape: (1, 1)' in printed


def test_functions_of_objects_are_shown(tmp_path, capsys):
    class Model(tf.Module):
        def __init__(self):
            super().__init__()
            self.w = tf.Variable([1.0, 2.0], use_resource=True)
            self.part = tf.Module()

        @tf.function(input_signature=[tf.TensorSpec([None, 2], tf.float32)])
        def scale(self, x):
            return x * self.w

        @tf.function(input_signature=[])
        def read(self):
            return self.w.read_value()

        @tf.function
        def many(self, pair, options, rate=2.5, *, k):
            return pair[0] + options["b"] + k

        @tf.function
        def untraced(self, x):
            return x

    model = Model()
    model.many([tf.constant(1.0), 2], {"b": tf.constant(2.0), "a": None}, k=tf.constant(3.0))
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        tf.saved_model.save(model, str(tmp_path / "m"))
    capsys.readouterr()
    assert main(["saved-model", "show", "--dir", str(tmp_path / "m"), "--all"]) == 0
    assert capsys.readouterr().out.partition("\nDefined Functions:\n")[2] == FUNCTIONS


def test_convert_freezes_the_variables(cli, tmp_path, caplog):
    model, frozen = tmp_path / "model", tmp_path / "frozen"
    words = tmp_path / "words.txt"
    words.write_text("a\nb\n")
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.string, [None])
        ids = tf.contrib.lookup.index_table_from_file(str(words)).lookup(x)
        table = tf.get_variable("w", initializer=[[1.0], [5.0]], use_resource=True)
        y = tf.gather(table, ids)
        session.run(tf.global_variables_initializer())
        signature = tf.saved_model.predict_signature_def({"x": x}, {"y": y})
        builder = tf.saved_model.Builder(str(model))
        builder.add_meta_graph_and_variables(
            session,
            ["serve", "cpu"],
            {"serving_default": signature, "other": signature},
            assets_collection=tf.get_collection(tf.GraphKeys.ASSET_FILEPATHS),
            main_op=tf.tables_initializer(),
        )
        builder.save()
    words.unlink()
    command = ["--dir", str(model), "--tag_set", "cpu,serve", "--output_dir", str(frozen)]
    assert cli("convert", *command, "tensorrt", "--precision_mode", "fp16") == ""
    shutil.rmtree(model)
    assert not list((frozen / "variables").iterdir())
    run = ["--tag_set", "serve,cpu", "--signature_def", "serving_default"]
    run += ["--input_exprs", "x=['b', 'a']"]
    assert cli("run", "--dir", str(frozen), *run) == "Result for output key y:\n[[5.]\n [1.]]\n"
    keys = cli("show", "--dir", str(frozen), "--tag_set", "serve,cpu")
    assert keys.endswith('keys:\nSignatureDef key: "serving_default"\n')


def test_what_cannot_be_converted(cli, tmp_path):
    def convert(tags, folder, *options):
        words = ["--tag_set", tags, "--output_dir", str(folder), "tensorrt", *options]
        return cli("convert", *words)

    assert convert("serve", tmp_path / "a", "--precision_mode", "FP64") == (
        "ValueError: precision mode 'FP64' is not supported.It should be one of ['FP32', 'FP16', "
        "'INT8', 'fp32', 'fp16', 'int8']"
    )
    assert convert("none", tmp_path / "a").startswith("available_tags: [")
    assert convert("serve,plain", tmp_path / "a") == (
        "Hint: The graph has no signature serving_default."
    )
    (tmp_path / "a").mkdir(exist_ok=True)
    (tmp_path / "a" / "file").touch()
    assert convert("serve", tmp_path / "a").startswith(
        "AssertionError: Export directory already exists, and isn't empty. Please choose a "
    )


def test_scan(cli):
    assert cli("scan") == (
        "MetaGraph with tag set ['serve'] contains the following blacklisted ops: {'ReadFile'}\n"
        "MetaGraph with tag set ['serve', 'plain'] does not contain blacklisted ops.\n"
    )
    assert cli("scan", "--tag_set", "serve") == (
        "MetaGraph with tag set ['serve'] contains the following blacklisted ops: {'ReadFile'}\n"
    )


def test_bad_command_lines(capsys):
    for words, text in (
        ([], "the following arguments are required"),
        (["show"], "the following arguments are required: --dir"),
        (["run", "--dir", "d"], "the following arguments are required: --tag_set, --signature_def"),
        (["show", "--dir", "d", "-x"], "unrecognized arguments: -x"),
    ):
        with pytest.raises(SystemExit):
            main(["saved-model", *words])
        assert text in capsys.readouterr().err
