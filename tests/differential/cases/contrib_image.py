# case: nodes of rotations
tf.contrib.image.rotate(tf.zeros([2, 4, 5, 3]), 0.5)
tf.contrib.image.rotate(tf.zeros([4, 5, 3]), tf.placeholder(tf.float32, [1]), "BILINEAR")
tf.contrib.image.rotate(tf.zeros([4, 5]), [0.5], name="turn")
nodes()
# case: nodes of translations
tf.contrib.image.translate(tf.zeros([2, 4, 5, 3]), [1, 2])
tf.contrib.image.translate(tf.zeros([2, 4, 5, 3]), [[1, 2]], "BILINEAR")
tf.contrib.image.transform(tf.zeros([4, 5, 3]), [1, 2, 3, 4, 5, 6, 7, 8])
size = tf.placeholder(tf.int32, [2])
tf.contrib.image.transform(tf.zeros([2, 4, 5, 3]), np.zeros([1, 8], np.float32), "NEAREST", size)
result = tf.contrib.image.transform(tf.zeros([2, 4, 5, 3]), [0.0] * 8, output_shape=[3, 7])
nodes()
show(result)
# case: nodes of transforms
tf.contrib.image.compose_transforms([1, 2, 3, 4, 5, 6, 7, 8.0], [[1, 2, 3, 4, 5, 6, 7, 8.0]])
tf.contrib.image.compose_transforms([1, 2, 3, 4, 5, 6, 7, 8.0])
tf.contrib.image.flat_transforms_to_matrices(tf.zeros([3, 8]))
tf.contrib.image.matrices_to_flat_transforms(tf.zeros([2, 3, 3]))
tf.contrib.image.angles_to_projective_transforms(0.5, 4, 5.0)
tf.contrib.image.translations_to_projective_transforms(tf.placeholder(tf.float32, [None, 2]))
nodes()
# case: nodes of the gradient of a transform
x = tf.placeholder(tf.float32, [2, 4, 5, 3])
tf.gradients(tf.contrib.image.transform(x, [1, 2, 3, 4, 5, 6, 7, 8], "BILINEAR"), x)
nodes()
# case: transforms
random = np.random.RandomState(7)
numbers = random.randint(1, 100, [2, 5, 6, 2])
matrices = [
    [[1, 0, 0.5, 0, 1, 0.5, 0, 0]], [[1, 0, -0.5, 0, 1, -1.5, 0, 0]],
    [[1, 0.2, -0.5, 0.1, 1, -0.25, -0.5, 0.1], [0.8, 0.1, 0.3, -0.2, 1.3, 0.7, 0.01, 0.02]],
    [[1, 0.2, -0.5, 0.1, 1, -0.25, -0.5, 0]],
]
results = []
for matrix in matrices:
    for kind in (tf.uint8, tf.int32, tf.int64, tf.float32, tf.float64):
        for interpolation in ("NEAREST", "bilinear"):
            images = tf.constant(numbers, kind)
            results.append(tf.contrib.image.transform(images, matrix, interpolation))
for angle in (0.0, 0.3, np.pi / 2, -1.0, [0.5, 2.0]):
    results.append(tf.contrib.image.rotate(tf.constant(numbers, tf.float32), angle))
    results.append(tf.contrib.image.rotate(tf.constant(numbers, tf.float32), angle, "BILINEAR"))
results.append(tf.contrib.image.rotate(tf.constant(numbers[0, :, :, 0]), 1.0))
for move in ([1, 2], [-1.5, 0.25], [[0, 0], [2, -1]]):
    results.append(tf.contrib.image.translate(tf.constant(numbers, tf.float32), move))
    results.append(tf.contrib.image.translate(tf.constant(numbers, tf.float32), move, "BILINEAR"))
results.append(tf.contrib.image.transform(
    tf.constant(numbers, tf.float32), matrices[2], "BILINEAR", output_shape=[3, 8]))
x = tf.constant(numbers, tf.float32)
turned = tf.contrib.image.rotate(x, [0.3, 1.0], "BILINEAR")
results += [tf.gradients(turned, x)[0], tf.gradients(turned * turned, x)[0]]
results += [
    tf.contrib.image.transform(x, [[np.nan, 0, 0, 0, 1, 0, 0, 0.0]], interpolation)
    for interpolation in ("NEAREST", "BILINEAR")
]
results.append(tf.contrib.image.compose_transforms(matrices[2], matrices[0]))
results.append(tf.contrib.image.flat_transforms_to_matrices(matrices[2]))
results.append(tf.contrib.image.angles_to_projective_transforms([0.1, 2.0], 3, 4))
results.append(tf.contrib.image.translations_to_projective_transforms([[1.0, 2.0]]))
with tf.Session() as session:
    for _ in range(2):
        for result in results:
            show(result.shape, np.round(session.run(result), 1))
# case: transforms that are refused
def attempt(function, *arguments, **options):
    try:
        result = function(*arguments, **options)
        with tf.Session() as session:
            session.run(result)
    except Exception as error:
        print(type(error).__name__, str(error).split("\n")[0])

image, images = tf.contrib.image, tf.zeros([2, 4, 5, 3])
attempt(image.rotate, tf.placeholder(tf.float32), 0.5)
attempt(image.rotate, tf.zeros([4]), 0.5)
attempt(image.rotate, images, [[0.5]])
attempt(image.rotate, tf.zeros([2, 4, 5, 3], tf.int8), 0.5)
attempt(image.translate, images, [[[1, 2]]])
attempt(image.translate, images, tf.placeholder(tf.float32))
attempt(image.transform, images, [[1, 2, 3, 4, 5, 6, 7.0]])
attempt(image.transform, images, [[[1, 2, 3, 4, 5, 6, 7.0]]])
attempt(image.transform, images, [0.0] * 8, output_shape=[3, 3, 3])
attempt(image.transform, images, [0.0] * 8, output_shape=3)
attempt(image.transform, images, [0.0] * 8, output_shape=[0, 3])
attempt(image.transform, images, [[0.0] * 8] * 3)
attempt(image.compose_transforms)
attempt(image.flat_transforms_to_matrices, [[[1, 2, 3, 4, 5, 6, 7, 8.0]]])
attempt(image.matrices_to_flat_transforms, [1.0, 2.0])
# case: matching
results = [
    tf.contrib.image.bipartite_match([[0.5, 0.1, 0.8], [0.3, 0.2, 0.15]], -1.0),
    tf.contrib.image.bipartite_match([[0.5, 0.1, 0.8], [0.3, 0.2, 0.15]], -1.0, top_k=1),
    tf.contrib.image.bipartite_match([[0.5, 0.1, 0.8], [0.3, 0.2, 0.15]], -1.0, 0, name="q"),
    tf.contrib.image.bipartite_match([[0.5, 0.1, 0.8], [0.3, 0.2, 0.05]], 1.0),
    tf.contrib.image.bipartite_match([[0.5, 0.1, 0.8], [0.3, 0.2, 0.05]], 0.0),
    tf.contrib.image.bipartite_match([[-0.5, 0.1, 0.8], [0.3, -0.2, -0.05]], 2),
    tf.contrib.image.bipartite_match(tf.zeros([0, 3]), -1),
]
nodes()
with tf.Session() as session:
    for result in results:
        show(result, session.run(result))
for distances, rows in (([[0.5, 0.1]], 9.0), ([0.5, 0.1], 1.0), ([[1.0, 2.0]], [1.0, 2.0])):
    distances = tf.placeholder_with_default(np.array(distances, np.float32), None)
    rows = tf.placeholder_with_default(np.array(rows, np.float32), None)
    try:
        with tf.Session() as session:
            session.run(tf.contrib.image.bipartite_match(distances, rows))
    except Exception as error:
        print(type(error).__name__, str(error).split("\n")[0])
# case: nodes of connected components
tf.contrib.image.connected_components(tf.zeros([2, 3]))
tf.contrib.image.connected_components(tf.zeros([2, 3, 2], tf.bool))
nodes()
# case: connected components
random = np.random.RandomState(8)
for array in (
    np.array([[0, 1, 0, 2], [1, 1, 0, 2], [0, 0, 3, 3]]),
    np.array([[5, 5, 1], [1, 5, 1], [1, 1, 1]], np.uint8),
    random.randint(0, 2, [3, 9, 12]).astype(bool), random.randint(0, 3, [2, 7, 8]),
    np.zeros([2, 3, 4], np.float32), np.ones([3, 4, 5], np.float64),
    np.array([["a", "a", "", "b"]]), np.array([[0.5, 0.5, 0.0, -0.0, np.nan, np.nan]]),
):
    with tf.Session() as session:
        result = tf.contrib.image.connected_components(array)
        show(result.shape, session.run(result))
for shape in ([2], [2, 2, 2, 2], None):
    try:
        tf.contrib.image.connected_components(tf.placeholder(tf.float32, shape))
    except Exception as error:
        print(type(error).__name__, error)
# case: nodes of stereograms
result = tf.contrib.image.single_image_random_dot_stereograms([[1.0, 2], [3, 4]])
show(result)
result = tf.contrib.image.single_image_random_dot_stereograms(
    [[1, 2], [3, 4]], number_colors=300, output_image_shape=[20, 10, 1])
show(result)
show(tf.contrib.image.single_image_random_dot_stereograms(
    [[1, 2], [3, 4]], output_image_shape=[1200, 800, 1]))
nodes()
# case: nodes of colours in YIQ
from tensorflow.contrib.image.python.ops import distort_image_ops
distort_image_ops.adjust_hsv_in_yiq(tf.zeros([2, 2, 3]), 0.1, 1, 1)
distort_image_ops.adjust_hsv_in_yiq(tf.zeros([2, 2, 3], tf.uint8), 0.1, 2, tf.constant(1.5), "q")
distort_image_ops.random_hsv_in_yiq(tf.zeros([2, 2, 3]), 0.1, 0.5, 1.5, 0.2, 0.9, seed=3)
distort_image_ops.random_hsv_in_yiq(tf.zeros([2, 2, 3]), 0.5)
distort_image_ops.random_hsv_in_yiq(tf.zeros([2, 2, 3]))
nodes()
# case: colours in YIQ
from tensorflow.contrib.image.python.ops import distort_image_ops
random = np.random.RandomState(9)
numbers = random.uniform(0, 1, [2, 3, 4, 3]).astype(np.float32)
results = []
for options in ((0.7, 1.5, 0.8), (-2.0, 1, 1), (0, 0.5, 1), (0, 1, 1.5)):
    results.append(distort_image_ops.adjust_hsv_in_yiq(numbers, *options))
    image = tf.constant((numbers * 255).astype(np.uint8))
    results.append(distort_image_ops.adjust_hsv_in_yiq(tf.cast(image, tf.float64), *options))
tf.set_random_seed(4)
results.append(distort_image_ops.random_hsv_in_yiq(numbers, 0.3, 0.5, 1.5, 0.5, 1.5, seed=3))
with tf.Session() as session:
    for result in results:
        show(result.shape, np.round(session.run(result), 1))
for shape in ([2, 3], [2, 2, 4]):
    try:
        result = distort_image_ops.adjust_hsv_in_yiq(tf.zeros(shape), 0.1, 1, 1)
        with tf.Session() as session:
            session.run(result)
    except Exception as error:
        print(type(error).__name__, str(error).split("\n")[0])
for options in ((-1,), (0, -1, 1), (0, 1, 0.5), (0, 1, 1, -1, 1), (0, 1, 1, 1, 0.5)):
    try:
        distort_image_ops.random_hsv_in_yiq(tf.zeros([2, 2, 3]), *options)
    except Exception as error:
        print(type(error).__name__, error)
# case: nodes of splines
points, values, queries = tf.zeros([1, 3, 2]), tf.zeros([1, 3, 1]), tf.zeros([1, 5, 2])
for order in (1, 2, 3, 4, 6):
    tf.contrib.image.interpolate_spline(points, values, queries, order)
points, values = tf.placeholder(tf.float64, [None, 3, 2]), tf.placeholder(tf.float64, [None, 3, 1])
queries = tf.placeholder(tf.float64, [None, None, 2])
tf.contrib.image.interpolate_spline(points, values, queries, 3, 0.1)
nodes()
# case: splines
random = np.random.RandomState(10)
points, values = random.uniform(0, 1, [2, 8, 2]), random.uniform(-1, 1, [2, 8, 3])
queries = random.uniform(0, 1, [2, 5, 2])
with tf.Session() as session:
    for order in (1, 2, 3, 4, 5):
        for weight in (0.0, 0.01):
            x = tf.constant(queries)
            result = tf.contrib.image.interpolate_spline(points, values, x, order, weight)
            for value in session.run([result, tf.gradients(result, x)[0]]):
                show(result.shape, np.round(value, 3))
for shapes in (([1, 3, 2], [1, 3, 1], [5, 2]), (None, [1, 3, 1], [5, 2]), ([1, 3, 2], None, [5, 2])):
    try:
        arguments = [tf.placeholder(tf.float32, shape) for shape in shapes]
        tf.contrib.image.interpolate_spline(*arguments, order=2)
    except Exception as error:
        print(type(error).__name__, str(error).split(" for '")[0])
# case: nodes of dense warps
tf.contrib.image.dense_image_warp(tf.zeros([1, 3, 4, 2]), tf.zeros([1, 3, 4, 2]))
nodes()
# case: nodes of dense warps of unknown shapes
tf.contrib.image.dense_image_warp(
    tf.placeholder(tf.float32, [None] * 4), tf.placeholder(tf.float64, [None] * 4))
nodes()
# case: nodes of sparse warps
images, points = tf.zeros([1, 4, 5, 2]), tf.zeros([1, 3, 2])
tf.contrib.image.sparse_image_warp(images, points, points)
tf.contrib.image.sparse_image_warp(images, points, points, num_boundary_points=2)
nodes()
# case: warps
random = np.random.RandomState(11)
results = []
for image_type, flow_type in ((np.float32, np.float32), (np.float64, np.float32)):
    images = tf.constant(random.uniform(0, 9, [2, 4, 5, 2]).astype(image_type))
    flow = tf.constant(random.normal(size=[2, 4, 5, 2]).astype(flow_type) * 2)
    results.append(tf.contrib.image.dense_image_warp(images, flow))
    if image_type == flow_type:
        results += tf.gradients(results[-1], [images, flow])
images = tf.constant(random.uniform(0, 9, [1, 6, 7, 1]))
points = tf.constant(random.uniform(1, 4, [1, 4, 2]))
goals = points + tf.constant(random.uniform(-0.5, 0.5, [1, 4, 2]))
for order in (1, 2, 3):
    for count in (0, 1, 3):
        results += tf.contrib.image.sparse_image_warp(
            images, points, goals, order, 0.01, num_boundary_points=count)
with tf.Session() as session:
    for result in results:
        show(result.shape, np.round(session.run(result), 2))
try:
    with tf.Session() as session:
        x = tf.placeholder_with_default(np.zeros([1, 2, 1, 1], np.float32), [None] * 4)
        session.run(tf.contrib.image.dense_image_warp(x, tf.zeros([1, 2, 1, 2])))
except Exception as error:
    print(type(error).__name__, str(error).split("\n")[0])
# case: places of pixels
from tensorflow.contrib.image.python.ops import sparse_image_warp, dense_image_warp
show(sparse_image_warp._get_boundary_locations(11, 11, 4))
show(sparse_image_warp._get_boundary_locations(4, 5, 0))
show(sparse_image_warp._get_grid_locations(5, 3))
grid = tf.constant([[0.0, 1.0, 2.0], [3.0, 4.0, 5.0], [6.0, 7.0, 8.0]], shape=[1, 3, 3, 1])
with tf.Session() as session:
    for indexing in ("ij", "xy"):
        points = tf.constant([[0.0, 0.0], [0.0, 1.0], [0.5, 2.0], [1.5, 1.5]], shape=[1, 4, 2])
        show(session.run(dense_image_warp._interpolate_bilinear(grid, points, indexing=indexing)))
for shapes, options in (
    (([1, 3, 3], [1, 2, 2]), {}), (([1, 3, 3, 1], [1, 2, 2]), dict(indexing="q")),
    (([1, 3, 3, 1], [2, 2]), {}),
):
    try:
        dense_image_warp._interpolate_bilinear(*[tf.zeros(s) for s in shapes], **options)
    except Exception as error:
        print(type(error).__name__, str(error).split("\n")[0])
# case: resampling
from tensorflow.contrib import resampler
data, warp = tf.placeholder(tf.float32, [None, 3, 4, 2]), tf.placeholder(tf.float32, [None, 5, 2])
result = resampler.resampler(data, warp)
show(result, *tf.gradients(result, [data, warp]))
nodes()
random = np.random.RandomState(12)
feeds = {data: random.randint(0, 9, [2, 3, 4, 2]), warp: random.uniform(-1.5, 4.5, [2, 5, 2])}
weights = tf.constant(random.uniform(size=[2, 5, 2]).astype(np.float32))
with tf.Session() as session:
    for _ in range(2):
        for value in session.run([result] + tf.gradients(result * weights, [data, warp]), feeds):
            show(np.round(value, 3))
    fixed = [[[-0.5, 0.5], [1, 1], [1.5, 0.5], [3.5, 2.5], [-1, 0], [4, 0], [3, 2]]]
    show(session.run(resampler.resampler(tf.reshape(tf.range(12.0), [1, 3, 4, 1]), fixed)))
for shapes in (
    ([2, 3, 4], [2, 3, 2]), ([2, 3, 4, 5, 6], [2, 3, 2]), ([2, 3, 4, 5], [2]),
    ([2, 3, 4, 5], [2, 3]), ([2, 3, 4, 5], [3, 2]),
):
    try:
        with tf.Session() as session:
            session.run(resampler.resampler(*[tf.zeros(shape) for shape in shapes]))
    except Exception as error:
        print(type(error).__name__, str(error).split("\n")[0])
