"""SavedModels: ours, those of TensorFlow 1.15.5 and 1.0.0, and damaged ones."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

import headwater as tf
from headwater.protos import meta_graph_pb2, saved_model_pb2

GOLDEN = Path(__file__).parent.parent / "golden" / "saved_models"
X = np.array([[1.0, 2.0], [3.0, 4.0]], np.float32)


def read(folder: Path) -> saved_model_pb2.SavedModel:
    return saved_model_pb2.SavedModel.FromString((folder / "saved_model.pb").read_bytes())


def rewrite(folder: Path, change) -> None:
    """Changes the proto of a SavedModel."""
    proto = read(folder)
    change(proto)
    (folder / "saved_model.pb").write_bytes(proto.SerializeToString())


def write_model(folder: Path, **arguments) -> Path:
    """A SavedModel with the tag "t": y = x * v, v = 2."""
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, [None], name="x")
        v = tf.Variable(2.0, name="v")
        tf.multiply(x, v, name="y")
        session.run(v.initializer)
        builder = tf.saved_model.Builder(str(folder))
        builder.add_meta_graph_and_variables(session, ["t"], **arguments)
        builder.save()
    return folder


def load(folder: Path, tags=("t",), **arguments):
    """Loads a SavedModel into a session of its own; returns y of x = 3."""
    with tf.Graph().as_default(), tf.Session() as session:
        tf.saved_model.load(session, tags, str(folder), **arguments)
        return session.run("y:0", {"x:0": [3.0]})


@pytest.mark.parametrize("version", ["1.15.5", "1.0.0"])
def test_models_of_real_releases(version):
    folder = GOLDEN / version / "model"
    with tf.Graph().as_default() as graph, tf.Session() as session:
        meta_graph = tf.saved_model.loader.load(session, ["serve"], str(folder))
        assert isinstance(meta_graph, meta_graph_pb2.MetaGraphDef)
        # 1.0.0 names the only output "outputs".
        (y,) = meta_graph.signature_def["serving_default"].outputs.values()
        tensor = tf.saved_model.get_tensor_from_tensor_info(y)
        np.testing.assert_allclose(session.run(tensor, {"x:0": X}), [[5.5], [11.5]])
        assert session.run(graph.get_collection("contents")[0]) == b"first words"
        example = tf.train.Example()
        example.features.feature["x"].float_list.value.extend([1.0, 2.0])
        feeds = {"examples:0": [example.SerializeToString()]}
        np.testing.assert_allclose(session.run("regression:0", feeds), [5.0])
    with tf.Graph().as_default(), tf.Session() as session:
        tf.saved_model.loader.load(session, ["plain", "serve"], str(folder), import_scope="in")
        np.testing.assert_allclose(session.run("in/y:0", {"in/x:0": X}), [[5.0], [11.0]])


READER = """
import tensorflow as tf
with tf.Session(graph=tf.Graph()) as session:
    tf.saved_model.loader.load(session, ["serve"], PATH)
    print(session.run(["y:0", "content:0"], {"x:0": [1.0, 2.0]}))
"""


@pytest.mark.oracle
@pytest.mark.parametrize("version", ["1.15.5", "1.0.0"])
def test_real_releases_load_ours(oracle, tmp_path, version):
    write_words_model(tmp_path)
    printed = oracle(f"PATH = {str(tmp_path / 'model')!r}{READER}", version=version)
    assert printed.split() == "[array([2., 4.], dtype=float32), b'some words']".split()


def write_words_model(tmp_path: Path) -> None:
    (tmp_path / "words").write_text("some words")
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, [None], name="x")
        y = tf.multiply(x, tf.get_variable("v", initializer=2.0), name="y")
        asset = tf.constant(str(tmp_path / "words"), name="asset")
        content = tf.Variable("", name="content", trainable=False, collections=["contents"])
        session.run(tf.global_variables_initializer())
        builder = tf.saved_model.Builder(str(tmp_path / "model"))
        builder.add_meta_graph_and_variables(
            session,
            ["serve"],
            {"serving_default": tf.saved_model.predict_signature_def({"x": x}, {"y": y})},
            assets_collection=[asset],
            legacy_init_op=tf.group(content.assign(tf.read_file(asset))),
        )
        builder.save()
    (tmp_path / "words").unlink()


def test_assets_are_copied_and_fed(tmp_path):
    write_words_model(tmp_path)
    with tf.Graph().as_default() as graph, tf.Session() as session:
        tf.saved_model.load(session, ["serve"], str(tmp_path / "model"), import_scope="in")
        assert session.run("in/content:0") == b"some words"
        # In a graph the message is of our package; in the file it is of TensorFlow's.
        (item,) = graph.get_collection("saved_model_assets")
        asset = meta_graph_pb2.AssetFileDef()
        assert item.Unpack(asset)
        assert (asset.tensor_info.name, asset.filename) == ("asset:0", "words")
    (collection,) = (
        g.collection_def["saved_model_assets"] for g in read(tmp_path / "model").meta_graphs
    )
    assert [v.type_url for v in collection.any_list.value] == [
        "type.googleapis.com/tensorflow.AssetFileDef"
    ]


def test_assets_of_one_name_get_numbers(tmp_path):
    for folder in "abc":
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "f.txt").write_text(folder)
    with tf.Graph().as_default(), tf.Session() as session:
        paths = [tf.constant(str(tmp_path / folder / "f.txt")) for folder in "aabca"]
        builder = tf.saved_model.Builder(str(tmp_path / "model"))
        builder.add_meta_graph_and_variables(session, ["t"], assets_collection=paths)
    assets = {path.name: path.read_text() for path in (tmp_path / "model" / "assets").iterdir()}
    assert assets == {"f.txt": "a", "f.txt_1": "b", "f.txt_2": "c"}


@pytest.mark.parametrize(
    ("make", "error", "text"),
    [
        (lambda: 3, TypeError, "Asset path tensor must be a Tensor."),
        (lambda: tf.constant(3), TypeError, "Asset path tensor must be of dtype string."),
        (lambda: tf.placeholder(tf.string), TypeError, "must be of type constant."),
        (lambda: tf.constant(["/a", "/b"]), TypeError, "Asset path tensor must be a scalar."),
        (lambda: tf.constant(""), ValueError, "Invalid asset filepath tensor Tensor"),
        (lambda: tf.constant("/none/f"), tf.errors.NotFoundError, "/none/f; No such file or dir"),
    ],
)
def test_bad_assets(tmp_path, session, make, error, text):
    builder = tf.saved_model.Builder(str(tmp_path / "model"))
    with pytest.raises(error, match=text):
        builder.add_meta_graph_and_variables(session, ["t"], assets_collection=[make()])


def test_text_form(tmp_path):
    folder = tmp_path / "model"
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, [None], name="x")
        v = tf.Variable(2.0)
        tf.multiply(x, v, name="y")
        session.run(v.initializer)
        builder = tf.saved_model.Builder(str(folder))
        builder.add_meta_graph_and_variables(session, ["t"])
        assert builder.save(as_text=True) == str(folder / "saved_model.pbtxt").encode()
    assert load(folder).tolist() == [6.0]
    assert not (folder / "saved_model.pb").exists()


def test_a_train_op_and_an_init_op_in_signatures(tmp_path):
    with tf.Graph().as_default(), tf.Session() as session:
        v = tf.Variable(2.0, name="v")
        session.run(v.initializer)
        from headwater.serving.saved_model import builder as builders

        builder = builders.SignatureSavedModelBuilder(str(tmp_path / "m"))
        builder.add_meta_graph_and_variables(
            session, ["t"], init_op=v.assign(5.0).op, train_op=v.assign_add(1.0)
        )
        builder.save()
    (meta_graph,) = read(tmp_path / "m").meta_graphs
    assert set(meta_graph.signature_def) == {"__saved_model_init_op", "__saved_model_train_op"}
    with tf.Graph().as_default(), tf.Session() as session:
        tf.saved_model.load(session, ["t"], str(tmp_path / "m"))
        assert session.run("v:0") == 5.0


def test_simple_save(tmp_path, session):
    x = tf.placeholder(tf.float32, [None], name="x")
    y = tf.multiply(x, tf.Variable(2.0), name="y")
    session.run(tf.global_variables_initializer())
    folder = str(tmp_path / "model")
    tf.saved_model.simple_save(session, folder, {"x": x}, {"y": y})
    assert tf.saved_model.contains_saved_model(folder)
    assert not tf.saved_model.loader.maybe_saved_model_directory(str(tmp_path))
    assert load(tmp_path / "model", ["serve"]).tolist() == [6.0]
    with pytest.raises(AssertionError, match="Export directory already exists, and isn't empty"):
        tf.saved_model.simple_save(session, folder, {"x": x}, {"y": y})


def test_order_of_calls(tmp_path, session):
    v = tf.Variable(1.0)
    session.run(v.initializer)
    builder = tf.saved_model.Builder(str(tmp_path / "model"))
    with pytest.raises(AssertionError, match=r"invoke `add_meta_graph_and_variables\(\)` first"):
        builder.add_meta_graph(["t"])
    builder.add_meta_graph_and_variables(session, ["t"], main_op=v.initializer)
    with pytest.raises(AssertionError, match=r"invoke `add_meta_graph\(\)` instead"):
        builder.add_meta_graph_and_variables(session, ["t"])
    with pytest.raises(ValueError, match="one or more main ops under the collection saved_model_m"):
        builder.add_meta_graph(["t"], main_op=v.initializer)
    with pytest.raises(TypeError, match="main_op needs to be an Operation: 'x'"):
        builder.add_meta_graph(["t"], main_op="x")


def test_bad_signatures(tmp_path, session):
    builder = tf.saved_model.Builder(str(tmp_path / "model"))
    info = tf.saved_model.build_tensor_info(tf.constant(1.0))
    bare = tf.saved_model.build_signature_def({"a": tf.TensorInfo(dtype=1)}, {"b": info}, "m")
    with pytest.raises(AssertionError, match="must have one of the 'encoding' fields"):
        builder.add_meta_graph_and_variables(session, ["t"], {"k": bare})
    good = tf.saved_model.build_signature_def({"a": info}, {"b": info}, "m")
    with pytest.raises(KeyError, match='"__saved_model_init_op" is reserved for initialization'):
        builder.add_meta_graph_and_variables(session, ["t"], {"__saved_model_init_op": good})


def test_tags_that_are_not_there(tmp_path):
    write_model(tmp_path / "m")
    text = (
        r"tags 'serve' could not be found in SavedModel. To inspect available tag-sets in the "
        r"SavedModel, please use the SavedModel CLI: `saved_model_cli`\navailable_tags: \[\{'t'\}\]"
    )
    with pytest.raises(RuntimeError, match=text):
        load(tmp_path / "m", ["serve"])
    with pytest.raises(RuntimeError, match="with tags abc could not be found"):
        load(tmp_path / "m", "abc")
    assert load(tmp_path / "m", "t").tolist() == [6.0]


def test_missing_and_damaged_files(tmp_path):
    with pytest.raises(OSError, match=r"not exist at: /none/{saved_model.pbtxt\|saved_model.pb}"):
        load(Path("/none"))
    folder = write_model(tmp_path / "m")
    data = (folder / "saved_model.pb").read_bytes()
    (folder / "saved_model.pb").write_bytes(b"\xff\xff" + data)
    text = "Cannot parse file b'.*': Error parsing message with type 'tensorflow.SavedModel'."
    with pytest.raises(OSError, match=text):
        load(folder)
    (folder / "saved_model.pb").unlink()
    (folder / "saved_model.pbtxt").write_text("what: {")
    with pytest.raises(OSError, match=r'Message type "tensorflow.SavedModel" has no field named'):
        load(folder)
    (folder / "saved_model.pb").write_bytes(data)
    (folder / "variables" / "variables.index").unlink()
    with pytest.raises(ValueError, match="The passed save_path is not a valid checkpoint"):
        load(folder)


def test_several_main_ops(tmp_path):
    for key in ("saved_model_main_op", "legacy_init_op"):
        folder = write_model(tmp_path / key)
        names = ["v/Assign", "v/read"]
        rewrite(
            folder,
            lambda p, key=key, names=names: (
                p.meta_graphs[0].collection_def[key].node_list.value.extend(names)
            ),
        )
        with pytest.raises(RuntimeError, match=r"one SavedModel init op. Found: \['v/Assign'"):
            load(folder)


def test_arguments_of_the_import(tmp_path):
    folder = write_model(tmp_path / "m")
    text = "import_scoped_meta_graph_with_return_elements.. got an unexpected keyword argument 'z'"
    with pytest.raises(TypeError, match=text):
        load(folder, z=1)
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.constant([5.0])
        tf.saved_model.load(session, ["t"], str(folder), input_map={"x:0": x}, clear_devices=True)
        assert session.run("y:0").tolist() == [10.0]


def test_a_model_without_variables(tmp_path):
    with tf.Graph().as_default(), tf.Session() as session:
        tf.multiply(tf.placeholder(tf.float32, name="x"), 2.0, name="y")
        builder = tf.saved_model.Builder(str(tmp_path / "m"))
        builder.add_meta_graph_and_variables(session, ["t"])
        builder.save()
    assert load(tmp_path / "m").tolist() == [6.0]
    assert list((tmp_path / "m" / "variables").iterdir()) == []
    shutil.rmtree(tmp_path / "m" / "variables")
    assert load(tmp_path / "m").tolist() == [6.0]


def test_a_write_that_fails_leaves_nothing(tmp_path, monkeypatch):
    from headwater.io import atomic_file

    folder = tmp_path / "m"

    def fail(*arguments):
        raise tf.errors.ResourceExhaustedError(None, None, "No space left on device")

    with tf.Graph().as_default(), tf.Session() as session:
        v = tf.Variable(1.0)
        session.run(v.initializer)
        builder = tf.saved_model.Builder(str(folder))
        builder.add_meta_graph_and_variables(session, ["t"])
        with monkeypatch.context() as patch:
            patch.setattr(atomic_file, "rename_file", fail)
            with pytest.raises(tf.errors.ResourceExhaustedError, match="No space left"):
                builder.save()
        assert sorted(path.name for path in folder.iterdir()) == ["variables"]
        assert not tf.saved_model.contains_saved_model(str(folder))


def test_main_op(session):
    v = tf.Variable(3.0)
    w = tf.Variable(4.0, collections=[tf.GraphKeys.LOCAL_VARIABLES])
    restored = v.assign(7.0)
    op = tf.saved_model.main_op.main_op()
    assert op.name == "group_deps"
    assert [i.name for i in op.control_inputs] == ["init", "init_1", "init_all_tables"]
    session.run(op)
    assert session.run([v, w]) == [3.0, 4.0]
    session.run(tf.saved_model.main_op_with_restore(restored.op))
    with pytest.raises(TypeError, match=r"Expected tf.group\(\) expected Tensor arguments not 'r'"):
        tf.saved_model.main_op.main_op_with_restore("r")


def test_what_a_builder_refuses(tmp_path: Path) -> None:
    def add(number: int, collection: str | None = None, **options: object) -> None:
        with tf.Graph().as_default(), tf.Session() as session:
            tf.get_variable("v", []).initializer.run()
            if collection is not None:
                tf.add_to_collection(collection, tf.no_op())
            operation = {"main_op": tf.no_op()} if collection else {}
            builder = tf.saved_model.Builder(str(tmp_path / str(number)))
            builder.add_meta_graph_and_variables(session, ["a"], **operation, **options)

    info = meta_graph_pb2.TensorInfo(name="x")
    signature = tf.saved_model.build_signature_def({"x": info}, {}, "method")
    with pytest.raises(AssertionError, match="must have the dtype field set"):
        add(1, signature_def_map={"key": signature})
    for number, key in enumerate(("legacy_init_op", "saved_model_main_op"), 2):
        with pytest.raises(ValueError, match=f"one or more main ops under the collection {key}"):
            add(number, key)
