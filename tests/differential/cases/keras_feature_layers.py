# case: configurations of columns
import json
from tensorflow.python.feature_column import serialization

fc = tf.feature_column


def attempt(function):
    try:
        print(function())
    except Exception as error:
        print(type(error).__name__, str(error).splitlines()[0])


def norm(x):
    return x - 1.0


numbers = fc.numeric_column("a", shape=(2,))
ids = fc.categorical_column_with_identity("i", 4)
columns = [
    numbers,
    fc.numeric_column("n", normalizer_fn=norm, default_value=[1.0]),
    fc.bucketized_column(fc.numeric_column("b"), [0.0, 1.0]),
    fc.indicator_column(fc.categorical_column_with_vocabulary_list("c", ["x", "y"])),
    fc.categorical_column_with_vocabulary_file("f", "/tmp/v", 3, num_oov_buckets=2),
    fc.embedding_column(fc.categorical_column_with_hash_bucket("d", 10), 3, max_norm=2.0),
    fc.embedding_column(ids, 2, initializer=tf.constant_initializer(2.0)),
    fc.crossed_column([fc.bucketized_column(fc.numeric_column("b"), [0.0]), "e"], 5, hash_key=3),
    fc.weighted_categorical_column(ids, "w"),
    fc.indicator_column(fc.sequence_categorical_column_with_identity("s", 3)),
    fc.sequence_numeric_column("q"),
]
for column in columns:
    config = serialization.serialize_feature_column(column)
    print(json.dumps(config, sort_keys=True))
    back = serialization.deserialize_feature_column(
        json.loads(json.dumps(config)), custom_objects={"norm": norm}
    )
    print(back.name, back == column, type(back).__name__)
attempt(lambda: serialization.serialize_feature_column("abc"))
attempt(lambda: serialization.deserialize_feature_column("abc"))
attempt(lambda: serialization.serialize_feature_column(3))
attempt(lambda: serialization.deserialize_feature_column({"class_name": "Foo", "config": {}}))
made = serialization.deserialize_feature_columns(
    serialization.serialize_feature_columns([numbers, numbers])
)
print(made[0] is made[1])
for layer in (
    tf.keras.layers.DenseFeatures(columns[:1] + columns[2:4]),
    tf.keras.experimental.SequenceFeatures([columns[-1]], name="steps"),
):
    config = layer.get_config()
    print(json.dumps(config, sort_keys=True))
    back = type(layer).from_config(config)
    print(back.name, [column.name for column in back._feature_columns])

# case: layers of columns in models
import json

fc = tf.feature_column
columns = [
    fc.numeric_column("a"),
    fc.embedding_column(fc.categorical_column_with_hash_bucket("k", 7), 3),
]
x = {"a": np.arange(8, dtype="f").reshape(8, 1), "k": np.array([["x"], ["y"], ["z"], ["x"]] * 2)}
y = np.arange(8, dtype="f").reshape(8, 1)
model = tf.keras.Sequential([tf.keras.layers.DenseFeatures(columns), tf.keras.layers.Dense(1)])
model.compile("sgd", "mse")
data = tf.data.Dataset.from_tensor_slices((x, y)).batch(4).repeat()
print(len(model.fit(data, epochs=2, verbose=0, steps_per_epoch=2).history["loss"]))
print([(w.name, w.shape.as_list()) for w in model.weights])
before = model.get_weights()
model.fit(x, y, verbose=0)
print([bool(np.abs(a - b).max() > 0) for a, b in zip(before, model.get_weights())])
print(model.predict(data, steps=2).shape, [l.name for l in model.layers])
print([l["class_name"] for l in json.loads(model.to_json())["config"]["layers"]])

# case: features by name in functional models
fc = tf.feature_column
inputs = {"b": tf.keras.Input((2,), name="a"), "a": tf.keras.Input((1,), name="b")}
layer = tf.keras.layers.DenseFeatures([fc.numeric_column("b", (2,)), fc.numeric_column("a")])
outputs = tf.keras.layers.Dense(1, kernel_initializer="ones")(layer(inputs))
model = tf.keras.Model(list(inputs.values()), outputs)
config = model.get_config()
print(config["layers"][2]["inbound_nodes"], config["layers"][3]["inbound_nodes"])
print(config["input_layers"], layer.input_shape, layer.output_shape)
model.summary()
given = [np.array([[1.0, 2.0]]), np.array([[3.0]])]
for copy in (
    model,
    tf.keras.models.clone_model(model),
    tf.keras.models.model_from_json(model.to_json()),
    tf.keras.Model.from_config(config),
):
    print(copy.predict(given), copy.input_names, [l.name for l in copy.layers])
by_name = tf.keras.Model(inputs, outputs)
print(by_name.get_config()["input_layers"], by_name.get_config()["output_layers"])
copy = tf.keras.Model.from_config(by_name.get_config())
print(copy.get_config()["input_layers"], copy.input_names)

# case: the second form of dense features
fc = tf.feature_column
columns = [
    fc.numeric_column("a"),
    fc.embedding_column(fc.categorical_column_with_hash_bucket("k", 7), 3),
]
DenseFeatures = tf.compat.v2.keras.layers.DenseFeatures
inputs = {"a": tf.keras.Input((1,), name="a"), "k": tf.keras.Input((1,), name="k", dtype="string")}
model = tf.keras.Model(inputs, tf.keras.layers.Dense(1)(DenseFeatures(columns)(inputs)))
copy = tf.keras.models.clone_model(model)
print([w.name for w in model.weights], [w.name for w in copy.weights])
features = {"a": tf.ones([2, 1]), "k": tf.constant([["x"], ["y"]])}
with tf.variable_scope("s"):
    layer = DenseFeatures(columns, trainable=False, name="q")
    layer(features)
print([w.name for w in layer.weights], layer.trainable_weights)
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    print(session.run(layer(features)).shape)
