# case: nodes and values
from tensorflow.contrib.layers.python.ops import sparse_feature_cross_op as lib
show(lib.SPARSE_FEATURE_CROSS_DEFAULT_HASH_KEY)
words = tf.SparseTensor([[0, 0], [0, 1], [1, 0]], ["a", "b", "c"], [2, 2])
numbers = tf.constant([[359, -7], [1024, 55555]])
others = tf.constant([["x"], ["y"]])
found = []
for options in ({}, {"hashed_output": True}, {"hashed_output": True, "num_buckets": 100},
                {"hashed_output": True, "num_buckets": 100, "hash_key": lib.SPARSE_FEATURE_CROSS_DEFAULT_HASH_KEY},
                {"hashed_output": True, "hash_key": 5, "name": "crossed"}):
    found.append(lib.sparse_feature_cross([words, numbers, others], **options))
    found.append(lib.sparse_feature_cross([words, others], **options))
nodes()
for part in found:
    show(part.indices, part.values, part.dense_shape)
with tf.Session() as s:
    for part in found:
        show(s.run(part))
# case: empty columns
from tensorflow.contrib.layers.python.ops import sparse_feature_cross_op as lib
words = tf.SparseTensor([[0, 0], [0, 1], [1, 0]], ["a", "b", "c"], [2, 2])
none = tf.SparseTensor(np.zeros((0, 2), np.int64), np.array([], np.object_).astype(str), [2, 0])
with tf.Session() as s:
    show(s.run(lib.sparse_feature_cross([words, none])))
# case: refused
from tensorflow.contrib.layers.python.ops import sparse_feature_cross_op as lib
a = tf.constant([["a"]])
for bad in ("x", (a,), [a, "x"], [a, [["x"]]]):
    try:
        lib.sparse_feature_cross(bad)
    except TypeError as e:
        print(e)
b = tf.constant([["a"], ["b"]])
with tf.Session() as s:
    try:
        s.run(lib.sparse_feature_cross([a, b]).values)
    except tf.errors.InvalidArgumentError as e:
        print(e.message.splitlines()[0])
