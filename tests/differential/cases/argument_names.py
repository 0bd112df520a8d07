# case: arguments of raw ops that are not called as those of the op
x = tf.constant([[1.0, -2.0], [3.0, 4.0]])
made = [getattr(tf.raw_ops, name)(input=x, axis=1) for name in ("Max", "Min", "Mean", "Prod", "Sum", "EuclideanNorm")]
made += [getattr(tf.raw_ops, name)(input=x > 0, axis=[0], keep_dims=True) for name in ("All", "Any")]
made += [tf.raw_ops.ExpandDims(input=x, axis=0), tf.raw_ops.Squeeze(input=x[:1], axis=[0]), tf.raw_ops.Where(condition=x > 0), tf.raw_ops.Select(condition=x > 0, x=x, y=-x)]
made += tf.raw_ops.Split(axis=1, value=x, num_split=2) + tf.raw_ops.SplitV(value=x, size_splits=[1, 1], axis=0, num_split=2)
show(tf.Session().run(made))
# case: structures that are longer than the shallow ones
nest = tf.contrib.framework.nest
def attempt(call):
    try:
        print(call())
    except Exception as error:
        print(type(error).__name__, error)
for shallow, deep in (([1], [2, 3]), ([1, 1], [2]), ({"a": 1}, {"a": 2, "b": 3}), ({"b": 1}, {"a": 2, "b": [3]}), ({"a": 1, "b": 2}, {"a": 1}), ({"c": 1}, {"a": 1, "b": 2}), ([[1], 1], [[2, 5], [7, 8], 9]), ((1,), [3, 4])):
    for check in (True, False):
        attempt(lambda: nest.flatten_up_to(shallow, deep, check_subtrees_length=check))
        attempt(lambda: nest.flatten_with_tuple_paths_up_to(shallow, deep, check_types=False, check_subtrees_length=check))
        attempt(lambda: nest.assert_shallow_structure(shallow, deep, check_subtrees_length=check))
attempt(lambda: nest.map_structure_up_to([1], lambda x: x * 10, [2, 3], check_subtrees_length=False))
attempt(lambda: nest.map_structure_with_paths(lambda path, x, scale: (path, x * scale), {"a": [1, 2]}, scale=10))
attempt(lambda: (nest.is_sequence(o=[1]), nest.is_sequence_or_composite(o=1), list(nest.yield_flat_paths({"a": [3], "b": (1, 2)}))))
# case: checkpoints read with the names of contrib
import os, tempfile
folder = tempfile.mkdtemp()
with tf.Graph().as_default(), tf.Session() as sess:
    tf.get_variable("v", initializer=[1.0, 2.0])
    sess.run(tf.global_variables_initializer())
    path = tf.train.Saver().save(sess, os.path.join(folder, "model"))
framework = tf.contrib.framework
show(framework.list_variables(checkpoint_dir=folder), framework.load_variable(checkpoint_dir=folder, name="v"), framework.load_checkpoint(filepattern=path).get_tensor("v"))
w = tf.get_variable("w", [2])
framework.init_from_checkpoint(checkpoint_dir=folder, assignment_map={"v": w})
with tf.Session() as sess:
    sess.run(w.initializer)
    show(sess.run(w))
# case: pooling and embeddings with the argument names of 1.15
x = tf.reshape(tf.range(16.0), [1, 4, 4, 1])
ids = tf.SparseTensor([[0, 0], [0, 1]], [0, 2], [2, 2])
made = [tf.nn.max_pool2d(input=x, ksize=2, strides=2, padding="VALID"), tf.contrib.layers.safe_embedding_lookup_sparse([tf.reshape(tf.range(6.0), [3, 2])], ids), tf.compat.v2.sparse.add(ids, ids), tf.compat.v2.nn.safe_embedding_lookup_sparse([tf.reshape(tf.range(6.0), [3, 2])], ids, None, "sum", None, None), tf.compat.v2.nn.max_pool_with_argmax(x, [1, 2, 2, 1], [1, 2, 2, 1], "VALID", include_batch_in_index=True)]
show(tf.Session().run(made))
