# case: HashTable
t = tf.contrib.lookup.HashTable(
    tf.contrib.lookup.KeyValueTensorInitializer(["a", "b"], np.array([1, 2], np.int64)), -1
)
out, size = t.lookup(tf.constant([["a", "z"]])), t.size()
init = tf.tables_initializer()
nodes()
with tf.Session() as s:
    s.run(init)
    show(*s.run([out, size]))
# case: a table that is not initialized
t = tf.contrib.lookup.HashTable(
    tf.contrib.lookup.KeyValueTensorInitializer(["a", "b"], np.array([1, 2], np.int64)), -1
)
with tf.Session() as s:
    s.run(t.lookup(tf.constant(["a"])))
# case: a table with two values for one key
t = tf.contrib.lookup.HashTable(
    tf.contrib.lookup.KeyValueTensorInitializer(["a", "a"], np.array([1, 2], np.int64)), -1
)
with tf.Session() as s:
    s.run(t.init)
# case: keys of a wrong type
t = tf.contrib.lookup.HashTable(
    tf.contrib.lookup.KeyValueTensorInitializer(["a", "b"], np.array([1, 2], np.int64)), -1
)
t.lookup(tf.constant([1]))
# case: tables under one shared name
L = tf.contrib.lookup
a = L.HashTable(L.KeyValueTensorInitializer(["a"], np.array([5], np.int64)), -1, shared_name="q")
b = L.HashTable(L.KeyValueTensorInitializer(["b"], np.array([7], np.int64)), -1, shared_name="q")
with tf.Session() as s:
    s.run(a.init)
    s.run(b.init)
    show(*s.run([b.lookup(tf.constant(["a", "b"])), b.size()]))
# case: MutableHashTable
t = tf.contrib.lookup.MutableHashTable(tf.string, tf.int64, -1)
insert = t.insert(tf.constant(["a", "b", "a"]), tf.constant([1, 2, 3], tf.int64))
remove, find, size = t.remove(tf.constant(["b"])), t.lookup(tf.constant(["a", "b"])), t.size()
nodes()
with tf.Session() as s:
    s.run(insert)
    show(*s.run([find, size]))
    s.run(remove)
    show(*s.run([find, size]))
# case: MutableHashTable of vectors
t = tf.contrib.lookup.MutableHashTable(tf.string, tf.int64, [-1, -2])
insert = t.insert(tf.constant(["a"]), tf.constant([[1, 2]], tf.int64))
find = t.lookup(tf.constant([["a", "q"]]))
keys, values = t.export()
print(find.shape, keys.shape, values.shape)
with tf.Session() as s:
    s.run(insert)
    show(*s.run([find, keys, values]))
# case: MutableDenseHashTable
t = tf.contrib.lookup.MutableDenseHashTable(tf.int64, tf.int64, -1, 0, -1, initial_num_buckets=4)
insert = t.insert(tf.constant([11, 12, 13], tf.int64), tf.constant([1, 2, 3], tf.int64))
remove = t.remove(tf.constant([12], tf.int64))
find = t.lookup(tf.constant([11, 12, 13], tf.int64))
with tf.Session() as s:
    s.run(insert)
    show(*s.run(list(t.export())))
    s.run(remove)
    show(*s.run([find, t.size()]))
# case: the empty key of a MutableDenseHashTable
t = tf.contrib.lookup.MutableDenseHashTable(tf.int64, tf.int64, -1, 0, -1)
with tf.Session() as s:
    s.run(t.insert(tf.constant([0], tf.int64), tf.constant([1], tf.int64)))
# case: index_table_from_tensor with buckets
t = tf.contrib.lookup.index_table_from_tensor(["a", "b"], num_oov_buckets=5)
out = t.lookup(tf.constant(["a", "b", "c", "d", "hello"]))
size = t.size()
nodes()
with tf.Session() as s:
    s.run(tf.tables_initializer())
    show(*s.run([out, size]))
# case: index_table_from_tensor of integers
t = tf.contrib.lookup.index_table_from_tensor([7, 9], num_oov_buckets=5, dtype=tf.int32)
out = t.lookup(tf.constant([7, 9, 10, -3]))
with tf.Session() as s:
    s.run(tf.tables_initializer())
    show(s.run(out))
# case: index_to_string_table_from_tensor
t = tf.contrib.lookup.index_to_string_table_from_tensor(["a", "b"], default_value="?")
with tf.Session() as s:
    s.run(tf.tables_initializer())
    show(s.run(t.lookup(tf.constant([0, 1, 2], tf.int64))))
# case: tables from a file
import os, tempfile

path = os.path.join(tempfile.mkdtemp(), "words.txt")
with open(path, "w") as f:
    f.write("x\t10\r\ny\t20\n")
L = tf.contrib.lookup
a = L.HashTable(L.TextFileInitializer(path, tf.string, 0, tf.int64, 1), -1)
b = L.index_table_from_file(path, num_oov_buckets=1, vocab_size=1)
c = L.index_to_string_table_from_file(path)
with tf.Session() as s:
    s.run(tf.tables_initializer())
    show(*s.run([a.lookup(tf.constant(["x", "y", "z"])), a.size()]))
    show(s.run(b.lookup(tf.constant(["x\t10", "q"]))))
    show(s.run(c.lookup(tf.constant([0, 1, 2], tf.int64))))
# case: a table in a loop and in a branch
t = tf.contrib.lookup.MutableHashTable(tf.int64, tf.int64, -1)
insert = t.insert(tf.constant([1, 2], tf.int64), tf.constant([10, 20], tf.int64))
x = tf.constant([1, 2, 3], tf.int64)
mapped = tf.map_fn(lambda k: t.lookup(k) + 1, x)
chosen = tf.cond(tf.constant(True), lambda: t.lookup(x), lambda: x)
with tf.Session() as s:
    s.run(insert)
    show(*s.run([mapped, chosen]))
# case: a hasher that is unknown
tf.contrib.lookup.index_table_from_tensor(
    ["a"], num_oov_buckets=1, hasher_spec=tf.contrib.lookup.HasherSpec("my", None)
).lookup(tf.constant(["a"]))
# case: a vocabulary without a file
tf.contrib.lookup.index_table_from_file("")
