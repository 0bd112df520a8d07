# case: datasets as GraphDefs
def described(dataset, **options):
    text = tf.raw_ops.DatasetToGraph(input_dataset=tf.data.experimental.to_variant(dataset), **options)
    with tf.Session() as sess:
        return tf.GraphDef.FromString(sess.run(text))

numbers = tf.data.Dataset.range
captured = tf.constant(7, tf.int64)
datasets = {
    "map": numbers(5).map(lambda x: x * 2 + tf.constant(3, tf.int64)).batch(2),
    "captured": numbers(5).map(lambda x: x + captured, num_parallel_calls=2),
    "slices": tf.data.Dataset.from_tensor_slices(([1, 2, 3], ["a", "b", "c"])).shuffle(10, seed=1).repeat(2),
    "several": tf.data.Dataset.zip((numbers(2), numbers(2).concatenate(numbers(4)))).cache(),
    "nested": numbers(3).flat_map(lambda x: numbers(x).map(lambda y: y + x)).filter(lambda x: x > 0),
    "assertions": numbers(3).map(lambda x: tf.Print(tf.cond(x > 1, lambda: x, lambda: x + 1), [x])),
}
for name in sorted(datasets):
    proto = described(datasets[name])
    print(name, proto.versions.producer, proto.versions.min_consumer, len(proto.library.function))
    for node in proto.node:
        print(node.name, node.op, list(node.input), sorted(node.attr))
        if node.op == "Const" and node.attr["dtype"].type != tf.string:
            print(node.attr["dtype"].type, tf.make_ndarray(node.attr["value"].tensor).tolist())
# case: functions with a state stay out of a GraphDef
numbers = tf.data.Dataset.range
variable = tf.get_variable("v", (), tf.int64, use_resource=True)
datasets = [
    (numbers(3).map(lambda x: x + variable), []),
    (numbers(3).map(lambda x: tf.py_func(lambda y: y, [x], tf.int64)), []),
    (numbers(3).flat_map(lambda x: numbers(x).map(lambda y: tf.random_uniform(()))), []),
    (numbers(3).map(lambda x: tf.random_uniform(())), ["RandomUniform"]),
    (numbers(3).map(lambda x: tf.py_func(lambda y: y, [x], tf.int64, stateful=False)), []),
]
with tf.Session() as sess:
    for dataset, names in datasets:
        variant = tf.data.experimental.to_variant(dataset)
        try:
            text = sess.run(tf.raw_ops.DatasetToGraph(input_dataset=variant, stateful_whitelist=names))
            print(len(tf.GraphDef.FromString(text).node))
        except tf.errors.OpError as error:
            print(type(error).__name__, error.message.splitlines()[0])
# case: datasets from GraphDefs
given = tf.placeholder(tf.string)
variant = tf.raw_ops.DatasetFromGraph(graph_def=given)
print(variant.op.name, variant.shape)
spec = tf.TensorSpec([None], tf.int64)
iterator = tf.data.make_initializable_iterator(tf.data.experimental.from_variant(variant, spec))
element = iterator.get_next()
source = tf.data.Dataset.range(5).flat_map(lambda x: tf.data.Dataset.range(x).map(lambda y: 10 * x + y)).batch(4)
text = tf.raw_ops.DatasetToGraph(input_dataset=tf.data.experimental.to_variant(source))

def changed(change):
    proto = tf.GraphDef.FromString(written)
    change(proto)
    return proto.SerializeToString()

def with_unknown_input(proto):
    next(node for node in proto.node if node.op == "RangeDataset").input[0] = "nope"

with tf.Session() as sess:
    written = sess.run(text)
    bad = [b"", b"xyz", [b"a", b"b"], changed(with_unknown_input)]
    for value in [written, changed(lambda proto: proto.node.add(name="Unused", op="NoOp"))] + bad:
        try:
            sess.run(iterator.initializer, {given: value})
            while True:
                show(sess.run(element))
        except tf.errors.OpError as error:
            print(type(error).__name__, error.message.splitlines()[0])
# case: the transformations that follow
from tensorflow.python.data.experimental.ops import optimization

X = tf.data.experimental
numbers = tf.data.Dataset.range
transformations = [
    lambda d: d.repeat().take(3),
    lambda d: d.skip(1).cache().prefetch(1),
    lambda d: d.map(lambda x: x).batch(2),
    lambda d: d.map(lambda x: x, 2).filter(lambda x: x >= 0).padded_batch(2, []),
    lambda d: d.shuffle(3).repeat(2),
    lambda d: tf.data.Dataset.zip((d, d)),
    lambda d: d.concatenate(d).enumerate(),
    lambda d: d.window(2).flat_map(lambda w: w.batch(2)).unbatch(),
    lambda d: d.interleave(lambda x: numbers(x + 1)).interleave(lambda x: numbers(x + 1), 2, num_parallel_calls=2),
    lambda d: X.sample_from_datasets([d, d]),
    lambda d: d.apply(X.map_and_batch(lambda x: x, 2)).apply(X.ignore_errors()),
    lambda d: d.apply(X.unique()).apply(X.scan(tf.constant(0, tf.int64), lambda a, b: (a, b))),
    lambda d: d.take(-1).skip(0).repeat(1).shard(2, 0),
]
plain, default = tf.data.Options(), tf.data.Options()
plain.experimental_optimization.apply_default_optimizations = False
plain.experimental_optimization.autotune = False
default.experimental_threading.private_threadpool_size = 2
with tf.Session() as sess:
    for transformation in transformations:
        for options in (plain, default):
            found = []
            for _ in range(7):
                asserted = numbers(3).apply(optimization.assert_next(found + ["X"]))
                dataset = transformation(asserted).with_options(options)
                iterator = tf.data.make_initializable_iterator(dataset)
                try:
                    sess.run(iterator.initializer)
                    sess.run(iterator.get_next())
                except tf.errors.InvalidArgumentError as error:
                    text = error.message.splitlines()[0]
                    if "encountered only" in text:
                        print(found, text)
                        break
                    found.append(text.split()[-3])
# case: functions of rows
from tensorflow.python.framework import function

def map_defun(fn, elems, output_types, output_shapes):
    return tf.raw_ops.MapDefun(
        arguments=elems, captured_inputs=fn.captured_inputs, output_types=output_types,
        output_shapes=output_shapes, f=fn,
    )

@function.Defun(tf.int32)
def doubled(x):
    return x * 2 + 3

@function.Defun(tf.int32, tf.string)
def two(x, text):
    return tf.reduce_sum(x), tf.string_join([text, "!"])

@function.Defun(tf.int32)
def numbers(x):
    return tf.range(x)

ten = tf.constant(10)

@function.Defun(tf.int32)
def added(x):
    return x + ten

@function.Defun(tf.float32)
def checked(x):
    return tf.check_numerics(1 / x, "bad")

rows = tf.constant([[1, 2], [3, 4], [5, 6]])
given = tf.placeholder(tf.int32)
(result,) = map_defun(doubled, [rows], [tf.int32], [(2,)])
print(result.op.name, result.op.type, result.shape, result.op.get_attr("max_intra_op_parallelism"))
pair = map_defun(two, [rows, tf.constant(["a", "b", "c"])], [tf.int32, tf.string], [(), ()])
(fed,) = map_defun(doubled, [given], [tf.int32], [(2,)])
(ranges,) = map_defun(numbers, [given], [tf.int32], [(None,)])
(captured,) = map_defun(added, [tf.constant([1, 2])], [tf.int32], [()])
(failing,) = map_defun(checked, [tf.constant([1.0, 0.0])], [tf.float32], [()])
print(fed.shape, ranges.shape, [t.op.type for t in captured.op.inputs], captured.op.get_attr("Tcaptured"))
calls = [
    (result, {}), (pair[0], {}), (pair[1], {}), (captured, {}), (fed, {given: np.zeros((0, 2))}), (fed, {given: 3}),
    (fed, {given: [[1, 2, 3]]}), (ranges, {given: [2, 2]}), (ranges, {given: []}),
]
with tf.Session() as sess:
    for tensor, feeds in calls:
        try:
            show(sess.run(tensor, feeds))
        except tf.errors.OpError as error:
            print(type(error).__name__, error.message.splitlines()[0].split(" (defined")[0])
    try:
        sess.run(failing)
    except tf.errors.OpError as error:
        print(type(error).__name__, "bad : Tensor had Inf values" in error.message)
for arguments in [
    (two, [rows, tf.constant(["a"])], [tf.int32, tf.string], [(), ()]), (doubled, [tf.constant(1)], [tf.int32], [()]),
]:
    try:
        map_defun(*arguments)
    except (TypeError, ValueError) as error:
        print(type(error).__name__, str(error).split(" for '")[0])
print(tf.gradients(result, rows))
# case: TensorArrays in datasets
def array(x):
    return tf.TensorArray(tf.int64, 2, element_shape=[], clear_after_read=False).write(0, x).write(1, x + 1)

dataset = tf.data.Dataset.range(3).map(lambda x: (x, array(x)))
types, classes = tf.data.get_output_types(dataset), tf.data.get_output_classes(dataset)
print(types, [kind.__name__ for kind in classes], tf.data.get_output_shapes(dataset)[1].ndims)
results = [
    dataset.map(lambda x, a: a.stack() + x),
    dataset.filter(lambda x, a: a.read(1) > 1).map(lambda x, a: a.gather([1, 0])),
    dataset.map(lambda x, a: a.read(0) + a.read(0)),
    dataset.map(lambda x, a: a.size()),
    tf.data.Dataset.from_tensors(array(tf.constant(5, tf.int64))).repeat(2).map(lambda a: a.stack()),
    tf.data.Dataset.range(2).map(
        lambda x: tf.TensorArray(tf.int64, 0, dynamic_size=True, element_shape=[]).write(0, x)
    ).map(lambda a: a.write(1, tf.constant(7, tf.int64)).stack()),
]
with tf.Session() as sess:
    for result in results:
        element = tf.data.make_one_shot_iterator(result).get_next()
        print(element.shape)
        try:
            while True:
                show(sess.run(element))
        except tf.errors.OutOfRangeError:
            pass
    iterator = tf.data.make_initializable_iterator(dataset)
    number, values = iterator.get_next()
    sess.run(iterator.initializer)
    print(type(values).__name__, values.dtype)
    show(sess.run([number, values.stack()]))
spec = tf.TensorArraySpec([2], tf.int32, dynamic_size=True, infer_shape=False)
print(spec, spec._serialize(), spec._component_specs, spec._to_legacy_output_types(), spec._to_legacy_output_shapes())
print(spec == tf.TensorArraySpec([2], tf.int32, True, False), spec == tf.TensorArraySpec([2], tf.int32), isinstance(spec, tf.TypeSpec))
iterator = tf.data.Iterator.from_structure(*(f(dataset) for f in (tf.data.get_output_types, tf.data.get_output_shapes)), output_classes=classes)
print([type(part).__name__ for part in iterator.get_next()])
# case: static shapes of table lookups
table = tf.contrib.lookup.HashTable(tf.contrib.lookup.KeyValueTensorInitializer(["a"], [1]), 0)
mutable = tf.contrib.lookup.MutableHashTable(tf.string, tf.int64, -1)
vectors = tf.contrib.lookup.MutableHashTable(tf.string, tf.int64, [-1, -1])
words = [tf.data.Dataset.from_tensors("a"), tf.data.Dataset.from_tensors(["a"]), tf.data.Dataset.from_tensor_slices([["a", "b"]])]
for dataset in words:
    for each in (table, mutable, vectors, tf.contrib.lookup.index_table_from_tensor(["a"], 1)):
        print(tf.data.get_output_shapes(dataset.map(each.lookup)))
for keys in (tf.placeholder(tf.string, [3, None]), tf.placeholder(tf.string), tf.constant("a")):
    print(table.lookup(keys).shape, mutable.lookup(keys).shape, vectors.lookup(keys).shape)
print(table.lookup(tf.sparse_placeholder(tf.string, [3, 3])).values.shape)
# case: functions with a state are not saved
from tensorflow.python.data.experimental.ops import optimization

numbers = tf.data.Dataset.range
variable = tf.get_variable("v", (), tf.int64, use_resource=True, initializer=tf.zeros_initializer())
datasets = [
    numbers(3).map(lambda x: x + variable),
    numbers(3).map(lambda x: x + tf.random_uniform((), 0, 10, tf.int64), 2),
    numbers(3).flat_map(lambda x: numbers(x).map(lambda y: tf.py_func(lambda z: z, [y], tf.int64))),
    numbers(3).map(lambda x: tf.check_numerics(tf.cast(x, tf.float32), "bad")),
    tf.data.Dataset.from_generator(lambda: iter([1]), tf.int64),
    numbers(3).apply(optimization.non_serializable()).batch(2),
    numbers(3).map(lambda x: tf.Print(x, [x])).filter(lambda x: tf.cond(x > 1, lambda: True, lambda: False)),
]
with tf.Session() as sess:
    sess.run(variable.initializer)
    for dataset in datasets:
        iterator = tf.data.make_initializable_iterator(dataset)
        sess.run(iterator.initializer)
        try:
            sess.run(tf.raw_ops.SerializeIterator(resource_handle=iterator._iterator_resource).op)
            print("saved")
        except tf.errors.OpError as error:
            print(type(error).__name__, error.message.splitlines()[0].split(" (defined")[0])
# case: a saved iterator as a string
iterator = tf.data.make_initializable_iterator(tf.data.Dataset.range(6).map(lambda x: x * x, 2))
element, given = iterator.get_next(), tf.placeholder(tf.string, [])
state = tf.io.serialize_tensor(tf.raw_ops.SerializeIterator(resource_handle=iterator._iterator_resource))
restore = tf.raw_ops.DeserializeIterator(
    resource_handle=iterator._iterator_resource, serialized=tf.io.parse_tensor(given, tf.variant)
)
with tf.Session() as sess:
    sess.run(iterator.initializer)
    show(sess.run([element, element]))
    saved = sess.run(state)
    show(sess.run(element))
    sess.run(restore, {given: saved})
    show(sess.run(element))
# case: saved by one graph and restored by its imported copy
import os, tempfile
experimental, path = tf.data.experimental, os.path.join(tempfile.mkdtemp(), "model")
make = {
    "map": lambda d: d.map(lambda x: (x * x, tf.fill([2], x))),
    "parallel": lambda d: d.map(lambda x: x * x, 2).repeat(2),
    "batches": lambda d: d.apply(experimental.map_and_batch(lambda x: x * x, 2, num_parallel_calls=3)),
    "filter": lambda d: d.filter(lambda x: x > 1),
    "scan": lambda d: d.apply(experimental.scan(np.int64(0), lambda a, x: (a + x, a))),
    "flat": lambda d: d.flat_map(lambda x: tf.data.Dataset.range(x).map(lambda y: x + y, 2)),
    "interleave": lambda d: d.interleave(lambda x: tf.data.Dataset.range(x, x + 2), 2, num_parallel_calls=2),
}
for name in sorted(make):
    with tf.Graph().as_default(), tf.Session() as sess:
        iterator = tf.data.make_initializable_iterator(make[name](tf.data.Dataset.range(7)))
        tf.add_to_collection("parts", iterator.initializer)
        for part in tf.contrib.framework.nest.flatten(iterator.get_next()):
            tf.add_to_collection("parts", part)
        tf.add_to_collection(tf.GraphKeys.SAVEABLE_OBJECTS, experimental.make_saveable_from_iterator(iterator))
        saver = tf.train.Saver()
        sess.run(iterator.initializer)
        show(sess.run(tf.get_collection("parts")[1:]))
        saver.save(sess, path)
    for _ in range(2):
        with tf.Graph().as_default(), tf.Session() as sess:
            saver = tf.train.import_meta_graph(path + ".meta")
            initializer = tf.get_collection("parts")[0]
            sess.run(initializer)
            saver.restore(sess, path)
            show(sess.run(tf.get_collection("parts")[1:]))
            saver.save(sess, path)
# case: tags of statistics
for f in (tf.data.experimental.latency_stats, tf.data.experimental.bytes_produced_stats):
    try:
        tf.data.Dataset.range(3).apply(f(["a", "b"]))
    except ValueError as error:
        print(str(error).split(" for '")[0])
# case: a cache in files that is saved before it is complete
import os, tempfile
folder = tempfile.mkdtemp()

def files():
    return sorted(name for name in os.listdir(folder) if name.startswith("cache") and "temp" not in name and "tmp" not in name)

def made():
    # The random order is not that of a new iterator after the state has been restored.
    dataset = tf.data.Dataset.range(6).shuffle(6, reshuffle_each_iteration=False).cache(os.path.join(folder, "cache")).repeat(2)
    iterator = tf.data.make_initializable_iterator(dataset)
    saver = tf.train.Saver([tf.data.experimental.make_saveable_from_iterator(iterator)])
    return iterator, iterator.get_next(), saver

values = []
for restores, count, saves in ((False, 2, True), (True, 2, True), (False, 1, False), (True, 8, False)):
    with tf.Graph().as_default(), tf.Session() as sess:
        iterator, element, saver = made()
        sess.run(iterator.initializer)
        if restores:
            saver.restore(sess, os.path.join(folder, "saved"))
        try:
            values += [sess.run(element) for _ in range(count)]
            if restores and count > 2:
                sess.run(element)
        except (tf.errors.AlreadyExistsError, tf.errors.OutOfRangeError) as error:
            lines = error.message.splitlines()
            print(type(error).__name__, [os.path.basename(line) for line in lines[:3] if "[[" not in line])
        if saves:
            saver.save(sess, os.path.join(folder, "saved"))
        print(files())
print([int(value) for value in sorted(values[:6])], values[:6] == values[6:], len(values))
