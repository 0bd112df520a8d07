# case: ranges
raw = tf.raw_ops
with tf.Session() as s:
    for args in (([0, 5, 8], [3, 5, 12], [1]), ([0, 5, 8], [3, 5, 12], 1), ([3, 5, 12], [0, 5, 8], [-2, 1, -1]), (0, 7, 3)):
        out = raw.RaggedRange(starts=args[0], limits=args[1], deltas=args[2]) if np.ndim(args[2]) == 0 or len(args[2]) == 3 else None
        if out is not None:
            show(out, s.run(out))
    out = raw.RaggedRange(starts=0.0, limits=1.0, deltas=0.3, Tsplits=tf.int32)
    show(out, s.run(out))
    for args in (([0], [3], 0), ([0, 1], [3, 4], [1, 1, 1])):
        try:
            s.run(raw.RaggedRange(starts=args[0], limits=args[1], deltas=args[2]))
        except (ValueError, tf.errors.InvalidArgumentError) as e:
            print(str(e).splitlines()[0].split(" for '")[0])
# case: sparse
raw = tf.raw_ops
with tf.Session() as s:
    for splits, values in (([[0, 2, 2, 5]], np.arange(5)), ([[0, 1, 3], [0, 2, 2, 5]], np.arange(5)),
                           ([[0, 2, 2, 5]], np.arange(10).reshape(5, 2)), ([[0, 2, 2], [0, 3, 3], [0, 1, 1, 4]], np.arange(4))):
        splits = [tf.constant(x, tf.int64) for x in splits]
        out = raw.RaggedTensorToSparse(rt_nested_splits=splits, rt_dense_values=values)
        show(out, s.run(out))
    for splits, values in (([[1, 2]], [1, 2]), ([[0, 2]], [1, 2, 3])):
        try:
            s.run(raw.RaggedTensorToSparse(rt_nested_splits=[tf.constant(x, tf.int64) for x in splits], rt_dense_values=values))
        except tf.errors.InvalidArgumentError as e:
            print(e.message.splitlines()[0])
# case: dense
raw = tf.raw_ops
with tf.Session() as s:
    for shape in ([-1, -1], [4, 2], [2, 4], [2, -1]):
        out = raw.RaggedTensorToTensor(shape=tf.constant(shape, tf.int64), values=[1, 2, 3, 4, 5], default_value=9,
                                       row_partition_tensors=[tf.constant([0, 2, 2, 5], tf.int64)],
                                       row_partition_types=["ROW_SPLITS"])
        show(out, s.run(out))
    out = raw.RaggedTensorToTensor(shape=tf.constant([-1, -1], tf.int64), values=[1, 2, 3, 4, 5], default_value=9,
                                   row_partition_tensors=[tf.constant(4, tf.int64), tf.constant([0, 0, 2, 2, 2], tf.int64)],
                                   row_partition_types=["FIRST_DIM_SIZE", "VALUE_ROWIDS"])
    show(out, s.run(out))
# case: gathered rows
raw = tf.raw_ops
values = tf.constant([1.0, 2.0, 3.0, 4.0, 5.0])
with tf.Session() as s:
    out = raw.RaggedGather(params_nested_splits=[tf.constant([0, 2, 2, 5], tf.int64)], params_dense_values=values,
                           indices=[2, 0, 2, 1], OUTPUT_RAGGED_RANK=1)
    show(out, s.run(out))
    show(s.run(tf.convert_to_tensor(tf.gradients(out[-1] * [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0], values)[0])))
    out = raw.RaggedGather(params_nested_splits=[tf.constant([0, 2, 2, 5], tf.int64)], params_dense_values=values,
                           indices=[[2, 0], [2, 1]], OUTPUT_RAGGED_RANK=2)
    show(s.run(out))
    try:
        s.run(raw.RaggedGather(params_nested_splits=[tf.constant([0, 2, 2, 5], tf.int64)], params_dense_values=values,
                               indices=[2, 3], OUTPUT_RAGGED_RANK=1))
    except tf.errors.InvalidArgumentError as e:
        print(e.message.splitlines()[0])
