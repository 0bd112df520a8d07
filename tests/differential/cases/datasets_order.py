# case: orders of shuffle over epochs

def orders(make, optimized):
    with tf.Graph().as_default():
        tf.set_random_seed(7)
        options = tf.data.Options()
        options.experimental_optimization.apply_default_optimizations = optimized
        iterator = make().with_options(options).make_initializable_iterator()
        element = iterator.get_next()
        with tf.Session() as sess:
            for _ in range(2):
                sess.run(iterator.initializer)
                found = []
                try:
                    while len(found) < 40:
                        found.append(sess.run(element).tolist())
                except tf.errors.OutOfRangeError:
                    found.append("end")
                print(found)
numbers = tf.data.Dataset.range
for optimized in (None, False):
    orders(lambda: numbers(10).shuffle(4, seed=3), optimized)
    orders(lambda: numbers(10).shuffle(4, seed=3, reshuffle_each_iteration=False), optimized)
    orders(lambda: numbers(6).shuffle(4, seed=3).repeat(3), optimized)
    orders(lambda: numbers(6).shuffle(4, seed=3).repeat(), optimized)
    orders(lambda: numbers(6).shuffle(10, seed=3).repeat(3), optimized)
    orders(lambda: numbers(6).shuffle(1, seed=3).repeat(2), optimized)
    orders(lambda: numbers(6).shuffle(4, seed=3, reshuffle_each_iteration=False).repeat(3), optimized)
    orders(lambda: numbers(6).repeat(3).shuffle(4, seed=3), optimized)
    orders(lambda: numbers(6).apply(tf.data.experimental.shuffle_and_repeat(4, 3, seed=3)), optimized)
    orders(lambda: numbers(6).apply(tf.data.experimental.shuffle_and_repeat(14, seed=3)), optimized)
    orders(lambda: numbers(6).shuffle(4).repeat(3), optimized)
    orders(lambda: numbers(6).shuffle(4, seed=2).map(lambda x: x).repeat(2), optimized)
    orders(lambda: numbers(6).shuffle(4, seed=0), optimized)
    orders(lambda: numbers(0).shuffle(4, seed=3).repeat(), optimized)
    orders(lambda: numbers(6).shuffle(4, seed=3).repeat(1), optimized)
    orders(lambda: numbers(6).shuffle(4, seed=tf.constant(3, tf.int64)), optimized)
# case: orders of shuffles in other datasets

def orders(make, optimized):
    with tf.Graph().as_default():
        tf.set_random_seed(7)
        options = tf.data.Options()
        options.experimental_optimization.apply_default_optimizations = optimized
        iterator = make().with_options(options).make_initializable_iterator()
        element = iterator.get_next()
        with tf.Session() as sess:
            for _ in range(2):
                sess.run(iterator.initializer)
                found = []
                try:
                    while len(found) < 40:
                        found.append(sess.run(element).tolist())
                except tf.errors.OutOfRangeError:
                    found.append("end")
                print(found)
numbers = tf.data.Dataset.range
for optimized in (None, False):
    orders(lambda: numbers(2).flat_map(lambda _: numbers(5).shuffle(5, seed=3)), optimized)
    orders(lambda: numbers(2).flat_map(lambda _: numbers(5).shuffle(5, seed=3).repeat(2)).repeat(2), optimized)
    orders(lambda: numbers(2).flat_map(lambda _: numbers(5).shuffle(5, seed=3).map(lambda x: x).repeat(2)).repeat(2), optimized)
    orders(lambda: numbers(5).shuffle(5, seed=3).shuffle(5, seed=3).repeat(2), optimized)
    orders(lambda: tf.data.Dataset.zip((numbers(5).shuffle(5, seed=3), numbers(5).shuffle(5, seed=5))).map(lambda a, b: 10 * a + b).repeat(2), optimized)
    orders(lambda: numbers(5).shuffle(5, seed=3).concatenate(numbers(5).shuffle(5, seed=3)).repeat(2), optimized)
    orders(lambda: numbers(6).shuffle(4, seed=3).repeat(2).repeat(2), optimized)
    orders(lambda: numbers(4).interleave(lambda x: numbers(3).shuffle(3, seed=3).map(lambda y: 10 * x + y), 2).repeat(2), optimized)
    orders(lambda: numbers(4).interleave(lambda x: numbers(3).shuffle(3, seed=3).map(lambda y: 10 * x + y), 2, num_parallel_calls=2).repeat(2), optimized)
    orders(lambda: numbers(6).shuffle(3, seed=3).skip(1).repeat(2), optimized)
    orders(lambda: numbers(6).shuffle(3, seed=3).take(4).repeat(2), optimized)
    orders(lambda: numbers(6).shuffle(3, seed=3).cache().repeat(2), optimized)
    orders(lambda: numbers(6).window(3).flat_map(lambda w: w.shuffle(3, seed=3)).repeat(2), optimized)
    orders(lambda: numbers(8).apply(tf.data.experimental.group_by_window(lambda x: x % 2, lambda k, w: w.shuffle(4, seed=3), 4)).repeat(2), optimized)
    orders(lambda: numbers(10).shuffle(10, seed=3).filter(lambda x: x < 3).repeat(3), optimized)
    orders(lambda: numbers(6).shuffle(4, seed=3).take(-1).repeat(2), optimized)
    orders(lambda: numbers(6).shuffle(4, seed=3).skip(0).repeat(2), optimized)
    orders(lambda: numbers(6).shuffle(4, seed=3).repeat(1).repeat(2), optimized)
    orders(lambda: numbers(6).shuffle(4, seed=3).prefetch(0).repeat(2), optimized)
    orders(lambda: (lambda d: tf.data.Dataset.zip((d.repeat(2), d)).map(lambda a, b: 10 * a + b))(numbers(6).shuffle(4, seed=3)), optimized)
# case: a long shuffle
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
def total(dataset):
    with tf.Session() as sess:
        element = dataset.batch(1000).make_one_shot_iterator().get_next()
        result = 0
        try:
            while True:
                for value in sess.run(element).tolist():
                    result = (31 * result + value) % 1000003
        except tf.errors.OutOfRangeError:
            return result
print(total(numbers(20000).shuffle(700, seed=5)))
print(total(numbers(3000).shuffle(700, seed=5).repeat(5)))
print(total(numbers(300).shuffle(700, seed=5).repeat(5)))
print(total(numbers(3000).shuffle(700, seed=5, reshuffle_each_iteration=False).repeat(5)))
# case: repeat, take, skip, shard
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
for make in (
    lambda: numbers(2).repeat(2), lambda: numbers(2).repeat(), lambda: numbers(2).repeat(0), lambda: numbers(2).repeat(-2), lambda: numbers(0).repeat(),
    lambda: numbers(5).take(2), lambda: numbers(3).take(-1), lambda: numbers(3).take(0), lambda: numbers(3).take(9), lambda: numbers(3).skip(-1), lambda: numbers(3).skip(2), lambda: numbers(3).skip(9), lambda: numbers(5).take([2, 3]),
    lambda: numbers(7).shard(3, 1), lambda: numbers(2).shard(3, 2), lambda: numbers(5).shard(0, 0), lambda: numbers(5).shard(2, 2), lambda: numbers(5).shard(2, -1), lambda: numbers(5).shard([2], 0),
    lambda: numbers(5).shuffle(0), lambda: numbers(5).shuffle(-1), lambda: numbers(5).shuffle([1]), lambda: numbers(5).apply(experimental.shuffle_and_repeat(0)), lambda: numbers(5).apply(experimental.shuffle_and_repeat(2, 0)), lambda: numbers(5).apply(experimental.shuffle_and_repeat(2, -2)),
):
    elements(make, 6)
# case: concatenate and zip
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
dataset = tf.data.Dataset
for make in (
    lambda: numbers(2).concatenate(numbers(5, 7)), lambda: numbers(5).concatenate(dataset.from_tensors(1.0)), lambda: numbers(5).concatenate(dataset.from_tensors((1, 2))), lambda: dataset.from_tensors([1, 2]).concatenate(dataset.from_tensors([1, 2, 3])), lambda: dataset.from_tensors([1, 2]).concatenate(dataset.from_tensors(3)),
    lambda: dataset.zip((numbers(3), {"a": numbers(2)})), lambda: dataset.zip([numbers(3), numbers(2)]), lambda: dataset.zip((numbers(3), 2)), lambda: dataset.zip(numbers(3)), lambda: dataset.from_tensors("a").repeat(3).enumerate(5), lambda: dataset.zip((numbers(2).repeat(), numbers(3).batch(2))),
):
    elements(make, 8)
# case: elements that fail
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
for make in (
    lambda: tf.data.Dataset.zip((numbers(5), failing(5, 2))), lambda: tf.data.Dataset.zip((failing(5, 2), numbers(5))), lambda: failing(6, 2).shuffle(3, seed=1), lambda: failing(6, 2).take(4), lambda: failing(6, 2).skip(4), lambda: failing(6, 2).skip(3), lambda: failing(6, 2).cache().repeat(2), lambda: failing(3, 1).repeat(2),
    lambda: failing(6, 2).window(2).flat_map(lambda w: w.batch(3)), lambda: failing(6, 2).window(3, 1).flat_map(lambda w: w.batch(3)), lambda: failing(6, 2).padded_batch(2, []), lambda: failing(6, 2).shard(2, 1), lambda: failing(6, 3).shard(2, 1), lambda: failing(6, 2).apply(experimental.group_by_window(lambda x: x % 2, lambda k, w: w.batch(2), 2)), lambda: numbers(6).apply(experimental.group_by_window(lambda x: 6 // (x - 2), lambda k, w: w.batch(2), 2)), lambda: failing(2, 1).concatenate(numbers(2)), lambda: failing(6, 2).apply(experimental.unique()),
):
    elements(make, 14)
# case: caches in files
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
import os
import tempfile
folder = tempfile.mkdtemp()
def files():
    print(sorted((name, os.path.getsize(os.path.join(folder, name))) for name in os.listdir(folder) if "temp" not in name and "tmp" not in name))
name = os.path.join(folder, "f")
def pairs(letters):
    return tf.data.Dataset.zip((numbers(len(letters)), tf.data.Dataset.from_tensor_slices(letters))).cache(name)
elements(lambda: pairs(["a", "bb", "ccc"]), 2)
files()
elements(lambda: pairs(["a", "bb", "ccc"]), 5, runs=2)
files()
reader = tf.train.NewCheckpointReader(name)
print(sorted(reader.get_variable_to_shape_map().items()), sorted(reader.get_variable_to_dtype_map().items()))
elements(lambda: pairs(["x"]), 5)
name = os.path.join(folder, "wide")
elements(lambda: tf.data.Dataset.from_tensors(tuple(range(12))).cache(name).repeat(2), 5)
print(sorted(tf.train.NewCheckpointReader(name).get_variable_to_shape_map().items()))
elements(lambda: numbers(3).map(lambda x: 6 // (x - 1)).cache(os.path.join(folder, "g")), 5, runs=2)
elements(lambda: numbers(3).cache(os.path.join(folder, "h")).take(2).repeat(2), 5)
elements(lambda: numbers(3).cache().take(2).repeat(2), 5)
files()
# case: nodes of datasets that order elements
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
dataset = numbers(5).shuffle(3, seed=1)
dataset = dataset.repeat().take(5).skip(1).shard(2, 0).concatenate(numbers(3))
dataset = tf.data.Dataset.zip((dataset, {"a": numbers(3)})).cache("f").enumerate(3)
numbers(5).shuffle(3)
numbers(5).apply(experimental.shuffle_and_repeat(3, seed=1))
numbers(5).window(2)
tf.data.Dataset.from_tensors(tf.ones([2])).apply(experimental.dense_to_sparse_batch(2, [4]))
tf.data.Dataset.from_tensors((tf.ones([2]), tf.constant(["a"]))).padded_batch(2, ([None], [None]), (1.0, "x"), drop_remainder=True)
experimental.choose_from_datasets([numbers(5), numbers(3)], numbers(2))
numbers(5).apply(experimental.unique())
print([(op.name, op.type, [i.name for i in op.inputs]) for op in tf.get_default_graph().get_operations()])
print(dataset)
