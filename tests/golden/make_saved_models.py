"""Writes the folder saved_models/: a SavedModel and a session bundle.

Run it with the Python of TensorFlow 1.15.5, then with that of 1.0.0.
"""

import os
import shutil
import tempfile

import tensorflow as tf

VERSION = tf.__version__
FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "saved_models", VERSION)


def signature(inputs, outputs):
    return tf.saved_model.signature_def_utils.predict_signature_def(inputs, outputs)


def variable(name, value):
    return tf.get_variable(name, initializer=value)


def model(folder):
    """y = x * w + b, words of a vocabulary, and a regression of examples; two graphs."""
    utils = tf.saved_model.signature_def_utils
    builder = tf.saved_model.builder.SavedModelBuilder(folder)
    with tf.Graph().as_default() as graph, tf.Session() as session:
        x = tf.placeholder(tf.float32, [None, 2], name="x")
        w = variable("w", [[1.0], [2.0]])
        with tf.device("/cpu:0"):
            b = tf.Variable(0.5, name="b")
        y = tf.add(tf.matmul(x, w), b, name="y")
        examples = tf.placeholder(tf.string, [None], name="examples")
        features = tf.parse_example(examples, {"x": tf.FixedLenFeature([2], tf.float32)})
        regression = tf.squeeze(tf.matmul(features["x"], w), [1], name="regression")
        signatures = {
            "serving_default": signature({"x": x}, {"y": y}),
            "regress": utils.regression_signature_def(examples, regression),
        }
        path = os.path.join(tempfile.gettempdir(), "words.txt")
        with open(path, "w") as file:
            file.write("first words")
        asset = tf.constant(path, name="asset")
        graph.add_to_collection(tf.GraphKeys.ASSET_FILEPATHS, asset)
        content = tf.Variable("", name="content", trainable=False, collections=["contents"])
        session.run(tf.global_variables_initializer())
        builder.add_meta_graph_and_variables(
            session,
            ["serve"],
            signature_def_map=signatures,
            assets_collection=graph.get_collection(tf.GraphKeys.ASSET_FILEPATHS),
            legacy_init_op=tf.group(content.assign(tf.read_file(asset)), name="read_words"),
        )
        os.remove(path)
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, [None, 2], name="x")
        y = tf.matmul(x, variable("w", [[0.0], [0.0]]), name="y")
        builder.add_meta_graph(
            ["serve", "plain"], signature_def_map={"plain": signature({"x": x}, {"y": y})}
        )
    builder.save()


def bundle(folder):
    """An export of the older Exporter: y = x * w."""
    from tensorflow.contrib.session_bundle import exporter

    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, [None], name="x")
        y = tf.multiply(x, variable("w", 3.0), name="y")
        session.run(tf.global_variables_initializer())
        export = exporter.Exporter(tf.train.Saver(sharded=True))
        export.init(
            tf.get_default_graph().as_graph_def(),
            default_graph_signature=exporter.regression_signature(x, y),
            named_graph_signatures={
                "inputs": exporter.generic_signature({"x": x}),
                "outputs": exporter.generic_signature({"y": y}),
            },
        )
        export.export(folder, tf.constant(1), session)


shutil.rmtree(FOLDER, ignore_errors=True)
os.makedirs(FOLDER)
model(os.path.join(FOLDER, "model"))
bundle(os.path.join(FOLDER, "bundle"))
os.remove(os.path.join(FOLDER, "bundle", "00000001", "checkpoint"))  # has the full path
