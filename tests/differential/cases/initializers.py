# case: constants
made = [tf.constant_initializer(3.0)([2, 3]), tf.constant_initializer([1, 2, 3, 4])([2, 2]), tf.constant_initializer()([2])]
made += [tf.constant_initializer([[1, 2], [3, 4]])([2, 2], dtype=tf.int32), tf.constant_initializer(np.ones([2]))([2])]
made += [tf.constant_initializer(5)([]), tf.constant_initializer([1, 2])([2, 2]), tf.constant_initializer("a", dtype=tf.string)([2])]
made += [tf.constant_initializer(1, dtype=tf.int64)([2]), tf.constant_initializer(True)([2]), tf.constant_initializer(True, dtype=tf.bool)([2])]
show(made)
with tf.Session() as sess:
    show(sess.run(made))
# case: a tensor is no constant
tf.constant_initializer(tf.constant(1.0))
# case: too many constants
tf.get_variable("b", [1], initializer=tf.constant_initializer([1, 2]))
# case: constants of another shape
show(tf.constant_initializer([1, 2], verify_shape=True)([2]), tf.constant_initializer([1, 2])([3]))
tf.get_variable("b", [3], initializer=tf.constant_initializer([1, 2], verify_shape=True))
# case: zeros and ones
show(tf.zeros_initializer()([2]), tf.zeros_initializer()([2], dtype=tf.int32), tf.zeros_initializer()([2], tf.string))
show(tf.zeros_initializer(tf.float64)([2]), tf.ones_initializer()([2], dtype=tf.bool), tf.zeros_initializer()(tf.TensorShape([2])))
show(tf.zeros_initializer()(tf.constant([2, 3])))
nodes()
# case: nodes of random values
tf.random_uniform_initializer()([2, 3])
tf.random_uniform_initializer(-1, 1, seed=1)([2])
tf.random_uniform_initializer(0, 5)([2], dtype=tf.int32)
tf.random_normal_initializer()([2, 3])
tf.random_normal_initializer(1, 2, seed=3)([2], dtype=tf.float64)
tf.truncated_normal_initializer(stddev=0.1)([2, 3])
tf.uniform_unit_scaling_initializer()([2, 3])
tf.variance_scaling_initializer()([3, 4])
tf.glorot_uniform_initializer()([3, 4])
tf.glorot_normal_initializer()([3, 4])
tf.initializers.he_normal(1)([3, 4])
tf.initializers.he_uniform()([3, 4])
tf.initializers.lecun_normal(1)([3, 4])
tf.initializers.lecun_uniform()([3, 4])
tf.contrib.layers.xavier_initializer()([3, 4])
tf.contrib.layers.xavier_initializer(uniform=False, seed=4)([3, 4])
tf.contrib.layers.variance_scaling_initializer()([3, 4])
nodes()
# case: random values
tf.set_random_seed(3)
kinds = [tf.random_uniform_initializer(), tf.random_uniform_initializer(-1, 1, seed=1), tf.random_normal_initializer(1, 2, seed=3)]
kinds += [tf.truncated_normal_initializer(stddev=0.1), tf.uniform_unit_scaling_initializer(1.43), tf.variance_scaling_initializer()]
kinds += [tf.glorot_uniform_initializer(), tf.glorot_normal_initializer(), tf.initializers.he_normal(1), tf.initializers.he_uniform()]
kinds += [tf.initializers.lecun_normal(1), tf.initializers.lecun_uniform(), tf.contrib.layers.xavier_initializer()]
kinds += [tf.contrib.layers.xavier_initializer(uniform=False, seed=4), tf.contrib.layers.variance_scaling_initializer()]
kinds += [tf.contrib.layers.variance_scaling_initializer(factor=1.0, mode="FAN_OUT", uniform=True)]
modes = [(m, d) for m in ("fan_in", "fan_out", "fan_avg") for d in ("uniform", "normal", "untruncated_normal")]
kinds += [tf.variance_scaling_initializer(2.0, mode, distribution) for mode, distribution in modes]
with tf.Session() as sess:
    for kind in kinds:
        show(sess.run([kind([2, 3])] + [kind(shape) for shape in ([], [2], [1, 2, 2, 1]) if kind is kinds[6]]))
# case: seeds of variables
tf.set_random_seed(7)
a = tf.get_variable("a", [2, 2])
with tf.variable_scope("s", initializer=tf.random_normal_initializer(stddev=0.1)):
    b = tf.get_variable("b", [2])
    c = tf.Variable(tf.truncated_normal([2]))
d = tf.get_variable("d", [2], initializer=tf.random_uniform_initializer(seed=5))
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    show(sess.run([a, b, c, d]))
# case: orthogonal matrices
tf.orthogonal_initializer()([3, 4])
tf.orthogonal_initializer(gain=2.0, seed=1)([4, 3])
tf.orthogonal_initializer()([2, 3, 2])
nodes()
with tf.Session() as sess:
    for shape in ([3, 4], [4, 3], [2, 3, 2]):
        flat = sess.run(tf.orthogonal_initializer(gain=2.0, seed=1)(shape)).reshape(-1, shape[-1])
        product = flat.dot(flat.T) if flat.shape[0] < flat.shape[1] else flat.T.dot(flat)
        show(np.round(product, 3) + 0.0)
tf.orthogonal_initializer()([4])
# case: identity matrices
show(tf.initializers.identity()([3, 3]), tf.initializers.identity(2.0)([2, 3]))
nodes()
tf.initializers.identity()([2])
# case: arguments that do not fit
def attempt(f):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, e)
attempt(lambda: tf.variance_scaling_initializer(scale=0))
attempt(lambda: tf.variance_scaling_initializer(mode="x"))
attempt(lambda: tf.variance_scaling_initializer(distribution="x"))
attempt(lambda: tf.random_normal_initializer(dtype=tf.int32))
attempt(lambda: tf.random_uniform_initializer()([2], dtype=tf.int32))
attempt(lambda: tf.contrib.layers.variance_scaling_initializer(mode="X"))
attempt(lambda: tf.contrib.layers.variance_scaling_initializer(dtype=tf.int32))
attempt(lambda: tf.contrib.layers.xavier_initializer()([3, 4], dtype=tf.int32))
# case: configurations
kinds = [tf.constant_initializer(3.0), tf.zeros_initializer(), tf.ones_initializer(), tf.random_uniform_initializer()]
kinds += [tf.random_normal_initializer(), tf.truncated_normal_initializer(), tf.uniform_unit_scaling_initializer()]
kinds += [tf.variance_scaling_initializer(), tf.glorot_uniform_initializer(), tf.glorot_normal_initializer()]
kinds += [tf.orthogonal_initializer(), tf.initializers.identity(), tf.initializers.he_normal()]
for kind in kinds:
    config = kind.get_config()
    print(type(kind).__name__, sorted(config.items()), type(kind).from_config(config).get_config() == config)
# case: the whole counts for a part
two = tf.fixed_size_partitioner(2)
tf.set_random_seed(1)
a = tf.get_variable("a", [4, 3], initializer=tf.glorot_uniform_initializer(), partitioner=two)
b = tf.get_variable("b", [4, 3], initializer=tf.uniform_unit_scaling_initializer(), partitioner=two)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    show(sess.run([tf.identity(a), tf.identity(b)]))
# case: orthogonal convolutions
from tensorflow.python.ops import init_ops

with tf.Session() as s:
    for make, shape in (
        (init_ops.convolutional_delta_orthogonal, [3, 3, 2, 4]),
        (init_ops.convolutional_delta_orthogonal, [3, 2, 2]),
        (init_ops.convolutional_orthogonal_1d, [3, 2, 4]),
        (init_ops.convolutional_orthogonal_2d, [3, 3, 2, 4]),
        (init_ops.convolutional_orthogonal_2d, [1, 1, 2, 2]),
        (init_ops.convolutional_orthogonal_3d, [2, 2, 2, 2, 4]),
    ):
        tf.set_random_seed(3)
        initializer = make(gain=2.0, seed=7)
        show(np.round(s.run(initializer(shape)), 3), initializer.seed, type(initializer).__name__)
        for bad in ([2, 2], [3, 3, 5, 4], [3, 2, 3, 4]):
            try:
                show(initializer(bad).shape)
            except Exception as e:
                print(type(e).__name__, str(e).splitlines()[0])
