# case: input_layer puts dense columns side by side, sorted by name
sess = tf.Session()
fc = tf.feature_column
price = fc.numeric_column("price", shape=[2])
scaled = fc.numeric_column("scaled", normalizer_fn=lambda x: x * 2.0)
level = fc.bucketized_column(price, [0.0, 10.0])
features = {"price": [[1.0, -2.0], [5.0, 10.0]], "scaled": [3, 4]}
print(sess.run(fc.input_layer(features, [scaled, price, level])).tolist())
# case: indicator columns count ids
sess = tf.Session()
fc = tf.feature_column
words = tf.SparseTensor([[0, 0], [0, 1], [1, 0], [2, 2]], ["b", "b", "a", "z"], [3, 3])
column = fc.categorical_column_with_vocabulary_list("words", ["a", "b", "c"])
oov = fc.categorical_column_with_vocabulary_list("words", ["a", "b", "c"], num_oov_buckets=2)
default = fc.categorical_column_with_vocabulary_list("words", ["a", "b"], default_value=0)
for each in (column, oov, default):
    net = fc.input_layer({"words": words}, [fc.indicator_column(each)])
    sess.run(tf.tables_initializer())
    print(sess.run(net).tolist())
# case: vocabularies of integers, dense features without a value
sess = tf.Session()
fc = tf.feature_column
column = fc.categorical_column_with_vocabulary_list("n", [30, 10, 20], dtype=tf.int64)
net = fc.input_layer({"n": [[10, -1], [20, 7]]}, [fc.indicator_column(column)])
sess.run(tf.tables_initializer())
print(sess.run(net).tolist())
print(column)
# case: ids of hashed strings and integers
sess = tf.Session()
fc = tf.feature_column
text = fc.categorical_column_with_hash_bucket("text", 1000)
number = fc.categorical_column_with_hash_bucket("number", 1000, dtype=tf.int64)
from tensorflow.python.feature_column.feature_column import _LazyBuilder

builder = _LazyBuilder({"text": [["omar", ""], ["stringer", "marlo"]], "number": [7, -1, 12]})
for column in (text, number):
    ids = sess.run(column._get_sparse_tensors(builder).id_tensor)
    print(ids.indices.tolist(), ids.values.tolist(), ids.dense_shape.tolist())
# case: ids of crossed columns
sess = tf.Session()
fc = tf.feature_column
price = fc.numeric_column("price", shape=[2])
level = fc.bucketized_column(price, [0.0, 1.0])
word = fc.categorical_column_with_vocabulary_list("word", ["a", "b"])
inner = fc.crossed_column([level, "text"], 50)
outer = fc.crossed_column([inner, word], 100, hash_key=5)
features = {
    "price": [[-1.0, 0.5], [2.0, 0.0]],
    "text": tf.SparseTensor([[0, 0], [1, 0], [1, 1]], ["x", "y", "z"], [2, 2]),
    "word": [["a"], ["b"]],
}
from tensorflow.python.feature_column.feature_column import _LazyBuilder

builder = _LazyBuilder(features)
for column in (inner, outer):
    ids = column._get_sparse_tensors(builder).id_tensor
    sess.run(tf.tables_initializer())
    ids = sess.run(ids)
    print(column.name, ids.indices.tolist(), ids.values.tolist(), ids.dense_shape.tolist())
# case: identity columns
sess = tf.Session()
fc = tf.feature_column
strict = fc.categorical_column_with_identity("i", 3)
lenient = fc.categorical_column_with_identity("i", 3, default_value=1)
ids = tf.placeholder(tf.int64, [None, 1])
first = fc.input_layer({"i": ids}, [fc.indicator_column(strict)])
second = fc.input_layer({"i": ids}, [fc.indicator_column(lenient)])
print(sess.run([first, second], {ids: [[0], [2]]}))
print(sess.run(second, {ids: [[-5], [3]]}).tolist())
for wrong in (3, -2):
    try:
        sess.run(first, {ids: [[wrong]]})
    except tf.errors.InvalidArgumentError as error:
        print(error.message.split("\n")[0])
# case: weighted ids in an indicator, an embedding and a linear model
sess = tf.Session()
fc = tf.feature_column
ids = fc.categorical_column_with_identity("i", 4)
weighted = fc.weighted_categorical_column(ids, "w")
features = {
    "i": tf.SparseTensor([[0, 0], [0, 1], [1, 0]], tf.constant([1, 3, 0], tf.int64), [2, 2]),
    "w": tf.SparseTensor([[0, 0], [0, 1], [1, 0]], [0.5, 2.0, 3.0], [2, 2]),
}
table = tf.constant_initializer([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 8.0]])
embedded = fc.embedding_column(weighted, 2, initializer=table)
net = fc.input_layer(features, [fc.indicator_column(weighted), embedded])
cols = {}
y = fc.linear_model(features, [weighted], cols_to_vars=cols)
sess.run(tf.global_variables_initializer())
show(sess.run(net))
sess.run(cols[weighted][0].assign([[1.0], [2.0], [3.0], [4.0]]))
sess.run(cols["bias"][0].assign([10.0]))
show(sess.run(y))
print(fc.make_parse_example_spec([weighted]))
# case: combiners of embeddings and of linear models
sess = tf.Session()
fc = tf.feature_column
ids = fc.categorical_column_with_identity("i", 3)
features = {
    "i": tf.SparseTensor([[0, 0], [0, 1], [2, 0]], tf.constant([0, 2, 1], tf.int64), [3, 2])
}
table = tf.constant_initializer([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
for combiner in ("mean", "sum", "sqrtn"):
    net = fc.input_layer(features, [fc.embedding_column(ids, 2, combiner, initializer=table)])
    cols = {}
    y = fc.linear_model(features, [ids], units=2, sparse_combiner=combiner, cols_to_vars=cols)
    sess.run(tf.global_variables_initializer())
    sess.run(cols[ids][0].assign([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]))
    print(combiner, sess.run(net).round(5).tolist(), sess.run(y).round(5).tolist())
# case: embeddings with a maximal norm, and their seeded initial values
sess = tf.Session()
fc = tf.feature_column
tf.set_random_seed(3)
ids = fc.categorical_column_with_identity("i", 3)
features = {"i": [[0], [1], [2]]}
table = tf.constant_initializer([[3.0, 4.0], [0.3, 0.4], [6.0, 8.0]])
clipped = fc.input_layer(features, [fc.embedding_column(ids, 2, initializer=table, max_norm=1.0)])
seeded = fc.input_layer(features, [fc.embedding_column(ids, 4)])
sess.run(tf.global_variables_initializer())
print(sess.run(clipped).round(5).tolist())
print(sess.run(seeded).round(4).tolist())
# case: names, shapes and collections of variables
fc = tf.feature_column
ids = fc.categorical_column_with_identity("i", 3)
other = fc.categorical_column_with_identity("j", 3)
shared = fc.shared_embedding_columns([other, ids], 2)
features = {"i": [[0], [1]], "j": [[2], [1]], "x": [[1.0], [2.0]]}
columns = [fc.embedding_column(ids, 2), fc.numeric_column("x"), *shared]
with tf.variable_scope("net", partitioner=tf.fixed_size_partitioner(2)):
    cols = {}
    fc.input_layer(features, columns, weight_collections=["mine"], cols_to_vars=cols)
fc.linear_model(features, [ids, fc.numeric_column("x")], units=3, trainable=False)
for key in ("mine", "variables", "trainable_variables", "model_variables", "i_j_shared_embedding"):
    print(key, [(v.name, v.shape.as_list()) for v in tf.get_collection(key)])
print(sorted((column.name, [v.name for v in found]) for column, found in cols.items()))
# case: specs for parsing, and parsed features in a model
sess = tf.Session()
fc = tf.feature_column
columns = [
    fc.numeric_column("x", shape=[2], default_value=1.5),
    fc.bucketized_column(fc.numeric_column("y"), [1.0]),
    fc.indicator_column(fc.categorical_column_with_vocabulary_list("w", ["a", "b"])),
    fc.embedding_column(fc.categorical_column_with_hash_bucket("h", 5), 2),
    fc.crossed_column(["p", "q"], 10),
    fc.categorical_column_with_identity("i", 5),
]
spec = fc.make_parse_example_spec(columns)
for key in sorted(spec):
    print(key, spec[key])
example = tf.train.Example()
example.features.feature["y"].float_list.value.append(2.0)
example.features.feature["w"].bytes_list.value.extend([b"b", b"a", b"b"])
parsed = tf.io.parse_example([example.SerializeToString()], fc.make_parse_example_spec(columns[:3]))
net = fc.input_layer(parsed, columns[:3])
sess.run(tf.tables_initializer())
print(sess.run(net).tolist())
# case: texts of columns
fc = tf.feature_column
word = fc.categorical_column_with_vocabulary_list("word", ["a", "b"])
print(fc.numeric_column("x", shape=2, default_value=3))
print(fc.bucketized_column(fc.numeric_column("x"), [1, 2]))
print(fc.categorical_column_with_identity("i", 4), fc.categorical_column_with_hash_bucket("h", 4))
print(fc.weighted_categorical_column(word, "w"), fc.crossed_column(["b", "a", word], 5).name)
print(fc.indicator_column(word).name, fc.embedding_column(word, 2).name, word.num_buckets)
print([c.name for c in fc.shared_embedding_columns([word, word], 3)])
# case: wrong arguments of columns
fc = tf.feature_column
x = fc.numeric_column("x")
word = fc.categorical_column_with_vocabulary_list("word", ["a", "b"])
hashed = fc.categorical_column_with_hash_bucket("h", 4)
for wrong in (
    lambda: fc.numeric_column(3),
    lambda: fc.numeric_column("x", shape=[0]),
    lambda: fc.numeric_column("x", shape=[1.5]),
    lambda: fc.numeric_column("x", shape=[2], default_value=[1.0]),
    lambda: fc.numeric_column("x", default_value="a"),
    lambda: fc.numeric_column("x", dtype=tf.string),
    lambda: fc.numeric_column("x", normalizer_fn=3),
    lambda: fc.bucketized_column(word, [1]),
    lambda: fc.bucketized_column(x, []),
    lambda: fc.bucketized_column(x, [2, 1]),
    lambda: fc.categorical_column_with_hash_bucket("h", 0),
    lambda: fc.categorical_column_with_hash_bucket("h", None),
    lambda: fc.categorical_column_with_hash_bucket("h", 5, dtype=tf.float32),
    lambda: fc.categorical_column_with_vocabulary_list("w", []),
    lambda: fc.categorical_column_with_vocabulary_list("w", ["a", "a"]),
    lambda: fc.categorical_column_with_vocabulary_list("w", ["a"], dtype=tf.int32),
    lambda: fc.categorical_column_with_vocabulary_list("w", [1.5]),
    lambda: fc.categorical_column_with_vocabulary_list("w", ["a"], None, 2, 3),
    lambda: fc.categorical_column_with_vocabulary_list("w", ["a"], num_oov_buckets=-1),
    lambda: fc.categorical_column_with_vocabulary_file("w", ""),
    lambda: fc.categorical_column_with_vocabulary_file("w", "missing.txt"),
    lambda: fc.categorical_column_with_vocabulary_file("w", "missing.txt", 0),
    lambda: fc.categorical_column_with_identity("i", 0),
    lambda: fc.categorical_column_with_identity("i", 3, 3),
    lambda: fc.weighted_categorical_column(word, "w", tf.string),
    lambda: fc.crossed_column(["a"], 10),
    lambda: fc.crossed_column(["a", "b"], 0),
    lambda: fc.crossed_column(["a", hashed], 10),
    lambda: fc.embedding_column(word, 0),
    lambda: fc.embedding_column(word, None),
    lambda: fc.embedding_column(word, 2, initializer=3),
    lambda: fc.embedding_column(word, 2, ckpt_to_load_from="path"),
    lambda: fc.shared_embedding_columns([word, hashed], 2),
    lambda: fc.shared_embedding_columns([word, x], 2),
):
    try:
        wrong()
    except (ValueError, TypeError) as error:
        print(type(error).__name__, str(error).replace("_NumericColumn", "NumericColumn")[:200])
# case: wrong use of columns
fc = tf.feature_column
x = fc.numeric_column("x")
word = fc.categorical_column_with_vocabulary_list("word", ["a", "b"])
number = fc.categorical_column_with_identity("i", 3)
steps = fc.sequence_categorical_column_with_identity("i", 3)
sparse = tf.SparseTensor([[0, 0]], [1.0], [1, 1])
for wrong in (
    lambda: fc.input_layer({"word": ["a"]}, [word]),
    lambda: fc.input_layer({"x": [[1.0]]}, []),
    lambda: fc.input_layer({"x": [[1.0]]}, ["x"]),
    lambda: fc.input_layer({"x": [[1.0]]}, {"x": x}),
    lambda: fc.input_layer({"x": [[1.0]]}, [x, fc.numeric_column("x", default_value=1.0)]),
    lambda: fc.input_layer({"y": [[1.0]]}, [x]),
    lambda: fc.input_layer({"x": 1.0}, [x]),
    lambda: fc.input_layer({"x": sparse}, [x]),
    lambda: fc.input_layer({"x": [[1.0]], "y": [[1.0], [2.0]]}, [x, fc.numeric_column("y")]),
    lambda: fc.input_layer({"word": [[1.5]]}, [fc.indicator_column(word)]),
    lambda: fc.input_layer({"word": [[1]]}, [fc.indicator_column(word)]),
    lambda: fc.input_layer({"i": [["a"]]}, [fc.indicator_column(number)]),
    lambda: fc.input_layer({"i": [[1]]}, [fc.indicator_column(steps)]),
    lambda: fc.input_layer({"i": [[1]]}, [fc.embedding_column(steps, 2)]),
    lambda: fc.input_layer(
        {"i": [[1]], "w": [[1]]},
        [fc.indicator_column(fc.weighted_categorical_column(number, "w"))],
    ),
    lambda: fc.linear_model({"i": [[1]]}, [3]),
    lambda: fc.make_parse_example_spec(["x"]),
    lambda: fc.make_parse_example_spec([x, fc.numeric_column("x", shape=2)]),
):
    try:
        wrong()
    except (ValueError, TypeError) as error:
        text = str(error).split("\n")[0]
        print(type(error).__name__, text.replace("tensorflow.python.feature_column.", "")[:120])
# case: layers of columns of version 2
sess = tf.Session()
fc = tf.feature_column
from tensorflow.python.feature_column import feature_column_v2 as v2

ids = fc.categorical_column_with_identity("i", 3)
x = fc.numeric_column("x")
features = {"i": [[0], [1]], "x": [[1.0], [2.0]]}
layer = tf.keras.layers.DenseFeatures([x, fc.embedding_column(ids, 2, initializer=tf.ones_initializer())])
net = layer(features)
again = layer(features)
model = v2.LinearModel([x, ids], units=2)
y = model(features)
sess.run(tf.global_variables_initializer())
print(sess.run(net).tolist(), sess.run(again).tolist(), sess.run(y).tolist())
print([v.name for v in layer.variables + model.variables], model.bias.name)
print(layer.compute_output_shape([5, 3]))
with tf.variable_scope("outer"):
    named = tf.keras.layers.DenseFeatures(fc.embedding_column(ids, 2), trainable=False, name="named")
    named(features)
print([v.name for v in named.variables], len(named.trainable_variables), named.name)
print(v2.is_feature_column_v2([x, ids]), net.shape, y.shape)
# case: sequences
sess = tf.Session()
fc = tf.feature_column
ids = fc.sequence_categorical_column_with_identity("i", 3)
words = fc.sequence_categorical_column_with_vocabulary_list("w", ["a", "b"])
x = fc.sequence_numeric_column("x", shape=[2], default_value=-1.0)
features = {
    "i": tf.SparseTensor([[0, 0], [0, 1], [1, 0]], tf.constant([2, 0, 1], tf.int64), [3, 2]),
    "w": tf.SparseTensor([[0, 0], [0, 1], [1, 0]], ["b", "z", "a"], [3, 2]),
    "x": tf.SparseTensor(
        [[0, 0], [0, 1], [0, 2], [0, 3], [1, 0], [1, 1]], [1.0, 2.0, 3.0, 4.0, 5.0, 6.0], [3, 4]
    ),
}
table = tf.constant_initializer([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
columns = [fc.embedding_column(ids, 2, initializer=table), fc.indicator_column(words), x]
layer = tf.keras.experimental.SequenceFeatures(columns)
net, length = layer(features)
sess.run([tf.global_variables_initializer(), tf.tables_initializer()])
print(sess.run(net).tolist(), sess.run(length).tolist(), net.shape)
print(sorted(fc.make_parse_example_spec(columns[:2]).items()))
try:
    tf.keras.experimental.SequenceFeatures([fc.embedding_column(ids, 2), fc.numeric_column("y")])
except ValueError as error:
    print(str(error)[-120:])
# case: embeddings that start from a checkpoint
sess = tf.Session()
import tempfile

fc = tf.feature_column
with tf.Graph().as_default(), tf.Session() as saving:
    saved = tf.get_variable("vectors", initializer=[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    saving.run(saved.initializer)
    path = tf.train.Saver().save(saving, tempfile.mkdtemp() + "/model.ckpt")
ids = fc.categorical_column_with_identity("i", 3)
other = fc.categorical_column_with_identity("j", 3)
start = {"ckpt_to_load_from": path, "tensor_name_in_ckpt": "vectors"}
columns = [fc.embedding_column(ids, 2, **start), *fc.shared_embedding_columns([other], 2, **start)]
net = fc.input_layer({"i": [[2], [0]], "j": [[1], [1]]}, columns)
sess.run(tf.global_variables_initializer())
print(sess.run(net).tolist())
# case: columns that a program defines
sess = tf.Session()
from tensorflow.python.feature_column import feature_column as old


class Doubled(old._DenseColumn):
    @property
    def name(self):
        return "doubled"

    @property
    def _parse_example_spec(self):
        return {"x": tf.io.FixedLenFeature([1], tf.float32)}

    def _transform_feature(self, inputs):
        return 2.0 * inputs.get("x")

    @property
    def _variable_shape(self):
        return tf.TensorShape([1])

    def _get_dense_tensor(self, inputs, weight_collections=None, trainable=None):
        return inputs.get(self)


features = {"x": [[1.0], [2.0]]}
columns = [Doubled(), tf.feature_column.numeric_column("x")]
print(sess.run(tf.feature_column.input_layer(features, columns)).tolist())
print(tf.feature_column.make_parse_example_spec(columns)["x"].shape)
print(tf.feature_column.linear_model(features, columns).shape)
