"""The Exporter, its exports, and those of TensorFlow 1.15.5 and 1.0.0."""

from __future__ import annotations

from pathlib import Path

import pytest

import headwater as tf
import headwater.contrib.session_bundle.shim as shim
from headwater.protos import manifest_pb2, meta_graph_pb2

GOLDEN = Path(__file__).parent.parent / "golden" / "saved_models"
bundles = tf.contrib.session_bundle
gc = bundles.gc
VERSIONS = [gc.Path(f"/a/{i}", i) for i in range(10)]


def numbers(paths):
    return [path.export_version for path in paths]


def write_export(folder, step=7, **arguments):
    """Exports y = x * v with an init operation and an asset."""
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, [None], name="x")
        v = tf.Variable(2.0, name="v")
        y = tf.multiply(x, v, name="y")
        (folder / "words").write_text("some words")
        asset = tf.constant(str(folder / "words"), name="asset")
        content = tf.Variable("", name="content", trainable=False, collections=["contents"])
        session.run(v.initializer)
        export = bundles.exporter.Exporter(tf.train.Saver())
        export.init(
            tf.get_default_graph().as_graph_def(),
            init_op=tf.group(content.assign(tf.read_file(asset))),
            default_graph_signature=bundles.exporter.regression_signature(x, y),
            named_graph_signatures={
                "inputs": bundles.exporter.generic_signature({"x": x}),
                "outputs": bundles.exporter.generic_signature({"y": y}),
            },
            assets_collection=[asset],
        )
        path = export.export(str(folder / "exports"), tf.constant(step), session, **arguments)
    (folder / "words").unlink()
    return path


@pytest.mark.parametrize("version", ["1.15.5", "1.0.0"])
def test_exports_of_real_releases(version):
    folder = str(GOLDEN / version / "bundle" / "00000001")
    with tf.Graph().as_default():
        session, meta_graph = bundles.session_bundle.load_session_bundle_from_path(folder)
        (packed,) = meta_graph.collection_def["serving_signatures"].any_list.value
        signatures = manifest_pb2.Signatures()
        assert packed.Unpack(signatures)
        regression = signatures.default_signature.regression_signature
        feeds = {regression.input.tensor_name: [2.0]}
        assert session.run(regression.output.tensor_name, feeds).tolist() == [6.0]
    with tf.Graph().as_default():
        load = bundles.bundle_shim.load_session_bundle_or_saved_model_bundle_from_path
        session, meta_graph = load(folder)
        signature = meta_graph.signature_def["serving_default"]
        assert signature.method_name == "tensorflow/serving/regress"
        assert signature.inputs["inputs"].name == "x:0"
        named = meta_graph.signature_def["serving_default_from_named"]
        assert (named.inputs["x"].name, named.outputs["y"].name) == ("x:0", "y:0")


def test_an_export(tmp_path):
    path = write_export(tmp_path)
    assert path == str(tmp_path / "exports" / "00000007").encode()
    files = sorted(p.name for p in (tmp_path / "exports" / "00000007").iterdir())
    assert files == [
        *("assets", "checkpoint", "export.data-00000-of-00001", "export.index", "export.meta"),
    ]
    assert bundles.session_bundle.maybe_session_bundle_dir(path)
    meta = tmp_path / "exports" / "00000007" / "export.meta"
    proto = meta_graph_pb2.MetaGraphDef.FromString(meta.read_bytes())
    types = {
        key: [value.type_url for value in collection.any_list.value]
        for key, collection in proto.collection_def.items()
        if collection.HasField("any_list")
    }
    prefix = "type.googleapis.com/tensorflow."
    assert types == {
        "serving_assets": [f"{prefix}serving.AssetFile"],
        "serving_graph": [f"{prefix}GraphDef"],
        "serving_signatures": [f"{prefix}serving.Signatures"],
    }
    with tf.Graph().as_default():
        session, _ = bundles.session_bundle.load_session_bundle_from_path(path.decode())
        assert session.run("content:0") == b"some words"
        assert session.run("y:0", {"x:0": [3.0]}).tolist() == [6.0]


def test_old_exports_are_deleted(tmp_path):
    for step in (7, 8, 9):
        write_export(tmp_path, step, exports_to_keep=gc.largest_export_versions(2))
    kept = sorted(path.name for path in (tmp_path / "exports").iterdir())
    assert kept == ["00000008", "00000009"]
    with pytest.raises(RuntimeError, match="Overwriting exports can cause corruption and are not"):
        write_export(tmp_path, 9)


def test_wrong_calls(session):
    tf.Variable(1.0)
    export = bundles.exporter.Exporter(tf.train.Saver())
    with pytest.raises(RuntimeError, match="init must be called first"):
        export.export("/none", tf.constant(1), session)
    for arguments, text in (
        ({"init_op": "x"}, "init_op needs to be an Operation: x"),
        ({"assets_collection": [3]}, "tensor is not a Tensor"),
        ({"assets_collection": [tf.constant(3)]}, "File paths should be string"),
    ):
        with pytest.raises(TypeError, match=text):
            bundles.exporter.Exporter(tf.train.Saver()).init(**arguments)
    export.init()
    with pytest.raises(RuntimeError, match="init should be called only once"):
        export.init()


def test_folders_that_are_no_exports(tmp_path):
    with pytest.raises(RuntimeError, match=r"Expected meta graph file missing /none/export.meta"):
        bundles.session_bundle.load_session_bundle_from_path("/none")
    load = bundles.bundle_shim.load_session_bundle_or_saved_model_bundle_from_path
    with pytest.raises(RuntimeError, match="not found at specified export location: /none"):
        load("/none")
    assert not bundles.session_bundle.maybe_session_bundle_dir(str(tmp_path))


def test_signatures_that_cannot_be_converted():
    signatures = manifest_pb2.Signatures()
    signatures.default_signature.generic_signature.SetInParent()
    with pytest.raises(RuntimeError, match="generic_signature is not supported"):
        shim._convert_default_signature_to_signature_def(signatures)
    signatures.named_signatures["inputs"].regression_signature.SetInParent()
    text = "Input signature type is regression_signature, output signature type is None"
    with pytest.raises(RuntimeError, match=text):
        shim._convert_named_signatures_to_signature_def(signatures)


def test_which_exports_are_kept():
    assert numbers(gc.largest_export_versions(3)(VERSIONS)) == [7, 8, 9]
    assert numbers(gc.mod_export_version(3)(VERSIONS)) == [0, 3, 6, 9]
    assert numbers(gc.one_of_every_n_export_versions(3)(VERSIONS)) == [3, 6, 9]
    both = gc.union(gc.largest_export_versions(2), gc.mod_export_version(4))
    assert numbers(both(VERSIONS)) == [0, 4, 8, 9]
    assert numbers(gc.negation(gc.largest_export_versions(3))(VERSIONS)) == list(range(7))


def test_names_of_other_modules():
    exporter = bundles.exporter
    assert exporter.Any.DESCRIPTOR.full_name == "google.protobuf.Any"
    assert exporter.deprecated is gc.deprecated is tf.contrib.framework.deprecated
