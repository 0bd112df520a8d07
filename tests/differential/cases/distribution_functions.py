# case: nodes of triangular matrices
d = tf.contrib.distributions
show(d.fill_triangular(tf.placeholder(tf.float32, [None, 6])))
show(d.fill_triangular(tf.placeholder(tf.float32, [6]), upper=True))
show(d.fill_triangular(tf.placeholder(tf.float32)))
show(d.fill_triangular_inverse(tf.placeholder(tf.float32, [3, 3])))
show(d.fill_triangular_inverse(tf.placeholder(tf.float32, [None, None, None]), upper=True))
nodes()
# case: values of matrices
d = tf.contrib.distributions
x = np.arange(1.0, 13.0).reshape(2, 6)
with tf.Session() as session:
    for upper in (False, True):
        matrix = d.fill_triangular(x, upper=upper)
        show(session.run([matrix, d.fill_triangular_inverse(matrix, upper=upper)]))
    show(session.run(d.tridiag([1.0, 2.0], [3.0, 4.0, 5.0], [6.0, 7.0])))
    show(session.run(d.matrix_diag_transform(np.eye(2), tf.nn.softplus)))
try:
    d.fill_triangular([1.0, 2.0])
except ValueError as error:
    print(error)
# case: values of sums
d = tf.contrib.distributions
with tf.Session() as session:
    logx, w = [[0.5, -1.0, 1e3], [-np.inf, 0.0, 1.0]], [[1.0, -2.0, 0.5], [1.0, 1.0, 2.0]]
    show(session.run(d.reduce_weighted_logsumexp(logx, w, axis=1, return_sign=True)))
    show(session.run(d.reduce_weighted_logsumexp(logx, w, axis=0, keep_dims=True)))
    show(session.run(d.reduce_weighted_logsumexp(logx)))
    show(session.run(d.softplus_inverse([1e-8, 0.1, 1.0, 20.0])))
nodes()
# case: special functions
from tensorflow.python.ops.distributions import special_math
x = np.array([-100.0, -25.0, -15.0, -5.0, -0.1, 0.0, 0.4, 3.0, 7.0, 30.0])
p = np.array([0.0, 1e-30, 0.01, 0.2, 0.5, 0.8, 0.99, 1.0])
with tf.Session() as session:
    for dtype in (np.float32, np.float64):
        show(session.run([special_math.ndtr(x.astype(dtype)), special_math.log_ndtr(x.astype(dtype))]))
        show(session.run(special_math.ndtri(p.astype(dtype))))
        show(session.run(special_math.erfinv(np.linspace(-1, 1, 7).astype(dtype))))
        show(session.run(special_math.log_cdf_laplace(x.astype(dtype))))
for f in (special_math.ndtr, special_math.log_ndtr, special_math.ndtri, special_math.erfinv):
    try:
        f(1)
    except TypeError as error:
        print(error)
for order in (-1, 31, 1.0):
    try:
        special_math.log_ndtr(1.0, series_order=order)
    except (TypeError, ValueError) as error:
        print(error)
# case: nodes of checks
from tensorflow.python.ops.distributions import util
show(util.assert_integer_form(tf.placeholder(tf.float32)))
show(util.embed_check_nonnegative_integer_form(tf.placeholder(tf.int32)))
show(util.embed_check_categorical_event_shape(tf.placeholder(tf.float16)))
show(util.embed_check_integer_casting_closed(tf.placeholder(tf.int32), tf.uint16, False))
show(util.get_logits_and_probs(probs=tf.placeholder(tf.float32), validate_args=True))
show(util.same_dynamic_shape(tf.placeholder(tf.int32), tf.placeholder(tf.int32)))
nodes()
# case: nodes of moved and longer arrays
from tensorflow.python.ops.distributions import util
show(util.rotate_transpose(tf.placeholder(tf.float32), 1))
show(util.rotate_transpose(tf.placeholder(tf.float32, [2, 3, 4]), -1))
show(util.pick_vector(tf.placeholder(tf.bool), [1, 2], [3]))
show(util.pad(tf.placeholder(tf.float32, [2, 3]), axis=-1, back=True, value=1.0))
show(util.pad(tf.placeholder(tf.float32), tf.placeholder(tf.int32), True, True, count=2))
show(util.prefer_static_broadcast_shape(tf.placeholder(tf.int32), tf.placeholder(tf.int32)))
print(util.prefer_static_broadcast_shape([2, 1], [3]), util.gen_new_seed(1, "a"))
show(util.process_quadrature_grid_and_probs(([1.0, 2.0], [0.5, 0.5]), tf.float32, True))
nodes()
# case: a bijector
from tensorflow.python.ops.distributions import bijector
class Exp(bijector.Bijector):
    def __init__(self, constant=False):
        super(Exp, self).__init__(forward_min_event_ndims=0, is_constant_jacobian=constant)
    def _forward(self, x):
        return tf.exp(x)
    def _inverse(self, y):
        return tf.log(y)
    def _inverse_log_det_jacobian(self, y):
        return -tf.log(y)
    def _forward_log_det_jacobian(self, x):
        return x
x = tf.placeholder(tf.float32, [2, 3])
b = Exp()
y = b.forward(x)
print(b.inverse(y) is x, b.name)
show(y, b.forward_log_det_jacobian(x, event_ndims=1), b.inverse_log_det_jacobian(y, event_ndims=1))
show(b.inverse([1.0]), b.inverse_log_det_jacobian([1.0], event_ndims=tf.placeholder(tf.int32)))
b = Exp(constant=True)
show(b.forward_log_det_jacobian(x, event_ndims=0), b.inverse_log_det_jacobian(x, event_ndims=0))
for ndims in (1.5, (1, 2)):
    try:
        b.inverse_log_det_jacobian(x, event_ndims=ndims)
    except ValueError as error:
        print(error)
nodes()
# case: values of a transformed distribution
from tensorflow.python.ops.distributions import bijector
class Exp(bijector.Bijector):
    def __init__(self):
        super(Exp, self).__init__(forward_min_event_ndims=0)
    def _forward(self, x):
        return tf.exp(x)
    def _inverse(self, y):
        return tf.log(y)
    def _inverse_log_det_jacobian(self, y):
        return -tf.log(y)
d = tf.contrib.distributions
normal = d.Normal([0.0, 1.0], 2.0)
one = d.TransformedDistribution(normal, Exp())
more = d.TransformedDistribution(d.Normal(0.0, 1.0), Exp(), batch_shape=[2], event_shape=[3])
events = d.TransformedDistribution(normal, Exp(), event_shape=[3])
print(one.batch_shape, one.event_shape, more.batch_shape, more.event_shape, events.batch_shape)
x = np.array([[0.5, 1.0, 2.0], [3.0, 0.1, 1.0]], np.float32)
with tf.Session() as session:
    show(session.run([one.log_prob(0.5), one.cdf(0.5), one.survival_function(0.5)]))
    show(session.run([one.quantile(0.5), one.prob([0.5, 0.7]), one.sample(3, seed=1)]))
    show(session.run([more.log_prob(x), more.prob(x), more.sample(2, seed=1)]))
    show(session.run([events.log_prob(x), events.sample(2, seed=1)]))
