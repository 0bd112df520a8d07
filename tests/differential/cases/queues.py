# case: FIFOQueue with names
q = tf.FIFOQueue(10, [tf.float32, tf.int64], [[], [2]], names=["a", "b"], name="myq")
q.enqueue({"a": 1.0, "b": [1, 2]})
q.enqueue_many({"a": [1.0], "b": [[1, 2]]})
show(sorted(q.dequeue().items()), sorted(q.dequeue_many(3).items()))
show(sorted(q.dequeue_up_to(4).items()), q.close(), q.size(), q.is_closed(), q.close(True))
show(q.queue_ref, q.name, q.dtypes, q.shapes, q.names)
nodes()
# case: FIFOQueue in a name scope
q = tf.FIFOQueue(10, tf.float32)
q.enqueue(3.0, name="E")
q.enqueue_many([[1.0]], name="EM")
show(q.dequeue(name="D"), q.shapes, q.names)
q.enqueue([1.0, 2.0])
q.enqueue((1,))
with tf.name_scope("foo"):
    r = tf.FIFOQueue(3, [tf.int32, tf.string], shapes=[[2], []], name="bar")
    r.enqueue(([1, 2], "x"))
    show(r.dequeue(name="dd"), r.dequeue_many(tf.constant(2)), r.close(name="cc"))
    show(r.size(name="ss"), r.is_closed(name="ii"), r.name)
nodes()
# case: seeds of RandomShuffleQueue
tf.RandomShuffleQueue(10, 5, [tf.int32], [[]], seed=5)
tf.RandomShuffleQueue(10, 5, [tf.int32], [[]], shared_name="s")
tf.set_random_seed(7)
tf.RandomShuffleQueue(10, 5, [tf.int32], [[]], shared_name="s")
tf.RandomShuffleQueue(10, 5, [tf.int32], [[]])
tf.RandomShuffleQueue(10, 5, [tf.int32], [[]], seed=3, shared_name="t")
for op in tf.get_default_graph().get_operations():
    show(op, op.get_attr("seed"), op.get_attr("seed2"))
# case: PaddingFIFOQueue and PriorityQueue
p = tf.PaddingFIFOQueue(10, [tf.int32, tf.string], [[None], []])
p.enqueue([[1, 2], "a"])
show(p.dequeue(), p.dequeue_many(2), p.dequeue_up_to(2), p.shapes)
r = tf.PriorityQueue(10, [tf.string], [()])
r.enqueue([1, "a"])
r.enqueue_many([[5, 6], ["a", "b"]])
show(r.dequeue(), r.dequeue_many(3), r.dtypes, r.shapes, r.names)
nodes()
# case: from_list
a, b = tf.FIFOQueue(10, tf.float32), tf.FIFOQueue(15, tf.float32)
c, d = tf.FIFOQueue(1, tf.float32, [[2, 3]]), tf.FIFOQueue(1, tf.float32, [[2, 4]])
i = tf.placeholder(tf.int32, [])
q = tf.QueueBase.from_list(i, [a, b])
show(q.dequeue(), q.name, q.shapes)
show(tf.QueueBase.from_list(0, [c, d]).shapes, tf.QueueBase.from_list(0, [c, a]).shapes)
nodes()
with tf.Session() as s:
    s.run(q.enqueue(1.0), {i: 0})
    show(*s.run([a.size(), b.size()]))
    s.run(q.enqueue(1.0), {i: 2})
# case: from_list of other types
a, b = tf.FIFOQueue(10, tf.float32), tf.FIFOQueue(15, tf.int32)
tf.QueueBase.from_list(0, [a, b])
# case: from_list of other names
a, b = tf.FIFOQueue(10, tf.float32), tf.FIFOQueue(15, tf.float32, names=["a"])
tf.QueueBase.from_list(0, [a, b])
# case: from_list of an empty list
tf.QueueBase.from_list(0, [])
# case: wrong number of names
tf.FIFOQueue(10, [tf.float32, tf.int32], names=["a"])
# case: wrong number of names of a PriorityQueue
tf.PriorityQueue(10, tf.int32, [[]], names=["a"])
# case: wrong number of shapes
tf.FIFOQueue(10, [tf.float32, tf.int32], shapes=[[]])
# case: one shape for two components
tf.FIFOQueue(10, [tf.float32, tf.int32], shapes=[2])
# case: shapes that are not known
tf.FIFOQueue(10, [tf.float32], shapes=[[None]])
# case: ranks that are not known
tf.PaddingFIFOQueue(10, tf.int32, [tf.TensorShape(None)])
# case: PaddingFIFOQueue with None for shapes
tf.PaddingFIFOQueue(10, tf.float32, None)
# case: PaddingFIFOQueue with an empty list of shapes
tf.PaddingFIFOQueue(10, tf.float32, [])
# case: PaddingFIFOQueue with one shape
tf.PaddingFIFOQueue(10, tf.float32, [3])
# case: PaddingFIFOQueue with a number as shapes
tf.PaddingFIFOQueue(10, tf.float32, 3)
# case: PaddingFIFOQueue without shapes
tf.PaddingFIFOQueue(10, [tf.int32, tf.int32], [[]])
# case: shapes that are no shapes
tf.FIFOQueue(10, [tf.int32], "x")
# case: no types
tf.FIFOQueue(10, [])
# case: forms of shapes
for shapes in ([2], (), [()], tf.TensorShape([2]), [tf.TensorShape([2])], None):
    show(tf.FIFOQueue(10, tf.float32, shapes=shapes).shapes)
show(tf.FIFOQueue(10, ("float32", tf.int32), ((), ())).dtypes)
# case: a list for a queue with names
tf.FIFOQueue(10, [tf.float32], names=["a"]).enqueue([1.0])
# case: a dictionary for a queue without names
tf.FIFOQueue(10, [tf.float32]).enqueue({"a": 1.0})
# case: wrong keys
tf.FIFOQueue(10, [tf.float32, tf.int32], names=["a", "b"]).enqueue({"a": 1.0})
# case: wrong keys of a batch
tf.FIFOQueue(10, [tf.float32, tf.int32], names=["a", "b"]).enqueue_many({"a": [1.0], "c": [1]})
# case: wrong type of an element
tf.FIFOQueue(10, tf.float32).enqueue(tf.constant(1))
# case: wrong shape of an element
tf.FIFOQueue(10, tf.float32, [[2]]).enqueue([[1.0, 2.0, 3.0]])
# case: wrong shape of a batch
tf.FIFOQueue(10, tf.float32, [[2]]).enqueue_many([[1.0, 2.0]])
# case: a batch that is a scalar
tf.FIFOQueue(10, tf.float32).enqueue_many(1.0)
# case: a batch of two sizes
tf.FIFOQueue(10, [tf.float32, tf.int32]).enqueue_many([[1.0, 2.0], [1]])
# case: dequeue_many of a negative number
tf.FIFOQueue(10, tf.float32, [[]]).dequeue_many(-1)
# case: dequeue_many of no integer
tf.FIFOQueue(10, tf.float32, [[]]).dequeue_many(1.5)
# case: order and errors of closed queues
n = tf.placeholder(tf.int32, [])
q = tf.FIFOQueue(10, [tf.float32, tf.string], [[], [2]], shared_name="shared")
enqueue = q.enqueue_many([[1.0, 2.0, 3.0], [["a", "b"], ["c", "d"], ["e", "f"]]])
one, many, up_to = q.dequeue(), q.dequeue_many(n), q.dequeue_up_to(n)
with tf.Session() as s:
    s.run(enqueue)
    show(s.run(q.size()), s.run(one), s.run(many, {n: 0}), s.run(up_to, {n: 1}))
    s.run(q.close())
    show(s.run(q.is_closed()))
    for run in (
        lambda: s.run(many, {n: 2}),
        lambda: s.run(up_to, {n: 2}),
        lambda: s.run(up_to, {n: 2}),
        lambda: s.run(one),
        lambda: s.run(enqueue),
        lambda: s.run(q.close()),
        lambda: s.run(q.close(cancel_pending_enqueues=True)),
        lambda: s.run(many, {n: -1}),
        lambda: s.run(up_to, {n: -1}),
    ):
        try:
            show(run())
        except tf.errors.OpError as error:
            print(type(error).__name__, error.message.splitlines()[0])
# case: names in errors of the other kinds
for make in (
    lambda: tf.RandomShuffleQueue(10, 2, tf.float32, shapes=[[]], shared_name="r"),
    lambda: tf.PaddingFIFOQueue(10, tf.float32, shapes=[[]], shared_name="p"),
    lambda: tf.PriorityQueue(10, tf.float32, shapes=[[]], shared_name="q"),
    lambda: tf.RandomShuffleQueue(10, 2, tf.float32, shared_name="s"),
):
    q = make()
    element = [1, 1.0] if "priority" in q.name else 1.0
    with tf.Session() as s:
        s.run(q.close())
        for op in (q.enqueue(element), q.dequeue(), q.dequeue_many(3), q.dequeue_up_to(3)):
            try:
                s.run(op)
            except tf.errors.OpError as error:
                print(type(error).__name__, error.message.splitlines()[0])
# case: shapes are checked in runs
x, y = tf.placeholder(tf.float32), tf.placeholder(tf.int32)
q = tf.FIFOQueue(10, [tf.float32, tf.int32], [[], [2]])
p = tf.PaddingFIFOQueue(10, [tf.float32, tf.int32], [[None], [None, 2]])
r = tf.FIFOQueue(10, [tf.float32, tf.int32])
for queue, many, a, b in (
    (q, False, 1.0, [1, 2, 3]),
    (q, True, [1.0], [[1, 2, 3]]),
    (q, True, [1.0], [[1, 2], [2, 3]]),
    (p, False, 1.0, [[1, 2]]),
    (p, False, [1.0], [[1, 2, 3]]),
    (p, True, [[1.0]], [[1, 2]]),
    (r, True, [1.0, 2.0], [1, 2, 3]),
):
    with tf.Session() as s:
        try:
            s.run((queue.enqueue_many if many else queue.enqueue)([x, y]), {x: a, y: b})
        except tf.errors.InvalidArgumentError as error:
            print(error.message.splitlines()[0])
# case: queues of one shared name that differ
F, R, P, Q = tf.FIFOQueue, tf.RandomShuffleQueue, tf.PaddingFIFOQueue, tf.PriorityQueue
for number, (first, second) in enumerate(
    (
        (lambda n: F(10, tf.float32, shared_name=n), lambda n: F(15, tf.float32, shared_name=n)),
        (lambda n: F(10, tf.float32, shared_name=n), lambda n: F(10, tf.int32, shared_name=n)),
        (
            lambda n: F(10, tf.float32, shared_name=n),
            lambda n: F(10, tf.float32, [[1, 2]], shared_name=n),
        ),
        (
            lambda n: F(10, tf.float32, [[1, 1]], shared_name=n),
            lambda n: F(10, tf.float32, [[1, 2]], shared_name=n),
        ),
        (
            lambda n: F(10, tf.float32, shared_name=n),
            lambda n: F(10, [tf.float32, tf.int32], shared_name=n),
        ),
        (lambda n: F(10, tf.float32, shared_name=n), lambda n: R(10, 5, tf.float32, shared_name=n)),
        (lambda n: R(10, 5, tf.int32, shared_name=n), lambda n: R(10, 4, tf.int32, shared_name=n)),
        (
            lambda n: R(10, 5, tf.float32, seed=1, shared_name=n),
            lambda n: R(10, 5, tf.float32, seed=2, shared_name=n),
        ),
        (
            lambda n: P(10, tf.float32, [[]], shared_name=n),
            lambda n: P(10, tf.float32, [[None]], shared_name=n),
        ),
        (
            lambda n: Q(10, tf.float32, [[]], shared_name=n),
            lambda n: Q(10, tf.int32, [[]], shared_name=n),
        ),
        (
            lambda n: Q(10, tf.float32, [[]], shared_name=n),
            lambda n: F(10, tf.int32, [[]], shared_name=n),
        ),
    )
):
    a, b = first("q%d" % number), second("q%d" % number)
    with tf.Session() as s:
        s.run(a.queue_ref.op)
        try:
            s.run(b.queue_ref.op)
        except tf.errors.InvalidArgumentError as error:
            print(error.message.splitlines()[0])
# case: the order of RandomShuffleQueue
for seed, seed2, keep in ((None, 3, 0), (5, None, 2), (5, 7, 4)):
    tf.reset_default_graph()
    tf.set_random_seed(seed if seed is not None else 1)
    q = tf.RandomShuffleQueue(50, keep, [tf.int32, tf.string], [[], []], seed=seed2)
    one = q.dequeue()
    with tf.Session() as s:
        s.run(q.enqueue_many([list(range(20)), [str(i) for i in range(20)]]))
        show(s.run(q.dequeue_many(12)), s.run(one))
        s.run(q.enqueue_many([list(range(20, 30)), ["x"] * 10]))
        s.run(q.close())
        show(s.run(q.dequeue_up_to(30)))
# case: the order of PriorityQueue
q = tf.PriorityQueue(100, [tf.int32], [[]])
values = np.random.RandomState(0).randint(0, 6, 40).astype(np.int64)
with tf.Session() as s:
    s.run(q.enqueue_many([values, list(range(40))]))
    show(s.run(q.dequeue_many(15)))
    s.run(q.enqueue_many([values[:9], list(range(40, 49))]))
    show(s.run(q.dequeue()), s.run(q.dequeue_many(33)))
# case: padding
q = tf.PaddingFIFOQueue(10, [tf.float32, tf.string], [[None, 2], [None]])
x, y = tf.placeholder(tf.float32, [None, 2]), tf.placeholder(tf.string, [None])
put = q.enqueue([x, y])
with tf.Session() as s:
    s.run(put, {x: [[1, 2]], y: ["a", "b"]})
    s.run(put, {x: [[1, 2], [3, 4]], y: []})
    s.run(put, {x: np.zeros([0, 2]), y: ["c"]})
    show(s.run(q.dequeue_many(0)))
    show(s.run(q.dequeue_many(2)), s.run(q.dequeue()))
# case: queues of old graphs
q = tf.raw_ops.FIFOQueue(component_types=[tf.float32], name="old")
show(q)
queue = tf.QueueBase([tf.float32], None, None, q)
put, get, size = queue.enqueue(1.0), queue.dequeue(), queue.size()
nodes()
with tf.Session() as s:
    s.run(put)
    show(s.run(size), s.run(get))
