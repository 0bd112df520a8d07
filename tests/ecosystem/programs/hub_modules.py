"""TensorFlow Hub 0.7: a module is made, exported, loaded, trained and exported again."""

import json
import os
import tempfile

import numpy as np
import tensorflow as tf
import tensorflow_hub as hub

found = {}
folder = tempfile.mkdtemp()
path = os.path.join(folder, "module")


def embedding():
    texts = tf.placeholder(tf.string, [None])
    table = tf.get_variable(
        "table", [10, 4], initializer=tf.truncated_normal_initializer(seed=1, stddev=0.5)
    )
    words = tf.string_to_hash_bucket_fast(texts, 10)
    hub.add_signature(inputs=texts, outputs=tf.nn.embedding_lookup(table, words))
    numbers = tf.placeholder(tf.float32, [None, 4])
    hub.add_signature("dense", {"x": numbers}, {"y": tf.layers.dense(numbers, 2, name="dense")})


spec = hub.create_module_spec(embedding)
found["signatures"] = sorted(spec.get_signature_names())
with tf.Graph().as_default():
    module = hub.Module(spec, trainable=True, name="words")
    module(["a"])
    found["variables"] = sorted(module.variable_map)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        module.export(path, session)
found["files"] = sorted(os.listdir(path))
with tf.Graph().as_default():
    module = hub.Module(path, trainable=True)
    found["inputs"] = sorted(module.get_input_info_dict("dense"))
    vectors = module(tf.constant(["cat", "dog", "house"]))
    again = module({"x": tf.ones([1, 4])}, signature="dense", as_dict=True)["y"]
    loss = tf.reduce_mean(tf.square(vectors - 1.0))
    step = tf.train.GradientDescentOptimizer(0.5).minimize(loss)
    column = hub.text_embedding_column("text", path)
    layer = tf.feature_column.input_layer({"text": tf.constant(["cat"])}, [column])
    with tf.Session() as session:
        session.run([tf.global_variables_initializer(), tf.tables_initializer()])
        found["vectors"] = session.run(vectors).tolist()
        found["column"] = session.run(layer).tolist()
        found["losses"] = []
        for _ in range(3):
            found["losses"].append(float(session.run([loss, step])[0]))
        trained = session.run(vectors)
        found["dense"] = list(session.run(again).shape)
        module.export(os.path.join(folder, "trained"), session)
with tf.Graph().as_default():
    vectors = hub.Module(os.path.join(folder, "trained"))(["cat", "dog", "house"])
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        np.testing.assert_allclose(session.run(vectors), trained, rtol=1e-5)
print(json.dumps(found))
