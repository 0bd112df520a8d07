"""Single ops and their gradients at three sizes: each plan is one op whose result is kept.

The inputs are variables, and the result goes to a variable, so that nothing is fed or fetched.
"""

import numpy as np
import timing
import tensorflow as tf

timing.SECONDS = min(timing.SECONDS, 0.15)
timing.BLOCK_SECONDS = 0.02

# Rows and columns of matrices; batch, height and width, channels of images.
SIZES = {
    "small": ((32, 32), (1, 8, 8)),
    "medium": ((256, 512), (8, 28, 16)),
    "large": ((2048, 2048), (16, 56, 32)),
}
random = np.random.RandomState(0)


class Inputs:
    """The inputs for one size, as variables."""

    def __init__(self, matrix, image):
        self.rows, self.columns = matrix
        self.batch, self.side, self.channels = image
        self.image_shape = [self.batch, self.side, self.side, self.channels]

    def floats(self, *shape):
        """Positive numbers below 1."""
        return self._keep(random.uniform(0.05, 1.0, shape).astype(np.float32))

    def integers(self, limit, *shape):
        return self._keep(random.randint(0, limit, shape).astype(np.int32))

    def matrix(self):
        return self.floats(self.rows, self.columns)

    def image(self):
        return self.floats(*self.image_shape)

    def filters(self):
        return self.floats(3, 3, self.channels, self.channels)

    @staticmethod
    def _keep(value):
        return tf.Variable(value, trainable=False)


def gradient(result, inputs):
    """The gradient of an otherwise unused result, for a gradient of ones."""
    return tf.gradients(result, inputs)[0]


def element_wise(name, function, count=1):
    def build(i):
        return function(*[i.matrix() for _ in range(count)])

    CASES[name] = build


def case(name):
    def decorator(build):
        CASES[name] = build
        return build

    return decorator


CASES = {}
element_wise("add", tf.add, 2)
element_wise("exp", tf.exp)
element_wise("log", tf.log)
element_wise("tanh", tf.tanh)
element_wise("sigmoid", tf.sigmoid)
element_wise("rsqrt", tf.rsqrt)
element_wise("relu", lambda x: tf.nn.relu(x - 0.5))
element_wise("pow", tf.pow, 2)
element_wise("maximum", tf.maximum, 2)
element_wise("where", lambda x, y: tf.where(x > y, x, y), 2)
element_wise("cast", lambda x: tf.cast(x, tf.int32))
element_wise("gradient of tanh", lambda x: gradient(tf.tanh(x), x))
element_wise("gradient of mul", lambda x, y: gradient(tf.multiply(x, y), x), 2)
element_wise("sum", tf.reduce_sum)
element_wise("sum of columns", lambda x: tf.reduce_sum(x, 0))
element_wise("sum of rows", lambda x: tf.reduce_sum(x, 1))
element_wise("max of rows", lambda x: tf.reduce_max(x, 1))
element_wise("gradient of max of rows", lambda x: gradient(tf.reduce_max(x, 1), x))
element_wise("mean", tf.reduce_mean)
element_wise("argmax", lambda x: tf.argmax(x, 1))
element_wise("logsumexp", lambda x: tf.reduce_logsumexp(x, 1))
element_wise("cumsum", lambda x: tf.cumsum(x, 1))
element_wise("l2_loss", tf.nn.l2_loss)
element_wise("softmax", tf.nn.softmax)
element_wise("log_softmax", tf.nn.log_softmax)
element_wise("gradient of softmax", lambda x: gradient(tf.nn.softmax(x)[:, :1], x))
element_wise("transpose", tf.transpose)
element_wise("concat", lambda x, y: tf.concat([x, y], 1), 2)
element_wise("stack", lambda x, y: tf.stack([x, y], 1), 2)
element_wise("split", lambda x: tf.split(x, 2, 1)[1])
element_wise("pad", lambda x: tf.pad(x, [[1, 1], [2, 2]]))
element_wise("tile", lambda x: tf.tile(x, [2, 1]))
element_wise("reverse", lambda x: tf.reverse(x, [1]))
element_wise("strided_slice", lambda x: x[1:-1, ::2])
element_wise("gradient of strided_slice", lambda x: gradient(x[1:-1, ::2], x))
element_wise("top_k", lambda x: tf.nn.top_k(x, 8)[0])
element_wise("sort", lambda x: tf.contrib.framework.sort(x))
element_wise("random_uniform", lambda x: tf.random_uniform(tf.shape(x)))
element_wise("random_normal", lambda x: tf.random_normal(tf.shape(x)))
element_wise("dropout", lambda x: tf.nn.dropout(x, 0.5))


@case("matmul")
def matmul(i):
    return tf.matmul(i.floats(i.rows, i.rows // 4), i.floats(i.rows // 4, i.columns))


@case("gradient of matmul")
def gradient_of_matmul(i):
    a = i.floats(i.rows, i.rows // 4)
    return gradient(tf.matmul(a, i.floats(i.rows // 4, i.columns)), a)


@case("batch matmul")
def batch_matmul(i):
    return tf.matmul(i.floats(16, i.rows // 8, 32), i.floats(16, 32, i.columns // 8))


@case("bias_add")
def bias_add(i):
    return tf.nn.bias_add(i.image(), i.floats(i.channels))


@case("gradient of bias_add")
def gradient_of_bias_add(i):
    bias = i.floats(i.channels)
    return gradient(tf.nn.bias_add(i.image(), bias), bias)


@case("cross entropy")
def cross_entropy(i):
    return tf.nn.softmax_cross_entropy_with_logits(labels=i.matrix(), logits=i.matrix())


@case("gradient of sparse cross entropy")
def gradient_of_sparse_cross_entropy(i):
    logits = i.matrix()
    labels = i.integers(i.columns, i.rows)
    return gradient(
        tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits), logits
    )


@case("gather")
def gather(i):
    return tf.gather(i.matrix(), i.integers(i.rows, i.rows))


@case("gather_nd")
def gather_nd(i):
    return tf.gather_nd(i.matrix(), i.integers(i.rows, i.rows, 2) % min(i.rows, i.columns))


@case("gradient of gather")
def gradient_of_gather(i):
    x = i.matrix()
    return tf.convert_to_tensor(gradient(tf.gather(x, i.integers(i.rows, i.rows)), x))


@case("scatter_nd")
def scatter_nd(i):
    return tf.scatter_nd(i.integers(i.rows, i.rows, 1), i.matrix(), [i.rows, i.columns])


@case("segment_sum")
def segment_sum(i):
    segments = tf.Variable(np.arange(i.rows, dtype=np.int32) // 4, trainable=False)
    result = tf.segment_sum(i.matrix(), segments)
    result.set_shape([i.rows // 4, i.columns])
    return result


@case("unsorted_segment_sum")
def unsorted_segment_sum(i):
    return tf.unsorted_segment_sum(i.matrix(), i.integers(i.rows // 4, i.rows), i.rows // 4)


@case("one_hot")
def one_hot(i):
    return tf.one_hot(i.integers(i.columns, i.rows), i.columns)


@case("in_top_k")
def in_top_k(i):
    return tf.nn.in_top_k(i.matrix(), i.integers(i.columns, i.rows), 5)


@case("conv2d")
def conv2d(i):
    return tf.nn.conv2d(i.image(), i.filters(), [1, 1, 1, 1], "SAME")


@case("gradient of conv2d for the image")
def gradient_of_conv2d_for_the_image(i):
    image = i.image()
    return gradient(tf.nn.conv2d(image, i.filters(), [1, 1, 1, 1], "SAME"), image)


@case("gradient of conv2d for the filters")
def gradient_of_conv2d_for_the_filters(i):
    filters = i.filters()
    return gradient(tf.nn.conv2d(i.image(), filters, [1, 1, 1, 1], "SAME"), filters)


@case("depthwise_conv2d")
def depthwise_conv2d(i):
    return tf.nn.depthwise_conv2d(i.image(), i.floats(3, 3, i.channels, 1), [1, 1, 1, 1], "SAME")


@case("max_pool")
def max_pool(i):
    return tf.nn.max_pool(i.image(), [1, 2, 2, 1], [1, 2, 2, 1], "SAME")


@case("gradient of max_pool")
def gradient_of_max_pool(i):
    image = i.image()
    return gradient(tf.nn.max_pool(image, [1, 2, 2, 1], [1, 2, 2, 1], "SAME"), image)


@case("avg_pool")
def avg_pool(i):
    return tf.nn.avg_pool(i.image(), [1, 3, 3, 1], [1, 2, 2, 1], "SAME")


@case("gradient of avg_pool")
def gradient_of_avg_pool(i):
    image = i.image()
    return gradient(tf.nn.avg_pool(image, [1, 3, 3, 1], [1, 2, 2, 1], "SAME"), image)


@case("batch normalization")
def batch_normalization(i):
    return tf.nn.fused_batch_norm(i.image(), i.floats(i.channels), i.floats(i.channels))[0]


@case("gradient of batch normalization")
def gradient_of_batch_normalization(i):
    image = i.image()
    normal = tf.nn.fused_batch_norm(image, i.floats(i.channels), i.floats(i.channels))[0]
    return gradient(tf.square(normal), image)


@case("local response normalization")
def local_response_normalization(i):
    return tf.nn.lrn(i.image())


@case("resize_bilinear")
def resize_bilinear(i):
    return tf.image.resize_bilinear(i.image(), [i.side * 2, i.side * 2])


@case("gradient of resize_bilinear")
def gradient_of_resize_bilinear(i):
    image = i.image()
    return gradient(tf.image.resize_bilinear(image, [i.side * 2, i.side * 2]), image)


@case("space_to_depth")
def space_to_depth(i):
    return tf.space_to_depth(i.image(), 2)


for name, build in CASES.items():
    for size, shapes in SIZES.items():
        with tf.Graph().as_default(), tf.Session() as session:
            tf.set_random_seed(1)
            result = build(Inputs(*shapes))
            kept = tf.Variable(tf.zeros(result.shape, result.dtype), trainable=False)
            step = tf.assign(kept, result).op
            session.run(tf.global_variables_initializer())
            is_random = name.startswith("random") or name == "dropout"
            timing.measure(
                lambda: session.run(step),  # noqa: B023
                name=f"{name}, {size}",
                check=None if is_random else lambda: np.mean(session.run(kept)),  # noqa: B023
            )
