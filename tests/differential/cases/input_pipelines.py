# case: ip shuffle epochs
result = tf.train.input_producer([1, 2, 3], shuffle=True, num_epochs=2, seed=4, name="p")
show(result if not hasattr(result, "queue_ref") else result.name)
nodes()
for runner in tf.get_collection("queue_runners"):
    print(str(runner.to_proto()))
# case: ip plain
result = tf.train.input_producer(
    tf.constant([[1.0, 2.0], [3.0, 4.0]]),
    shuffle=False,
    capacity=5,
    shared_name="S",
    summary_name="sm",
    cancel_op=None,
)
show(result if not hasattr(result, "queue_ref") else result.name)
nodes()
for runner in tf.get_collection("queue_runners"):
    print(str(runner.to_proto()))
# case: ip unk
result = tf.train.input_producer(tf.placeholder(tf.string, [None]), element_shape=[])
show(result if not hasattr(result, "queue_ref") else result.name)
nodes()
for runner in tf.get_collection("queue_runners"):
    print(str(runner.to_proto()))
# case: sip
result = tf.train.string_input_producer(["a", "b"], num_epochs=1)
show(result if not hasattr(result, "queue_ref") else result.name)
nodes()
for runner in tf.get_collection("queue_runners"):
    print(str(runner.to_proto()))
# case: sip2
result = tf.train.string_input_producer(["a", "b"], shuffle=False, name="N")
show(result if not hasattr(result, "queue_ref") else result.name)
nodes()
for runner in tf.get_collection("queue_runners"):
    print(str(runner.to_proto()))
# case: sip tensor
result = tf.train.string_input_producer(tf.placeholder(tf.string, [None]))
show(result if not hasattr(result, "queue_ref") else result.name)
nodes()
for runner in tf.get_collection("queue_runners"):
    print(str(runner.to_proto()))
# case: rip
result = tf.train.range_input_producer(10, num_epochs=3, shuffle=False)
show(result if not hasattr(result, "queue_ref") else result.name)
nodes()
for runner in tf.get_collection("queue_runners"):
    print(str(runner.to_proto()))
# case: rip2
result = tf.train.range_input_producer(10)
show(result if not hasattr(result, "queue_ref") else result.name)
nodes()
for runner in tf.get_collection("queue_runners"):
    print(str(runner.to_proto()))
# case: slip
result = tf.train.slice_input_producer(
    [tf.constant([1, 2, 3]), tf.constant([[1.0], [2.0], [3.0]])], num_epochs=2, seed=1
)
show(result if not hasattr(result, "queue_ref") else result.name)
nodes()
for runner in tf.get_collection("queue_runners"):
    print(str(runner.to_proto()))
# case: le
result = tf.train.limit_epochs(tf.constant([1, 2]), 3)
show(result if not hasattr(result, "queue_ref") else result.name)
nodes()
for runner in tf.get_collection("queue_runners"):
    print(str(runner.to_proto()))
# case: le None
result = tf.train.limit_epochs(tf.constant([1, 2]))
show(result if not hasattr(result, "queue_ref") else result.name)
nodes()
for runner in tf.get_collection("queue_runners"):
    print(str(runner.to_proto()))
# case: batch
result = tf.train.batch((tf.constant(1), tf.constant([1.0, 2.0])), 3)
show(result if not hasattr(result, "queue_ref") else result.name)
nodes()
for runner in tf.get_collection("queue_runners"):
    print(str(runner.to_proto()))
# case: batch dict pad
result = tf.train.batch(
    {"a": tf.constant(1), "b": tf.placeholder(tf.string, [None])},
    3,
    num_threads=2,
    capacity=10,
    dynamic_pad=True,
    allow_smaller_final_batch=True,
    shared_name="s",
    name="bb",
)
show(result if not hasattr(result, "queue_ref") else result.name)
nodes()
for runner in tf.get_collection("queue_runners"):
    print(str(runner.to_proto()))
# case: batch many
result = tf.train.batch([tf.constant([1, 2, 3])], 2, enqueue_many=True)
show(result if not hasattr(result, "queue_ref") else result.name)
nodes()
for runner in tf.get_collection("queue_runners"):
    print(str(runner.to_proto()))
# case: batch single
result = tf.train.batch(tf.constant(5), 2)
show(result if not hasattr(result, "queue_ref") else result.name)
nodes()
for runner in tf.get_collection("queue_runners"):
    print(str(runner.to_proto()))
# case: batch shapes
result = tf.train.batch([tf.constant([1, 2, 3])], 2, shapes=[[3]])
show(result if not hasattr(result, "queue_ref") else result.name)
nodes()
for runner in tf.get_collection("queue_runners"):
    print(str(runner.to_proto()))
# case: batch sparse
result = tf.train.batch([tf.SparseTensor([[0, 0], [1, 1]], [1, 2], [2, 2])], 2)
for t in result if isinstance(result, list) else [result]:
    show([t.indices, t.values, t.dense_shape] if isinstance(t, tf.SparseTensor) else t)
nodes()
for runner in tf.get_collection("queue_runners"):
    print(str(runner.to_proto()))
# case: batch sparse many
result = tf.train.batch(
    [tf.SparseTensor([[0, 0], [1, 1]], [1, 2], [2, 2]), tf.constant([1, 2])], 2, enqueue_many=True
)
for t in result if isinstance(result, list) else [result]:
    show([t.indices, t.values, t.dense_shape] if isinstance(t, tf.SparseTensor) else t)
nodes()
for runner in tf.get_collection("queue_runners"):
    print(str(runner.to_proto()))
# case: maybe
result = tf.train.maybe_batch([tf.constant(1)], tf.placeholder(tf.bool, []), 2)
show(result if not hasattr(result, "queue_ref") else result.name)
nodes()
for runner in tf.get_collection("queue_runners"):
    print(str(runner.to_proto()))
# case: maybe many
result = tf.train.maybe_batch(
    [tf.constant([1, 2])], tf.placeholder(tf.bool, [2]), 2, enqueue_many=True
)
show(result if not hasattr(result, "queue_ref") else result.name)
nodes()
for runner in tf.get_collection("queue_runners"):
    print(str(runner.to_proto()))
# case: maybe true
result = tf.train.maybe_batch([tf.constant(1)], True, 2)
show(result if not hasattr(result, "queue_ref") else result.name)
nodes()
for runner in tf.get_collection("queue_runners"):
    print(str(runner.to_proto()))
# case: maybe sparse
result = tf.train.maybe_batch(
    [tf.SparseTensor([[0, 0], [1, 1]], [1, 2], [2, 2])], tf.placeholder(tf.bool, []), 2
)
for t in result if isinstance(result, list) else [result]:
    show([t.indices, t.values, t.dense_shape] if isinstance(t, tf.SparseTensor) else t)
nodes()
for runner in tf.get_collection("queue_runners"):
    print(str(runner.to_proto()))
# case: bj
result = tf.train.batch_join(
    [(tf.constant(1), tf.constant([1.0, 2.0])), (tf.constant(1), tf.constant([1.0, 2.0]))],
    3,
    capacity=7,
)
show(result if not hasattr(result, "queue_ref") else result.name)
nodes()
for runner in tf.get_collection("queue_runners"):
    print(str(runner.to_proto()))
# case: bj pad
result = tf.train.batch_join(
    [(tf.constant([1, 2]),), (tf.constant([1, 2, 3]),)],
    3,
    dynamic_pad=True,
    allow_smaller_final_batch=True,
)
show(result if not hasattr(result, "queue_ref") else result.name)
nodes()
for runner in tf.get_collection("queue_runners"):
    print(str(runner.to_proto()))
# case: bj dict
result = tf.train.batch_join([{"a": tf.constant(1)}, {"a": tf.constant(2)}], 3)
show(result if not hasattr(result, "queue_ref") else result.name)
nodes()
for runner in tf.get_collection("queue_runners"):
    print(str(runner.to_proto()))
# case: mbj
result = tf.train.maybe_batch_join(
    [[tf.constant(1)], [tf.constant(2)]],
    [tf.placeholder(tf.bool, []), tf.placeholder(tf.bool, [])],
    3,
)
show(result if not hasattr(result, "queue_ref") else result.name)
nodes()
for runner in tf.get_collection("queue_runners"):
    print(str(runner.to_proto()))
# case: sb
result = tf.train.shuffle_batch((tf.constant(1), tf.constant([1.0, 2.0])), 3, 10, 4, seed=2)
show(result if not hasattr(result, "queue_ref") else result.name)
nodes()
for runner in tf.get_collection("queue_runners"):
    print(str(runner.to_proto()))
# case: sb2
result = tf.train.shuffle_batch(
    {"a": tf.constant(1)},
    3,
    10,
    4,
    num_threads=2,
    allow_smaller_final_batch=True,
    enqueue_many=False,
    name="nm",
)
show(result if not hasattr(result, "queue_ref") else result.name)
nodes()
for runner in tf.get_collection("queue_runners"):
    print(str(runner.to_proto()))
# case: msb
result = tf.train.maybe_shuffle_batch([tf.constant(1)], 3, 10, 4, tf.placeholder(tf.bool, []))
show(result if not hasattr(result, "queue_ref") else result.name)
nodes()
for runner in tf.get_collection("queue_runners"):
    print(str(runner.to_proto()))
# case: sbj
result = tf.train.shuffle_batch_join(
    [(tf.constant(1), tf.constant([1.0, 2.0])), (tf.constant(1), tf.constant([1.0, 2.0]))], 3, 10, 4
)
show(result if not hasattr(result, "queue_ref") else result.name)
nodes()
for runner in tf.get_collection("queue_runners"):
    print(str(runner.to_proto()))
# case: msbj
result = tf.train.maybe_shuffle_batch_join(
    [[tf.constant(1)], [tf.constant(2)]], 3, 10, 4, [tf.placeholder(tf.bool, []), True]
)
show(result if not hasattr(result, "queue_ref") else result.name)
nodes()
for runner in tf.get_collection("queue_runners"):
    print(str(runner.to_proto()))
# case: refused 0
tf.train.input_producer(tf.placeholder(tf.string))
# case: refused 1
tf.train.input_producer(3)
# case: refused 2
tf.train.input_producer(tf.placeholder(tf.string, [None, None]))
# case: refused 3
tf.train.string_input_producer([])
# case: refused 4
tf.train.string_input_producer(tf.constant([1]))
# case: refused 5
tf.train.slice_input_producer([])
# case: refused 6
tf.train.limit_epochs([1], 0)
# case: refused 7
tf.train.batch([], 2)
# case: refused 8
tf.train.batch([tf.placeholder(tf.float32)], 2)
# case: refused 9
tf.train.batch([tf.placeholder(tf.float32, [None])], 2)
# case: refused 10
tf.train.batch_join([[tf.constant(1)], [tf.constant(1.0)]], 2)
# case: refused 11
tf.train.batch_join([[tf.constant(1)], [tf.constant(1), tf.constant(2)]], 2)
# case: refused 12
tf.train.batch_join([], 2)
# case: refused 14
tf.train.batch_join([{"b": tf.constant(1)}, {"a": tf.constant(1)}], 2)
# case: refused 16
tf.train.batch([tf.constant(1)], 2, enqueue_many=True)
# case: refused 17
tf.train.batch([tf.constant(1)], 2, num_threads=0)
# case: refused 18
tf.train.maybe_batch([tf.constant([1, 2])], tf.placeholder(tf.bool, [None]), 2)
# case: refused 19
tf.train.maybe_batch([tf.constant([1, 2])], tf.placeholder(tf.bool, []), 2, enqueue_many=True)
# case: refused 20
tf.train.maybe_batch_join([[tf.constant(1)]], [True, False], 2)
# case: refused 24
tf.train.shuffle_batch([tf.constant(1)], 2, 3, 5)
# case: shapes of joined examples
a, b = tf.placeholder(tf.int32, [None]), tf.placeholder(tf.int32, [2])
show(tf.train.batch_join([[a], [b]], 3, dynamic_pad=True))
show(tf.train.batch_join([[b], [a]], 3, dynamic_pad=True))
show(tf.train.batch_join([[a], [b]], 3, dynamic_pad=True, allow_smaller_final_batch=True))
# case: a pipeline of two epochs
names = tf.train.string_input_producer(["a", "b", "c"], num_epochs=2, shuffle=False)
pair = tf.train.batch([names.dequeue(), tf.constant(1)], 2, allow_smaller_final_batch=True)
with tf.Session() as s:
    s.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(s, coord)
    try:
        while not coord.should_stop():
            show(s.run(pair))
    except tf.errors.OutOfRangeError as error:
        print(error.message.split("\n")[0].split("'")[0])
    coord.request_stop()
    coord.join(threads)
    print(coord.joined)
# case: a pipeline that shuffles
tf.set_random_seed(3)
number = tf.train.range_input_producer(12, num_epochs=1, seed=5).dequeue()
result = tf.train.shuffle_batch([number], 4, 20, 11, seed=2)
with tf.Session() as s:
    s.run(tf.local_variables_initializer())
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(s, coord)
    rows = [s.run(result) for _ in range(3)]
    show(np.sort(np.concatenate(rows)))
    coord.request_stop()
    coord.join(threads)
# case: a pipeline of slices
x, y = tf.constant([1, 2, 3]), tf.constant([[1.0], [2.0], [3.0]])
row = tf.train.slice_input_producer([x, y], num_epochs=1, shuffle=False)
result = tf.train.batch(row, 3)
with tf.Session() as s:
    s.run(tf.local_variables_initializer())
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(s, coord)
    show(s.run(result))
    coord.request_stop()
    coord.join(threads)
# case: maybe_batch keeps selected elements
n = tf.train.range_input_producer(10, num_epochs=1, shuffle=False).dequeue()
odd = tf.train.maybe_batch([n], tf.equal(n % 2, 1), 5)
m = tf.range(6)
many = tf.train.maybe_batch([m], tf.equal(m % 2, 0), 4, enqueue_many=True)
with tf.Session() as s:
    s.run(tf.local_variables_initializer())
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(s, coord)
    show(s.run(odd), s.run(many))
    coord.request_stop()
    coord.join(threads)
# case: a pipeline of sparse tensors
n = tf.train.range_input_producer(3, num_epochs=1, shuffle=False).dequeue()
i = tf.cast(n, tf.int64)
sparse = tf.SparseTensor(tf.reshape(i, [1, 1]), tf.reshape(n + 10, [1]), [5])
result = tf.train.batch([sparse, n], 3)
with tf.Session() as s:
    s.run(tf.local_variables_initializer())
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(s, coord)
    show(s.run(result))
    coord.request_stop()
    coord.join(threads)
# case: an error in a pipeline
x = tf.check_numerics(tf.constant([float("nan")]), "bad number")
result = tf.train.batch([x], 2)
with tf.Session() as s:
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(s, coord)
    try:
        s.run(result)
    except tf.errors.OutOfRangeError:
        print("out of range")
    coord.request_stop()
    try:
        coord.join(threads)
    except tf.errors.InvalidArgumentError as error:
        print(error.message.split("\n")[0])
