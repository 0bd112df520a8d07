# case: windows
def elements(make, count=24, runs=1):
    with tf.Graph().as_default():
        try:
            dataset = make()
            print(tf.data.get_output_shapes(dataset), tf.data.get_output_types(dataset))
            iterator = tf.data.make_initializable_iterator(dataset)
            element = iterator.get_next()
            with tf.Session() as sess:
                for _ in range(runs):
                    sess.run(iterator.initializer)
                    for _ in range(count):
                        try:
                            show(sess.run(element))
                        except tf.errors.OutOfRangeError:
                            print("end")
                            break
                        except tf.errors.OpError as error:
                            print(type(error).__name__, error.message.split("}} ")[-1].splitlines()[0].strip())
        except tf.errors.OpError as error:
            print(type(error).__name__, error.message.splitlines()[0])
        except (TypeError, ValueError) as error:
            print(type(error).__name__, str(error).splitlines()[0])
numbers = tf.data.Dataset.range
experimental = tf.data.experimental
def failing(count, bad):
    return numbers(count).map(lambda x: 100 // (x - bad))
for arguments in ((2,), (2, 1), (2, 3), (2, 1, 2), (2, 3, 2), (3, 1, 1, True), (2, 1, 2, True), (2, 3, 1, True), (7,), (7, 7, 1, True), (0,), (2, 0), (2, 1, 0)):
    elements(lambda: numbers(5).window(*arguments).flat_map(lambda w: w.batch(10)))
elements(lambda: tf.data.Dataset.zip((numbers(4), {"a": numbers(4, 9)})).window(3).flat_map(lambda x, y: tf.data.Dataset.zip((x.batch(3), y["a"].batch(2)))))
print(numbers(3).window(2))
# case: padded batches
def elements(make, count=24, runs=1):
    with tf.Graph().as_default():
        try:
            dataset = make()
            print(tf.data.get_output_shapes(dataset), tf.data.get_output_types(dataset))
            iterator = tf.data.make_initializable_iterator(dataset)
            element = iterator.get_next()
            with tf.Session() as sess:
                for _ in range(runs):
                    sess.run(iterator.initializer)
                    for _ in range(count):
                        try:
                            show(sess.run(element))
                        except tf.errors.OutOfRangeError:
                            print("end")
                            break
                        except tf.errors.OpError as error:
                            print(type(error).__name__, error.message.split("}} ")[-1].splitlines()[0].strip())
        except tf.errors.OpError as error:
            print(type(error).__name__, error.message.splitlines()[0])
        except (TypeError, ValueError) as error:
            print(type(error).__name__, str(error).splitlines()[0])
numbers = tf.data.Dataset.range
experimental = tf.data.experimental
def failing(count, bad):
    return numbers(count).map(lambda x: 100 // (x - bad))
def fills(count):
    return numbers(count).map(lambda x: tf.fill([x], x))

dataset = tf.data.Dataset
for make in (
    lambda: fills(5).padded_batch(2, [-1]), lambda: fills(5).padded_batch(2, [None]), lambda: fills(5).padded_batch(2, [5], padding_values=tf.constant(9, tf.int64)), lambda: fills(5).padded_batch(2, [2]), lambda: fills(5).padded_batch(2, [None, None]),
    lambda: fills(3).map(lambda x: tf.py_func(lambda y: y, [x], tf.int64)).padded_batch(2, [None, None]), lambda: dataset.from_tensor_slices([["a", "b"]]).padded_batch(2, [3]), lambda: dataset.from_tensor_slices([["a", "b"]]).padded_batch(2, [3], "pad"),
    lambda: fills(5).padded_batch(2, [None], 1.5), lambda: fills(5).padded_batch(2, [None], 3), lambda: fills(5).padded_batch(2, [None], tf.constant([1], tf.int64)), lambda: fills(5).padded_batch(2, "x"), lambda: fills(5).padded_batch(2, [1.5]), lambda: fills(5).padded_batch(2, tf.constant([-1])), lambda: fills(5).padded_batch(2, tf.constant([-1], tf.int64)),
    lambda: dataset.from_tensors([1, 2, 3]).padded_batch(2, [2]), lambda: dataset.from_tensors([1, 2, 3]).padded_batch(2, []), lambda: fills(5).padded_batch(0, [None]), lambda: fills(5).padded_batch(2, [None], drop_remainder=True), lambda: dataset.from_tensors(tf.sparse.from_dense([1, 0])).padded_batch(2, [None]),
    lambda: dataset.from_tensors([True]).padded_batch(2, [2]), lambda: dataset.from_tensors([1j]).padded_batch(2, [2]), lambda: numbers(3).map(lambda x: tf.fill([x, 2 * x], x)).padded_batch(3, [None, None]), lambda: numbers(3).map(lambda x: tf.fill([x, 2], x)).padded_batch(3, [None, 4]), lambda: fills(5).padded_batch([2], [None]),
    lambda: dataset.zip((fills(5), {"a": fills(5), "b": numbers(5)})).padded_batch(2, ([None], {"a": [6], "b": []}), (tf.constant(1, tf.int64), {"a": tf.constant(2, tf.int64), "b": tf.constant(0, tf.int64)})),
):
    elements(make)
elements(lambda: numbers(5).apply(tf.contrib.data.batch_and_drop_remainder(2)))
elements(lambda: fills(5).apply(tf.contrib.data.padded_batch_and_drop_remainder(2, [None])))
# case: sparse batches and rows of batches
def elements(make, count=24, runs=1):
    with tf.Graph().as_default():
        try:
            dataset = make()
            print(tf.data.get_output_shapes(dataset), tf.data.get_output_types(dataset))
            iterator = tf.data.make_initializable_iterator(dataset)
            element = iterator.get_next()
            with tf.Session() as sess:
                for _ in range(runs):
                    sess.run(iterator.initializer)
                    for _ in range(count):
                        try:
                            show(sess.run(element))
                        except tf.errors.OutOfRangeError:
                            print("end")
                            break
                        except tf.errors.OpError as error:
                            print(type(error).__name__, error.message.split("}} ")[-1].splitlines()[0].strip())
        except tf.errors.OpError as error:
            print(type(error).__name__, error.message.splitlines()[0])
        except (TypeError, ValueError) as error:
            print(type(error).__name__, str(error).splitlines()[0])
numbers = tf.data.Dataset.range
experimental = tf.data.experimental
def failing(count, bad):
    return numbers(count).map(lambda x: 100 // (x - bad))
def fills(count):
    return numbers(count).map(lambda x: tf.fill([x], x))

dataset = tf.data.Dataset
sparse = experimental.dense_to_sparse_batch
for make in (
    lambda: fills(5).apply(sparse(2, [6])), lambda: fills(5).apply(sparse(2, [2])), lambda: fills(3).apply(sparse(2, [None])), lambda: fills(3).apply(sparse(2, [4, 4])), lambda: fills(5).apply(sparse(0, [4])), lambda: numbers(3).map(lambda x: tf.fill([x, 2], x)).apply(sparse(2, [4, 2])), lambda: numbers(3).apply(sparse(2, [])), lambda: dataset.from_tensor_slices([["a", "b"], ["c", "d"]]).apply(sparse(2, [3])),
    lambda: dataset.from_tensors((tf.ones([2, 3]), tf.constant(["a", "b"]))).apply(experimental.unbatch()), lambda: dataset.from_tensors((tf.ones([2]), tf.ones([3]))).apply(experimental.unbatch()), lambda: fills(3).apply(experimental.unbatch()), lambda: dataset.from_tensors(tf.placeholder_with_default(1, None)).apply(experimental.unbatch()),
    lambda: dataset.from_tensors((tf.placeholder_with_default([1, 2], [None]), tf.placeholder_with_default([1, 2, 3], [None]))).apply(experimental.unbatch()),
):
    elements(make)
# case: groups by window
def elements(make, count=24, runs=1):
    with tf.Graph().as_default():
        try:
            dataset = make()
            print(tf.data.get_output_shapes(dataset), tf.data.get_output_types(dataset))
            iterator = tf.data.make_initializable_iterator(dataset)
            element = iterator.get_next()
            with tf.Session() as sess:
                for _ in range(runs):
                    sess.run(iterator.initializer)
                    for _ in range(count):
                        try:
                            show(sess.run(element))
                        except tf.errors.OutOfRangeError:
                            print("end")
                            break
                        except tf.errors.OpError as error:
                            print(type(error).__name__, error.message.split("}} ")[-1].splitlines()[0].strip())
        except tf.errors.OpError as error:
            print(type(error).__name__, error.message.splitlines()[0])
        except (TypeError, ValueError) as error:
            print(type(error).__name__, str(error).splitlines()[0])
numbers = tf.data.Dataset.range
experimental = tf.data.experimental
def failing(count, bad):
    return numbers(count).map(lambda x: 100 // (x - bad))
group = experimental.group_by_window
for make in (
    lambda: numbers(10).apply(group(lambda x: x % 3, lambda k, w: w.batch(4), 4)), lambda: numbers(10).apply(group(lambda x: x % 3, lambda k, w: w.batch(4), window_size_func=lambda k: k + 1)), lambda: numbers(7).apply(group(lambda x: 2 - x, lambda k, w: tf.data.Dataset.zip((tf.data.Dataset.from_tensors(k), w)), 4)), lambda: numbers(10).apply(group(lambda x: x % 3, lambda k, w: w.batch(4), 4, lambda k: 3)), lambda: numbers(10).apply(group(lambda x: x % 3, lambda k, w: w.batch(4))),
    lambda: numbers(10).apply(group(lambda x: [x], lambda k, w: w.batch(4), 4)), lambda: numbers(4).apply(group(lambda x: x, lambda k, w: k, 4)), lambda: numbers(6).apply(group(lambda x: x % 2, lambda k, w: w.filter(lambda x: x < 2), 2)), lambda: tf.data.Dataset.zip((numbers(4), {"a": numbers(4)})).apply(group(lambda x, y: x % 2, lambda k, w: w.batch(2), 2)), lambda: numbers(6).apply(group(lambda x: x % 2, lambda k, w: w.map(lambda x: 12 // (x - 2)), 2)),
    lambda: numbers(6).apply(tf.contrib.data.group_by_window(lambda x: x % 2, lambda k, w: w.batch(2), 2)),
):
    elements(make)
elements(lambda: numbers(10).apply(group(lambda x: x % 3, lambda k, w: w.batch(4), 0)), 2)
elements(lambda: numbers(6).repeat().apply(group(lambda x: x % 2, lambda k, w: w.batch(2), 2)), 5)
# case: groups by reducer
def elements(make, count=24, runs=1):
    with tf.Graph().as_default():
        try:
            dataset = make()
            print(tf.data.get_output_shapes(dataset), tf.data.get_output_types(dataset))
            iterator = tf.data.make_initializable_iterator(dataset)
            element = iterator.get_next()
            with tf.Session() as sess:
                for _ in range(runs):
                    sess.run(iterator.initializer)
                    for _ in range(count):
                        try:
                            show(sess.run(element))
                        except tf.errors.OutOfRangeError:
                            print("end")
                            break
                        except tf.errors.OpError as error:
                            print(type(error).__name__, error.message.split("}} ")[-1].splitlines()[0].strip())
        except tf.errors.OpError as error:
            print(type(error).__name__, error.message.splitlines()[0])
        except (TypeError, ValueError) as error:
            print(type(error).__name__, str(error).splitlines()[0])
numbers = tf.data.Dataset.range
experimental = tf.data.experimental
def failing(count, bad):
    return numbers(count).map(lambda x: 100 // (x - bad))
def reduced(key, init, reduce, finalize):
    return experimental.group_by_reducer(key, experimental.Reducer(init, reduce, finalize))
for make in (
    lambda: numbers(10).apply(reduced(lambda x: x % 3, lambda k: tf.cast(0, tf.int64), lambda s, x: s + x, lambda s: s)), lambda: numbers(10).apply(reduced(lambda x: x % 2, lambda k: (0.0, 0.0), lambda s, x: (s[0] + tf.cast(x, tf.float32), s[1] + 1), lambda a, b: a / b)), lambda: numbers(5).apply(reduced(lambda x: 2 - x, lambda k: k, lambda s, x: s, lambda s: s)), lambda: numbers(5).apply(reduced(lambda x: x * 0, lambda k: tf.zeros([0], tf.int64), lambda s, x: tf.concat([s, [x]], 0), lambda s: s)),
    lambda: numbers(5).apply(reduced(lambda x: x * 0, lambda k: 0, lambda s, x: tf.cast(s, tf.float32), lambda s: s)), lambda: numbers(5).apply(reduced(lambda x: tf.cast(x, tf.int32), lambda k: 0, lambda s, x: s, lambda s: s)), lambda: numbers(5).apply(reduced(lambda x: x % 2, lambda k: tf.cast(0, tf.int64), lambda s, x: s + 6 // (x - 2), lambda s: s)),
):
    elements(make)
# case: buckets by length
def elements(make, count=24, runs=1):
    with tf.Graph().as_default():
        try:
            dataset = make()
            print(tf.data.get_output_shapes(dataset), tf.data.get_output_types(dataset))
            iterator = tf.data.make_initializable_iterator(dataset)
            element = iterator.get_next()
            with tf.Session() as sess:
                for _ in range(runs):
                    sess.run(iterator.initializer)
                    for _ in range(count):
                        try:
                            show(sess.run(element))
                        except tf.errors.OutOfRangeError:
                            print("end")
                            break
                        except tf.errors.OpError as error:
                            print(type(error).__name__, error.message.split("}} ")[-1].splitlines()[0].strip())
        except tf.errors.OpError as error:
            print(type(error).__name__, error.message.splitlines()[0])
        except (TypeError, ValueError) as error:
            print(type(error).__name__, str(error).splitlines()[0])
numbers = tf.data.Dataset.range
experimental = tf.data.experimental
def failing(count, bad):
    return numbers(count).map(lambda x: 100 // (x - bad))
def fills(count):
    return numbers(count).map(lambda x: tf.fill([x], x))

bucket = experimental.bucket_by_sequence_length
for make in (
    lambda: fills(12).apply(bucket(tf.size, [3, 6], [2, 2, 2])), lambda: fills(6).apply(bucket(lambda x: tf.shape(x)[0], [3, 6], [2, 2, 2], pad_to_bucket_boundary=True)), lambda: numbers(6).map(lambda x: tf.fill([x // 2 * 2], x)).apply(bucket(tf.size, [1, 3], [2, 2, 2], no_padding=True)), lambda: fills(6).apply(bucket(tf.size, [3, 6], [2, 2, 2], padding_values=tf.constant(-1, tf.int64), padded_shapes=[None])), lambda: fills(6).apply(bucket(tf.size, [3, 6], [2, 2, 2], drop_remainder=True)), lambda: fills(6).apply(bucket(tf.size, [3, 6], [2, 2])),
    lambda: tf.data.Dataset.zip((fills(7), numbers(7))).apply(bucket(lambda x, n: tf.cast(n, tf.int32), [3, 6], [2, 2, 2])),
):
    elements(make)
elements(lambda: fills(8).apply(bucket(tf.size, [3, 6], [2, 2, 2], pad_to_bucket_boundary=True)), 3)
# case: sliding windows and unique elements
def elements(make, count=24, runs=1):
    with tf.Graph().as_default():
        try:
            dataset = make()
            print(tf.data.get_output_shapes(dataset), tf.data.get_output_types(dataset))
            iterator = tf.data.make_initializable_iterator(dataset)
            element = iterator.get_next()
            with tf.Session() as sess:
                for _ in range(runs):
                    sess.run(iterator.initializer)
                    for _ in range(count):
                        try:
                            show(sess.run(element))
                        except tf.errors.OutOfRangeError:
                            print("end")
                            break
                        except tf.errors.OpError as error:
                            print(type(error).__name__, error.message.split("}} ")[-1].splitlines()[0].strip())
        except tf.errors.OpError as error:
            print(type(error).__name__, error.message.splitlines()[0])
        except (TypeError, ValueError) as error:
            print(type(error).__name__, str(error).splitlines()[0])
numbers = tf.data.Dataset.range
experimental = tf.data.experimental
def failing(count, bad):
    return numbers(count).map(lambda x: 100 // (x - bad))
def fills(count):
    return numbers(count).map(lambda x: tf.fill([x], x))

slide = tf.contrib.data.sliding_window_batch
for make in (
    lambda: numbers(7).apply(slide(3)), lambda: numbers(7).apply(slide(3, window_shift=2)), lambda: numbers(7).apply(slide(3, window_stride=2)), lambda: numbers(7).apply(slide(3, window_shift=5, window_stride=2)), lambda: numbers(7).apply(slide(3, stride=2)), lambda: numbers(7).apply(slide(3, stride=2, window_shift=2)), lambda: numbers(7).apply(slide(0)), lambda: numbers(7).apply(slide(2, window_shift=0)), lambda: numbers(7).apply(slide(2, window_stride=0)), lambda: fills(5).apply(slide(2)),
    lambda: tf.data.Dataset.zip((numbers(5), {"a": tf.data.Dataset.from_tensors([1, 2]).repeat(5)})).apply(slide(2)),
    lambda: tf.data.Dataset.from_tensor_slices([1, 2, 1, 3, 2]).apply(experimental.unique()), lambda: tf.data.Dataset.from_tensor_slices(["a", "b", "a"]).apply(experimental.unique()), lambda: tf.data.Dataset.from_tensor_slices([1.0, 2.0]).apply(experimental.unique()), lambda: tf.data.Dataset.from_tensor_slices(([1, 2], [1, 2])).apply(experimental.unique()),
):
    elements(make)
# case: choices from datasets
def elements(make, count=24, runs=1):
    with tf.Graph().as_default():
        try:
            dataset = make()
            print(tf.data.get_output_shapes(dataset), tf.data.get_output_types(dataset))
            iterator = tf.data.make_initializable_iterator(dataset)
            element = iterator.get_next()
            with tf.Session() as sess:
                for _ in range(runs):
                    sess.run(iterator.initializer)
                    for _ in range(count):
                        try:
                            show(sess.run(element))
                        except tf.errors.OutOfRangeError:
                            print("end")
                            break
                        except tf.errors.OpError as error:
                            print(type(error).__name__, error.message.split("}} ")[-1].splitlines()[0].strip())
        except tf.errors.OpError as error:
            print(type(error).__name__, error.message.splitlines()[0])
        except (TypeError, ValueError) as error:
            print(type(error).__name__, str(error).splitlines()[0])
numbers = tf.data.Dataset.range
experimental = tf.data.experimental
def failing(count, bad):
    return numbers(count).map(lambda x: 100 // (x - bad))
choose, sample = experimental.choose_from_datasets, experimental.sample_from_datasets
def shifted(count, by):
    return numbers(by, by + count)
for make in (
    lambda: choose([numbers(5), shifted(3, 10)], tf.data.Dataset.from_tensor_slices(tf.constant([0, 1, 1, 0, 1, 1, 0, 0], tf.int64))), lambda: choose([numbers(5), numbers(3)], tf.data.Dataset.from_tensor_slices(tf.constant([0, 2, 1, -1, 0], tf.int64))), lambda: choose([numbers(5), numbers(3)], tf.data.Dataset.from_tensor_slices([0, 1])), lambda: choose([numbers(5), tf.data.Dataset.from_tensors(1.0)], numbers(2)), lambda: choose([tf.data.Dataset.from_tensors([1, 2]), tf.data.Dataset.from_tensors([1])], numbers(2)),
    lambda: sample([numbers(8), shifted(8, 10)], seed=3), lambda: sample([numbers(8), shifted(8, 10)], [0.2, 0.8], seed=3), lambda: sample([numbers(8), shifted(8, 10)], [1.0, 3.0], seed=3), lambda: sample([numbers(8), shifted(8, 10)], tf.data.Dataset.from_tensors([0.5, 0.5]).repeat(), seed=3), lambda: sample([numbers(8), numbers(8)], [0.5]), lambda: sample([numbers(8), numbers(8)], [1, 2]), lambda: sample([numbers(8), shifted(8, 10)], tf.constant([0.5, 0.5], tf.float64), seed=2), lambda: sample([numbers(3)]), lambda: sample([numbers(3), tf.data.Dataset.from_tensors(1.0)]), lambda: sample([numbers(5), shifted(5, 10), shifted(5, 20)], seed=7),
    lambda: (tf.set_random_seed(4), sample([numbers(8), shifted(8, 10)]))[1],
):
    elements(make)
# case: rejection and resampling
def elements(make, count=24, runs=1):
    with tf.Graph().as_default():
        try:
            dataset = make()
            print(tf.data.get_output_shapes(dataset), tf.data.get_output_types(dataset))
            iterator = tf.data.make_initializable_iterator(dataset)
            element = iterator.get_next()
            with tf.Session() as sess:
                for _ in range(runs):
                    sess.run(iterator.initializer)
                    for _ in range(count):
                        try:
                            show(sess.run(element))
                        except tf.errors.OutOfRangeError:
                            print("end")
                            break
                        except tf.errors.OpError as error:
                            print(type(error).__name__, error.message.split("}} ")[-1].splitlines()[0].strip())
        except tf.errors.OpError as error:
            print(type(error).__name__, error.message.splitlines()[0])
        except (TypeError, ValueError) as error:
            print(type(error).__name__, str(error).splitlines()[0])
numbers = tf.data.Dataset.range
experimental = tf.data.experimental
def failing(count, bad):
    return numbers(count).map(lambda x: 100 // (x - bad))
resample = experimental.rejection_resample
def classes(x):
    return tf.cast(x % 3, tf.int32)
elements(lambda: numbers(60).apply(resample(classes, [0.2, 0.3, 0.5], [0.4, 0.3, 0.3], seed=1)), 80)
elements(lambda: numbers(60).apply(resample(classes, [0.2, 0.3, 0.5], seed=1)), 80)
elements(lambda: numbers(30).apply(resample(classes, [0.0, 0.0, 1.0], [0.4, 0.3, 0.3], seed=1)), 80)
elements(lambda: numbers(30).apply(resample(classes, [1 / 3.0] * 3, [1 / 3.0] * 3, seed=1)), 40)
# case: datasets without a public function
def elements(make, count=24, runs=1):
    with tf.Graph().as_default():
        try:
            dataset = make()
            print(tf.data.get_output_shapes(dataset), tf.data.get_output_types(dataset))
            iterator = tf.data.make_initializable_iterator(dataset)
            element = iterator.get_next()
            with tf.Session() as sess:
                for _ in range(runs):
                    sess.run(iterator.initializer)
                    for _ in range(count):
                        try:
                            show(sess.run(element))
                        except tf.errors.OutOfRangeError:
                            print("end")
                            break
                        except tf.errors.OpError as error:
                            print(type(error).__name__, error.message.split("}} ")[-1].splitlines()[0].strip())
        except tf.errors.OpError as error:
            print(type(error).__name__, error.message.splitlines()[0])
        except (TypeError, ValueError) as error:
            print(type(error).__name__, str(error).splitlines()[0])
numbers = tf.data.Dataset.range
experimental = tf.data.experimental
def failing(count, bad):
    return numbers(count).map(lambda x: 100 // (x - bad))
def raw(op, source, **arguments):
    spec = source.element_spec
    attrs = dict(output_types=[spec.dtype], output_shapes=[spec.shape])
    return experimental.from_variant(op(input_dataset=experimental.to_variant(source), **dict(arguments, **attrs)), spec)
for make in (
    lambda: raw(tf.raw_ops.RebatchDataset, numbers(10).batch(4), num_replicas=2), lambda: raw(tf.raw_ops.RebatchDataset, numbers(10).batch(4), num_replicas=3), lambda: raw(tf.raw_ops.RebatchDataset, numbers(10).batch(4), num_replicas=0), lambda: raw(tf.raw_ops.AutoShardDataset, numbers(10), num_workers=3, index=1), lambda: raw(tf.raw_ops.AutoShardDataset, numbers(10), num_workers=2, index=2), lambda: raw(tf.raw_ops.AutoShardDataset, numbers(10), num_workers=0, index=0),
    lambda: raw(tf.raw_ops.SamplingDataset, numbers(60), rate=0.3, seed=1, seed2=5), lambda: raw(tf.raw_ops.SamplingDataset, numbers(20), rate=1.0, seed=1, seed2=5), lambda: raw(tf.raw_ops.ShardDataset, numbers(2), num_shards=3, index=1, require_non_empty=True), lambda: raw(tf.raw_ops.ShardDataset, numbers(5), num_shards=3, index=1, require_non_empty=True),
):
    elements(make)
