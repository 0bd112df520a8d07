# case: examples of every kind of feature
def feature(values):
    if not values:
        return tf.train.Feature()
    if isinstance(values[0], bytes):
        return tf.train.Feature(bytes_list=tf.train.BytesList(value=values))
    if isinstance(values[0], int):
        return tf.train.Feature(int64_list=tf.train.Int64List(value=values))
    return tf.train.Feature(float_list=tf.train.FloatList(value=values))

def example(**features):
    made = {key: feature(values) for key, values in features.items()}
    return tf.train.Example(features=tf.train.Features(feature=made)).SerializeToString()

def attempt(function, *arguments, **options):
    try:
        with tf.Session() as session:
            result = function(*arguments, **options)
            for key in sorted(result):
                value = result[key]
                if isinstance(value, tf.SparseTensor):
                    parts = session.run([value.indices, value.values, value.dense_shape])
                    show(key, value.indices.shape, value.dense_shape.shape, parts)
                else:
                    show(key, value.shape, session.run(value))
    except Exception as error:
        print(type(error).__name__, str(error).split("\n")[0])

texts = [
    example(val=[3.0, 4.0], idx=[5, 10], c=[2.0, 3.0], s=[b"a", b"b"]),
    example(val=[], idx=[], c=[1.0, -1.0]), example(c=[0.5, 0.5], s=[b"x"]),
    example(val=[1.0, 2.0, -1.0], idx=[0, 9, 3], c=[1.0, 2.0], s=[]),
    example(val=[9.0], idx=[1], c=[7.0, 7.0]) + example(val=[1.0, 2.0], idx=[4, 6], c=[1.0, 1.0]),
    b"",
]
wanted = {
    "sp": tf.SparseFeature("idx", "val", tf.float32, 13),
    "sorted": tf.SparseFeature(["idx"], "val", tf.float32, [13], already_sorted=True),
    "idx": tf.VarLenFeature(tf.int64),
    "c": tf.FixedLenFeature((2,), tf.float32, [8.0, 9.0]),
    "s": tf.FixedLenSequenceFeature([], tf.string, allow_missing=True),
    "c:tricky name": tf.FixedLenFeature([], tf.int64, -1),
}
for text in texts:
    attempt(tf.parse_single_example, text, wanted)
    attempt(tf.parse_single_example, text, wanted, example_names="name")
attempt(tf.parse_example, texts, wanted)
attempt(tf.parse_example, texts[:4] * 20, wanted, example_names=["n%d" % i for i in range(80)])
attempt(tf.parse_example, texts[:3] * 20, {"s": tf.VarLenFeature(tf.string)})
# case: examples that are refused
def feature(values):
    if isinstance(values[0], bytes):
        return tf.train.Feature(bytes_list=tf.train.BytesList(value=values))
    if isinstance(values[0], int):
        return tf.train.Feature(int64_list=tf.train.Int64List(value=values))
    return tf.train.Feature(float_list=tf.train.FloatList(value=values))

def example(**features):
    made = {key: feature(values) for key, values in features.items()}
    return tf.train.Example(features=tf.train.Features(feature=made)).SerializeToString()

good, short = example(a=[1.0, 2.0, 3.0]), example(a=[-1.0, -1.0])
other, empty = example(a=[1, 2, 3]), tf.train.Example(
    features=tf.train.Features(feature={"a": tf.train.Feature()})).SerializeToString()

def attempt(text, features, **options):
    function = tf.parse_single_example if isinstance(text, bytes) else tf.parse_example
    try:
        with tf.Session() as session:
            session.run(list(function(text, features, **options).values()))
        print("read")
    except Exception as error:
        print(type(error).__name__, str(error).split("\n")[0].split(" for '")[0])

dense = {"a": tf.FixedLenFeature((1, 3), tf.float32)}
for texts in ([good] * 40, [good] * 39 + [short], [good] * 20 + [other] + [good] * 20,
              [good] * 39 + [empty], [good] * 39 + [b""], [good] * 39 + [good[:-1]], [good, short]):
    attempt(texts, dense)
    attempt(texts, dense, example_names=["name%d" % i for i in range(len(texts))])
    attempt(texts, {"a": tf.FixedLenSequenceFeature([2], tf.float32, allow_missing=True)})
for text in (good, b"", short):
    attempt(text, dense)
for text in (empty, other):
    attempt(text, {"a": tf.FixedLenFeature([3], tf.float32)})
attempt(b"", {"a": tf.FixedLenFeature(None, tf.float32)})
attempt(b"", {"a": tf.FixedLenFeature((None, 2), tf.float32)})
attempt(b"", {"a": tf.FixedLenFeature((1, None), tf.int64, [[1]])})
attempt(b"", {"a": tf.FixedLenSequenceFeature([], tf.int64)})
attempt(b"", {"a": tf.FixedLenSequenceFeature((2, 1), tf.float32, True, default_value=[])})
attempt(good, {"a": tf.FixedLenSequenceFeature((2,), tf.float32, allow_missing=True)})
attempt(good, {"a": tf.VarLenFeature(None)})
attempt(good, {"s": tf.SparseFeature(None, "a", tf.float32, 3)})
attempt(good, {"s": tf.SparseFeature("i", None, tf.float32, 3)})
