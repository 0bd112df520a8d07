# case: configurations of columns and layers
from tensorflow.python.feature_column import serialization

fc = tf.feature_column
Dense = tf.keras.layers.DenseFeatures
words = fc.categorical_column_with_vocabulary_list("a", ["x", "y"])
number = fc.numeric_column("n", shape=(2,))
columns = [
    number,
    fc.bucketized_column(fc.numeric_column("b"), [0.0, 1.0]),
    fc.embedding_column(words, 3),
    fc.embedding_column(words, 2, combiner="sum", initializer=tf.zeros_initializer()),
    fc.indicator_column(words),
    fc.indicator_column(fc.categorical_column_with_hash_bucket("h", 5)),
    fc.indicator_column(fc.categorical_column_with_identity("i", 5, default_value=0)),
    fc.indicator_column(fc.crossed_column(["p", words], 7)),
    fc.indicator_column(fc.weighted_categorical_column(words, "w")),
    fc.indicator_column(fc.categorical_column_with_vocabulary_file("f", "/x", 3)),
]
for column in columns:
    layer = Dense([column], name="d")
    config = layer.get_config()
    print(sorted(config.items()))
    again = Dense.from_config(config)
    print(again.name, type(again._feature_columns[0]).__name__, again._feature_columns[0].name == column.name)
print([c["class_name"] for c in Dense([columns[1], columns[2], columns[4]]).get_config()["feature_columns"]])
configs = serialization.serialize_feature_columns(columns[:2])
print(serialization.deserialize_feature_columns(configs) == columns[:2])
print(serialization.serialize_feature_column("x"), serialization.deserialize_feature_column("x"))


def twice(x):
    return 2 * x


plain = dict(configs[0]["config"], normalizer_fn="twice", shape=[2])
made = serialization.deserialize_feature_column({"class_name": "NumericColumn", "config": plain}, custom_objects={"twice": twice})
print(made.normalizer_fn is twice, made.shape, serialization.serialize_feature_column(made)["config"]["normalizer_fn"])
for column in (fc.sequence_numeric_column("z"), fc.sequence_categorical_column_with_identity("q", 3)):
    print(serialization.serialize_feature_column(column))
for call in (
    lambda: serialization.serialize_feature_column(3),
    lambda: serialization.deserialize_feature_column({"class_name": "Nope", "config": {}}),
):
    try:
        call()
    except ValueError as error:
        print(error)
session = tf.Session()
first = Dense([number])
second = Dense.from_config(first.get_config())
show(session.run(second({"n": [[1.0, 2.0]]})))
