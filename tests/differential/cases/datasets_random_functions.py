# case: random numbers in functions of elements, batched
D = tf.data.Dataset
def run(dataset, epochs=2):
    iterator = dataset.make_initializable_iterator()
    element = iterator.get_next()
    with tf.Session() as sess:
        for _ in range(epochs):
            sess.run(iterator.initializer)
            while True:
                try:
                    show(sess.run(element))
                except tf.errors.OutOfRangeError:
                    print("end")
                    break
run(D.range(5).map(lambda i: tf.random_uniform([3], seed=3) + tf.cast(i, tf.float32)).batch(4))
run(D.range(5).map(lambda i: tf.random_uniform([2], seed=3, dtype=tf.float64)).batch(4))
run(D.range(5).map(lambda i: tf.random_uniform([5], 0, 10, seed=3, dtype=tf.int32)).batch(4))
run(D.range(5).map(lambda i: tf.random_uniform([3], 0, 1000, seed=3, dtype=tf.int64)).batch(4))
run(D.range(5).map(lambda i: tf.random_normal([5], seed=3)).batch(4))
run(D.range(5).map(lambda i: tf.random_normal([], seed=3, dtype=tf.float64)).batch(4))
run(D.range(5).map(lambda i: tf.truncated_normal([9], seed=3)).batch(4))
run(D.range(3).map(lambda i: tf.random_uniform([], seed=3)).repeat(3).batch(2))
run(D.range(3).flat_map(lambda j: D.range(3).map(lambda i: tf.random_uniform([], seed=3)).batch(2)))

# case: augmentations of images, batched
D = tf.data.Dataset
pixels = (np.arange(6 * 5 * 4 * 3) * 37 % 251).astype(np.uint8).reshape(6, 5, 4, 3)
def run(function):
    element = D.from_tensor_slices(pixels).map(function).batch(4).make_one_shot_iterator().get_next()
    with tf.Session() as sess:
        for _ in range(2):
            batch = sess.run(element)
            print(batch.shape, np.round(batch[:, 0, :2], 3).tolist(), np.round(np.abs(batch).sum((1, 2, 3)), 1).tolist())
def moved(image):
    image = tf.random_crop(tf.cast(image, tf.float32), [3, 3, 3], seed=1)
    image = tf.image.random_flip_left_right(image, seed=2)
    return tf.image.random_flip_up_down(image, seed=3)
def adjusted(image):
    image = tf.image.random_brightness(tf.cast(image, tf.float32), 10, seed=4)
    image = tf.image.random_contrast(image, 0.2, 1.8, seed=5)
    return tf.image.per_image_standardization(image)
def coloured(image):
    image = tf.image.random_hue(tf.cast(image, tf.float32) / 255, 0.2, seed=6)
    return tf.image.random_saturation(image, 0.5, 1.5, seed=7)
run(moved)
run(adjusted)
run(coloured)

# case: conditions in functions of elements, batched
D = tf.data.Dataset
def run(function, end=lambda dataset: dataset):
    element = end(D.range(7).map(function)).batch(4).make_one_shot_iterator().get_next()
    with tf.Session() as sess:
        while True:
            try:
                show(sess.run(element))
            except tf.errors.OutOfRangeError:
                break
def nested(i):
    number = tf.random_uniform([], seed=9)
    inner = lambda: tf.cond(tf.equal(i % 2, 0), lambda: number * 10, lambda: number * 100)
    return tf.cond(number < 0.5, inner, lambda: -number)
def failing(i):
    number = tf.random_uniform([], seed=9)
    with tf.control_dependencies([tf.Assert(tf.not_equal(i, 4), ["bad"])]):
        return tf.identity(number)
run(nested)
run(lambda i: tf.cond(i > 2, lambda: tf.random_uniform([], seed=1), lambda: 0.0))
run(lambda i: tf.case([(i < 2, lambda: i * 10), (i < 5, lambda: i * 100)], default=lambda: -i))
run(lambda i: tf.cond(tf.equal(i, 0), lambda: i, lambda: 60 // i))
run(failing, lambda dataset: dataset.apply(tf.data.experimental.ignore_errors()))

# case: files in turns, batched
import os, tempfile
D = tf.data.Dataset
folder, names = tempfile.mkdtemp(), []
for number, length in enumerate([5, 0, 9, 3, 7]):
    names.append(os.path.join(folder, "%d.txt" % number))
    with open(names[-1], "w") as file:
        file.write("".join("%d-%d\n" % (number, i) for i in range(length)))
def run(dataset):
    element = dataset.make_one_shot_iterator().get_next()
    with tf.Session() as sess:
        while True:
            try:
                print(b" ".join(sess.run(element)).decode())
            except tf.errors.OutOfRangeError:
                break
lines = lambda name: tf.data.TextLineDataset(name)
for cycle, block in [(2, 1), (3, 1), (2, 2), (3, 4), (4, 1), (5, 3)]:
    for threads in (None, 2):
        run(D.from_tensor_slices(names).interleave(lines, cycle, block, threads).batch(8))
    parallel = tf.data.experimental.parallel_interleave(lines, cycle, block, prefetch_input_elements=1)
    run(D.from_tensor_slices(names).apply(parallel).batch(8))
run(D.from_tensor_slices(names[2:4]).repeat(2).interleave(lambda n: lines(n).map(lambda l: l + "!"), 2).batch(4))
