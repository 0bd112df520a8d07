# case: inputs of networks
layers = tf.contrib.layers
sess = tf.Session()
word = layers.sparse_column_with_keys("word", ["a", "b", "c"])
hashed = layers.sparse_column_with_hash_bucket("text", 100)
number = layers.sparse_column_with_integerized_feature("number", 4)
price = layers.real_valued_column("price", dimension=2, normalizer=lambda x: x * 2.0)
level = layers.bucketized_column(layers.real_valued_column("level"), [0, 1.5])
table = tf.constant_initializer([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
features = {
    "word": tf.SparseTensor([[0, 0], [0, 1], [1, 0]], ["b", "z", "c"], [2, 2]),
    "text": tf.constant([["x"], [""]]),
    "number": tf.SparseTensor([[0, 0], [1, 0]], tf.constant([7, 2], tf.int64), [2, 1]),
    "price": tf.constant([[1.0, 2.0], [3.0, 4.0]]),
    "level": tf.constant([[1.0], [-1.0]]),
    "weight": tf.SparseTensor([[0, 0], [0, 1], [1, 0]], [0.5, 1.0, 3.0], [2, 2]),
}
weighted = layers.weighted_sparse_column(word, "weight")
columns = [
    layers.embedding_column(word, 2, initializer=table),
    layers.embedding_column(weighted, 2, "sum", initializer=table),
    layers.one_hot_column(word),
    layers.one_hot_column(weighted),
    layers.one_hot_column(number),
    price,
    level,
]
outputs = {}
net = layers.input_from_feature_columns(features, columns, cols_to_outs=outputs)
sess.run([tf.global_variables_initializer(), tf.tables_initializer()])
show(sess.run(net), net)
print([(c.name, c.key == repr(c)) for c in columns])
print(sorted(c.name for c in outputs))
print(sorted(layers.create_feature_spec_for_parsing(columns).items()))

# case: ids of hashed and crossed columns
layers = tf.contrib.layers
sess = tf.Session()
word = layers.sparse_column_with_keys("word", ["a", "b", "c"])
hashed = layers.sparse_column_with_hash_bucket("text", 100)
number = layers.sparse_column_with_hash_bucket("number", 100, dtype=tf.int64)
keyed = layers.sparse_column_with_hash_bucket("text", 100, hash_keys=[[1, 2], [3, 4]])
level = layers.bucketized_column(layers.real_valued_column("level", 2), [0, 1])
inner = layers.crossed_column([hashed, word], 1000)
outer = layers.crossed_column([inner, level], 1000, hash_key=7)
features = {
    "word": tf.SparseTensor([[0, 0], [1, 0]], ["b", "c"], [2, 1]),
    "text": tf.SparseTensor([[0, 0], [0, 1], [1, 0]], ["x", "y", "z"], [2, 2]),
    "number": tf.SparseTensor([[0, 0], [1, 0]], tf.constant([7, 2], tf.int64), [2, 1]),
    "level": tf.constant([[1.0, -1.0], [0.5, 3.0]]),
}
columns = [hashed, number, inner, outer]
transformed = layers.transform_features(features, columns)
for column in columns:
    show(column.name, sess.run(transformed[column]))
show(sess.run(layers.transform_features(features, [keyed])[keyed]))
show(sess.run(layers.transform_features(features, [level])[level]))

# case: weighted sums
layers = tf.contrib.layers
sess = tf.Session()
word = layers.sparse_column_with_keys("word", ["a", "b", "c"], combiner="mean")
number = layers.sparse_column_with_integerized_feature("number", 4)
level = layers.bucketized_column(layers.real_valued_column("level"), [0])
price = layers.real_valued_column("price")
features = {
    "word": tf.SparseTensor([[0, 0], [0, 1], [1, 0]], ["b", "a", "c"], [2, 2]),
    "number": tf.constant([[7, 2], [1, -1]], tf.int64),
    "price": tf.constant([[1.0], [3.0]]),
    "level": tf.constant([[1.0], [-1.0]]),
}
columns = [word, number, level, price]
sums, variables, bias = layers.weighted_sum_from_feature_columns(features, columns, 2)
plain = layers.sparse_column_with_keys("word", ["a", "b"])
joint, both, other = layers.joint_weighted_sum_from_feature_columns(features, [number, plain], 1)
sess.run([tf.global_variables_initializer(), tf.tables_initializer()])
for column in columns:
    (variable,) = variables[column]
    rows = int(variable.shape[0])
    sess.run(variable.assign(np.arange(2.0 * rows).reshape(rows, 2)))
sess.run([bias.assign([10.0, 20.0]), both[0].assign([[1.0], [2.0], [4.0], [8.0], [16.0], [32.0]])])
show(sess.run(sums), sess.run(joint))
print([v.name for v in tf.global_variables()])
print([v.name for v in tf.get_collection("model_variables")])

# case: shared and hashed embeddings
layers = tf.contrib.layers
sess = tf.Session()
a, b = [layers.sparse_column_with_hash_bucket(name, 10) for name in "ab"]
shared = layers.shared_embedding_columns([b, a], 2, initializer=tf.ones_initializer())
scattered = layers.scattered_embedding_column(
    "c", 8, 3, hash_key=123, initializer=tf.constant_initializer(list(range(8)))
)
sparse = tf.SparseTensor([[0, 0], [1, 0], [1, 1]], ["x", "y", "z"], [2, 2])
features = {"a": sparse, "b": sparse, "c": sparse}
net = layers.input_from_feature_columns(features, [*shared, scattered], ["mine"], scope="net")
sess.run(tf.global_variables_initializer())
show(sess.run(net))
print([v.name for v in tf.global_variables()], [v.name for v in tf.get_collection("mine")])
print(tf.get_collection("SHARED_EMBEDDING_COLLECTION_A_B_SHARED_EMBEDDING")[0].name)

# case: sequences
layers = tf.contrib.layers
sess = tf.Session()
word = layers.sparse_column_with_keys("word", ["a", "b"])
table = tf.constant_initializer([[1.0, 2.0], [3.0, 4.0]])
columns = [
    layers.embedding_column(word, 2, initializer=table),
    layers.one_hot_column(word),
    layers.real_valued_column("x", 2),
]
features = {
    "word": tf.SparseTensor([[0, 0, 0], [0, 1, 0], [1, 0, 0]], ["b", "a", "a"], [2, 2, 1]),
    "x": tf.constant([[[1.0, 2.0], [3.0, 4.0]], [[5.0, 6.0], [7.0, 8.0]]]),
}
net = layers.sequence_input_from_feature_columns(features, columns)
sess.run([tf.global_variables_initializer(), tf.tables_initializer()])
show(sess.run(net))
level = layers.bucketized_column(layers.real_valued_column("x", 2), [0.0])
layers.sequence_input_from_feature_columns(features, [level])

# case: parsing of examples
layers = tf.contrib.layers
sess = tf.Session()
word = layers.sparse_column_with_keys("word", ["a", "b"])
price = layers.real_valued_column("price", 2, default_value=[1.0, 2.0])
example = tf.train.Example()
example.features.feature["word"].bytes_list.value.extend([b"b", b"a"])
parsed = layers.parse_feature_columns_from_examples([example.SerializeToString()], [word, price])
sess.run(tf.tables_initializer())
show(sess.run(parsed[word]), sess.run(parsed[price]), sorted(map(str, parsed))[-2:])
placeholders = layers.make_place_holder_tensors_for_base_features([word, price])
print(placeholders["price"], type(placeholders["word"]).__name__)
print(layers.infer_real_valued_columns({"b": tf.zeros([3, 4]), "a": tf.zeros([3], tf.int64)}))

# case: columns of the first era in tf.feature_column
layers = tf.contrib.layers
sess = tf.Session()
word = layers.sparse_column_with_keys("word", ["a", "b"])
price = layers.real_valued_column("price")
level = layers.bucketized_column(price, [2.0])
features = {"word": tf.constant([["b"], ["a"]]), "price": tf.constant([[1.0], [3.0]])}
net = tf.feature_column.input_layer(features, [layers.one_hot_column(word), price, level])
y = tf.feature_column.linear_model(features, [word, price, level])
sess.run([tf.global_variables_initializer(), tf.tables_initializer()])
show(sess.run(net), sess.run(y))

# case: wrong columns
layers = tf.contrib.layers
word = layers.sparse_column_with_keys("word", ["a", "b"])
price = layers.real_valued_column("price")
level = layers.bucketized_column(price, [0.0])
features = {"word": tf.constant([["a"]]), "price": tf.constant([[1.0]])}
for wrong in (
    lambda: layers.sparse_column_with_integerized_feature("x", 0),
    lambda: layers.sparse_column_with_integerized_feature("x", None),
    lambda: layers.sparse_column_with_integerized_feature("x", 5, dtype=tf.string),
    lambda: layers.sparse_column_with_hash_bucket("x", None),
    lambda: layers.sparse_column_with_hash_bucket("x", 5, dtype=tf.float32),
    lambda: layers.sparse_column_with_hash_bucket("x", 5, hash_keys=[]),
    lambda: layers.sparse_column_with_vocabulary_file("x", "file"),
    lambda: layers.weighted_sparse_column(word, "w", tf.string),
    lambda: layers.embedding_column(word, 2, initializer="ones"),
    lambda: layers.embedding_column(word, 2, ckpt_to_load_from="path"),
    lambda: layers.shared_embedding_columns("word", 2),
    lambda: layers.shared_embedding_columns([], 2),
    lambda: layers.shared_embedding_columns([price], 2),
    lambda: layers.shared_embedding_columns([word, layers.sparse_column_with_keys("x", ["a"])], 2),
    lambda: layers.scattered_embedding_column("x", 0, 1, 1),
    lambda: layers.scattered_embedding_column("x", 1, 1, 1, combiner="max"),
    lambda: layers.real_valued_column("x", None),
    lambda: layers.real_valued_column("x", 1.5),
    lambda: layers.real_valued_column("x", 0),
    lambda: layers.real_valued_column("x", dtype=tf.string),
    lambda: layers.real_valued_column("x", 2, default_value=[1.0]),
    lambda: layers.real_valued_column("x", default_value="a"),
    lambda: layers.real_valued_column("x", default_value=1.5, dtype=tf.int32),
    lambda: layers.bucketized_column(word, [1]),
    lambda: layers.bucketized_column(price, []),
    lambda: layers.bucketized_column(price, [2, 1]),
    lambda: layers.crossed_column([word], 10),
    lambda: layers.crossed_column([word, price], 10),
    lambda: layers.crossed_column([word, level], 1),
    lambda: layers.check_feature_columns([word, word]),
    lambda: layers.check_feature_columns({"word": word}),
    lambda: layers.input_from_feature_columns(features, [word]),
    lambda: layers.input_from_feature_columns(features, [layers.crossed_column([word, level], 9)]),
    lambda: layers.weighted_sum_from_feature_columns(
        features, [layers.embedding_column(word, 2)], 1
    ),
    lambda: layers.joint_weighted_sum_from_feature_columns(features, [price], 1),
    lambda: layers.create_feature_spec_for_parsing(["word"]),
    lambda: layers.infer_real_valued_columns(tf.constant("a")),
):
    try:
        wrong()
        print("accepted")
    except (ValueError, TypeError, NotImplementedError) as error:
        text = str(error).split("\n")[0].replace("tensorflow.contrib.layers.", "")
        print(type(error).__name__, text[:90])
# case: tf.contrib.feature_column.sequence_input_layer
fc = tf.contrib.feature_column
sess = tf.Session()
ids = fc.sequence_categorical_column_with_identity("i", 3)
x = fc.sequence_numeric_column("x")
features = {
    "i": tf.SparseTensor([[0, 0], [0, 1], [1, 0]], tf.constant([2, 0, 1], tf.int64), [2, 2]),
    "x": tf.SparseTensor([[0, 0], [0, 1], [1, 0]], [1.0, 2.0, 3.0], [2, 2]),
}
table = tf.constant_initializer([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
columns = [x, tf.feature_column.embedding_column(ids, 2, initializer=table)]
net, length = fc.sequence_input_layer(features, columns)
sess.run(tf.global_variables_initializer())
show(net, length, sess.run(net), sess.run(length))
print([v.name for v in tf.get_collection("model_variables")])
