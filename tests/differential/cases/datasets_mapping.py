# case: errors of elements
import re
D = tf.data.Dataset
E = tf.data.experimental
def plain(text):
    return re.sub(r"^(\{\{function_node [^}]*\}\})? ?", "", text.splitlines()[0])
def bad(x):
    return tf.check_numerics(1.0 / tf.cast(x - 2, tf.float32), "bad")
def run(dataset, epochs=1, limit=50):
    iterator = dataset.make_initializable_iterator()
    element = iterator.get_next()
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        sess.run(tf.tables_initializer())
        for _ in range(epochs):
            try:
                sess.run(iterator.initializer)
            except tf.errors.OpError as error:
                print(type(error).__name__, plain(error.message))
                continue
            for _ in range(limit):
                try:
                    show(sess.run(element))
                except tf.errors.OutOfRangeError:
                    print("end")
                    break
                except tf.errors.OpError as error:
                    print(type(error).__name__, plain(error.message))
def attempt(f):
    try:
        run(f())
    except (ValueError, TypeError) as error:
        print(type(error).__name__, str(error).splitlines()[0].split(" Got <class")[0])
def ops(start=0):
    print([(op.name, op.type, sorted(k for k in op.node_def.attr if k not in ("f", "predicate"))) for op in tf.get_default_graph().get_operations()[start:]])
run(D.range(6).map(bad))
run(D.range(6).map(bad, 2))
run(D.range(6).map(bad).batch(2))
run(D.range(6).map(bad).batch(4, True))
run(D.range(7).apply(E.map_and_batch(bad, 4)))
run(D.range(7).apply(E.map_and_batch(bad, 2, drop_remainder=True)))
run(D.range(6).filter(lambda x: bad(x) > 0))
run(D.range(6).map(bad).prefetch(2))
run(D.range(4).flat_map(lambda x: D.range(x, x + 3).map(bad)))
run(D.range(4).flat_map(lambda x: D.from_tensors(bad(x))))
run(D.range(6).map(bad).apply(E.ignore_errors()))
run(D.range(6).map(bad).batch(2).apply(E.ignore_errors()))
run(D.range(6).map(bad, 3).apply(E.ignore_errors()))
# case: shapes that cannot be batched
import re
D = tf.data.Dataset
E = tf.data.experimental
def plain(text):
    return re.sub(r"^(\{\{function_node [^}]*\}\})? ?", "", text.splitlines()[0])
def bad(x):
    return tf.check_numerics(1.0 / tf.cast(x - 2, tf.float32), "bad")
def run(dataset, epochs=1, limit=50):
    iterator = dataset.make_initializable_iterator()
    element = iterator.get_next()
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        sess.run(tf.tables_initializer())
        for _ in range(epochs):
            try:
                sess.run(iterator.initializer)
            except tf.errors.OpError as error:
                print(type(error).__name__, plain(error.message))
                continue
            for _ in range(limit):
                try:
                    show(sess.run(element))
                except tf.errors.OutOfRangeError:
                    print("end")
                    break
                except tf.errors.OpError as error:
                    print(type(error).__name__, plain(error.message))
def attempt(f):
    try:
        run(f())
    except (ValueError, TypeError) as error:
        print(type(error).__name__, str(error).splitlines()[0].split(" Got <class")[0])
def ops(start=0):
    print([(op.name, op.type, sorted(k for k in op.node_def.attr if k not in ("f", "predicate"))) for op in tf.get_default_graph().get_operations()[start:]])
run(D.range(4).map(lambda x: tf.ones([x])).batch(2))
run(D.range(4).apply(E.map_and_batch(lambda x: tf.ones([x]), 2)))
# case: parallel maps
import re
D = tf.data.Dataset
E = tf.data.experimental
def plain(text):
    return re.sub(r"^(\{\{function_node [^}]*\}\})? ?", "", text.splitlines()[0])
def bad(x):
    return tf.check_numerics(1.0 / tf.cast(x - 2, tf.float32), "bad")
def run(dataset, epochs=1, limit=50):
    iterator = dataset.make_initializable_iterator()
    element = iterator.get_next()
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        sess.run(tf.tables_initializer())
        for _ in range(epochs):
            try:
                sess.run(iterator.initializer)
            except tf.errors.OpError as error:
                print(type(error).__name__, plain(error.message))
                continue
            for _ in range(limit):
                try:
                    show(sess.run(element))
                except tf.errors.OutOfRangeError:
                    print("end")
                    break
                except tf.errors.OpError as error:
                    print(type(error).__name__, plain(error.message))
def attempt(f):
    try:
        run(f())
    except (ValueError, TypeError) as error:
        print(type(error).__name__, str(error).splitlines()[0].split(" Got <class")[0])
def ops(start=0):
    print([(op.name, op.type, sorted(k for k in op.node_def.attr if k not in ("f", "predicate"))) for op in tf.get_default_graph().get_operations()[start:]])
run(D.range(7).map(lambda x: x * x, num_parallel_calls=3))
run(D.range(7).map(lambda x: x * x, num_parallel_calls=E.AUTOTUNE))
run(D.range(7).map(lambda x: tf.py_func(lambda v: v * 2, [x], tf.int64), num_parallel_calls=tf.constant(3)))
attempt(lambda: D.range(3).map(lambda x: x, 0))
attempt(lambda: D.range(3).map(lambda x: x, -2))
run(D.range(7).apply(E.map_and_batch(lambda x: (x, -x), 3)))
run(D.range(7).apply(E.map_and_batch(lambda x: x, 3, num_parallel_calls=2, drop_remainder=True)))
run(D.range(7).apply(E.map_and_batch_with_legacy_function(lambda x: x, 3, num_parallel_batches=2)))
attempt(lambda: D.range(3).apply(E.map_and_batch(lambda x: x, 0)))
attempt(lambda: D.range(3).apply(E.map_and_batch(lambda x: x, 1, num_parallel_calls=0)))
attempt(lambda: D.range(3).apply(E.map_and_batch(lambda x: x, 1, 2, False, 3)))
run(D.range(3).map_with_legacy_function(lambda x: x + 1, 2))
ops()
# case: interleave
import re
D = tf.data.Dataset
E = tf.data.experimental
def plain(text):
    return re.sub(r"^(\{\{function_node [^}]*\}\})? ?", "", text.splitlines()[0])
def bad(x):
    return tf.check_numerics(1.0 / tf.cast(x - 2, tf.float32), "bad")
def run(dataset, epochs=1, limit=50):
    iterator = dataset.make_initializable_iterator()
    element = iterator.get_next()
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        sess.run(tf.tables_initializer())
        for _ in range(epochs):
            try:
                sess.run(iterator.initializer)
            except tf.errors.OpError as error:
                print(type(error).__name__, plain(error.message))
                continue
            for _ in range(limit):
                try:
                    show(sess.run(element))
                except tf.errors.OutOfRangeError:
                    print("end")
                    break
                except tf.errors.OpError as error:
                    print(type(error).__name__, plain(error.message))
def attempt(f):
    try:
        run(f())
    except (ValueError, TypeError) as error:
        print(type(error).__name__, str(error).splitlines()[0].split(" Got <class")[0])
def ops(start=0):
    print([(op.name, op.type, sorted(k for k in op.node_def.attr if k not in ("f", "predicate"))) for op in tf.get_default_graph().get_operations()[start:]])
numbers = lambda x: D.range(10 * x, 10 * x + x)
for cycle, block in ((2, 1), (3, 2), (1, 3), (9, 2)):
    run(D.range(6).interleave(numbers, cycle, block))
    run(D.range(6).interleave(numbers, cycle, block, num_parallel_calls=1))
    run(D.range(6).interleave(numbers, cycle, block).batch(4))
run(D.range(6).interleave(numbers, 3, 2, num_parallel_calls=2))
run(D.range(4).interleave(lambda x: D.range(x, x + 3).map(bad), 2, 1))
run(D.range(4).interleave(lambda x: D.range(x, x + 3).map(bad), 2, 1, num_parallel_calls=2))
run(D.range(4).interleave(lambda x: D.from_tensors(bad(x)), 2, 1, num_parallel_calls=2))
attempt(lambda: D.range(6).interleave(numbers, 0))
attempt(lambda: D.range(6).interleave(numbers, -2))
attempt(lambda: D.range(6).interleave(numbers, 1, 0))
attempt(lambda: D.range(6).interleave(numbers, 0, 1, 1))
attempt(lambda: D.range(6).interleave(numbers, 1, 0, 1))
attempt(lambda: D.range(6).interleave(numbers, 1, 1, 0))
attempt(lambda: D.range(6).interleave(numbers, 1, 1, 2))
# case: parallel_interleave
import re
D = tf.data.Dataset
E = tf.data.experimental
def plain(text):
    return re.sub(r"^(\{\{function_node [^}]*\}\})? ?", "", text.splitlines()[0])
def bad(x):
    return tf.check_numerics(1.0 / tf.cast(x - 2, tf.float32), "bad")
def run(dataset, epochs=1, limit=50):
    iterator = dataset.make_initializable_iterator()
    element = iterator.get_next()
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        sess.run(tf.tables_initializer())
        for _ in range(epochs):
            try:
                sess.run(iterator.initializer)
            except tf.errors.OpError as error:
                print(type(error).__name__, plain(error.message))
                continue
            for _ in range(limit):
                try:
                    show(sess.run(element))
                except tf.errors.OutOfRangeError:
                    print("end")
                    break
                except tf.errors.OpError as error:
                    print(type(error).__name__, plain(error.message))
def attempt(f):
    try:
        run(f())
    except (ValueError, TypeError) as error:
        print(type(error).__name__, str(error).splitlines()[0].split(" Got <class")[0])
def ops(start=0):
    print([(op.name, op.type, sorted(k for k in op.node_def.attr if k not in ("f", "predicate"))) for op in tf.get_default_graph().get_operations()[start:]])
numbers = lambda x: D.range(10 * x, 10 * x + x)
for cycle, block in ((2, 1), (3, 2), (1, 3), (9, 2)):
    run(D.range(6).apply(E.parallel_interleave(numbers, cycle, block)))
run(D.range(6).apply(E.parallel_interleave(numbers, 3, 2, buffer_output_elements=1, prefetch_input_elements=0)))
run(D.range(4).apply(E.parallel_interleave(lambda x: D.range(x, x + 3).map(bad), 2)))
run(D.range(4).apply(E.parallel_interleave(lambda x: D.from_tensors(bad(x)), 2)))
run(D.range(1, 2).apply(tf.contrib.data.sloppy_interleave(numbers, 1)))
run(D.range(3).apply(tf.contrib.data.parallel_interleave(numbers, 2)))
attempt(lambda: D.range(6).apply(E.parallel_interleave(numbers, 0)))
attempt(lambda: D.range(6).apply(E.parallel_interleave(numbers, 1, 0)))
attempt(lambda: D.range(6).apply(E.parallel_interleave(numbers, 1, buffer_output_elements=0)))
attempt(lambda: D.range(6).apply(E.parallel_interleave(numbers, 1, prefetch_input_elements=-1)))
# case: filter, take_while, prefetch
import re
D = tf.data.Dataset
E = tf.data.experimental
def plain(text):
    return re.sub(r"^(\{\{function_node [^}]*\}\})? ?", "", text.splitlines()[0])
def bad(x):
    return tf.check_numerics(1.0 / tf.cast(x - 2, tf.float32), "bad")
def run(dataset, epochs=1, limit=50):
    iterator = dataset.make_initializable_iterator()
    element = iterator.get_next()
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        sess.run(tf.tables_initializer())
        for _ in range(epochs):
            try:
                sess.run(iterator.initializer)
            except tf.errors.OpError as error:
                print(type(error).__name__, plain(error.message))
                continue
            for _ in range(limit):
                try:
                    show(sess.run(element))
                except tf.errors.OutOfRangeError:
                    print("end")
                    break
                except tf.errors.OpError as error:
                    print(type(error).__name__, plain(error.message))
def attempt(f):
    try:
        run(f())
    except (ValueError, TypeError) as error:
        print(type(error).__name__, str(error).splitlines()[0].split(" Got <class")[0])
def ops(start=0):
    print([(op.name, op.type, sorted(k for k in op.node_def.attr if k not in ("f", "predicate"))) for op in tf.get_default_graph().get_operations()[start:]])
run(D.range(9).filter(lambda x: x % 3 > 0))
run(D.range(9).filter(lambda x: x % 3 > 0).batch(4))
run(D.range(3).filter(lambda x: True))
D.range(3).filter_with_legacy_function(lambda x: x > 1)
attempt(lambda: D.range(3).filter(lambda x: x))
attempt(lambda: D.range(3).filter(lambda x: tf.constant([True])))
run(D.range(9).apply(E.take_while(lambda x: x < 3)))
run(D.range(6).apply(E.take_while(lambda x: bad(x) < 5)))
attempt(lambda: D.range(3).apply(E.take_while(lambda x: x)))
for size in (0, 1, 3, -1, None):
    run(D.range(5).prefetch(size))
attempt(lambda: D.range(3).prefetch(-2))
show(D.range(3).prefetch(2), D.range(3).filter(lambda x: x > 1))
ops()
# case: scan and reduce
import re
D = tf.data.Dataset
E = tf.data.experimental
def plain(text):
    return re.sub(r"^(\{\{function_node [^}]*\}\})? ?", "", text.splitlines()[0])
def bad(x):
    return tf.check_numerics(1.0 / tf.cast(x - 2, tf.float32), "bad")
def run(dataset, epochs=1, limit=50):
    iterator = dataset.make_initializable_iterator()
    element = iterator.get_next()
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        sess.run(tf.tables_initializer())
        for _ in range(epochs):
            try:
                sess.run(iterator.initializer)
            except tf.errors.OpError as error:
                print(type(error).__name__, plain(error.message))
                continue
            for _ in range(limit):
                try:
                    show(sess.run(element))
                except tf.errors.OutOfRangeError:
                    print("end")
                    break
                except tf.errors.OpError as error:
                    print(type(error).__name__, plain(error.message))
def attempt(f):
    try:
        run(f())
    except (ValueError, TypeError) as error:
        print(type(error).__name__, str(error).splitlines()[0].split(" Got <class")[0])
def ops(start=0):
    print([(op.name, op.type, sorted(k for k in op.node_def.attr if k not in ("f", "predicate"))) for op in tf.get_default_graph().get_operations()[start:]])
zero = tf.constant(0, tf.int64)
run(D.range(6).apply(E.scan(zero, lambda a, x: (a + x, a))))
run(D.range(6).apply(E.scan(0.0, lambda a, x: (a + bad(x), a))))
run(D.range(4).apply(E.scan([0], lambda a, x: (tf.concat([a, a], 0), a))))
run(D.range(3).apply(tf.contrib.data.scan({"n": zero}, lambda a, x: ({"n": a["n"] + x}, (x, a["n"])))))
attempt(lambda: D.range(3).apply(E.scan(0, lambda a, x: a)))
attempt(lambda: D.range(3).apply(E.scan(0, lambda a, x: (x, x))))
def last(f):
    try:
        value = f()
        with tf.Session() as sess:
            show(value, sess.run(value))
    except tf.errors.OpError as error:
        print(type(error).__name__, plain(error.message))
    except (ValueError, TypeError) as error:
        print(type(error).__name__, str(error).splitlines()[0])
last(lambda: D.range(6).reduce(zero, lambda a, x: a + x))
last(lambda: D.range(6).reduce(0.0, lambda a, x: a + bad(x)))
last(lambda: D.range(0).reduce(7.0, lambda a, x: a + bad(x)))
last(lambda: D.range(3).reduce((zero, 1), lambda a, x: (a[0] + x, a[1] * 2)))
last(lambda: D.range(3).reduce([1], lambda a, x: tf.concat([a, a], 0)))
last(lambda: D.range(3).reduce(0, lambda a, x: 1.0))
last(lambda: D.range(3).reduce((1, 2), lambda a, x: a[0]))
last(lambda: tf.contrib.data.reduce_dataset(D.range(6), tf.contrib.data.Reducer(lambda k: k, lambda a, x: a + x, lambda a: a * 2)))
# case: what functions may use
import re
D = tf.data.Dataset
E = tf.data.experimental
def plain(text):
    return re.sub(r"^(\{\{function_node [^}]*\}\})? ?", "", text.splitlines()[0])
def bad(x):
    return tf.check_numerics(1.0 / tf.cast(x - 2, tf.float32), "bad")
def run(dataset, epochs=1, limit=50):
    iterator = dataset.make_initializable_iterator()
    element = iterator.get_next()
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        sess.run(tf.tables_initializer())
        for _ in range(epochs):
            try:
                sess.run(iterator.initializer)
            except tf.errors.OpError as error:
                print(type(error).__name__, plain(error.message))
                continue
            for _ in range(limit):
                try:
                    show(sess.run(element))
                except tf.errors.OutOfRangeError:
                    print("end")
                    break
                except tf.errors.OpError as error:
                    print(type(error).__name__, plain(error.message))
def attempt(f):
    try:
        run(f())
    except (ValueError, TypeError) as error:
        print(type(error).__name__, str(error).splitlines()[0].split(" Got <class")[0])
def ops(start=0):
    print([(op.name, op.type, sorted(k for k in op.node_def.attr if k not in ("f", "predicate"))) for op in tf.get_default_graph().get_operations()[start:]])
def getting():
    return D.range(3).map(lambda x: x + tf.get_variable("v", [], tf.int64, initializer=tf.ones_initializer()))
run(getting())
print([v.name for v in tf.global_variables()])
w = tf.get_variable("w", [], tf.int64, initializer=tf.ones_initializer(), use_resource=True)
run(D.range(3).map(lambda x: x + w))
run(D.range(3).map(lambda x: w.assign_add(x)))
run(D.range(9).map(lambda x: x + w).batch(4))
with tf.variable_scope("s"):
    u = tf.get_variable("u", [], tf.int64, initializer=tf.ones_initializer())
def shared(x):
    with tf.variable_scope("s", reuse=True):
        return x + tf.get_variable("u", [], tf.int64)
run(D.range(3).map(shared))
table = tf.contrib.lookup.HashTable(tf.contrib.lookup.KeyValueTensorInitializer(["a", "b"], tf.constant([1, 2], tf.int64)), -1)
run(D.from_tensor_slices(["a", "b", "c"]).map(table.lookup))
run(D.from_tensor_slices(["a", "b", "c"]).map(table.lookup).batch(2))
p = tf.placeholder_with_default(tf.constant(3, tf.int64), [])
run(D.range(3).map(lambda x: x * p))
run(D.range(3).flat_map(lambda x: D.range(x + 1).map(lambda y: y * x * p)))
run(D.range(3).map(lambda x: tf.while_loop(lambda i: i < 10, lambda i: i + x + 1, [tf.constant(0, tf.int64)])))
run(D.range(3).map(lambda x: tf.cond(x > 1, lambda: x, lambda: -x)).batch(3))
q = tf.FIFOQueue(10, tf.int64)
run(D.range(3).map(lambda x: (q.enqueue(x), q.dequeue())[1]))
# case: random numbers in functions
import re
D = tf.data.Dataset
E = tf.data.experimental
def plain(text):
    return re.sub(r"^(\{\{function_node [^}]*\}\})? ?", "", text.splitlines()[0])
def bad(x):
    return tf.check_numerics(1.0 / tf.cast(x - 2, tf.float32), "bad")
def run(dataset, epochs=1, limit=50):
    iterator = dataset.make_initializable_iterator()
    element = iterator.get_next()
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        sess.run(tf.tables_initializer())
        for _ in range(epochs):
            try:
                sess.run(iterator.initializer)
            except tf.errors.OpError as error:
                print(type(error).__name__, plain(error.message))
                continue
            for _ in range(limit):
                try:
                    show(sess.run(element))
                except tf.errors.OutOfRangeError:
                    print("end")
                    break
                except tf.errors.OpError as error:
                    print(type(error).__name__, plain(error.message))
def attempt(f):
    try:
        run(f())
    except (ValueError, TypeError) as error:
        print(type(error).__name__, str(error).splitlines()[0].split(" Got <class")[0])
def ops(start=0):
    print([(op.name, op.type, sorted(k for k in op.node_def.attr if k not in ("f", "predicate"))) for op in tf.get_default_graph().get_operations()[start:]])
def numbers(x):
    return tf.random_uniform([]), tf.random_normal([2], seed=7)
run(D.range(3).map(lambda x: tf.random_normal([2], seed=7)), epochs=2)
tf.set_random_seed(42)
run(D.range(3).map(numbers), epochs=2)
run(D.range(3).map(lambda x: (tf.random_shuffle(tf.range(5)), tf.random_crop(tf.reshape(tf.range(9), [3, 3]), [2, 2]))), epochs=2)
run(D.range(2).flat_map(lambda x: D.range(2).map(lambda y: tf.random_uniform([]))), epochs=2)
run(D.range(9).filter(lambda x: tf.random_uniform([]) < 0.5))
run(D.range(4).map(lambda x: tf.random_uniform([])).batch(2))
run(D.range(4).apply(E.scan(0.0, lambda a, x: (a + 1.0, a + tf.random_uniform([])))))
# case: structures of results
import re
D = tf.data.Dataset
E = tf.data.experimental
def plain(text):
    return re.sub(r"^(\{\{function_node [^}]*\}\})? ?", "", text.splitlines()[0])
def bad(x):
    return tf.check_numerics(1.0 / tf.cast(x - 2, tf.float32), "bad")
def run(dataset, epochs=1, limit=50):
    iterator = dataset.make_initializable_iterator()
    element = iterator.get_next()
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        sess.run(tf.tables_initializer())
        for _ in range(epochs):
            try:
                sess.run(iterator.initializer)
            except tf.errors.OpError as error:
                print(type(error).__name__, plain(error.message))
                continue
            for _ in range(limit):
                try:
                    show(sess.run(element))
                except tf.errors.OutOfRangeError:
                    print("end")
                    break
                except tf.errors.OpError as error:
                    print(type(error).__name__, plain(error.message))
def attempt(f):
    try:
        run(f())
    except (ValueError, TypeError) as error:
        print(type(error).__name__, str(error).splitlines()[0].split(" Got <class")[0])
def ops(start=0):
    print([(op.name, op.type, sorted(k for k in op.node_def.attr if k not in ("f", "predicate"))) for op in tf.get_default_graph().get_operations()[start:]])
import collections
P = collections.namedtuple("P", "a b")
def structure(f):
    attempt(lambda: D.range(1).map(f))
    try:
        dataset = D.range(1).map(f)
    except TypeError:
        return
    show(dataset.output_types, dataset.output_shapes)
structure(lambda x: (x, (x, {"b": x, "a": [x, x]})))
structure(lambda x: [x, x])
structure(lambda x: P(x, (x, 1.0)))
structure(lambda x: {"z": x, "a": 1.0})
structure(lambda x: np.ones(2))
structure(lambda x: "text")
structure(lambda x: tf.SparseTensor([[0, 0]], tf.reshape(x, [1]), [1, 2]))
structure(lambda x: None)
run(D.range(1).map(lambda x: P(x, x)).map(lambda p: p.a))
run(D.range(2).map(lambda x: (x, {"a": x})).map(lambda x, y: x + y["a"]))
run(D.range(2).map(lambda x: tf.SparseTensor([[0, x]], tf.reshape(x, [1]), [1, 3])).map(tf.sparse_tensor_to_dense))
run(D.range(3).map(lambda x: D.range(x + 1).batch(2)).flat_map(lambda d: d))
attempt(lambda: D.range(3).map(3))
attempt(lambda: D.range(3).flat_map(lambda x: x))
# case: nodes of the older op types
import re
D = tf.data.Dataset
E = tf.data.experimental
def plain(text):
    return re.sub(r"^(\{\{function_node [^}]*\}\})? ?", "", text.splitlines()[0])
def bad(x):
    return tf.check_numerics(1.0 / tf.cast(x - 2, tf.float32), "bad")
def run(dataset, epochs=1, limit=50):
    iterator = dataset.make_initializable_iterator()
    element = iterator.get_next()
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        sess.run(tf.tables_initializer())
        for _ in range(epochs):
            try:
                sess.run(iterator.initializer)
            except tf.errors.OpError as error:
                print(type(error).__name__, plain(error.message))
                continue
            for _ in range(limit):
                try:
                    show(sess.run(element))
                except tf.errors.OutOfRangeError:
                    print("end")
                    break
                except tf.errors.OpError as error:
                    print(type(error).__name__, plain(error.message))
def attempt(f):
    try:
        run(f())
    except (ValueError, TypeError) as error:
        print(type(error).__name__, str(error).splitlines()[0].split(" Got <class")[0])
def ops(start=0):
    print([(op.name, op.type, sorted(k for k in op.node_def.attr if k not in ("f", "predicate"))) for op in tf.get_default_graph().get_operations()[start:]])
from tensorflow.python.data.experimental.ops import sleep, threadpool
older = {}
def renamed(dataset, name, new):
    graph_def = tf.get_default_graph().as_graph_def()
    for node in graph_def.node:
        if node.op == name:
            node.op = new
    variant, = tf.import_graph_def(graph_def, return_elements=[dataset._variant_tensor.name])
    return E.from_variant(variant, dataset.element_spec)
def again(dataset, *names):
    for name in names:
        renew = renamed(dataset, name, "Experimental" + name)
        iterator = tf.compat.v1.data.make_initializable_iterator(renew)
        element = iterator.get_next()
        values = []
        with tf.Session() as sess:
            sess.run(iterator.initializer)
            while True:
                try:
                    values.append(sess.run(element))
                except tf.errors.OutOfRangeError:
                    break
        print(name, [np.asarray(value).tolist() for value in values])
zero = tf.constant(0, tf.int64)
again(D.range(4).apply(E.scan(zero, lambda a, x: (a + x, a))), "ScanDataset")
again(D.range(4).apply(E.take_while(lambda x: x < 2)), "TakeWhileDataset")
again(D.range(4).apply(E.ignore_errors()), "IgnoreErrorsDataset")
again(D.range(4).apply(E.map_and_batch(lambda x: x, 3)), "MapAndBatchDataset")
again(D.range(4).apply(E.parallel_interleave(lambda x: D.range(x), 2)), "ParallelInterleaveDataset")
again(D.range(4).apply(sleep.sleep(10)), "SleepDataset")
run(D.range(2).apply(sleep.sleep(10)))
options = tf.data.Options()
options.experimental_threading.max_intra_op_parallelism = 1
options.experimental_threading.private_threadpool_size = 2
run(D.range(3).with_options(options))
options.experimental_threading.private_threadpool_size = -1
run(D.range(3).with_options(options))
# case: thread pools, the fastest of several
import re
D = tf.data.Dataset
E = tf.data.experimental
def plain(text):
    return re.sub(r"^(\{\{function_node [^}]*\}\})? ?", "", text.splitlines()[0])
def bad(x):
    return tf.check_numerics(1.0 / tf.cast(x - 2, tf.float32), "bad")
def run(dataset, epochs=1, limit=50):
    iterator = dataset.make_initializable_iterator()
    element = iterator.get_next()
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        sess.run(tf.tables_initializer())
        for _ in range(epochs):
            try:
                sess.run(iterator.initializer)
            except tf.errors.OpError as error:
                print(type(error).__name__, plain(error.message))
                continue
            for _ in range(limit):
                try:
                    show(sess.run(element))
                except tf.errors.OutOfRangeError:
                    print("end")
                    break
                except tf.errors.OpError as error:
                    print(type(error).__name__, plain(error.message))
def attempt(f):
    try:
        run(f())
    except (ValueError, TypeError) as error:
        print(type(error).__name__, str(error).splitlines()[0].split(" Got <class")[0])
def ops(start=0):
    print([(op.name, op.type, sorted(k for k in op.node_def.attr if k not in ("f", "predicate"))) for op in tf.get_default_graph().get_operations()[start:]])
attrs = dict(output_types=[tf.int64], output_shapes=[[]])
make = lambda variant: E.from_variant(variant, tf.TensorSpec([], tf.int64))
def values(variant):
    iterator = tf.compat.v1.data.make_initializable_iterator(make(variant))
    element = iterator.get_next()
    with tf.Session() as sess:
        try:
            sess.run(iterator.initializer)
            print([int(sess.run(element)) for _ in range(3)])
            sess.run(element)
        except tf.errors.OpError as error:
            print(type(error).__name__, plain(error.message))
numbers = D.range(3)._variant_tensor
raw = tf.raw_ops
pool = raw.ThreadPoolHandle(num_threads=2, display_name="pool")
values(raw.ThreadPoolDataset(input_dataset=numbers, thread_pool=pool, **attrs))
pool = raw.ExperimentalThreadPoolHandle(num_threads=2, display_name="pool")
values(raw.ExperimentalThreadPoolDataset(input_dataset=numbers, thread_pool=pool, **attrs))
values(raw.MaxIntraOpParallelismDataset(input_dataset=numbers, max_intra_op_parallelism=1, **attrs))
values(raw.ExperimentalMaxIntraOpParallelismDataset(input_dataset=numbers, max_intra_op_parallelism=-1, **attrs))
values(raw.PrivateThreadPoolDataset(input_dataset=numbers, num_threads=1, **attrs))
values(raw.ExperimentalPrivateThreadPoolDataset(input_dataset=numbers, num_threads=0, **attrs))
values(raw.NonSerializableDataset(input_dataset=numbers, **attrs))
values(raw.ExperimentalNonSerializableDataset(input_dataset=numbers, **attrs))
values(raw.ChooseFastestDataset(input_datasets=[numbers, numbers], num_experiments=2, **attrs))
values(raw.ExperimentalChooseFastestDataset(input_datasets=[numbers, numbers], num_experiments=2, **attrs))
values(raw.ChooseFastestDataset(input_datasets=[numbers, D.range(4)._variant_tensor], num_experiments=2, **attrs))
text = D.from_tensors("text")._variant_tensor
values(raw.ChooseFastestDataset(input_datasets=[numbers, text], num_experiments=2, **attrs))
# case: assert_element_shape
import re
D = tf.data.Dataset
E = tf.data.experimental
def plain(text):
    return re.sub(r"^(\{\{function_node [^}]*\}\})? ?", "", text.splitlines()[0])
def bad(x):
    return tf.check_numerics(1.0 / tf.cast(x - 2, tf.float32), "bad")
def run(dataset, epochs=1, limit=50):
    iterator = dataset.make_initializable_iterator()
    element = iterator.get_next()
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        sess.run(tf.tables_initializer())
        for _ in range(epochs):
            try:
                sess.run(iterator.initializer)
            except tf.errors.OpError as error:
                print(type(error).__name__, plain(error.message))
                continue
            for _ in range(limit):
                try:
                    show(sess.run(element))
                except tf.errors.OutOfRangeError:
                    print("end")
                    break
                except tf.errors.OpError as error:
                    print(type(error).__name__, plain(error.message))
def attempt(f):
    try:
        run(f())
    except (ValueError, TypeError) as error:
        print(type(error).__name__, str(error).splitlines()[0].split(" Got <class")[0])
def ops(start=0):
    print([(op.name, op.type, sorted(k for k in op.node_def.attr if k not in ("f", "predicate"))) for op in tf.get_default_graph().get_operations()[start:]])
C = tf.contrib.data
unknown = lambda x: tf.py_func(lambda v: v, [x], tf.int64)
dataset = D.range(2).map(unknown).apply(C.assert_element_shape(tf.TensorShape([])))
show(dataset)
run(dataset)
run(D.range(2).map(unknown).apply(C.assert_element_shape(tf.TensorShape([3]))))
attempt(lambda: D.range(2).apply(C.assert_element_shape(tf.TensorShape([3]))))
pairs = D.from_tensors(([[1, 2]], 3)).map(lambda a, b: (tf.py_func(lambda v: v, [a], tf.int32), b))
dataset = pairs.apply(C.assert_element_shape((tf.TensorShape([None, 2]), tf.TensorShape([]))))
show(dataset)
run(dataset)
