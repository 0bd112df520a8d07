# case: constants
s = tf.Session()
for x in (tf.ragged.constant([[1, 2], [], [3]]), tf.ragged.constant([[[1, 2], [3]], [], [[4]]]),
          tf.ragged.constant([[1.0, 2.0], []], dtype=tf.float64), tf.ragged.constant([[[1, 2]], []], ragged_rank=1),
          tf.ragged.constant([["a"], []])):
    print(x, x.shape, x.ragged_rank, x.dtype)
    value = s.run(x)
    print(value, repr(value), value.shape, value.ragged_rank)
    show(value.values if value.ragged_rank == 1 else value.flat_values, value.row_splits, list(value.nested_row_splits))
print(tf.ragged.constant([1, 2]))
print(tf.ragged.constant_value([[1, 2], []]), repr(tf.ragged.constant_value([[[1]], [], [[2], [3]]], dtype=np.int32)))
for bad in ([[1], 2], [[1], [[2]]]):
    for f in (tf.ragged.constant, tf.ragged.constant_value):
        try:
            f(bad)
        except ValueError as e:
            print(e)
try:
    tf.RaggedTensor(tf.constant([1]), tf.constant([0, 1]))
except ValueError as e:
    print(e)
# case: rows
f = tf.RaggedTensor.from_row_splits([3, 1, 4, 1], [0, 2, 2, 4])
print(f)
with tf.Session() as s:
    show(s.run([f.row_lengths(), f.row_starts(), f.row_limits(), f.value_rowids(), f.nrows(), f.bounding_shape(),
                f.to_tensor(), f.to_tensor(-1), f.to_sparse(), f.bounding_shape(axis=1)]))
    R = tf.RaggedTensor
    for x in (R.from_nested_row_splits([1, 2, 3], [[0, 1, 2], [0, 2, 3]]), R.from_nested_row_lengths([1, 2, 3], [[1, 1], [2, 1]]),
              R.from_row_lengths([1, 2, 3], [1, 0, 2]), R.from_row_starts([1, 2, 3], [0, 2]), R.from_row_limits([1, 2, 3], [2, 3]),
              R.from_value_rowids([1, 2, 3], [0, 2, 2]), R.from_value_rowids([1, 2, 3], [0, 2, 2], 5),
              R.from_tensor(np.arange(8).reshape(2, 2, 2), ragged_rank=2), R.from_tensor([["a", ""], ["b", "c"]], padding=""),
              R.from_tensor([[1, 2, 0], [3, 0, 0]], padding=0), R.from_tensor([[1, 2, 0], [3, 0, 0]], lengths=[1, 2]),
              R.from_tensor([[1, 2, 0], [3, 0, 0]]), R.from_sparse(tf.SparseTensor([[0, 0], [0, 1], [2, 0]], [1, 2, 3], [3, 4]))):
        print(s.run(x), x.dtype, x.ragged_rank)
    n = tf.ragged.constant([[[1, 2], [3]], [], [[4, 5, 6]]])
    show(s.run([n.to_tensor(), n.to_sparse(), n.bounding_shape(), n.flat_values, n.row_lengths()]))
    print(s.run(n.row_lengths(axis=2)), s.run(n.with_flat_values(n.flat_values * 2)))
# case: refused when run
for splits in ([1, 2], [0, 3, 2], [0, 2]):
    x = tf.RaggedTensor.from_row_splits([3, 1, 4], tf.placeholder_with_default(tf.constant(splits, tf.int64), [None]))
    try:
        tf.Session().run(x)
    except tf.errors.InvalidArgumentError as e:
        print(e.message.splitlines()[0][:90])
# case: indexing
s = tf.Session()
f = tf.RaggedTensor.from_row_splits([3, 1, 4, 1], [0, 2, 2, 4])
n = tf.ragged.constant([[[1, 2], [3]], [], [[4, 5, 6]]])
for x in (f[0], f[2], f[1:], f[:, 0:1], f[::2], f[0, 1], f[-1], f[:, 1:], f[:, :-1], f[:, ::2], f[1:, 0:1],
          n[0], n[0, 1], n[0, 0, 1], n[:, 0:1], n[:, :, 0:1], n[2:], n[:1]):
    value = s.run(x)
    print(value.to_list() if hasattr(value, "to_list") else np.asarray(value).tolist())
for key in ((slice(None), 0), "a"):
    try:
        f[key]
    except (TypeError, ValueError) as e:
        print(type(e).__name__)
# case: operators
s = tf.Session()
f = tf.RaggedTensor.from_row_splits([3, 1, 4, 1], [0, 2, 2, 4])
for x in (f + 1, f * f, -f, f > 1, 2 - f, f / 2, f // 2, f % 2, abs(-f), 1 + f, f ** 2, (f > 1) & (f < 4), ~(f > 1)):
    print(s.run(x), x.dtype)
print(s.run(tf.ragged.map_flat_values(lambda x, y: x * y, f, f)), s.run(tf.ragged.range([1, 2], [3, 5])),
      s.run(tf.ragged.range(3)), s.run(tf.ragged.range([0.0, 1.0], 2.0, 0.5)))
show(s.run([tf.ragged.row_splits_to_segment_ids([0, 2, 2, 5]), tf.ragged.segment_ids_to_row_splits([0, 0, 2])]))
# case: placeholders and specifications
p = tf.ragged.placeholder(tf.int32, 1)
print(p)
with tf.Session() as s:
    print(s.run(p, {p: tf.ragged.constant_value([[1], [2, 3]], dtype=np.int32)}))
print(tf.RaggedTensorSpec([None, None], tf.int32), p._type_spec)
print(len(tf.nest.flatten([p, p], expand_composites=True)), len(tf.nest.flatten([p, p])))
