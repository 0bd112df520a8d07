# case: iterators that are initialized again and again
def attempt(f):
    try:
        show(f())
    except (tf.errors.OpError, ValueError, TypeError, RuntimeError) as error:
        print(type(error).__name__, (error.message if isinstance(error, tf.errors.OpError) else str(error)).splitlines()[0])
numbers = tf.data.Dataset.range
iterator = tf.data.Iterator.from_structure(tf.int64, tf.TensorShape([]))
first = iterator.make_initializer(numbers(3))
second = iterator.make_initializer(numbers(10, 12).map(lambda x: x * 2), name="second")
element = iterator.get_next()
print(iterator.element_spec, iterator.output_types, iterator.output_shapes, iterator.output_classes.__name__)
attempt(lambda: iterator.initializer)
attempt(lambda: iterator.make_initializer(numbers(3).batch(2)))
attempt(lambda: iterator.make_initializer(tf.data.Dataset.from_tensors(1.0)))
with tf.Session() as sess:
    attempt(lambda: sess.run(element))
    for initializer in (first, second, first):
        sess.run(initializer)
        for _ in range(4):
            attempt(lambda: sess.run(element))
print([(op.name, op.type) for op in tf.get_default_graph().get_operations()])
# case: iterators by handle
def attempt(f):
    try:
        show(f())
    except (tf.errors.OpError, ValueError) as error:
        print(type(error).__name__, (error.message if isinstance(error, tf.errors.OpError) else str(error)).splitlines()[0])
numbers = tf.data.Dataset.range
handle = tf.placeholder(tf.string, [])
fed = tf.data.Iterator.from_string_handle(handle, tf.int64, [])
element = fed.get_next()
one_shot = numbers(5).make_one_shot_iterator()
started = numbers(100, 200).make_initializable_iterator()
others = [tf.data.Dataset.from_tensors(1.0), tf.data.Dataset.from_tensors((1, 2)), numbers(4).batch(2)]
others = [other.make_one_shot_iterator().string_handle() for other in others]
sess = tf.Session()
texts = sess.run([one_shot.string_handle(), started.string_handle("named")])
for text in (texts[0], texts[1], texts[0]):
    attempt(lambda: sess.run(element, {handle: text}))
sess.run(started.initializer)
for text in (texts[1], texts[0], texts[1], b"no handle"):
    attempt(lambda: sess.run(element, {handle: text}))
for text in sess.run(others):
    attempt(lambda: sess.run(element, {handle: text}))
other = tf.Session()
try:
    other.run(element, {handle: texts[0]})
except tf.errors.NotFoundError:
    print("not found in another session")
attempt(lambda: fed.initializer)
print([(op.name, op.type) for op in tf.get_default_graph().get_operations()][:12])
# case: optionals
def attempt(f):
    try:
        show(f())
    except tf.errors.OpError as error:
        print(type(error).__name__, error.message.splitlines()[0])
iterator = tf.data.Dataset.range(2).make_one_shot_iterator()
element = tf.data.experimental.get_next_as_optional(iterator)
has, value = element.has_value(), element.get_value()
full = tf.data.experimental.Optional.from_value((1.0, tf.constant([1, 2])))
empty = tf.data.experimental.Optional.none_from_structure(tf.TensorSpec([], tf.int32))
print(element.value_structure, full.value_structure, empty.value_structure)
got, missing = full.get_value(), empty.get_value()
flags = [full.has_value(), empty.has_value()]
with tf.Session() as sess:
    attempt(lambda: sess.run([has, value]))
    attempt(lambda: sess.run(has))
    attempt(lambda: sess.run(has))
    attempt(lambda: sess.run(value))
    attempt(lambda: sess.run(got))
    attempt(lambda: sess.run(flags))
    attempt(lambda: sess.run(missing))
# case: the only element
def attempt(f):
    try:
        show(f())
    except tf.errors.OpError as error:
        print(type(error).__name__, error.message.splitlines()[0])
single = tf.data.experimental.get_single_element
for dataset in (tf.data.Dataset.from_tensors({"a": 2, "b": [1.0, 2.0]}), tf.data.Dataset.range(5), tf.data.Dataset.range(0)):
    element = single(dataset)
    with tf.Session() as sess:
        attempt(lambda: sess.run(element))
# case: sparse elements
sparse = tf.SparseTensor([[0, 0], [1, 2], [2, 1]], [1, 2, 3], [3, 4])
whole = tf.data.Dataset.from_tensors(sparse)
rows = tf.data.Dataset.from_tensor_slices((sparse, ["a", "b", "c"]))
twice = whole.map(lambda x: tf.SparseTensor(x.indices, x.values * 2, x.dense_shape))
datasets = [whole, rows, rows.batch(2), twice]
elements = [d.make_one_shot_iterator().get_next() for d in datasets]
print([str(d) for d in datasets])
with tf.Session() as sess:
    for element in elements:
        show(sess.run(element))
    show(sess.run(elements[1]), sess.run(elements[2]))
print([(op.name, op.type) for op in tf.get_default_graph().get_operations()])
# case: ragged elements
ragged = tf.ragged.constant([[1, 2], [3], []])
deep = tf.ragged.constant([[[1, 2], [4]], [[3]], []])
datasets = [tf.data.Dataset.from_tensors(ragged), tf.data.Dataset.from_tensor_slices(deep)]
datasets.append(datasets[1].batch(2))
elements = [d.make_one_shot_iterator().get_next() for d in datasets]
print([str(d) for d in datasets], [d.element_spec for d in datasets])
with tf.Session() as sess:
    for element in elements:
        value = sess.run(element)
        print(value.to_list(), [x.dtype for x in (value.flat_values, value.row_splits)])
print([(e.flat_values.shape, e.row_splits.shape) for e in elements])
# case: options
options = tf.data.Options()
options.experimental_deterministic = False
options.experimental_optimization.map_vectorization.enabled = True
options.experimental_slack = True
def attempt(f):
    try:
        print(f())
    except (AttributeError, TypeError, ValueError) as error:
        print(type(error).__name__, error)
attempt(lambda: setattr(options, "unknown", 1))
attempt(lambda: setattr(options, "experimental_deterministic", 3))
attempt(lambda: setattr(options.experimental_optimization, "autotune", "x"))
print(tf.data.Options() == tf.data.Options(), options == tf.data.Options())
strict = tf.data.Options()
strict.experimental_deterministic = True
attempt(lambda: options.merge(strict))
attempt(lambda: strict.merge(tf.data.Options()).experimental_deterministic)
dataset = tf.data.Dataset.range(4).with_options(options).batch(2)
print(dataset.options().experimental_deterministic, dataset.options().experimental_optimization.map_vectorization.enabled)
plain = tf.data.Options()
plain.experimental_optimization.apply_default_optimizations = False
plain.experimental_optimization.autotune = False
for d in (dataset, tf.data.Dataset.range(2), tf.data.Dataset.range(2).with_options(plain)):
    d.make_initializable_iterator()
for op in tf.get_default_graph().get_operations():
    if op.type in ("OptimizeDataset", "ModelDataset"):
        print(op.name, op.get_attr("optimization_configs") if op.type[0] == "O" else op.get_attr("algorithm"))
        if op.type[0] == "O":
            show(tf.Session().run(op.inputs[1]))
# case: captures that one-shot iterators refuse
variable = tf.get_variable("v", initializer=3, use_resource=True)
for captured in (tf.Variable(3), variable):
    try:
        tf.data.Dataset.range(3).map(lambda x: tf.cast(captured, tf.int64) + x).make_one_shot_iterator()
    except ValueError as error:
        print(error)
# case: variables in functions of elements
def attempt(f):
    try:
        show(f())
    except tf.errors.OpError as error:
        print(type(error).__name__)
for i, variable in enumerate([tf.Variable(3), tf.get_variable("v", initializer=3, use_resource=True)]):
    iterator = tf.data.Dataset.range(4).map(lambda x: tf.cast(variable, tf.int64) + x).make_initializable_iterator()
    element = iterator.get_next()
    with tf.Session() as sess:
        if i == 0:
            attempt(lambda: sess.run(iterator.initializer))
        sess.run(variable.initializer)
        sess.run(iterator.initializer)
        attempt(lambda: sess.run(element))
        sess.run(variable.assign(10))
        attempt(lambda: sess.run(element))
# case: errors in elements do not end the iterator
def attempt(f):
    try:
        show(f())
    except tf.errors.OpError as error:
        print(type(error).__name__, error.message.splitlines()[0].split("}} ")[-1])
inverse = tf.data.Dataset.range(6).map(lambda x: tf.check_numerics(1 / (tf.cast(x, tf.float32) - 3), "bad"))
ranges = tf.data.Dataset.range(4).flat_map(lambda x: tf.data.Dataset.from_tensors(tf.range(x))).batch(2)
for dataset in (inverse, ranges):
    element = dataset.make_one_shot_iterator().get_next()
    with tf.Session() as sess:
        for _ in range(7):
            attempt(lambda: sess.run(element))
