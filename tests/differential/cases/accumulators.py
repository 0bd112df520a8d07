# case: ConditionalAccumulator
a = tf.ConditionalAccumulator(tf.float32, name="Q")
b = tf.ConditionalAccumulator("float32", shape=[1], shared_name="x", reduction_type="SUM")
show(a.apply_grad([1.0], local_step=2), a.take_grad(3), a.num_accumulated())
show(a.set_global_step(5), b.take_grad(1), b.apply_grad(tf.constant([1.0]), name="ap"))
show(b.take_grad(2, name="tk"), b.num_accumulated(name="na"), b.set_global_step(1, name="sg"))
show(a.name, a.accumulator_ref, a.dtype, b.name)
nodes()
# case: SparseConditionalAccumulator
a = tf.SparseConditionalAccumulator(tf.float32, name="Q")
b = tf.SparseConditionalAccumulator("float32", shape=[None, 1], reduction_type="SUM")
values = np.array([[1.0], [2.0]], np.float32)
show(a.apply_grad([0, 2], values, [3, 1], local_step=2))
show(a.apply_grad(grad_indices=[0, 2], grad_values=np.array([1.0, 2.0], np.float32)))
rows = tf.constant([0, 1], tf.int64)
slices = tf.IndexedSlices(tf.constant([1.0, 2.0]), rows, tf.constant([3], tf.int64))
show(a.apply_indexed_slices_grad(slices, local_step=1))
show(a.apply_indexed_slices_grad(tf.IndexedSlices(slices.values, slices.indices), name="AI"))
taken = b.take_indexed_slices_grad(1, name="TI")
show(a.take_grad(3), taken.indices, taken.values, taken.dense_shape)
show(a.num_accumulated(), a.set_global_step(5), a.accumulator_ref, a.name)
nodes()
# case: wrong reduction
tf.ConditionalAccumulator(tf.float32, reduction_type="Invalid")
# case: wrong shape
tf.ConditionalAccumulator(tf.float32, [1]).apply_grad([[1.0]])
# case: wrong type
tf.ConditionalAccumulator(tf.float32, [1]).apply_grad(tf.constant([1]))
# case: no numbers
tf.ConditionalAccumulator(tf.string)
# case: means, sums and steps
x, step = tf.placeholder(tf.float32), tf.placeholder(tf.int64, [])
a = tf.ConditionalAccumulator(tf.float32, shape=[1])
b = tf.ConditionalAccumulator(tf.float32, shape=[1], reduction_type="SUM")
add, add_sum = a.apply_grad(x, step), b.apply_grad(x, step)
count, take = a.num_accumulated(), a.take_grad(2)
with tf.Session() as s:
    s.run([add, add_sum], {x: [1.0], step: 0})
    s.run([add, add_sum], {x: [2.0], step: 0})
    s.run(add, {x: [6.0], step: 0})
    show(s.run(count), s.run(take), s.run(b.take_grad(1)), s.run(count))
    s.run(add, {x: [2.0], step: 0})
    show(s.run(count))
    s.run(add, {x: [2.0], step: 1})
    show(s.run(count))
    s.run(a.set_global_step(10))
    s.run(add, {x: [2.0], step: 9})
    s.run(a.set_global_step(3))
    s.run(add, {x: [4.0], step: 3})
    show(s.run(count), s.run(take))
# case: values that are refused
x = tf.placeholder(tf.float32)
a = tf.ConditionalAccumulator(tf.float32, shape=[1])
u = tf.ConditionalAccumulator(tf.float32)
p = tf.ConditionalAccumulator(tf.float32, shape=[None, 2])
with tf.Session() as s:
    s.run(u.apply_grad(x), {x: [1.0]})
    s.run(p.apply_grad(x), {x: [[1.0, 2.0]]})
    for accumulator, value in (
        (a, [[1.0]]),
        (a, [1.0, 2.0]),
        (u, [1.0, 2.0]),
        (u, [[1.0]]),
        (p, [1.0, 2.0]),
        (p, [[1.0, 2.0, 3.0]]),
        (p, [[1.0, 2.0], [1.0, 2.0]]),
    ):
        try:
            s.run(accumulator.apply_grad(x), {x: value})
        except tf.errors.InvalidArgumentError as error:
            print(error.message.splitlines()[0])
    for number in (0, -1):
        try:
            s.run(a.take_grad(number))
        except tf.errors.InvalidArgumentError as error:
            print(error.message.splitlines()[0])
# case: sparse means and sums
A = tf.SparseConditionalAccumulator
with tf.Session() as s:
    for reduction in ("MEAN", "SUM"):
        a = A(tf.float32, shape=[3, 3], reduction_type=reduction)
        for rows, values in (
            ([0], [[0, 1, 1]]),
            ([], np.zeros([0, 3])),
            ([2, 0], [[1, 2, 3], [4, 5, 6]]),
            ([1, 2], [[1, 2, 3], [4, 5, 6]]),
            ([1, 1], [[1, 2, 3], [4, 5, 6]]),
            ([2, 1, 0], [[1, 2, 3], [4, 5, 6], [7, 8, 9]]),
        ):
            s.run(a.apply_grad(np.array(rows, np.int64), np.array(values, np.float32)))
        show(s.run(a.num_accumulated()), s.run(a.take_grad(1)), s.run(a.num_accumulated()))
    a = A(tf.float32)
    s.run(a.apply_grad([0, 2], np.array([[1, 2], [3, 4]], np.float32)))
    show(s.run(a.take_grad(1)))
    s.run(a.apply_grad([7], np.array([5], np.float32), [9], local_step=1))
    show(s.run(a.take_indexed_slices_grad(1)))
    a = A(tf.float32, shape=[])
    s.run(a.apply_grad([0], np.array([5], np.float32), []))
    show(s.run(a.take_grad(1)))
# case: sparse values that are refused
a = tf.SparseConditionalAccumulator(tf.float32, shape=[3, 3])
p = tf.SparseConditionalAccumulator(tf.float32, shape=[2, 2, None])
i, x = tf.placeholder(tf.int64), tf.placeholder(tf.float32)
shape = tf.placeholder(tf.int64)
with tf.Session() as s:
    for accumulator, rows, values, dense_shape in (
        (a, [[0, 1], [1, 0]], [1, 2], None),
        (a, [0], 1, None),
        (a, [0, 1], [[0, 1, 1]], None),
        (a, [0, 1], [[0, 1], [1, 1]], None),
        (a, [5], [[0, 1, 1]], None),
        (a, [0], [[0, 1, 1]], [3]),
        (a, [0], [[0, 1, 1]], [2, 3]),
        (p, [0], [[1, 2]], [2, 2]),
        (p, [0], [[[1, 2], [3, 4], [5, 6]]], [2, 3, 2]),
        (p, [3], [[[1, 2], [3, 4]]], None),
        (p, [0, 1], [[1, 2], [3, 4]], None),
        (p, [0], [[[1, 2], [3, 4], [5, 6]]], None),
        (p, [0], np.ones([1, 2, 2, 2]), None),
        (p, [0], [[[1, 2], [3, 4]]], None),
        (p, [0], np.ones([1, 2, 2, 3]), None),
    ):
        feeds = {i: rows, x: values}
        if dense_shape is not None:
            feeds[shape] = dense_shape
        add = accumulator.apply_grad(i, x, None if dense_shape is None else shape)
        try:
            s.run(add, feeds)
            print("accepted")
        except tf.errors.InvalidArgumentError as error:
            print(error.message.splitlines()[0])
    show(s.run(p.take_grad(1)))
# case: StagingArea
S = tf.contrib.staging.StagingArea
c = tf.constant
a = S([tf.float32, "int32"], [[], [2]], names=["a", "b"], capacity=3, memory_limit=1000)
show(a.put({"a": c(1.0), "b": c([1, 2])}), sorted(a.get().items()), sorted(a.peek(0).items()))
show(a.size(), a.clear(), a.name, a.dtypes, a.shapes, a.names, a.capacity, a.memory_limit)
b = S([tf.float32], shared_name="sh")
show(b.put(c(1.0)), b.get(name="G"), b.put([c(2.0)], name="P"), b.peek(c(1), name="K"), b.name)
nodes()
# case: elements of a StagingArea
a = tf.contrib.staging.StagingArea([tf.float32])
x, i = tf.placeholder(tf.float32), tf.placeholder(tf.int32)
put, get, peek, size, clear = a.put([x]), a.get(), a.peek(i), a.size(), a.clear()
with tf.Session() as s:
    for value in (1.0, 2.0, 3.0):
        s.run(put, {x: value})
    show(s.run(size), s.run(peek, {i: 1}), s.run(get), s.run(size))
    s.run(clear)
    show(s.run(size))
# case: names of a StagingArea
tf.contrib.staging.StagingArea([tf.float32], names=["a", "b"])
# case: shapes of a StagingArea
tf.contrib.staging.StagingArea([tf.float32], shapes=[[], []])
# case: a dictionary for a StagingArea without names
tf.contrib.staging.StagingArea([tf.float32]).put({"a": tf.constant(1.0)})
# case: a list for a StagingArea with names
tf.contrib.staging.StagingArea([tf.float32], names=["a"]).put([tf.constant(1.0)])
# case: wrong keys for a StagingArea
tf.contrib.staging.StagingArea([tf.float32], names=["a"]).put({"b": tf.constant(1.0)})
# case: wrong types for a StagingArea
tf.contrib.staging.StagingArea([tf.float32]).put([tf.constant(1)])
# case: wrong shapes for a StagingArea
tf.contrib.staging.StagingArea([tf.float32], [[2]]).put([tf.constant([1.0, 2.0, 3.0])])
# case: too much for a StagingArea
a = tf.contrib.staging.StagingArea([tf.float32], memory_limit=4)
with tf.Session() as s:
    s.run(a.put(tf.constant([1.0, 2.0])))
